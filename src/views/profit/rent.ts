/** What the place of a machine costs by the day. Pure. */
import type { DatedTerms } from '../../route/sales/index.ts'
import { dayNumber } from './period.ts'

/** A day as the rent needs it. */
export interface RentDay {
  readonly day: string
  readonly date: number
  readonly daysOfMonth: number
}

export const rentDays = (days: readonly string[]): RentDay[] =>
  days.map((day) => {
    const [year, month, date] = day.split('-').map(Number) as [number, number, number]
    return { day, date, daysOfMonth: new Date(Date.UTC(year, month, 0)).getUTCDate() }
  })

/** Whole minor units, spread so that the days of a month add up to the rent. */
const rentOf = (rentFen: number, { date, daysOfMonth }: RentDay): number =>
  Math.floor((rentFen * date) / daysOfMonth) - Math.floor((rentFen * (date - 1)) / daysOfMonth)

/**
 * Adds the rent of one machine to each of these days, which follow each other. `terms` are those of the machine, oldest
 * first; nothing is due after `lastDay`.
 */
export function addRents(
  rents: number[],
  days: readonly RentDay[],
  terms: readonly Pick<DatedTerms, 'fromDay' | 'rentFen'>[],
  lastDay: string,
): void {
  const first = days[0]
  if (!first) return
  const start = dayNumber(first.day)
  const indexOf = (day: string) => Math.min(days.length, Math.max(0, dayNumber(day) - start))
  const end = indexOf(lastDay) + (lastDay < first.day ? 0 : 1)
  terms.forEach(({ fromDay, rentFen }, i) => {
    if (rentFen === null || rentFen === 0) return
    const next = terms[i + 1]
    const until = Math.min(days.length, end, next ? indexOf(next.fromDay) : days.length)
    for (let at = indexOf(fromDay); at < until; at++) rents[at]! += rentOf(rentFen, days[at]!)
  })
}
