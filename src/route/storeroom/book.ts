/** The book of one product in the store room: its lots, and the moving average of what was paid for it. Pure. */

export interface Lot {
  /** Date; null where it is not known. */
  readonly bestBefore: string | null
  readonly units: number
}

/** A date is before no date: what is known to expire goes first. */
const byDate = (a: Lot, b: Lot): number => compareDates(a.bestBefore, b.bestBefore)

export function compareDates(a: string | null, b: string | null): number {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? 1 : -1
  return a < b ? -1 : 1
}

export const unitsOf = (lots: readonly Lot[]): number => lots.reduce((sum, { units }) => sum + units, 0)

/** The lots after units came, joined by date. Negative units take from the lot of the same date. */
export function addLots(lots: readonly Lot[], more: readonly Lot[]): Lot[] {
  const byBestBefore = new Map<string | null, number>()
  for (const { bestBefore, units } of [...lots, ...more])
    byBestBefore.set(bestBefore, (byBestBefore.get(bestBefore) ?? 0) + units)
  return [...byBestBefore].map(([bestBefore, units]) => ({ bestBefore, units })).filter(({ units }) => units !== 0)
}

/** Oldest date first. What is taken is at most what is there. */
export function takeFromLots(lots: readonly Lot[], units: number): { readonly left: Lot[]; readonly taken: Lot[] } {
  let wanted = units
  const left: Lot[] = []
  const taken: Lot[] = []
  for (const lot of lots.toSorted(byDate)) {
    const out = Math.min(wanted, lot.units)
    wanted -= out
    if (out > 0) taken.push({ ...lot, units: out })
    if (out < lot.units) left.push({ ...lot, units: lot.units - out })
  }
  return { left, taken }
}

/** In ten-thousandths of a minor unit: exact in both databases, and a case price divides without a rest that matters. */
export const COST_SCALE = 10_000

export interface Averaged {
  readonly units: number
  readonly averageCostE4: number | null
}

/** Units whose cost was never known count as bought at the price of now. */
export function averageAfter({ units, averageCostE4 }: Averaged, came: number, paidFen: number): number {
  const paidE4 = paidFen * COST_SCALE
  return averageCostE4 === null
    ? Math.round(paidE4 / came)
    : Math.round((Math.max(0, units) * averageCostE4 + paidE4) / (Math.max(0, units) + came))
}

/** As `averageAfter` without an arrival that is taken back; `before` is the average of then, where nothing else is left. */
export function averageWithout(
  { units, averageCostE4 }: Averaged,
  came: number,
  paidFen: number,
  before: number | null,
): number | null {
  const left = units - came
  if (averageCostE4 === null || left <= 0 || before === null) return before
  return Math.max(0, Math.round((units * averageCostE4 - paidFen * COST_SCALE) / left))
}

/** Null where the cost of one is not known. */
export const costOfUnits = (units: number, averageCostE4: number | null): number | null =>
  averageCostE4 === null ? null : Math.round((units * averageCostE4) / COST_SCALE)
