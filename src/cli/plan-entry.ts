/** Converts a plan entry of the API into the planner's shape, which `explain` takes. */
import type { PlanEntry } from '../capabilities/replenishment/index.ts'
import type { PlanEntry as WireEntry, ReplenishmentPlan } from '../contract/replenishment.ts'

const NO_VISIT = { go: false, risk_share: 0, load: 0 }

export function toPlannerEntry(
  entry: WireEntry,
  { visits = [], lead_time }: Pick<ReplenishmentPlan, 'visits' | 'lead_time'>,
): PlanEntry {
  const visit = visits.find(({ location }) => location === entry.location) ?? NO_VISIT
  const { action, quantity } = entry.recommendation
  return {
    slotId: entry.slot_id,
    location: entry.location,
    sku: entry.item.id,
    stock: entry.stock,
    demand: {
      dailyRate: entry.demand.daily_rate,
      naiveDailyRate: entry.demand.naive_daily_rate,
      availableDays: entry.demand.available_days,
      emptyDays: entry.demand.empty_days,
      closedDays: entry.demand.closed_days,
      measured: entry.demand.measured,
    },
    daysOfCover: entry.days_of_cover,
    stockoutAt: entry.stockout_at === null ? null : Date.parse(entry.stockout_at),
    emptySince: entry.empty_since === undefined ? null : Date.parse(entry.empty_since),
    recommendation: { action, ...(quantity === undefined ? {} : { quantity }) },
    basis: {
      atRisk: entry.at_risk ?? false,
      // `watch` although the machine is visited: there was no room for the minimum order.
      unitsIfVisited: action === 'watch' && visit.go ? 0 : (quantity ?? 1),
      target: entry.target ?? 0,
      room: entry.capacity === undefined || entry.capacity === null ? null : Math.max(0, entry.capacity - entry.stock),
      leadDays: lead_time.days,
      visit: {
        go: visit.go,
        rule: 'share',
        riskShare: visit.risk_share,
        load: visit.load,
        lossByWaitingFen: null,
        lossUntilNextTripFen: null,
        rhythmDays: null,
        why: visit.go ? 'due' : 'not_due',
        visitThresholdFen: null,
      },
    },
    nextWeekDemand: entry.demand.daily_rate * 7,
  }
}
