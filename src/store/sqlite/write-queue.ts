/** Who has the one connection, and who waits for it, in the order in which they came. */
export type Wanted = 'statement' | 'transaction'

interface Waiting {
  readonly what: Wanted
  readonly go: () => void
}

export class WriteQueue {
  readonly #waiting: Waiting[] = []
  #taken = false

  async acquire(what: Wanted): Promise<void> {
    if (this.#taken) await new Promise<void>((go) => this.#waiting.push({ what, go }))
    this.#taken = true
  }

  /** To whoever waits longest. */
  release(): void {
    const next = this.#waiting.shift()
    if (next) next.go()
    else this.#taken = false
  }

  /** To the transaction that waits longest, past statements that came before it. False when there is none. */
  passToTransaction(): boolean {
    const place = this.#waiting.findIndex(({ what }) => what === 'transaction')
    const [next] = place < 0 ? [] : this.#waiting.splice(place, 1)
    next?.go()
    return next !== undefined
  }
}
