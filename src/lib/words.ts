/** Comparing and finding words as people write them. */
import { SIMPLIFIED } from './simplified-chinese.ts'

/**
 * Letters that look like a Latin letter, with that letter. Upper and lower case are listed apart where they look like
 * different letters (Greek Η is H, η is n). Accents need no row: they are taken off before.
 */
const ROWS: Readonly<Record<string, string>> = {
  a: 'АаΑαᴀɑⱥӑ',
  b: 'ВвΒβЬьʙƀɓЪъ',
  c: 'Ссᴄƈȼↄ',
  d: 'ԀԁᴅđɗɖÐð',
  e: 'ЕеΕεЄєᴇɛɇЭэ',
  f: 'ҒғꜰƒϜϝ',
  g: 'ɡɢǥɠԌԍ',
  h: 'НнΗҺһʜħɦЋћ',
  i: 'ІіΙιӀӏıɪɩΪϊ',
  j: 'ЈјͿϳᴊɉʝ',
  k: 'КкΚκᴋƙҚқҜҝ',
  l: 'ʟłɭƚⅼ',
  m: 'МмΜᴍɱ',
  n: 'ΝηПпɴɲƞŋИи',
  o: 'ОоΟοσςᴏøɵӨөՕօ',
  p: 'РрΡρᴘƥÞþϷϸ',
  q: 'ԚԛɋϘϙ',
  r: 'Ггʀɍɽᴦ',
  s: 'Ѕѕꜱʂƨ',
  t: 'ТтΤτᴛŧƭʈ',
  u: 'υμᴜʉՍսЦц',
  v: 'νѴѵᴠʋ',
  w: 'ѠѡωԜԝᴡɯШшЩщ',
  x: 'ХхΧχҲҳ',
  y: 'УуΥγҮүʏɏƴ',
  z: 'Ζζᴢƶʐ',
  ae: 'Ææ',
  oe: 'Œœɶ',
  ss: 'ßẞ',
}

/** Letters A to Z in a box or a disc, and the regional indicators that flags are made of. */
const ALPHABETS = [0x1f150, 0x1f170, 0x1f1e6]

const LOOK_ALIKES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(ROWS).flatMap(([latin, letters]) => Array.from(letters, (letter) => [letter, latin] as const)),
  ...ALPHABETS.flatMap((first) =>
    Array.from({ length: 26 }, (_, i) => [String.fromCodePoint(first + i), String.fromCharCode(0x61 + i)] as const),
  ),
])

/**
 * Texts reduced to what a reader recognizes, so that a forbidden word cannot be hidden by how it is written: case, width,
 * accents, invisible characters, traditional characters, look-alike letters, and blanks or punctuation between letters
 * make no difference. Pure.
 */
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

/** The group of each word: `{ paid: ['sold', 'vended'] }` becomes a map from `sold` and `vended` to `paid`. */
export const mapWordsToGroups = <Group extends string>(
  groups: Readonly<Record<Group, readonly string[]>>,
): ReadonlyMap<string, Group> =>
  new Map(
    (Object.keys(groups) as Group[]).flatMap((group) => groups[group].map((word): [string, Group] => [word, group])),
  )

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

export function closestWord(typed: string, known: readonly string[]): string | undefined {
  const bound = Math.max(1, Math.floor(typed.length / 3))
  const candidates = known
    .map((word) => ({ word, edits: editDistance(typed, word) }))
    .filter(({ edits }) => edits <= bound)
    .toSorted((a, b) => a.edits - b.edits)
  return candidates[0]?.word
}

/** Spaces, full-width forms and case make no difference to a search. */
export const normalizeText = (text: string): string => text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, '')
