/**
 * How many units a pack holds, read from the text in a price list. Only shapes that were seen and can mean one thing are
 * read: a wrong size would divide a price wrongly. Undefined means unknown, and the price is then that of one item.
 */

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

/** A column that holds the size itself: `24`, or `24.0` as spreadsheets export counts. Otherwise its pack text. */
export function packCountOf(text: string): number | undefined {
  const match = /^(\d+)(?:[.,]0+)?$/.exec(text.trim())
  if (!match) return packSizeOf(text)
  const size = Number(match[1])
  return size >= 1 && size <= SIZE_MAX ? size : undefined
}
