/** Which slots need attention, in which order, and the page where something can be done about each. */
import type { PlanEntry } from '../../contract/replenishment.ts'
import { href } from './router.ts'

/** Revenue an empty slot loses per day, in minor units. */
export const lostPerDay = ({ demand, price }: PlanEntry): number => Math.round(demand.daily_rate * (price?.amount ?? 0))

/** Empty and not locked; the largest loss first. */
export const emptySlots = (entries: readonly PlanEntry[]): PlanEntry[] =>
  entries
    .filter(({ stock, recommendation }) => stock === 0 && recommendation.action !== 'locked')
    .toSorted((a, b) => lostPerDay(b) - lostPerDay(a))

/** In stock, but expected to be empty within a day; the soonest first. */
export const endingSlots = (entries: readonly PlanEntry[]): PlanEntry[] =>
  entries
    .filter(({ stock, days_of_cover: cover }) => stock > 0 && cover !== null && cover < 1)
    .toSorted((a, b) => (a.days_of_cover ?? 0) - (b.days_of_cover ?? 0))

/** The run that covers the slot, the runs in transit, the plan, or the machine. */
export function actionHref({ location, pending_run: run, recommendation }: PlanEntry): string {
  if (recommendation.action === 'in_transit') return '/runs'
  if (run !== undefined) return href.run(run)
  if (recommendation.action === 'order') return '/plan'
  return href.machine(location)
}
