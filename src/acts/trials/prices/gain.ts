/** What another price brings a week: fewer units, more for each. Pure. */
import { type Estimate, type Observed, measureEffect } from '../measure/effect.ts'
import { type Measured, type Subject, combine, elasticityOf, spreadThrough } from '../measure/elasticity.ts'

export interface PricedSlot {
  /** Units per day in stock at the old price. */
  readonly rate: number
  readonly priceFen: number
  readonly nextFen: number
  readonly costFen: number
}

const WEEK = 7

const gainOf = (slots: readonly PricedSlot[], shareKept: (slot: PricedSlot) => number): number =>
  slots.reduce((total, slot) => {
    const { rate, priceFen, nextFen, costFen } = slot
    return total + WEEK * rate * (shareKept(slot) * (nextFen - costFen) - (priceFen - costFen))
  }, 0)

/** Expected margin more a week. Nobody buys more because it costs more. */
export const expectedGain = (slots: readonly PricedSlot[], elasticity: Estimate): Estimate =>
  spreadThrough(elasticity, (value) =>
    gainOf(slots, ({ priceFen, nextFen }) => Math.pow(nextFen / priceFen, -Math.max(0, value))),
  )

export interface TreatedSlot extends Omit<PricedSlot, 'rate'>, Observed {}

export interface PriceResult {
  readonly elasticity: Estimate
  /** By the treated and the control machines alone. */
  readonly measured: Estimate
  /** Together with what earlier trials showed. */
  readonly judged: Estimate
  readonly isKept: boolean
}

/** A price is kept when its gain is more than this many standard errors. */
const ERRORS_MIN = 2

/** Undefined: nothing to compare. */
export function judgePrice(
  treated: readonly TreatedSlot[],
  controls: readonly Observed[],
  earlier: readonly Measured[],
  subject: Subject,
): PriceResult | undefined {
  const effect = measureEffect(treated, controls)
  const step = stepOf(treated)
  if (!effect || step === 0) return undefined
  const elasticity = { mean: -effect.log.mean / step, error: effect.log.error / Math.abs(step) }
  const slots = treated.flatMap((slot) =>
    slot.before.days === 0 ? [] : [{ ...slot, rate: (slot.before.units / slot.before.days) * effect.season }],
  )
  const kept = Math.exp(effect.log.mean)
  const taken = slots.reduce((total, { rate, nextFen, costFen }) => total + WEEK * rate * (nextFen - costFen), 0)
  const measured = { mean: gainOf(slots, () => kept), error: Math.abs(taken) * kept * effect.log.error }
  const judged = expectedGain(slots, combine(elasticityOf(earlier, subject), elasticity))
  return { elasticity, measured, judged, isKept: measured.mean > 0 && judged.mean > ERRORS_MIN * judged.error }
}

/** The mean change of the price, as a logarithm, by what the slots sell. */
function stepOf(treated: readonly TreatedSlot[]): number {
  let [total, weights] = [0, 0]
  for (const { before, priceFen, nextFen } of treated) {
    const weight = before.units + 1
    total += weight * Math.log(nextFen / priceFen)
    weights += weight
  }
  return weights === 0 ? 0 : total / weights
}
