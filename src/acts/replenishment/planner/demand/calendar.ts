/** Local calendar days: when they start, their weekday, and on which of them a machine was closed. */
import { DAY, MINUTE } from '../../../../kernel/clock.ts'
import type { Zone } from '../input.ts'

/** Consecutive local days, numbered from 1970-01-01 so that weekdays are arithmetic. */
export interface Calendar {
  readonly firstDay: number
  readonly today: number
  /** The instant at which each day starts; one entry more than there are days. */
  readonly starts: Float64Array
}

/** 0 is Monday. */
export const weekdayOf = (day: number): number => (((day + 3) % 7) + 7) % 7

const zoneKey = (zone: Zone): string => ('timeZone' in zone ? zone.timeZone : `${zone.offsetMin}`)

export function calendar(zone: Zone, now: number, daysBack: number, daysAhead: number): Calendar {
  const today = dayNumber(zone, now)
  const firstDay = today - daysBack
  const starts = new Float64Array(daysBack + daysAhead + 2)
  let zoneOffset = { offset: 0, until: -Infinity }
  for (let i = 0; i < starts.length; i++) {
    const midnight = (firstDay + i) * DAY - zoneOffset.offset
    if (midnight < zoneOffset.until) {
      starts[i] = midnight
      continue
    }
    starts[i] = startOfLocalDay(zone, firstDay + i)
    zoneOffset = offsetAt(zone, starts[i]!)
  }
  return { firstDay, today, starts }
}

/** The zone's offset at an instant, and until when it holds: asking Temporal for every day is slow. */
function offsetAt(zone: Zone, at: number): { offset: number; until: number } {
  if ('offsetMin' in zone) return { offset: zone.offsetMin * MINUTE, until: Infinity }
  const zoned = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone.timeZone)
  const until = zoned.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity
  return { offset: zoned.offsetNanoseconds / 1e6, until }
}

/** One calendar per zone for the length of a plan. */
export function calendarCache(now: number, daysBack: number, daysAhead: number): (zone: Zone) => Calendar {
  const byZone = new Map<string, Calendar>()
  return (zone) => {
    const key = zoneKey(zone)
    const found = byZone.get(key) ?? calendar(zone, now, daysBack, daysAhead)
    byZone.set(key, found)
    return found
  }
}

function dayNumber(zone: Zone, at: number): number {
  if ('offsetMin' in zone) return Math.floor((at + zone.offsetMin * MINUTE) / DAY)
  const offsetMs =
    Temporal.Instant.fromEpochMilliseconds(Math.floor(at)).toZonedDateTimeISO(zone.timeZone).offsetNanoseconds / 1e6
  return Math.floor((at + offsetMs) / DAY)
}

/** A day may have 23 or 25 hours, and start at one o'clock where clocks change at midnight. */
function startOfLocalDay(zone: Zone, day: number): number {
  if ('offsetMin' in zone) return day * DAY - zone.offsetMin * MINUTE
  const date = Temporal.Instant.fromEpochMilliseconds(day * DAY)
    .toZonedDateTimeISO('UTC')
    .toPlainDate()
  return date.toZonedDateTime(zone.timeZone).epochMilliseconds
}

/** The day of an instant: `firstDay - 1` for any instant before the calendar, the last day for any after it. */
export function dayAt({ starts, firstDay }: Calendar, at: number): number {
  const last = starts.length - 2
  if (!(at >= starts[0]!)) return firstDay - 1
  let i = Math.min(last, Math.floor((at - starts[0]!) / DAY))
  while (i > 0 && at < starts[i]!) i--
  while (i < last && at >= starts[i + 1]!) i++
  return firstDay + i
}

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/** Weekdays with opening hours. Without hours they are unknown, and no day counts as closed. */
export function openWeekdays(hours: readonly { readonly day: string }[] | undefined): number[] | undefined {
  if (!hours?.length) return undefined
  return [...new Set(hours.map(({ day }) => WEEKDAYS.indexOf(day)))].filter((day) => day >= 0).toSorted((a, b) => a - b)
}

export interface Closures {
  readonly days: Uint8Array
  /** One flag per weekday: closed in the window, and expected to stay closed. */
  readonly weekdays: readonly boolean[]
}

/** Fewer open weekdays than these, or less of what is sold still in stock, and empty slots may explain the silence. */
const OPEN_WEEKDAYS_MIN = 4
const STOCKED_SHARE_MIN = 0.5

/** The weekdays on which a machine without known hours sells; undefined where every day may be open. */
export function learnedOpenWeekdays(days: {
  readonly closures: Closures
  readonly stockedShare: number
}): number[] | undefined {
  const open = days.closures.weekdays.flatMap((isClosed, weekday) => (isClosed ? [] : [weekday]))
  const isLearned = open.length < 7 && open.length >= OPEN_WEEKDAYS_MIN && days.stockedShare >= STOCKED_SHARE_MIN
  return isLearned ? open : undefined
}

