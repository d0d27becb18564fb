/** Sales, lost sales, orders and spending of a simulation, by period and in total. */
import { localDay } from '../../kernel/clock.ts'
import type { TallyRow } from '../../simulator/world/world.ts'
import type { Action } from './actions.ts'

/**
 * `lost`: demand that met an empty slot. `loaded`: into machines, from deliveries and from the store room. `bought`: units
 * of suppliers, with what whole cases hold more. `expired`: units that were too old and taken out. `lanes` that were given to
 * another product, and units `moved` out of a machine for another one.
 */
const SALES = { sold: 0, revenueFen: 0, lost: 0, visits: 0, loaded: 0 }
const WORK = { bought: 0, spentFen: 0, approvals: 0, refused: 0, surplus: 0, expired: 0, steps: 0, lanes: 0, moved: 0 }
const zeroTotals = () => ({ ...SALES, ...WORK, trips: 0, stops: 0, meters: 0, drivingFen: 0 })
type Totals = ReturnType<typeof zeroTotals>

export interface Period extends Readonly<Totals> {
  /** First day of the period. */
  readonly from: string
}

function totalsOf(action: Action): Partial<Totals> {
  switch (action.kind) {
    case 'bought':
      return { bought: action.units, spentFen: action.spentFen }
    case 'approved':
      return { approvals: 1 }
    case 'surplus':
      return { surplus: action.units }
    case 'expired':
      return { expired: action.units }
    case 'trip':
      return { trips: 1, stops: action.stops, meters: action.meters, drivingFen: action.drivingFen }
    case 'moved':
      return { moved: action.units }
    case 'lane':
      return { lanes: 1 }
    case 'step':
      return { steps: 1 }
    case 'refused':
      return { refused: 1 }
  }
}

export type Report = Readonly<ReturnType<typeof buildReport>>

/** `days` are the simulated days in order. */
export function buildReport(
  days: readonly string[],
  daysPerPeriod: number,
  timeZone: string,
  tallies: readonly TallyRow[],
  actions: readonly Action[],
) {
  const total = zeroTotals()
  const periods = new Map<string, Totals>()
  const periodOf = new Map(days.map((day, i) => [day, days[i - (i % daysPerPeriod)] ?? day]))
  const addTo = (day: string, added: Partial<Totals>) => {
    const from = periodOf.get(day)
    if (from === undefined) return
    const totals = periods.getOrInsertComputed(from, zeroTotals)
    for (const [name, n] of Object.entries(added) as [keyof Totals, number][]) {
      totals[name] += n
      total[name] += n
    }
  }
  for (const { location: _location, day, ...sales } of tallies) addTo(day, sales)
  for (const action of actions) addTo(localDay(action.at, timeZone), totalsOf(action))
  const demand = total.sold + total.lost
  return {
    periods: [...periods]
      .map(([from, totals]): Period => ({ from, ...totals }))
      .toSorted((a, b) => a.from.localeCompare(b.from)),
    total,
    /** Share of the demand that was met; null without demand. */
    serviceLevel: demand === 0 ? null : total.sold / demand,
  }
}
