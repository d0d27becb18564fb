/** Display width of texts in a terminal: CJK characters take two columns, combining marks none. */

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\u30fc\uff01-\uff60\uffe0-\uffe6]/u
const NONE = /[\p{M}\p{Cf}]/u

const widthOf = (character: string): number => (NONE.test(character) ? 0 : WIDE.test(character) ? 2 : 1)

export function displayWidth(text: string): number {
  let width = 0
  for (const character of text) width += widthOf(character)
  return width
}

export const padEnd = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - displayWidth(text)))
export const padStart = (text: string, width: number): string =>
  ' '.repeat(Math.max(0, width - displayWidth(text))) + text

/** Shortens a text to at most `width` columns, ending with an ellipsis. */
export function truncate(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  let start = ''
  let room = width - 1
  for (const character of text) {
    room -= widthOf(character)
    if (room < 0) break
    start += character
  }
  return `${start}…`
}

/** Breaks a text between words into lines of at most `width` columns; a longer word stays whole. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && displayWidth(longer) > width) {
      lines.push(line)
      line = word
    } else line = longer
  }
  return [...lines, line]
}

/** Vendor texts must not move the cursor, change colors or reverse the direction of the text. */
export const plainText = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
