/** What a price change is compared with: the cap of one change, the drift over a week, and the margin on cost. Pure. */
import { formatAmount, money } from '../../kernel/currency.ts'
import type { Fen } from '../../kernel/fen.ts'
import { type Evidence, type Rules, type Verdict, toVerdict } from './rules.ts'

export type PriceRules = Pick<Rules, 'priceCapPerItem' | 'priceDriftPerWeek' | 'minimumMarginPercent' | 'currency'>

export interface PriceStep {
  /** Of several lanes, the one furthest from the new price. */
  readonly previousFen: Fen
  /** The price of a lane is not known, so that nobody can say how far it moves. */
  readonly hasUnpricedLane?: true
  readonly priceFen: Fen
  /** 7 days ago, or the first known since. */
  readonly weekAgoFen: Fen
  /** Undefined when neither a supplier nor the sales ledger states one: then the margin is not compared. */
  readonly costFen?: Fen | undefined
}

/** In either direction. */
export const exceedsCap = (
  { priceCapPerItem }: Pick<Rules, 'priceCapPerItem'>,
  previousFen: Fen,
  nextFen: Fen,
): boolean => Math.abs(nextFen - previousFen) > priceCapPerItem

/** A price that does not change asks for nothing, whatever it is. */
export function priceVerdict(rules: PriceRules, step: PriceStep): Verdict {
  const caps = [capEvidence(rules, step), ...(step.hasUnpricedLane ? [unpricedEvidence(rules)] : [])]
  const isUnchanged = step.previousFen === step.priceFen && !step.hasUnpricedLane
  return toVerdict(isUnchanged ? caps : [...caps, ...driftEvidence(rules, step), ...marginEvidence(rules, step)])
}

const unpricedEvidence = ({ priceCapPerItem, currency }: PriceRules): Evidence => ({
  rule: 'priceCapPerItem',
  code: 'price_cap',
  params: { cap: money(priceCapPerItem, currency) },
  text: `The platform does not state the price of one lane, so the ${formatAmount(priceCapPerItem, currency)} cap per item cannot be checked`,
  needsApproval: true,
})

function capEvidence(rules: PriceRules, { previousFen, priceFen }: PriceStep): Evidence {
  const changeFen = Math.abs(priceFen - previousFen)
  const { priceCapPerItem: capFen, currency } = rules
  const isOver = exceedsCap(rules, previousFen, priceFen)
  return {
    rule: 'priceCapPerItem',
    code: 'price_cap',
    params: { change: money(changeFen, currency), cap: money(capFen, currency) },
    text: `A change of ${formatAmount(changeFen, currency)} ${isOver ? 'exceeds' : 'is within'} the ${formatAmount(capFen, currency)} cap per item`,
    needsApproval: isOver,
  }
}

function driftEvidence({ priceDriftPerWeek, currency }: PriceRules, step: PriceStep): readonly Evidence[] {
  if (priceDriftPerWeek === undefined) return []
  const driftFen = Math.abs(step.priceFen - step.weekAgoFen)
  const isOver = driftFen > priceDriftPerWeek
  return [
    {
      rule: 'priceDriftPerWeek',
      code: 'price_drift',
      params: {
        drift: money(driftFen, currency),
        before: money(step.weekAgoFen, currency),
        limit: money(priceDriftPerWeek, currency),
      },
      text: `A price ${formatAmount(driftFen, currency)} away from ${formatAmount(step.weekAgoFen, currency)} within 7 days ${isOver ? 'exceeds' : 'is within'} the ${formatAmount(priceDriftPerWeek, currency)} limit per week`,
      needsApproval: isOver,
    },
  ]
}

function marginEvidence({ minimumMarginPercent: percent, currency }: PriceRules, step: PriceStep): readonly Evidence[] {
  if (percent === undefined) return []
  const { costFen, priceFen } = step
  if (costFen === undefined)
    return [
      {
        rule: 'minimumMarginPercent',
        code: 'minimum_margin',
        params: { percent },
        text: `The margin of at least ${percent}% is not checked: the cost is not known`,
        needsApproval: false,
      },
    ]
  // Compared in hundredths of a minor unit, so that no rounding decides.
  const isBelow = priceFen * 100 < costFen * (100 + percent)
  return [
    {
      rule: 'minimumMarginPercent',
      code: 'minimum_margin',
      params: { price: money(priceFen, currency), cost: money(costFen, currency), percent },
      text: `A price of ${formatAmount(priceFen, currency)} for a cost of ${formatAmount(costFen, currency)} is ${isBelow ? 'below' : 'within'} the margin of at least ${percent}%`,
      needsApproval: isBelow,
    },
  ]
}
