/** What needs attention, in which order, and the page where something can be done about each. */
import type { Holiday, HolidayList } from '../../../contract/shapes/calendar.ts'
import type { AttentionSlot } from '../../../contract/shapes/planning/summary.ts'
import type { PlanEntry } from '../../../contract/shapes/replenishment.ts'
import type { ReplenishmentRun } from '../../../contract/shapes/run.ts'
import { DAY } from '../../lib/text/format.ts'
import { href } from '../../lib/router.ts'

/** Nothing is ordered for it because an operator said so. */
export const isLocked = ({ recommendation }: PlanEntry): boolean =>
  recommendation.action === 'locked' || recommendation.action === 'phase_out'

/** Ordered and not received: what it lacks comes with the next delivery. */
export const isComing = ({ recommendation }: PlanEntry): boolean => recommendation.action === 'in_transit'

/** Half of all deliveries take longer than the usual lead time; a day more than that is late. */
const OVERDUE_AFTER_DAYS = 1

export const isOverdue = ({ placed_at: at }: ReplenishmentRun, leadDays: number, now: number): boolean =>
  typeof at === 'string' && now > Date.parse(at) + (leadDays + OVERDUE_AFTER_DAYS) * DAY

/** Placing a run with connected suppliers only opens its purchases: until one is ordered, nothing is on its way. */
export const isOnItsWay = ({ checkouts = [] }: ReplenishmentRun): boolean =>
  checkouts.length === 0 || checkouts.some(({ status }) => status === 'completed')

/** The run that covers or brings the slot, the plan, or the machine. */
export function actionHref({ kind, run, quantity, location }: AttentionSlot): string {
  if (run !== undefined) return href.run(run)
  if (kind === 'coming') return '/runs'
  return quantity === undefined ? href.machine(location) : '/plan?show=order'
}

/** Goods for the day before a holiday are ordered about then. */
const ASKED_DAYS_BEFORE = 14

/** The next holiday for which nobody said which machines are closed: one at a time. */
export const nextUnanswered = (list: HolidayList | undefined, now: number): readonly Holiday[] =>
  (list?.machines ?? 0) === 0
    ? []
    : (list?.holidays ?? [])
        .filter(({ date, answered }) => !answered && Date.parse(date) < now + ASKED_DAYS_BEFORE * DAY)
        .slice(0, 1)
