/** Maps of bounded size. */

/** A Map with at most `max` entries. A new entry evicts the one that was set longest ago. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #max: number

  constructor(max: number) {
    super()
    this.#max = max
  }

  /** Makes the key the newest, also when it was there before. */
  override set(key: K, value: V): this {
    this.delete(key)
    if (this.size >= this.#max) this.delete(this.keys().next().value as K)
    return super.set(key, value)
  }
}

/**
 * Admits a key on its second use and evicts the oldest first. The first use stores only the key, so requests that are
 * all different do not fill the memory with results that nobody asks for again.
 */
export class SecondHitCache<V> {
  readonly #seenOnce: BoundedMap<string, true>
  readonly #values: BoundedMap<string, V>

  constructor(max: number) {
    this.#seenOnce = new BoundedMap(max)
    this.#values = new BoundedMap(max)
  }

  get(key: string): V | undefined {
    return this.#values.get(key)
  }

  offer(key: string, value: V): void {
    if (this.#seenOnce.delete(key)) this.#values.set(key, value)
    else this.#seenOnce.set(key, true)
  }
}
