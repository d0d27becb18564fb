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
