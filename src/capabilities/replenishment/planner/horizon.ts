/**
 * The days ahead, as open time. Demand is a rate per open day, so what a slot sells in the next h days is its rate times
 * the open days among them, and how long stock lasts is the same curve read backwards.
 */
import { DAY } from '../../../kernel/clock.ts'
import { weekdayOf } from './calendar.ts'
import type { Calendar } from './calendar.ts'

export interface Horizon {
  /** Days of 24 hours from now to the end of each local day, today first. */
  readonly ends: Float64Array
  /** Open days from now to the same instants. */
  readonly open: Float64Array
}

/** Further than this nobody plans: cover beyond is told as unknown. */
export const HORIZON_DAYS = 400

export function horizon(
  { starts, firstDay, today }: Calendar,
  now: number,
  closedWeekdays: readonly boolean[],
): Horizon {
  const offset = today - firstDay
  const length = starts.length - 1 - offset
  const ends = new Float64Array(length)
  const open = new Float64Array(length)
  let sum = 0
  for (let i = 0; i < length; i++) {
    const begin = starts[offset + i]!
    const end = starts[offset + i + 1]!
    if (!closedWeekdays[weekdayOf(today + i)]) sum += (end - Math.max(begin, now)) / (end - begin)
    ends[i] = (end - now) / DAY
    open[i] = sum
  }
  return { ends, open }
}

/** Horizons of one plan: machines in the same zone with the same closed weekdays share one. */
export function horizonCache(now: number): (calendar: Calendar, closedWeekdays: readonly boolean[]) => Horizon {
  const known = new Map<Calendar, Map<string, Horizon>>()
  return (calendar, closedWeekdays) => {
    const ofCalendar = known.get(calendar) ?? new Map<string, Horizon>()
    known.set(calendar, ofCalendar)
    const key = closedWeekdays.join()
    const hit = ofCalendar.get(key) ?? horizon(calendar, now, closedWeekdays)
    ofCalendar.set(key, hit)
    return hit
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

/** Days until that much open time has passed; null when it does not within the horizon. */
export function daysUntil({ ends, open }: Horizon, openTime: number): number | null {
  const wanted = openTime - 1e-12
  if (!(open[open.length - 1]! >= wanted)) return null
  let low = 0
  let high = open.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (open[middle]! >= wanted) high = middle
    else low = middle + 1
  }
  const from = low === 0 ? 0 : ends[low - 1]!
  const before = low === 0 ? 0 : open[low - 1]!
  const gain = open[low]! - before
  const days = gain <= 0 ? from : from + (ends[low]! - from) * Math.min(1, (openTime - before) / gain)
  return days > HORIZON_DAYS ? null : days
}
