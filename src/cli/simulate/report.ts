/** What a simulation sold, lost, ordered and spent, by day or week and in total. */
import { localDay } from '../../kernel/clock.ts'
import type { TallyRow } from '../../simulator/world/world.ts'
import type { Deed } from './owner.ts'

export interface Period {
  /** The first day of it. */
  readonly from: string
  readonly sold: number
  readonly revenueFen: number
  /** Wishes that met an empty slot. */
  readonly lost: number
  readonly visits: number
  readonly loaded: number
  readonly ordered: number
  readonly spentFen: number
  readonly approvals: number
  readonly refused: number
  readonly surplus: number
}

type Sums = { -readonly [K in Exclude<keyof Period, 'from'>]: number }

const nothing = (): Sums => ({
  sold: 0,
  revenueFen: 0,
  lost: 0,
  visits: 0,
  loaded: 0,
  ordered: 0,
  spentFen: 0,
  approvals: 0,
  refused: 0,
  surplus: 0,
})

function addTally(sums: Sums, { sold, revenueFen, lost, visits, loaded }: TallyRow): void {
  sums.sold += sold
  sums.revenueFen += revenueFen
  sums.lost += lost
  sums.visits += visits
  sums.loaded += loaded
}

function addDeed(sums: Sums, deed: Deed): void {
  switch (deed.kind) {
    case 'ordered':
      sums.ordered += deed.units
      sums.spentFen += deed.spentFen
      return
    case 'approved':
      sums.approvals += 1
      return
    case 'surplus':
      sums.surplus += deed.units
      return
    case 'refused':
      sums.refused += 1
  }
}

export interface Report {
  readonly periods: readonly Period[]
  readonly total: Omit<Period, 'from'>
  /** Of what shoppers wanted, the part they got. */
  readonly serviceLevel: number | null
}

/** `days` are the simulated ones in order; a period is as many of them as asked for. */
export function reportOf(
  days: readonly string[],
  daysPerPeriod: number,
  timeZone: string,
  tallies: readonly TallyRow[],
  deeds: readonly Deed[],
): Report {
  const total = nothing()
  const periods = new Map<string, Sums>()
  const periodOf = new Map(days.map((day, i) => [day, days[i - (i % daysPerPeriod)] ?? day]))
  const book = (day: string, add: (sums: Sums) => void) => {
    const from = periodOf.get(day)
    if (from === undefined) return
    const sums = periods.get(from) ?? nothing()
    periods.set(from, sums)
    add(sums)
    add(total)
  }
  for (const row of tallies) book(row.day, (sums) => addTally(sums, row))
  for (const deed of deeds) book(localDay(deed.at, timeZone), (sums) => addDeed(sums, deed))
  const wished = total.sold + total.lost
  return {
    periods: [...periods].map(([from, sums]) => ({ from, ...sums })).toSorted((a, b) => a.from.localeCompare(b.from)),
    total,
    serviceLevel: wished === 0 ? null : total.sold / wished,
  }
}
