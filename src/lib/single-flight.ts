/** At most one run per key at a time. */
export class SingleFlight<K, V> {
  readonly #running = new Map<K, Promise<V>>()
  readonly #next = new Map<K, Promise<V>>()

  /** Callers that come during a run share its result. */
  run(key: K, work: () => Promise<V>): Promise<V> {
    const running = this.#running.get(key)
    if (running) return running
    const started = work().finally(() => this.#running.delete(key))
    this.#running.set(key, started)
    return started
  }

  /** A run that starts now or, during a run, after it: callers that come before it starts share it. */
  runNext(key: K, work: () => Promise<V>): Promise<V> {
    const running = this.#running.get(key)
    if (!running) return this.run(key, work)
    const waiting = this.#next.get(key)
    if (waiting) return waiting
    const begin = () => {
      this.#next.delete(key)
      return this.runNext(key, work)
    }
    const next = running.then(begin, begin)
    this.#next.set(key, next)
    return next
  }

  /** The run under way, if there is one. */
  running(key: K): Promise<V> | undefined {
    return this.#running.get(key)
  }
}
