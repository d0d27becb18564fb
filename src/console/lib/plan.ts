import type { PlanEntry, ReplenishmentPlan, RunLineItem } from '../../contract/replenishment.ts'
import type { Tone } from './tone.ts'

export const ACTION_TONE: Readonly<Record<PlanEntry['recommendation']['action'], Tone>> = {
  order: 'info',
  watch: 'warn',
  none: 'calm',
  locked: 'calm',
  in_transit: 'ok',
}

const HORIZON_MIN_DAYS = 7
const HORIZON_MAX_DAYS = 21

/** How far ahead a picture of the stock looks: until goods ordered now have done their work. */
export const horizonDays = ({ lead_time: lead, params }: Pick<ReplenishmentPlan, 'lead_time' | 'params'>): number =>
  Math.max(HORIZON_MIN_DAYS, Math.min(HORIZON_MAX_DAYS, Math.ceil(lead.days + params.cover_days)))

/** What a line of a run asked for, whatever came of it. */
export const plannedOf = ({ quantity }: RunLineItem): number => quantity.original ?? quantity.total
