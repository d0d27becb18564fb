/**
 * Keeps what is asked for again. The first asking leaves only its key, so that a stream of questions that are all
 * different fills no memory; whatever is kept lives long, and would otherwise be thrown away just after it grew old.
 */
export class SecondHitCache<V> {
  readonly #room: number
  readonly #once = new Set<string>()
  readonly #kept = new Map<string, V>()

  constructor(room: number) {
    this.#room = room
  }

  get(key: string): V | undefined {
    return this.#kept.get(key)
  }

  /** From the second time on it is kept, until so many others were. */
  keep(key: string, value: V): void {
    if (!this.#once.delete(key)) {
      makeRoom(this.#once, this.#room)
      this.#once.add(key)
      return
    }
    makeRoom(this.#kept, this.#room)
    this.#kept.set(key, value)
  }
}

function makeRoom(
  among: { readonly size: number; keys(): Iterator<string>; delete(key: string): boolean },
  room: number,
) {
  if (among.size >= room) among.delete(among.keys().next().value as string)
}
