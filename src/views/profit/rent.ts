/** What the place of a machine costs by the day. Pure. */
import type { DatedTerms } from '../../route/sales/index.ts'
import { dayNumber, dayOfNumber } from './period.ts'

/** Whole minor units, spread so that the days of a month add up to the rent. */
export function rentOfDay(rentFen: number, day: string): number {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number]
  const length = new Date(Date.UTC(year, month, 0)).getUTCDate()
  return Math.floor((rentFen * date) / length) - Math.floor((rentFen * (date - 1)) / length)
}

/** The rent of each day of a period on which there was one; the terms of one machine, oldest first. */
export function rentByDay(
  terms: readonly Pick<DatedTerms, 'fromDay' | 'rentFen'>[],
  { from, to }: { readonly from: string; readonly to: string },
): { readonly day: string; readonly rentFen: number }[] {
  return terms.flatMap(({ fromDay, rentFen }, i) => {
    if (rentFen === null || rentFen === 0) return []
    const next = terms[i + 1]?.fromDay
    const first = dayNumber(fromDay > from ? fromDay : from)
    const last = next === undefined || next > to ? dayNumber(to) : dayNumber(next) - 1
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => {
      const day = dayOfNumber(first + n)
      return { day, rentFen: rentOfDay(rentFen, day) }
    })
  })
}
