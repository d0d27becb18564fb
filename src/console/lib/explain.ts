/** One sentence on why a slot is ordered, watched or left alone, from the numbers its entry carries on the wire. */
import type { MachineVisit, PlanEntry } from '../../contract/replenishment.ts'
import { decimal, percent } from './format.ts'
import { w } from './i18n.ts'

export function explain(entry: PlanEntry, leadDays: number, visit: MachineVisit | undefined): string {
  const words = w().explain
  const { stock, demand, days_of_cover: cover, recommendation } = entry
  const rate = decimal(demand.daily_rate)
  const pace = demand.measured ? words.sells(rate, demand.available_days) : words.inferred(rate)
  const left = stock === 0 ? words.empty : cover === null ? words.noEnd(stock) : words.lasts(stock, decimal(cover))
  switch (recommendation.action) {
    case 'locked':
      return words.locked(left)
    case 'in_transit':
      return words.inTransit(left)
    case 'order':
      return words.order(
        recommendation.quantity ?? 0,
        pace,
        left,
        entry.at_risk === false ? words.topUp : words.lead(decimal(leadDays)),
      )
    case 'watch':
      return words.watch(
        pace,
        left,
        visit && !visit.go ? words.notYet(percent(visit.risk_share), visit.load) : words.noRoom,
      )
    case 'none':
      return demand.daily_rate > 0 ? words.nothing(pace, left) : words.noSales(left)
  }
}
