/**
 * The days ahead, as open time. Demand is a rate per open day: expected sales are the rate times the open days, and the
 * days that stock lasts are found by inverting the same curve. A day with a known factor counts as that many open days.
 */
import { DAY } from '../../../../kernel/clock.ts'
import { firstIndexWhere } from '../../../../lib/binary-search.ts'
import { type Calendar, weekdayOf } from './calendar.ts'
import { type KnownDays, factorsOf } from './known-days.ts'

export interface Horizon {
  /** Days of 24 hours from now to the end of each local day, today first. */
  readonly ends: Float64Array
  /** Open days from now to the same instants. */
  readonly open: Float64Array
}

/** Cover beyond this many days counts as unknown. */
export const HORIZON_DAYS = 400

function horizon(
  { starts, firstDay, today }: Calendar,
  now: number,
  closedWeekdays: readonly boolean[],
  known: readonly KnownDays[] | undefined,
): Horizon {
  const offset = today - firstDay
  const length = starts.length - 1 - offset
  const ends = new Float64Array(length)
  const open = new Float64Array(length)
  const factors = factorsOf(known, today, length)
  let total = 0
  for (let i = 0; i < length; i++) {
    const begin = starts[offset + i]!
    const end = starts[offset + i + 1]!
    if (!closedWeekdays[weekdayOf(today + i)])
      total += ((end - Math.max(begin, now)) / (end - begin)) * (factors ? factors[i]! : 1)
    ends[i] = (end - now) / DAY
    open[i] = total
  }
  return { ends, open }
}

type HorizonOf = (calendar: Calendar, closedWeekdays: readonly boolean[], known?: readonly KnownDays[]) => Horizon

/** One horizon for all machines of a plan with the same zone, closed weekdays and known days. */
export function horizonCache(now: number): HorizonOf {
  const byCalendar = new Map<Calendar, Map<string, Horizon>>()
  return (calendar, closedWeekdays, known) => {
    const byWeekdays = byCalendar.get(calendar) ?? new Map<string, Horizon>()
    byCalendar.set(calendar, byWeekdays)
    const key = known?.length ? `${closedWeekdays.join()} ${JSON.stringify(known)}` : closedWeekdays.join()
    const found = byWeekdays.get(key) ?? horizon(calendar, now, closedWeekdays, known)
    byWeekdays.set(key, found)
    return found
  }
}

/** Open days within the next `days`. */
export function openDays({ ends, open }: Horizon, days: number): number {
  let i = 0
  while (i < ends.length - 1 && ends[i]! < days) i++
  const from = i === 0 ? 0 : ends[i - 1]!
  const before = i === 0 ? 0 : open[i - 1]!
  return before + (open[i]! - before) * Math.min(1, Math.max(0, (days - from) / (ends[i]! - from)))
}

/** Days until that much open time has passed; null when that is beyond the horizon. */
export function daysUntil({ ends, open }: Horizon, openTime: number): number | null {
  const wanted = openTime - 1e-12
  if (!(open[open.length - 1]! >= wanted)) return null
  const day = firstIndexWhere(open.length, (i) => open[i]! >= wanted)
  const from = day === 0 ? 0 : ends[day - 1]!
  const before = day === 0 ? 0 : open[day - 1]!
  const gain = open[day]! - before
  const days = gain <= 0 ? from : from + (ends[day]! - from) * Math.min(1, (openTime - before) / gain)
  return days > HORIZON_DAYS ? null : days
}
