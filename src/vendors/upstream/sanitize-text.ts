/**
 * Texts of upstreams reach callers as `content`, so they are sanitized first: one line, bounded, and without our
 * credentials or the upstream's address, should it echo them.
 */
const LONGEST_TEXT = 300
/** Hiding shorter words would damage ordinary sentences. */
const SHORTEST_HIDDEN = 4
/** Control and format characters: line breaks, escapes, and marks that change the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]+/gu

export function sanitizeText(text: string, hidden: readonly string[] = []): string {
  // Bounds the work below, whatever the upstream sent.
  let plain = text.slice(0, 4 * LONGEST_TEXT).replace(UNPRINTABLE, ' ')
  for (const word of hidden) {
    if (word.length >= SHORTEST_HIDDEN) plain = plain.replaceAll(new RegExp(RegExp.escape(word), 'giu'), '…')
  }
  return firstCharacters(plain.replace(/\s+/g, ' ').trim(), LONGEST_TEXT)
}

/** Whole characters only: half of a surrogate pair is not text. */
export const firstCharacters = (text: string, most: number): string =>
  text.length <= most ? text : Array.from(text).slice(0, most).join('')
