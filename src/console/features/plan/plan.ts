import type { PlanEntry, ReplenishmentPlan } from '../../../contract/shapes/replenishment.ts'
import type { RunLineItem } from '../../../contract/shapes/run.ts'
import type { Tone } from '../../lib/text/tone.ts'

export const ACTION_TONE: Readonly<Record<PlanEntry['recommendation']['action'], Tone>> = {
  order: 'info',
  watch: 'warn',
  none: 'calm',
  locked: 'calm',
  phase_out: 'calm',
  in_transit: 'ok',
}

const HORIZON_MIN_DAYS = 7
const HORIZON_MAX_DAYS = 21

/** The length of a stock projection: until an order placed now has arrived and sold through. */
export const horizonDays = ({ lead_time: lead, params }: Pick<ReplenishmentPlan, 'lead_time' | 'params'>): number =>
  Math.max(HORIZON_MIN_DAYS, Math.min(HORIZON_MAX_DAYS, Math.ceil(lead.days + params.cover_days)))

/** Units sold a day until the stock is gone; closed days sell none, so it may be less than a day in stock sells. */
export const paceOf = ({ stock, days_of_cover: days, demand }: PlanEntry): number =>
  days && stock ? stock / days : demand.daily_rate

/** The planned quantity of a line, whatever was ordered or received. */
export const plannedOf = ({ quantity }: RunLineItem): number => quantity.original ?? quantity.total
