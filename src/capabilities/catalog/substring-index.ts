/** Many short texts searched as one: finding a needle in a single long text is several times faster than in each. */
const SEPARATOR = '\u0000'

export class SubstringIndex {
  readonly #joined: string
  /** Where each text begins, and one more behind the last. */
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

  /** Tells the places of the texts that hold the needle, in order. A needle never holds the separator: the door refuses it. */
  holding(needle: string, tell: (place: number) => void): void {
    let place = 0
    let at = this.#joined.indexOf(needle)
    while (at >= 0) {
      place = this.#placeOf(at, place)
      tell(place)
      at = this.#joined.indexOf(needle, this.#starts[place + 1])
    }
  }

  /** The text that position `at` lies in, at or after place `from`. */
  #placeOf(at: number, from: number): number {
    let [low, high] = [from, this.#starts.length - 2]
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if ((this.#starts[middle] as number) <= at) low = middle
      else high = middle - 1
    }
    return low
  }
}
