/**
 * What a trial did to sales: units per day in stock in the treated machines against before, against the same of the machines
 * that stayed as they were. Sales are counts, and few, so the error comes from the counts themselves, and is wider where days
 * differ more than chance alone explains. Pure.
 */

/** The days in stock of one slot in one period. */
export interface Counts {
  readonly units: number
  readonly days: number
  /** The squares of the units of each day, added up: how much its days differ. */
  readonly squares: number
}

export interface Observed {
  readonly before: Counts
  readonly after: Counts
}

/** An estimate and its standard error. */
export interface Estimate {
  readonly mean: number
  readonly error: number
}

export interface Effect {
  /** Logarithm of what was sold over what would have been sold. */
  readonly log: Estimate
  /** How sales of the controls changed: the season, the weather, the holidays. */
  readonly season: number
  /** In stock, of all treated slots. */
  readonly days: number
}

/** Keeps logarithms finite where nothing was sold. */
export const HALF = 0.5

/** Undefined: one side has no slot that was in stock before and after. */
export function measureEffect(treated: readonly Observed[], controls: readonly Observed[]): Effect | undefined {
  const [own, others] = [changeOf(treated), changeOf(controls)]
  if (!own || !others) return undefined
  const variance = dispersionOf([...treated, ...controls]) * (own.variance + others.variance)
  return {
    log: { mean: own.log - others.log, error: Math.sqrt(variance) },
    season: Math.exp(others.log),
    days: own.days,
  }
}

/** Each slot against its own rate, so that a slot with few days in stock afterwards changes nothing but its weight. */
export function changeOf(slots: readonly Observed[]) {
  let [sold, expected, variance, days] = [0, 0, 0, 0]
  for (const { before, after } of slots) {
    if (before.days === 0 || after.days === 0) continue
    const weight = after.days / before.days
    sold += after.units
    expected += before.units * weight
    variance += before.units * weight * weight
    days += after.days
  }
  if (days === 0) return undefined
  return {
    log: Math.log((sold + HALF) / (expected + HALF)),
    variance: 1 / (sold + HALF) + (variance + HALF * HALF) / (expected + HALF) ** 2,
    days,
  }
}

/** How much more days differ than counts do by chance; at least 1. */
export function dispersionOf(slots: readonly Observed[]): number {
  let [squares, freedom] = [0, 0]
  for (const { units, days, squares: own } of slots.flatMap(({ before, after }) => [before, after])) {
    if (units === 0 || days < 2) continue
    const mean = units / days
    squares += (own - units * mean) / mean
    freedom += days - 1
  }
  return freedom === 0 ? 1 : Math.max(1, squares / freedom)
}
