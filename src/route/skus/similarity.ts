/**
 * How similar two product names are, Chinese or Latin. Used for suggestions only, never for orders. Sizes are extracted
 * first: "550ml" and "1.5L" are different products even when the rest of the name is equal.
 */

export interface Name {
  /** Single characters and pairs of Chinese, words and letter pairs of Latin. */
  readonly parts: ReadonlySet<string>
  /** `ml 550`, `g 40`, `n 10`: measure and value. */
  readonly sizes: ReadonlySet<string>
}

/**
 * Less similar names are not suggested. Measured on the simulator's products, whose supplier and machine names differ as
 * real ones do: the same product scores 0.78 or more, another brand 0.5 or less, flavours of one line in between.
 */
export const MIN_SIMILARITY = 0.7

const MEASURES: Readonly<Record<string, readonly [measure: string, factor: number]>> = {
  ml: ['ml', 1],
  毫升: ['ml', 1],
  l: ['ml', 1000],
  升: ['ml', 1000],
  g: ['g', 1],
  克: ['g', 1],
  kg: ['g', 1000],
  千克: ['g', 1000],
  公斤: ['g', 1000],
  片: ['n', 1],
  只: ['n', 1],
  支: ['n', 1],
  枚: ['n', 1],
  粒: ['n', 1],
  包: ['n', 1],
}

/** A number with a unit and, in some vendors' data, a pack count (`550ml*24瓶`), which is ignored here. */
const SIZE =
  /(\d+(?:\.\d+)?)\s*(毫升|千克|公斤|ml|kg|l|g|升|克|片|只|支|枚|粒|包)(?![a-z])(?:\s*[*x×]\s*\d+\s*[\p{Script=Han}]?)?/gu
const DIGIT = /\d/
/** Characters that do not separate words: `M&M's` is `mms`, `Coca-Cola` is `cocacola`. */
const JOINERS = "'’&.-"
const LETTER = /[\p{L}\p{N}]/u

/** Scripts written without spaces: Han, kana, hangul, and characters beyond the first plane. */
const isDense = (code: number): boolean =>
  (code >= 0x2e80 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xdfff) || (code >= 0xf900 && code <= 0xfaff)

const isLetter = (letter: string, code: number): boolean =>
  code < 0x80 ? (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) : LETTER.test(letter)

export function parseName(title: string): Name {
  const sizes = new Set<string>()
  const plain = title.normalize('NFKC').toLowerCase()
  const text = DIGIT.test(plain) ? plain.replace(SIZE, (_, value, unit) => extractSize(sizes, value, unit)) : plain
  const parts = new Set<string>()
  let before = ''
  let word = ''
  // A loop instead of regular expressions: a catalog of 50,000 products is parsed at once.
  for (const letter of text) {
    const code = letter.charCodeAt(0)
    if (isDense(code)) {
      addWord(parts, word)
      word = ''
      parts.add(letter)
      // Spaces between Chinese words carry no meaning: `薯片 原味` and `薯片原味` are the same name.
      if (before !== '') parts.add(before + letter)
      before = letter
    } else if (isLetter(letter, code)) {
      word += letter
      before = ''
    } else if (word === '' || !JOINERS.includes(letter)) {
      addWord(parts, word)
      word = ''
    }
  }
  addWord(parts, word)
  return { parts, sizes }
}

function extractSize(sizes: Set<string>, value: string, unit: string): string {
  const [measure, factor] = MEASURES[unit] ?? [unit, 1]
  sizes.add(`${measure} ${Math.round(Number(value) * factor * 100) / 100}`)
  return ' '
}

/** The whole word and its letter pairs, so that a typo loses only some parts. */
function addWord(parts: Set<string>, word: string): void {
  if (word === '') return
  parts.add(` ${word} `)
  for (let i = 0; i + 1 < word.length; i++) parts.add(word.slice(i, i + 2))
}

/** 0 to 1, symmetric. Different sizes of one measure are different products, whatever the names say. */
export function nameSimilarity(left: Name, right: Name): number {
  const sizes = compareSizes(left.sizes, right.sizes)
  if (sizes === 'differ') return 0
  const [small, large] = left.parts.size <= right.parts.size ? [left.parts, right.parts] : [right.parts, left.parts]
  if (small.size === 0) return 0
  let shared = 0
  for (const part of small) if (large.has(part)) shared += 1
  const dice = (2 * shared) / (small.size + large.size)
  // Machine screens are short: a name contained in the other scores higher.
  const inside = shared / small.size
  const names = 0.6 * dice + 0.4 * inside
  return sizes === 'agree' ? 0.85 * names + 0.15 : names
}

function compareSizes(left: ReadonlySet<string>, right: ReadonlySet<string>): 'agree' | 'differ' | 'unknown' {
  for (const size of left) if (right.has(size)) return 'agree'
  const measures = new Set([...right].map(measureOf))
  return [...left].some((size) => measures.has(measureOf(size))) ? 'differ' : 'unknown'
}

const measureOf = (size: string): string => size.slice(0, size.indexOf(' '))
