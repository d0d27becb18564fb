/** FIFO mutex of the SQLite write connection. */
export type WriteKind = 'statement' | 'transaction'

export class WriteQueue {
  readonly #waiters: { readonly kind: WriteKind; readonly resume: () => void }[] = []
  #isHeld = false

  async acquire(kind: WriteKind): Promise<void> {
    if (this.#isHeld) await new Promise<void>((resume) => this.#waiters.push({ kind, resume }))
    this.#isHeld = true
  }

  /** Hands over to the first waiter, if there is one. */
  release(): void {
    const next = this.#waiters.shift()
    if (next) next.resume()
    else this.#isHeld = false
  }

  /** Hands over to the first waiting transaction, ahead of statements. False when there is none. */
  passToTransaction(): boolean {
    const index = this.#waiters.findIndex(({ kind }) => kind === 'transaction')
    const [next] = index < 0 ? [] : this.#waiters.splice(index, 1)
    next?.resume()
    return next !== undefined
  }
}
