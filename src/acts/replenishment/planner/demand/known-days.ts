/**
 * Days of a machine that an operator knows about: closed ones, and ones on which demand is a multiple of the usual, such
 * as an exhibition. The demand expected on them is multiplied by the factor; when the rate is learned, each of them counts
 * as that many usual days.
 */

/** Local days, numbered as in calendar.ts, the last one included. */
export interface KnownDays {
  readonly from: number
  readonly to: number
  /** Demand as a multiple of the usual; 0: closed. */
  readonly factor: number
}

/** The factor of one day. Factors of overlapping ranges multiply, so that a closed day is closed whatever else is on. */
export function factorOn(known: readonly KnownDays[], day: number): number {
  let factor = 1
  for (const range of known) if (day >= range.from && day <= range.to) factor *= range.factor
  return factor
}

/** The factors of `length` days; undefined where all of them are usual. */
export function factorsOf(
  known: readonly KnownDays[] | undefined,
  firstDay: number,
  length: number,
): Float64Array | undefined {
  if (!known?.some(({ from, to }) => to >= firstDay && from < firstDay + length)) return undefined
  return Float64Array.from({ length }, (_, i) => factorOn(known, firstDay + i))
}

export const isClosedDay = (known: readonly KnownDays[] | undefined, day: number): boolean =>
  known !== undefined && factorOn(known, day) === 0
