/** What another product in a slot brings a week. Pure. */
import { type Counts, type Estimate, type Observed, HALF, changeOf, dispersionOf } from '../measure/effect.ts'
import { type Measured, type Subject, combine, learnFrom } from '../measure/elasticity.ts'
import type { SwapMember, Trial } from '../records.ts'

const WEEK = 7

/**
 * How much of what other machines let expect a new product really sells, as a logarithm, of a route that tried nothing yet:
 * replayed on real sales it was 0.76 to 0.87.
 */
const UNTRIED: Estimate = { mean: Math.log(0.82), error: 0.25 }

/** The share of its prediction that a product sells, from all trials so far; a logarithm. */
export const shareOf = (measured: readonly Measured[], subject: Subject): Estimate =>
  learnFrom(measured, subject, UNTRIED)

export interface SwapRates {
  /** Units per day in stock, of the new and of the old product. */
  readonly rate: Estimate
  readonly oldRate: Estimate
}

/** Margin more a week. */
export const gainOfSwap = (
  { rate, oldRate }: SwapRates,
  { marginFen, oldMarginFen }: Pick<SwapMember, 'marginFen' | 'oldMarginFen'>,
): Estimate => ({
  mean: WEEK * (rate.mean * marginFen - oldRate.mean * oldMarginFen),
  error: WEEK * Math.hypot(rate.error * marginFen, oldRate.error * oldMarginFen),
})

/** Units per day in stock, with its standard error. Undefined: it was never in stock. */
function rateOf({ units, days }: Counts, dispersion = 1): Estimate | undefined {
  return days === 0 ? undefined : { mean: units / days, error: Math.sqrt(dispersion * (units + HALF)) / days }
}

export interface SwapResult {
  /** Of the prediction; a logarithm. */
  readonly share: Estimate
  /** By the sales of both products alone. */
  readonly measured: Estimate
  /** Together with what was expected. */
  readonly judged: Estimate
  readonly isKept: boolean
}

/**
 * Compares what the new product sold with what the old one would have: its own days before, times how sales changed in the
 * controls. Undefined: one of them was never in stock.
 */
export function judgeSwap(
  { rate: predicted, before, marginFen, oldMarginFen }: SwapMember,
  after: Counts,
  controls: readonly Observed[],
  expected: Estimate,
): SwapResult | undefined {
  const dispersion = dispersionOf([{ before, after }, ...controls])
  const [rate, old] = [rateOf(after, dispersion), rateOf(before, dispersion)]
  if (!rate || !old) return undefined
  const change = changeOf(controls)
  const season = { mean: change?.log ?? 0, error: Math.sqrt(dispersion * (change?.variance ?? 0)) }
  const factor = Math.exp(season.mean)
  const oldRate = {
    mean: old.mean * factor,
    error: Math.hypot(old.error * factor, old.mean * factor * season.error),
  }
  const measured = gainOfSwap({ rate, oldRate }, { marginFen, oldMarginFen })
  const judged = combine(expected, measured)
  return {
    share: {
      mean: Math.log((after.units + HALF) / (predicted * factor * after.days + HALF)),
      error: Math.hypot(Math.sqrt(dispersion / (after.units + HALF)), season.error),
    },
    measured,
    judged,
    // Another change is as much work as the first one was, so what seems to earn more stays.
    isKept: judged.mean > 0,
  }
}

/** What ended trials showed. */
export const measuredSwaps = (trials: readonly Trial[]): readonly Measured[] =>
  trials.flatMap(({ kind, learned, sku, category, venueType }) =>
    kind === 'swap' && learned ? [{ ...learned, sku, category, venueType }] : [],
  )
