/** Unit codes of business documents (UN/ECE recommendations 20 and 21, X12 element 355) in our two words. */
export type OrderUnit = 'each' | 'pack'

const EACH = new Set(['C62', 'EA', 'H87', 'NAR', 'PCE', 'PC', 'UN'])
const PACK = new Set(['XBX', 'BX', 'XCS', 'CS', 'CA', 'XCT', 'CT', 'XPK', 'PK'])

/** Undefined for everything else, such as weights: a quantity in it cannot be compared with what was ordered. */
export function unitOf(code: string | undefined): OrderUnit | undefined {
  const plain = code?.trim().toUpperCase() ?? ''
  return EACH.has(plain) ? 'each' : PACK.has(plain) ? 'pack' : undefined
}

/**
 * `10`, `10.0` or `10.000` as documents write quantities; undefined when it is not whole. A blank beside it is not cut
 * off: where a digit was damaged into one, a tenth of the quantity would be left.
 */
export function wholeOf(text: string | undefined): number | undefined {
  const match = /^(\d{1,9})(?:\.0+)?$/.exec(text ?? '')
  return match ? Number(match[1]) : undefined
}
