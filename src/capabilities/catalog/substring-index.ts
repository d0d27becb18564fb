/** Substring search over many short texts, joined into one: several times faster than searching each of them. */
import { firstIndexWhere } from '../../lib/binary-search.ts'

const SEPARATOR = '\u0000'

export class SubstringIndex {
  readonly #joined: string
  /** Where each text begins; the last entry is the end of the joined text. */
  readonly #starts: Int32Array

  constructor(texts: readonly string[]) {
    this.#joined = texts.join(SEPARATOR)
    this.#starts = new Int32Array(texts.length + 1)
    let at = 0
    texts.forEach((text, i) => {
      at += text.length + SEPARATOR.length
      this.#starts[i + 1] = at
    })
  }

  /** Calls back with the index of each text that contains the needle, in order. Requests cannot contain the separator. */
  forEachMatch(needle: string, onMatch: (index: number) => void): void {
    let at = this.#joined.indexOf(needle)
    while (at >= 0) {
      const found = at
      const index = firstIndexWhere(this.#starts.length, (i) => (this.#starts[i] as number) > found) - 1
      onMatch(index)
      at = this.#joined.indexOf(needle, this.#starts[index + 1])
    }
  }
}
