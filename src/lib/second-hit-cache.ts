/**
 * Admits a key on its second use and evicts the oldest first. The first use stores only the key, so requests that are
 * all different do not fill the memory with results that nobody asks for again.
 */
import { BoundedMap } from './bounded-map.ts'

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
