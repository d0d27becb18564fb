/** Local calendar days: when they begin, which weekday they are, and on which of them a machine was closed. */
import { DAY, MINUTE } from '../../../kernel/clock.ts'
import type { Zone } from './input.ts'

/** A run of local days. Days are numbered from 1970-01-01, so that a weekday is arithmetic. */
export interface Calendar {
  readonly firstDay: number
  readonly today: number
  /** The instant at which each day begins; one entry more than there are days. */
  readonly starts: Float64Array
}

/** 0 is Monday. */
export const weekdayOf = (day: number): number => (((day + 3) % 7) + 7) % 7

const zoneKey = (zone: Zone): string => ('timeZone' in zone ? zone.timeZone : `${zone.offsetMin}`)

export function calendar(zone: Zone, now: number, daysBack: number, daysAhead: number): Calendar {
  const today = dayNumber(zone, now)
  const firstDay = today - daysBack
  const starts = new Float64Array(daysBack + daysAhead + 2)
  let steady = { offset: 0, until: -Infinity }
  for (let i = 0; i < starts.length; i++) {
    const midnight = (firstDay + i) * DAY - steady.offset
    if (midnight < steady.until) {
      starts[i] = midnight
      continue
    }
    starts[i] = startOf(zone, firstDay + i)
    steady = steadyFrom(zone, starts[i]!)
  }
  return { firstDay, today, starts }
}

/** The zone's offset at an instant, and until when it stays. Clocks change twice a year, and asking for each day is slow. */
function steadyFrom(zone: Zone, at: number): { offset: number; until: number } {
  if ('offsetMin' in zone) return { offset: zone.offsetMin * MINUTE, until: Infinity }
  const zoned = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone.timeZone)
  const until = zoned.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity
  return { offset: zoned.offsetNanoseconds / 1e6, until }
}

/** Calendars of one plan: machines share zones, and a zone's rules are slow to ask. */
export function calendarCache(now: number, daysBack: number, daysAhead: number): (zone: Zone) => Calendar {
  const known = new Map<string, Calendar>()
  return (zone) => {
    const key = zoneKey(zone)
    const hit = known.get(key) ?? calendar(zone, now, daysBack, daysAhead)
    known.set(key, hit)
    return hit
  }
}

function dayNumber(zone: Zone, at: number): number {
  if ('offsetMin' in zone) return Math.floor((at + zone.offsetMin * MINUTE) / DAY)
  const offsetMs =
    Temporal.Instant.fromEpochMilliseconds(Math.floor(at)).toZonedDateTimeISO(zone.timeZone).offsetNanoseconds / 1e6
  return Math.floor((at + offsetMs) / DAY)
}

/** A day may have 23 or 25 hours, and may begin at one o'clock where clocks change at midnight. */
function startOf(zone: Zone, day: number): number {
  if ('offsetMin' in zone) return day * DAY - zone.offsetMin * MINUTE
  const date = Temporal.Instant.fromEpochMilliseconds(day * DAY)
    .toZonedDateTimeISO('UTC')
    .toPlainDate()
  return date.toZonedDateTime(zone.timeZone).epochMilliseconds
}

/** The day an instant falls on; `firstDay - 1` for anything before the calendar, the last day for anything after. */
export function dayAt({ starts, firstDay }: Calendar, at: number): number {
  const last = starts.length - 2
  if (!(at >= starts[0]!)) return firstDay - 1
  let i = Math.min(last, Math.floor((at - starts[0]!) / DAY))
  while (i > 0 && at < starts[i]!) i--
  while (i < last && at >= starts[i + 1]!) i++
  return firstDay + i
}

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/** Weekdays with opening hours (2.5). No list, or an empty one, means unknown and never closed. */
export function openWeekdays(hours: readonly { readonly day: string }[] | undefined): number[] | undefined {
  if (!hours?.length) return undefined
  return [...new Set(hours.map(({ day }) => WEEKDAYS.indexOf(day)))].filter((day) => day >= 0).toSorted((a, b) => a - b)
}

export interface Closures {
  /** One flag per window day. */
  readonly days: Uint8Array
  /** One flag per weekday: closed in the past window and expected to stay so. */
  readonly weekdays: readonly boolean[]
}

/** A silence this unlikely at the machine's usual pace is taken for a closed door. */
const CLOSED_BELOW = 0.01
const DAYS_TO_KNOW_A_PACE = 3

/**
 * Closed days of a machine. Known hours decide; otherwise a day without any sale on the whole machine counts as closed
 * when that silence is implausible, and a weekday when all of its days were silent and together implausible. Days
 * before the `first`, counted from the start, are not the machine's. `stockedShare`: how much of what was sold came from
 * slots that still hold something. After the last sale no more than that can be expected: an empty machine is silent
 * because it is empty.
 */
export function closures(
  unitsPerDay: ArrayLike<number>,
  firstDay: number,
  open: readonly number[] | undefined,
  first = 0,
  stockedShare = 1,
): Closures {
  const days = new Uint8Array(unitsPerDay.length)
  const weekdays = Array.from({ length: 7 }, (_, weekday) => open !== undefined && !open.includes(weekday))
  if (open) {
    for (let i = 0; i < days.length; i++) days[i] = weekdays[weekdayOf(firstDay + i)] ? 1 : 0
    return { days, weekdays }
  }

  const from = Math.max(0, first)
  const count = new Uint32Array(7)
  const sold = new Float64Array(7)
  let sellingDays = 0
  let lastSale = days.length - 1
  while (lastSale >= from && unitsPerDay[lastSale] === 0) lastSale--
  /** Days of usual business among those of a weekday. */
  const usual = new Float64Array(7)
  const usualOn = (i: number) => (i > lastSale ? stockedShare : 1)
  for (let i = from; i < days.length; i++) {
    const weekday = weekdayOf(firstDay + i)
    count[weekday]!++
    usual[weekday]! += usualOn(i)
    sold[weekday]! += unitsPerDay[i]!
    if (unitsPerDay[i]! > 0) sellingDays++
  }
  if (sellingDays < DAYS_TO_KNOW_A_PACE) return { days, weekdays }

  const pace = sold.reduce((sum, units) => sum + units, 0) / sellingDays
  const silent = (n: number) => Math.exp(-pace * n) < CLOSED_BELOW
  for (let w = 0; w < 7; w++) weekdays[w] = count[w]! >= 2 && sold[w] === 0 && silent(usual[w]!)
  for (let i = from; i < days.length; i++) {
    if (unitsPerDay[i] === 0 && (silent(usualOn(i)) || weekdays[weekdayOf(firstDay + i)])) days[i] = 1
  }
  return { days, weekdays }
}
