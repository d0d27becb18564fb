/** Which slots need somebody, in which order, and where one click leads. Pure, so that it can be tested without a page. */
import type { PlanEntry } from '../../contract/replenishment.ts'
import { href } from './router.ts'

/** Retail value a day that an empty slot does not sell, in fen. */
export const lostFenPerDay = ({ demand, price }: PlanEntry): number =>
  Math.round(demand.daily_rate * (price?.amount ?? 0))

/** Empty and not locked on purpose; what loses most comes first. */
export const emptySlots = (entries: readonly PlanEntry[]): PlanEntry[] =>
  entries
    .filter(({ stock, recommendation }) => stock === 0 && recommendation.action !== 'locked')
    .toSorted((a, b) => lostFenPerDay(b) - lostFenPerDay(a))

/** Still selling, and likely empty within a day; the soonest first. */
export const endingSlots = (entries: readonly PlanEntry[]): PlanEntry[] =>
  entries
    .filter(({ stock, days_of_cover: cover }) => stock > 0 && cover !== null && cover < 1)
    .toSorted((a, b) => (a.days_of_cover ?? 0) - (b.days_of_cover ?? 0))

/** Where something can be done about a slot: the run that covers it, the runs on their way, the plan, or its machine. */
export function actionHref({ location, pending_run: run, recommendation }: PlanEntry): string {
  if (recommendation.action === 'in_transit') return '/runs'
  if (run !== undefined) return href.run(run)
  if (recommendation.action === 'order') return '/plan'
  return href.machine(location)
}
