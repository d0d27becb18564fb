/**
 * Texts reduced to what a reader recognizes, so that a forbidden word cannot be hidden by how it is written: case, width,
 * accents, invisible characters, traditional characters, look-alike letters, and blanks or punctuation between letters
 * make no difference. Pure.
 */
import { LOOK_ALIKES } from './look-alikes.ts'
import { SIMPLIFIED } from './simplified-chinese.ts'

export interface FoldedText {
  /** Letters and digits only. */
  readonly letters: string
  /** For each letter, and one behind the last: whether a visible character that is no letter precedes it. */
  readonly separated: readonly boolean[]
  /** The same for where a word begins: after a separator, between letters, digits and scripts, at a capital. */
  readonly wordStart: readonly boolean[]
}

/** Marks, and characters that show nothing: zero-width characters, soft hyphens, variation selectors, fillers. */
const INVISIBLE = /[\p{Mn}\p{Me}\p{Cf}\p{DI}\p{Co}]|(?!\s)\p{Cc}/u
const LETTER = /[\p{L}\p{N}]/u
const NUMBER = /\p{N}/u
const LATIN = /\p{Script=Latin}/u
const HANGUL = /\p{Script=Hangul}/u
const UPPER = /\p{Lu}/u

/**
 * A capital I within a small word is read as l (`CoIa`), a small l before capitals as I (`lPA`), and the lunate sigma as
 * c: Unicode takes it for a plain sigma.
 */
const readAsShown = (text: string): string =>
  text
    .replaceAll(/[Ϲϲ]/g, 'c')
    .replaceAll(/(?<=\p{Ll})I/gu, 'l')
    .replaceAll(/(?<!\p{Ll})l(?=\p{Lu})/gu, 'I')

/**
 * Two readings of a text. `by case` lowers letters before it looks for their Latin look-alike, so that words of other
 * scripts compare without case; `by shape` looks first, because Greek Η looks like H and its small form η like n.
 */
export const readings = (text: string): readonly [byCase: FoldedText, byShape: FoldedText] => [
  fold(text, (letter) => simplify(letter.toLowerCase())),
  fold(readAsShown(text), (letter) => simplify(letter)),
]

function simplify(letter: string): string {
  const lower = letter.toLowerCase()
  return SIMPLIFIED.get(letter) ?? LOOK_ALIKES.get(letter) ?? LOOK_ALIKES.get(lower) ?? lower
}

/** Composed first, so that Hangul stays in syllables, whose parts are letters and no marks. */
const characters = (text: string): readonly string[] =>
  Array.from(text.normalize('NFKC')).flatMap((one) => (HANGUL.test(one) ? [one] : Array.from(one.normalize('NFKD'))))

function fold(text: string, read: (letter: string) => string): FoldedText {
  let letters = ''
  const separated: boolean[] = []
  const wordStart: boolean[] = []
  let apart = true
  let before = ''
  for (const character of characters(text)) {
    if (INVISIBLE.test(character)) continue
    if (!LETTER.test(character) && !LOOK_ALIKES.has(character)) {
      apart = true
      continue
    }
    const folded = read(character)
    separated.push(apart)
    wordStart.push(apart || beginsWord(before, character))
    // A letter that folds to two has no word begin inside it.
    for (let i = 1; i < folded.length; i++) {
      separated.push(false)
      wordStart.push(false)
    }
    letters += folded
    apart = false
    before = character
  }
  separated.push(true)
  wordStart.push(true)
  return { letters, separated, wordStart }
}

const beginsWord = (before: string, letter: string): boolean =>
  NUMBER.test(before) !== NUMBER.test(letter) ||
  LATIN.test(before) !== LATIN.test(letter) ||
  (UPPER.test(letter) && !UPPER.test(before))

/** What is left of a text without letters, an emoji for example: its visible signs without blanks. */
export const visibleSigns = (text: string): string =>
  Array.from(text.normalize('NFKC'))
    .filter((sign) => !INVISIBLE.test(sign) && !/\s/u.test(sign))
    .join('')
