/** Converts a plan entry of the API into what `explain` takes. */
import type { ExplainedEntry } from '../acts/replenishment/index.ts'
import type { PlanEntry, ReplenishmentPlan } from '../contract/shapes/replenishment.ts'

const NO_VISIT = { go: false, risk_share: 0, load: 0 }

export function toExplainedEntry(
  {
    location,
    stock,
    demand,
    days_of_cover: daysOfCover,
    at_risk,
    capacity = null,
    recommendation,
    unsold_days,
  }: PlanEntry,
  { visits = [], lead_time }: Pick<ReplenishmentPlan, 'visits' | 'lead_time'>,
): ExplainedEntry {
  const visit = visits.find((each) => each.location === location) ?? NO_VISIT
  const { action, quantity, because } = recommendation
  return {
    stock,
    demand: {
      dailyRate: demand.daily_rate,
      availableDays: demand.available_days,
      measured: demand.measured,
      earlierDays: demand.earlier_days ?? 0,
    },
    daysOfCover,
    recommendation: { action, ...(quantity === undefined ? {} : { quantity }), ...(because ? { because } : {}) },
    basis: {
      atRisk: at_risk ?? false,
      // `watch` although the machine is visited: there was no room for the minimum order.
      unitsIfVisited: action === 'watch' && visit.go ? 0 : (quantity ?? 1),
      room: capacity === null ? null : Math.max(0, capacity - stock),
      leadDays: lead_time.days,
      ...(unsold_days === undefined ? {} : { unsoldDays: unsold_days }),
      visit: { riskShare: visit.risk_share, load: visit.load, lossByWaitingFen: null, visitThresholdFen: null },
    },
  }
}
