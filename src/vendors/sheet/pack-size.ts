/**
 * How many units a pack holds, read from the text in a price list. Only shapes that were seen and can mean one thing are
 * read: a wrong size would divide a price wrongly. Undefined means unknown, and the price is then that of one item.
 */
import { type DecimalSign, minorOf } from '../../kernel/minor-units.ts'

/** More than any case holds; a larger number is a code or a typing error. */
const SIZE_MAX = 100_000

const SHAPES: readonly RegExp[] = [
  // 1000/CS, 24 / CS, 500/BL, 4 GL / CS, 12 QT / CS
  /^(\d+)(?: ?(?:GL|QT))? ?\/ ?(?:CS|BL)$/i,
  // 10-100 / CS: ten inner packs of a hundred. Only with CS: `20-24 bottles per case` is a range.
  /^(\d+) ?- ?(\d+) ?\/ ?CS$/i,
  // 12 x 16 oz jars per case
  /^(\d+) ?x ?\d+(?:\.\d+)? ?oz\b[^\d/-]* per case$/i,
  // 24 bottles per case
  /^(\d+) (?:bags|bottles|cans) per case$/i,
]

export function packSizeOf(text: string): number | undefined {
  const plain = text.trim().replaceAll(/\s+/g, ' ')
  for (const shape of SHAPES) {
    const match = shape.exec(plain)
    if (!match) continue
    const size = Number(match[1]) * Number(match[2] ?? 1)
    return size >= 1 && size <= SIZE_MAX ? size : undefined
  }
  return undefined
}

/** A column that holds the size itself as a number, otherwise its pack text. A wrong size would order a multiple of what is needed. */
export function packCountOf(text: string, decimal: DecimalSign): number | undefined | 'unreadable' {
  if (!/^-?[\d.,'’\s]+$/.test(text.trim())) return packSizeOf(text)
  const size = countOf(text, decimal)
  if (size === undefined || size < 0) return 'unreadable'
  return size >= 1 && size <= SIZE_MAX ? size : undefined
}

/**
 * A whole number by the rules of amounts: with the decimal sign `.`, `24.0` as spreadsheets export counts is 24, and `2,000`
 * is 2000. Exactly three digits after the decimal sign are not read: they are as likely thousands.
 */
export function countOf(text: string, decimal: DecimalSign): number | undefined {
  const plain = text.trim()
  const place = plain.lastIndexOf(decimal)
  return place !== -1 && plain.length - place === 4 ? undefined : minorOf(plain, 0, decimal)
}
