/** Explains in one sentence why a slot is ordered, watched or left alone, from the numbers of its plan entry. */
import type { MachineVisit, PlanEntry } from '../../../contract/shapes/replenishment.ts'
import { decimal, percent } from '../../lib/text/format.ts'
import { texts } from '../../lib/text/i18n.ts'

export function explain(entry: PlanEntry, leadDays: number, visit: MachineVisit | undefined): string {
  const t = texts().explain
  const { stock, demand, days_of_cover: cover, recommendation } = entry
  const rate = decimal(demand.daily_rate)
  const { earlier_days: earlierDays = 0 } = demand
  const pace = demand.measured
    ? t.sells(rate, demand.available_days + earlierDays)
    : earlierDays > 0
      ? t.soldBefore(rate)
      : demand.daily_rate > 0
        ? t.inferred(rate)
        : t.unknown
  const left = stock === 0 ? t.empty : cover === null ? t.noStockout(stock) : t.lasts(stock, decimal(cover))
  switch (recommendation.action) {
    case 'locked':
      return t.locked(left)
    case 'phase_out':
      return t.phaseOut(left)
    case 'in_transit':
      return t.inTransit(left)
    case 'order':
      return t.order(
        recommendation.quantity ?? 0,
        pace,
        left,
        entry.at_risk === false ? t.topUp : t.leadTime(decimal(leadDays)),
      )
    case 'watch':
      return t.watch(pace, left, visit && !visit.go ? t.notYet(percent(visit.risk_share), visit.load) : t.noRoom)
    case 'none':
      if (recommendation.because === 'hard_no_go') return t.noGo(left)
      if (recommendation.because) return t.noSupplier(left)
      if (entry.unsold_days !== undefined) return t.unsold(entry.unsold_days, left)
      return demand.daily_rate > 0 ? t.nothing(pace, left) : t.noSales(left)
  }
}