/** A day without sales that was less likely than this counts as closed. */
const CLOSED_BELOW = 0.01
const SELLING_DAYS_MIN = 3
/** A silence of this many days or more counts as closed when all of it together was less likely than `SILENT_BELOW`. */
const SILENT_DAYS_MIN = 7
const SILENT_BELOW = 0.001

/** Too few days with sales to tell a closed day from a quiet one. */
export function hasFewSellingDays(unitsPerDay: ArrayLike<number>): boolean {
  let days = 0
  for (let i = 0; i < unitsPerDay.length && days < SELLING_DAYS_MIN; i++) if (unitsPerDay[i]! > 0) days++
  return days < SELLING_DAYS_MIN
}

/**
 * Closed days of a machine. Opening hours decide where they are known. Otherwise a day without any sale counts as closed
 * when that is implausible at the machine's usual rate, and a weekday when all of its days had no sale and that is
 * implausible together. Days before index `first` do not count: the machine was not there yet. `stockedShare` is the
 * part of the units sold by slots that still have stock; after the last sale no more than that part can be expected,
 * because an empty machine sells nothing either. `factors` holds what an operator stated about the days: a closed one is
 * closed and says nothing about the others, and as many sales are expected of a day as its factor says. Over a long
 * history (`isLong`) a silence of a week or more is closed, too, when it is implausible as a whole.
 */
export function closures(
  unitsPerDay: ArrayLike<number>,
  firstDay: number,
  open: readonly number[] | undefined,
  firstIndex = 0,
  stockedShare = 1,
  factors?: ArrayLike<number>,
  isLong = false,
): Closures {
  const days = new Uint8Array(unitsPerDay.length)
  const weekdays = Array.from({ length: 7 }, (_, weekday) => open !== undefined && !open.includes(weekday))
  if (open) {
    for (let i = 0; i < days.length; i++) days[i] = weekdays[weekdayOf(firstDay + i)] || factors?.[i] === 0 ? 1 : 0
    return { days, weekdays }
  }

  const from = Math.max(0, firstIndex)
  const count = new Uint32Array(7)
  const sold = new Float64Array(7)
  let sellingDays = 0
  let sellingExposure = 0
  let lastSale = days.length - 1
  while (lastSale >= from && unitsPerDay[lastSale] === 0) lastSale--
  /** Per weekday: its days, each weighted by the share of usual sales it could have had. */
  const exposure = new Float64Array(7)
  const factorOf = (i: number) => (factors ? factors[i]! : 1)
  const exposureOn = (i: number) => (i > lastSale ? stockedShare : 1) * factorOf(i)
  for (let i = from; i < days.length; i++) {
    if (factorOf(i) === 0) {
      days[i] = 1
      continue
    }
    const weekday = weekdayOf(firstDay + i)
    count[weekday]!++
    exposure[weekday]! += exposureOn(i)
    sold[weekday]! += unitsPerDay[i]!
    if (unitsPerDay[i]! > 0) {
      sellingDays++
      sellingExposure += factorOf(i)
    }
  }
  if (sellingDays < SELLING_DAYS_MIN) return { days, weekdays }

  const dailyUnits = sold.reduce((total, units) => total + units, 0) / sellingExposure
  const isImplausible = (days: number) => Math.exp(-dailyUnits * days) < CLOSED_BELOW
  for (let w = 0; w < 7; w++) weekdays[w] = count[w]! >= 2 && sold[w] === 0 && isImplausible(exposure[w]!)
  for (let i = from; i < days.length; i++) {
    if (unitsPerDay[i] === 0 && (isImplausible(exposureOn(i)) || weekdays[weekdayOf(firstDay + i)])) days[i] = 1
  }
  if (isLong) closeSilences(unitsPerDay, days, from, (i) => dailyUnits * exposureOn(i))
  return { days, weekdays }
}

/** Closes the days of each long silence. Of a machine that sells little, no single day without a sale is implausible. */
function closeSilences(
  unitsPerDay: ArrayLike<number>,
  days: Uint8Array,
  from: number,
  expectedOn: (i: number) => number,
): void {
  for (let i = from; i < days.length; i++) {
    let end = i
    let expected = 0
    for (; end < days.length && unitsPerDay[end] === 0; end++) expected += expectedOn(end)
    if (end - i >= SILENT_DAYS_MIN && Math.exp(-expected) < SILENT_BELOW) days.fill(1, i, end)
    i = end
  }
}
