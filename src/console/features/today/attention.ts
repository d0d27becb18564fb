/** What needs attention, in which order, and the page where something can be done about each. */
import type { Holiday, HolidayList } from '../../../contract/shapes/calendar.ts'
import type { PlanEntry, ReplenishmentPlan } from '../../../contract/shapes/replenishment.ts'
import type { ReplenishmentRun } from '../../../contract/shapes/run.ts'
import { stockState } from '../../../kernel/stock-state.ts'
import { DAY } from '../../lib/text/format.ts'
import { href } from '../../lib/router.ts'

/** Revenue an empty slot loses per day, in minor units. */
export const lostPerDay = ({ demand, price }: PlanEntry): number => Math.round(demand.daily_rate * (price?.amount ?? 0))

const stateOf = ({ stock, days_of_cover: cover }: PlanEntry) => stockState(stock, cover)
/** Nothing is ordered for it because an operator said so. */
export const isLocked = ({ recommendation }: PlanEntry): boolean =>
  recommendation.action === 'locked' || recommendation.action === 'phase_out'

/** Ordered and not received: what it lacks comes with the next delivery. */
export const isComing = ({ recommendation }: PlanEntry): boolean => recommendation.action === 'in_transit'

/** Neither in a plan nor in a run. */
export const hasNoPlan = ({ recommendation: { action }, pending_run: run }: PlanEntry): boolean =>
  run === undefined && action !== 'order' && action !== 'in_transit'

/** How many slots of which machines were never counted. */
export const uncountedMachines = ({ visits = [] }: Pick<ReplenishmentPlan, 'visits'>) =>
  visits.flatMap(({ location, unknown_slots: slots }) => (slots === undefined ? [] : [{ location, slots }]))

/** Empty and not locked; the largest loss first. */
export const emptySlots = (entries: readonly PlanEntry[]): PlanEntry[] =>
  entries
    .filter((entry) => stateOf(entry) === 'empty' && !isLocked(entry))
    .toSorted((a, b) => lostPerDay(b) - lostPerDay(a))

/** Low and not locked; the soonest first. */
export const lowSlots = (entries: readonly PlanEntry[]): PlanEntry[] =>
  entries
    .filter((entry) => stateOf(entry) === 'low' && !isLocked(entry))
    .toSorted((a, b) => (a.days_of_cover ?? 0) - (b.days_of_cover ?? 0))

/** Half of all deliveries take longer than the usual lead time; a day more than that is late. */
const OVERDUE_AFTER_DAYS = 1

export const isOverdue = ({ placed_at: at }: ReplenishmentRun, leadDays: number, now: number): boolean =>
  typeof at === 'string' && now > Date.parse(at) + (leadDays + OVERDUE_AFTER_DAYS) * DAY

/** Placing a run with connected suppliers only opens its purchases: until one is ordered, nothing is on its way. */
export const isOnItsWay = ({ checkouts = [] }: ReplenishmentRun): boolean =>
  checkouts.length === 0 || checkouts.some(({ status }) => status === 'completed')

const runOf = ({ slot_id: slot }: PlanEntry, placed: readonly ReplenishmentRun[]) =>
  placed.find(({ line_items: lines }) => lines.some((line) => line.slot_id === slot))

/** In a run whose purchases nobody has ordered yet. */
export function isToConfirm(entry: PlanEntry, placed: readonly ReplenishmentRun[]): boolean {
  const run = isComing(entry) ? runOf(entry, placed) : undefined
  return run !== undefined && !isOnItsWay(run)
}

/** The run that covers or brings the slot, the plan, or the machine. */
export function actionHref(entry: PlanEntry, placed: readonly ReplenishmentRun[]): string {
  const { location, pending_run: run, recommendation } = entry
  if (recommendation.action === 'in_transit') {
    const bringing = runOf(entry, placed)
    return bringing ? href.run(bringing.id) : '/runs'
  }
  if (run !== undefined) return href.run(run)
  if (recommendation.action === 'order') return '/plan?show=order'
  return href.machine(location)
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
