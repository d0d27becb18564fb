/** The days of a report, the days before it, and the weeks they are in. Pure. */
import { PROFIT_DAYS_DEFAULT, PROFIT_DAYS_MAX } from '../../contract/limits.ts'
import type { ProfitQuery } from '../../contract/shapes/money/sales.ts'
import { addDays, DAY } from '../../kernel/clock.ts'
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
