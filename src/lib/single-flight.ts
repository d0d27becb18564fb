/** At most one run per key at a time: callers that come during a run share its result. */
export class SingleFlight<K, V> {
  readonly #running = new Map<K, Promise<V>>()

  run(key: K, work: () => Promise<V>): Promise<V> {
    const running = this.#running.get(key)
    if (running) return running
    const started = work().finally(() => this.#running.delete(key))
    this.#running.set(key, started)
    return started
  }

  /** The run under way, if there is one. */
  running(key: K): Promise<V> | undefined {
    return this.#running.get(key)
  }
}
