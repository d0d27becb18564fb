/** The one next step that is proposed for a machine or a product that earns little. Pure. */
import type { ProfitFigures } from '../../contract/shapes/money/sales.ts'

export type ProfitStep = 'raise_price' | 'swap' | 'fewer_visits' | 'remove'

/** Below this margin the price is the first thing to look at. */
const LOW_MARGIN_PERCENT = 30
/** Visits that take more than this share of the gross profit are too many. */
const VISITS_SHARE = 0.5
/** More than this share of the revenue thrown away: the wrong product for the place. */
const LOSSES_SHARE = 0.1

/** In this order: what does not sell goes; then what eats the profit, the largest first. */
export function nextStep(kind: 'machine' | 'product', figures: ProfitFigures): ProfitStep {
  const { revenue, gross_profit: gross, margin_percent: margin, losses, visit_cost: visits, commission } = figures
  if (revenue === 0) return kind === 'machine' && visits > commission ? 'fewer_visits' : 'remove'
  if (gross > 0 && visits > VISITS_SHARE * gross && visits >= losses) return 'fewer_visits'
  if (losses > LOSSES_SHARE * revenue) return 'swap'
  if (margin !== null && margin < LOW_MARGIN_PERCENT) return 'raise_price'
  if (kind === 'machine' && gross - commission - losses <= 0) return 'remove'
  // The margin is good, so it only sells too little.
  return 'swap'
}
