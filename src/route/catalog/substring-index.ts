/** Substring search over many short texts, joined into one: several times faster than searching each of them. */
import { forEachInSlices } from '../../lib/concurrency.ts'

const SEPARATOR = '\u0000'
/** Texts that are joined in one turn of the event loop. */
const BATCH_SIZE = 1_000

export class SubstringIndex {
  readonly #joined: string
  /** Where each text begins; the last entry is the end of the joined text. */
  readonly #starts: Int32Array

  private constructor(joined: string, starts: Int32Array) {
    this.#joined = joined
    this.#starts = starts
  }

  static async build<T>(items: readonly T[], textOf: (item: T) => string): Promise<SubstringIndex> {
    const starts = new Int32Array(items.length + 1)
    const parts: string[] = []
    let batch: string[] = []
    let at = 0
    await forEachInSlices(items, (item, i) => {
      const text = textOf(item)
      at += text.length + SEPARATOR.length
      starts[i + 1] = at
      batch.push(text, SEPARATOR)
      if (batch.length < 2 * BATCH_SIZE) return
      parts.push(batch.join(''))
      batch = []
    })
    return new SubstringIndex([...parts, ...batch].join(''), starts)
  }

  /** Calls back with the index of each text that contains the needle, in order. Requests cannot contain the separator. */
  forEachMatch(needle: string, onMatch: (index: number) => void): void {
    let index = 0
    let at = this.#joined.indexOf(needle)
    while (at >= 0) {
      // Matches come in order, so all steps together are at most as many as there are texts.
      while ((this.#starts[index + 1] as number) <= at) index += 1
      onMatch(index)
      at = this.#joined.indexOf(needle, this.#starts[index + 1])
    }
  }
}
