/** The days of a report, the days before it, and the weeks they are in. Pure. */
import { PROFIT_DAYS_DEFAULT, PROFIT_DAYS_MAX } from '../../contract/limits.ts'
import type { ProfitQuery } from '../../contract/shapes/money/sales.ts'
import { addDays, DAY, startOfDay } from '../../kernel/clock.ts'
import { type Outcome, accept, refuse } from '../../kernel/outcome.ts'

export interface Period {
  readonly from: string
  readonly to: string
  readonly days: number
}

/** Days since 1970. */
export const dayNumber = (day: string): number => Date.parse(`${day}T00:00:00Z`) / DAY
export const dayOfNumber = (number: number): string => new Date(number * DAY).toISOString().slice(0, 10)

const FIRST_DAY = '2000-01-01'
const LAST_DAY = '9000-01-01'

/** Without dates the last 7 full days, so not today, which is not over. */
export function readPeriod(query: Pick<ProfitQuery, 'from' | 'to'>, today: string): Outcome<Period> {
  for (const name of ['from', 'to'] as const) {
    const day = query[name]
    if (day !== undefined && (day < FIRST_DAY || day > LAST_DAY))
      return refuse('invalid', `${name} must be a date since ${FIRST_DAY}`, `$.${name}`)
  }
  const yesterday = addDays(today, -1)
  const to = query.to ?? (query.from !== undefined && query.from > yesterday ? query.from : yesterday)
  const from = query.from ?? addDays(to, 1 - PROFIT_DAYS_DEFAULT)
  if (from > to) return refuse('invalid', 'to must not be before from', '$.to')
  const days = dayNumber(to) - dayNumber(from) + 1
  if (days > PROFIT_DAYS_MAX) return refuse('invalid', `A report covers at most ${PROFIT_DAYS_MAX} days`, '$.from')
  return accept({ from, to, days })
}

/** As many days, right before. */
export const periodBefore = ({ from, days }: Period): Period => ({
  from: addDays(from, -days),
  to: addDays(from, -1),
  days,
})

export const daysOf = ({ from, days }: Period): string[] => {
  const first = dayNumber(from)
  return Array.from({ length: days }, (_, i) => dayOfNumber(first + i))
}

/** The Monday of the week. 1970 began on a Thursday. */
export const weekOf = (day: string): string => {
  const number = dayNumber(day)
  return dayOfNumber(number - ((((number + 3) % 7) + 7) % 7))
}

/** Parts of a period, so that no query takes long. */
export function* slicesOf(period: Period, days: number): Generator<Pick<Period, 'from' | 'to'>> {
  for (let from = dayNumber(period.from), last = dayNumber(period.to); from <= last; from += days)
    yield { from: dayOfNumber(from), to: dayOfNumber(Math.min(last, from + days - 1)) }
}

/** The day of an instant in a zone, one of these days or undefined. Made once for many instants: a zone is asked once a day. */
export function dayFinder({ from, to }: Pick<Period, 'from' | 'to'>) {
  const first = dayNumber(from)
  const days = Array.from({ length: dayNumber(to) - first + 1 }, (_, i) => dayOfNumber(first + i))
  const zones = new Map<string, number[]>()
  return (at: number, zone: string): string | undefined => {
    let starts = zones.get(zone)
    if (!starts) {
      starts = [...days, addDays(to, 1)].map((day) => startOfDay(day, zone))
      zones.set(zone, starts)
    }
    // A day may have 23 or 25 hours, so the guess may be one off.
    let i = Math.floor((at - starts[0]!) / DAY)
    if (i + 1 < starts.length && at >= (starts[i + 1] ?? Infinity)) i += 1
    else if (i >= 0 && at < (starts[i] ?? -Infinity)) i -= 1
    return days[i]
  }
}
