/** Limits of packs: of the texts that name them, and of what they hold. */

/** A longer text is none that anybody could name. */
export const PACK_TEXT_MAX = 200
/** More than any case holds; a larger number is a code or a typing error. */
export const PACK_SIZE_MAX = 100_000

/** "CS" may be 12 of one article and 24 of another. */
export const saysNoNumber = (text: string): boolean => text !== '' && !/\d/.test(text)

/** An each price is rounded to the minor unit, up or down. */
export const agreesWithEach = (packPrice: number, eachPrice: number, size: number): boolean =>
  Math.abs(packPrice - eachPrice * size) < size
