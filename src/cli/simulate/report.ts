/** Sales, lost sales, orders and spending of a simulation, by period and in total. */
import { localDay } from '../../kernel/clock.ts'
import type { TallyRow } from '../../simulator/world/world.ts'
import type { Action } from './actions.ts'

/** `lost`: demand that met an empty slot. `expired`: units that were too old and taken out. */
const SALES = { sold: 0, revenueFen: 0, lost: 0, visits: 0, loaded: 0 }
const WORK = { ordered: 0, spentFen: 0, approvals: 0, refused: 0, surplus: 0, expired: 0 }
const zeroTotals = () => ({ ...SALES, ...WORK, trips: 0, stops: 0, meters: 0, drivingFen: 0 })
type Totals = ReturnType<typeof zeroTotals>

export interface Period extends Readonly<Totals> {
  /** First day of the period. */
  readonly from: string
}

function addTally(totals: Totals, { sold, revenueFen, lost, visits, loaded }: TallyRow): void {
  totals.sold += sold
  totals.revenueFen += revenueFen
  totals.lost += lost
  totals.visits += visits
  totals.loaded += loaded
}

function addAction(totals: Totals, action: Action): void {
  switch (action.kind) {
    case 'ordered':
      totals.ordered += action.units
      totals.spentFen += action.spentFen
      return
    case 'approved':
      totals.approvals += 1
      return
    case 'surplus':
      totals.surplus += action.units
      return
    case 'expired':
      totals.expired += action.units
      return
    case 'trip':
      totals.trips += 1
      totals.stops += action.stops
      totals.meters += action.meters
      totals.drivingFen += action.drivingFen
      return
    case 'refused':
      totals.refused += 1
  }
}

export interface Report {
  readonly periods: readonly Period[]
  readonly total: Omit<Period, 'from'>
  /** Share of the demand that was met; null without demand. */
  readonly serviceLevel: number | null
}

/** `days` are the simulated days in order. */
export function buildReport(
  days: readonly string[],
  daysPerPeriod: number,
  timeZone: string,
  tallies: readonly TallyRow[],
  actions: readonly Action[],
): Report {
  const total = zeroTotals()
  const periods = new Map<string, Totals>()
  const periodOf = new Map(days.map((day, i) => [day, days[i - (i % daysPerPeriod)] ?? day]))
  const addTo = (day: string, add: (totals: Totals) => void) => {
    const from = periodOf.get(day)
    if (from === undefined) return
    const totals = periods.get(from) ?? zeroTotals()
    periods.set(from, totals)
    add(totals)
    add(total)
  }
  for (const row of tallies) addTo(row.day, (totals) => addTally(totals, row))
  for (const action of actions) addTo(localDay(action.at, timeZone), (totals) => addAction(totals, action))
  const demand = total.sold + total.lost
  return {
    periods: [...periods]
      .map(([from, totals]) => ({ from, ...totals }))
      .toSorted((a, b) => a.from.localeCompare(b.from)),
    total,
    serviceLevel: demand === 0 ? null : total.sold / demand,
  }
}
