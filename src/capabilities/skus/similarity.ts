/**
 * How alike two names of goods are, for Chinese and Latin names. It only ever suggests: no order is placed on it.
 * Sizes are read out first, for "550ml" and "1.5L" tell two goods apart whose names are otherwise the same.
 */

export interface Name {
  /** What the name consists of: single characters and pairs of Chinese, words and letter pairs of Latin. */
  readonly parts: ReadonlySet<string>
  /** `ml 550`, `g 40`, `n 10`: measure and value. */
  readonly sizes: ReadonlySet<string>
}

/**
 * Below it two names are not worth a person's look. Over the simulator's goods, whose two sides differ in words as real
 * ones do, the same good scores 0.78 or more, another brand 0.5 or less; only flavours of one line come in between.
 */
export const ALIKE = 0.7

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

/** A number with a measure, and the pack count some feeds hang on it (`550ml*24瓶`), which packaging settles elsewhere. */
const SIZE =
  /(\d+(?:\.\d+)?)\s*(毫升|千克|公斤|ml|kg|l|g|升|克|片|只|支|枚|粒|包)(?![a-z])(?:\s*[*x×]\s*\d+\s*[\p{Script=Han}]?)?/gu
const DIGIT = /\d/
/** They do not part a word: `M&M's` is `mms`, `Coca-Cola` is `cocacola`. */
const JOINERS = "'’&.-"
const LETTER = /[\p{L}\p{N}]/u

/** Scripts that write without blanks: Han, kana, hangul, and the rare characters beyond the first plane. */
const isDense = (code: number): boolean =>
  (code >= 0x2e80 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xdfff) || (code >= 0xf900 && code <= 0xfaff)

const isLetter = (letter: string, code: number): boolean =>
  code < 0x80 ? (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) : LETTER.test(letter)

export function readName(title: string): Name {
  const sizes = new Set<string>()
  const plain = title.normalize('NFKC').toLowerCase()
  const text = DIGIT.test(plain) ? plain.replace(SIZE, (_, value, unit) => takeSize(sizes, value, unit)) : plain
  const parts = new Set<string>()
  let before = ''
  let word = ''
  // Read by hand, not by expressions: a catalog of 50,000 goods is read at once.
  for (const letter of text) {
    const code = letter.charCodeAt(0)
    if (isDense(code)) {
      addWord(parts, word)
      word = ''
      parts.add(letter)
      // Blanks between Chinese words are a matter of taste: `薯片 原味` and `薯片原味` are the same name.
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

function takeSize(sizes: Set<string>, value: string, unit: string): string {
  const [measure, factor] = MEASURES[unit] ?? [unit, 1]
  sizes.add(`${measure} ${Math.round(Number(value) * factor * 100) / 100}`)
  return ' '
}

/** Whole, and in pairs of letters, so that a slip of the pen costs a part and not the word. */
function addWord(parts: Set<string>, word: string): void {
  if (word === '') return
  parts.add(` ${word} `)
  for (let i = 0; i + 1 < word.length; i++) parts.add(word.slice(i, i + 2))
}

/** 0 to 1. Symmetric. Different sizes of one measure are different goods, whatever the names say. */
export function likeness(left: Name, right: Name): number {
  const sizes = compareSizes(left.sizes, right.sizes)
  if (sizes === 'differ') return 0
  const [small, large] = left.parts.size <= right.parts.size ? [left.parts, right.parts] : [right.parts, left.parts]
  if (small.size === 0) return 0
  let shared = 0
  for (const part of small) if (large.has(part)) shared += 1
  const dice = (2 * shared) / (small.size + large.size)
  // Machine screens are short: a name wholly inside the other counts for more than what the other adds.
  const inside = shared / small.size
  const names = 0.6 * dice + 0.4 * inside
  return sizes === 'agree' ? 0.85 * names + 0.15 : names
}

function compareSizes(left: ReadonlySet<string>, right: ReadonlySet<string>): 'agree' | 'differ' | 'untold' {
  for (const size of left) if (right.has(size)) return 'agree'
  const measures = new Set([...right].map(measureOf))
  return [...left].some((size) => measures.has(measureOf(size))) ? 'differ' : 'untold'
}

const measureOf = (size: string): string => size.slice(0, size.indexOf(' '))

export const similarity = (left: string, right: string): number => likeness(readName(left), readName(right))
