/**
 * How fast a slot sells while it can. Days on which it was empty, or the machine closed, say nothing about demand and do
 * not count. A day on which an operator expected a multiple of the usual counts as that many days. The days that count
 * are few, so each slot starts with one pseudo-sale at the rate of its peers. A slot that was hardly in stock within the
 * window is judged by the last days on which it was: what sold out long ago is not forgotten.
 */
import type { PlanParams } from '../../../../kernel/plan-params.ts'
import { type Calendar, closures, dayAt, hasFewSellingDays, weekdayOf } from './calendar.ts'
import { factorsOf } from './known-days.ts'
import { type SlotHistory, findStockouts, overlap, sortHistory } from './stockouts.ts'
import type { MachineInput, Sales, SlotInput } from '../input.ts'

/** The complete local days whose sales count: `from` up to, not including, `today`, or the day of the last reading. */
export interface DayWindow {
  readonly from: number
  readonly today: number
}

/** `windowDays` days before its end; fewer where the ledger does not cover all of them completely. */
function windowOf(
  calendar: Calendar,
  windowDays: number,
  { ledgerFrom, ledgerTo, historyFrom = -Infinity }: KnownTimes,
): DayWindow {
  const today = ledgerTo === undefined ? calendar.today : Math.min(calendar.today, dayAt(calendar, ledgerTo))
  // A window that ends earlier must not begin before the sales that were asked for.
  const from = today === calendar.today ? null : Math.max(historyFrom, calendar.starts[0]!)
  const full = Math.max(today - windowDays, firstWholeDay(calendar, from))
  return { from: Math.min(today, Math.max(full, firstWholeDay(calendar, ledgerFrom))), today }
}

type KnownTimes = Pick<MachineInput, 'ledgerFrom' | 'ledgerTo' | 'historyFrom'>

function firstWholeDay(calendar: Calendar, from: number | null): number {
  if (from === null) return -Infinity
  const { firstDay, starts } = calendar
  const day = dayAt(calendar, from)
  return day >= firstDay && from > starts[day - firstDay]! ? day + 1 : day
}

/** Fewer days in stock than this say too little about a slot: earlier days count, too, the latest of them first. */
export const STOCKED_DAYS_MIN = 7

export interface SlotObservation extends ObservedStock {
  /** Of the window. */
  readonly units: number
  readonly availableDays: number
  readonly emptyDays: number
  readonly closedDays: number
  /** Available days before the window that count because it has too few. */
  readonly earlierDays: number
  /** Days in stock since the last sale; 0 where something was sold in the window, or the slot is empty. */
  readonly unsoldDays: number
  /** What rates are learned from: units of available and earlier days, and those days as usual days. */
  readonly rateUnits: number
  readonly rateDays: number
}

export type MachineDays = Readonly<ReturnType<typeof machineDays>>

/** Counts a machine's sales by local day and finds its closed days. */
export function machineDays(machine: MachineInput, calendar: Calendar, windowDays: number) {
  return countDays(machine, calendar, windowOf(calendar, windowDays, machine))
}

function countDays(machine: MachineInput, calendar: Calendar, window: DayWindow, isLong = false) {
  const length = window.today - window.from
  const units = new Uint32Array(machine.slots.length * length)
  const perDay = new Float64Array(length)
  machine.slots.forEach(({ sales }, row) => countSales(sales, calendar, window, units, row * length, perDay))
  const firstDay = firstDayOf(machine, calendar) - window.from
  const factors = factorsOf(machine.knownDays, window.from, length)
  const stocked = stockedShare(machine, units, length)
  return {
    window,
    closures: closures(perDay, window.from, machine.openWeekdays, firstDay, stocked, factors, isLong),
    stockedShare: stocked,
    /** Units per slot and window day, one row per slot. */
    units,
    /** Demand of each window day as a multiple of the usual; undefined: all are usual. */
    factors,
    /** Of the whole machine. */
    hasFewSellingDays: hasFewSellingDays(perDay),
    historyFrom: Math.max(machine.ledgerFrom ?? -Infinity, machine.historyFrom ?? -Infinity),
  }
}

/** The days of a machine: those of the window, and all that its history reaches back to, counted only where needed. */
export interface ObservedDays {
  readonly window: MachineDays
  /** Undefined: nothing before the window is known. */
  readonly all: () => MachineDays | undefined
}

/**
 * In a window without sales nothing tells a closed day from a quiet one, and an empty machine from one that nobody uses:
 * then the days before it decide.
 */
export function observeDays(
  machine: MachineInput,
  calendar: Calendar,
  { window_days, look_back_days }: Pick<PlanParams, 'window_days' | 'look_back_days'>,
): ObservedDays {
  const window = machineDays(machine, calendar, window_days)
  let counted: MachineDays | undefined | null = null
  const all = () => (counted === null ? (counted = countAllDays(machine, calendar, look_back_days, window)) : counted)
  if (!window.hasFewSellingDays) return { window, all }
  const longer = all()
  if (!longer) return { window, all }
  const days = longer.closures.days.subarray(window.window.from - longer.window.from)
  const { stockedShare } = longer
  return { window: { ...window, closures: { days, weekdays: longer.closures.weekdays }, stockedShare }, all }
}

/** From the first sale that is known: before it the machine may not have been there. */
function countAllDays(
  machine: MachineInput,
  calendar: Calendar,
  lookBackDays: number,
  { window: { from: windowFrom, today } }: MachineDays,
): MachineDays | undefined {
  const historyFrom = Math.max(machine.ledgerFrom ?? -Infinity, machine.historyFrom ?? -Infinity)
  const ledgerFrom = historyFrom === -Infinity ? null : historyFrom
  const reach = windowOf(calendar, lookBackDays, { ...machine, ledgerFrom })
  let firstSale = Infinity
  for (const { sales } of machine.slots)
    for (const at of sales.at) {
      const day = dayAt(calendar, at)
      if (day >= reach.from && day < firstSale) firstSale = day
    }
  return firstSale < windowFrom ? countDays(machine, calendar, { from: firstSale, today }, true) : undefined
}

/** The share of the window's units that was sold by slots with stock now. */
function stockedShare({ slots }: MachineInput, units: Uint32Array, length: number): number {
  let all = 0
  let stocked = 0
  slots.forEach(({ stock }, row) => {
    let sold = 0
    for (let i = 0; i < length; i++) sold += units[row * length + i]!
    all += sold
    if (stock !== null && stock > 0) stocked += sold
  })
  return all > 0 ? stocked / all : 1
}

/** The first day on which the machine is known: no sales before it do not mean that it was closed. */
function firstDayOf({ slots }: MachineInput, calendar: Calendar): number {
  let first = Infinity
  for (const { firstSeenAt } of slots) first = Math.min(first, firstSeenAt ?? -Infinity)
  return dayAt(calendar, first)
}

function countSales(
  sales: Sales,
  calendar: Calendar,
  { from, today }: DayWindow,
  into: Uint32Array,
  offset: number,
  perDay: Float64Array,
) {
  for (let i = 0; i < sales.at.length; i++) {
    const day = dayAt(calendar, sales.at[i]!)
    if (day < from || day >= today) continue
    const sold = sales.units ? sales.units[i]! : 1
    into[offset + day - from]! += sold
    perDay[day - from]! += sold
  }
}

/** A day counts as empty when the slot was empty for more than this share of it. */
const EMPTY_SHARE = 0.5

/** The classes of a window day for a slot. Days before the slot was first seen are UNSEEN. */
const UNSEEN = 0
export const AVAILABLE = 1
export const EMPTY = 2
const CLOSED = 3

/** What the history of a slot shows besides the class of its days. */
interface ObservedStock {
  /** The highest level seen: a guess at an unknown capacity. */
  readonly highestLevel: number
  /** Null while there is stock, or when the slot was never seen with any. */
  readonly emptySince: number | null
}

/** Writes the class of each window day into `into`. */
export function classifyDays(
  slot: SlotInput,
  row: number,
  days: MachineDays,
  calendar: Calendar,
  now: number,
  into: Uint8Array,
): ObservedStock & { readonly intervals: readonly number[] } {
  const { window } = days
  const first = firstDayIn(slot, days, calendar)
  const history = sortHistory(slot, now)
  const { intervals, highestLevel } = findStockouts(slot, history, now)
  into.fill(UNSEEN)
  for (let day = first; day < window.today; day++)
    into[day - window.from] = classOf(day, row, days, calendar, intervals)
  return { highestLevel, emptySince: emptySinceOf(slot, history, intervals, now), intervals }
}

const firstDayIn = ({ firstSeenAt }: SlotInput, { window }: MachineDays, calendar: Calendar): number =>
  firstSeenAt === null ? window.from : Math.max(window.from, dayAt(calendar, firstSeenAt))

function classOf(
  day: number,
  row: number,
  { window, closures, units, factors }: MachineDays,
  calendar: Calendar,
  intervals: readonly number[],
): number {
  const i = day - window.from
  // What was sold on a day that the operator calls closed is not what it usually sells.
  if (factors?.[i] === 0) return CLOSED
  if (units[row * (window.today - window.from) + i]! > 0) return AVAILABLE
  if (closures.days[i]) return CLOSED
  return intervals.length > 0 && emptyShare(intervals, calendar, day) > EMPTY_SHARE ? EMPTY : AVAILABLE
}

/**
 * The start of the stockout that lasts until now. Before the first count or reading nobody knew the stock, so that no sale
 * can be called the one that emptied the slot.
 */
function emptySinceOf(
  { stock, firstSeenAt }: SlotInput,
  { readings }: SlotHistory,
  intervals: readonly number[],
  now: number,
): number | null {
  const [from = -Infinity, to] = intervals.slice(-2)
  if (stock !== 0 || to !== now || from === -Infinity) return null
  return Math.max(from, readings[0]?.at ?? firstSeenAt ?? from)
}

/** Counts the days of one slot by class. `scratch` has room for a window of days and is overwritten. */
export function observeSlot(
  slot: SlotInput,
  row: number,
  { window: days, all }: ObservedDays,
  calendar: Calendar,
  now: number,
  scratch: Uint8Array,
): SlotObservation {
  const { highestLevel, emptySince, intervals } = classifyDays(slot, row, days, calendar, now, scratch)
  const length = days.window.today - days.window.from
  let units = 0
  let availableDays = 0
  let emptyDays = 0
  let closedDays = 0
  let rateUnits = 0
  let rateDays = 0
  for (let i = 0; i < length; i++) {
    const dayClass = scratch[i]!
    if (dayClass === UNSEEN) continue
    const sold = days.units[row * length + i]!
    units += sold
    if (dayClass === AVAILABLE) {
      availableDays++
      rateUnits += sold
      rateDays += days.factors ? days.factors[i]! : 1
    } else if (dayClass === EMPTY) emptyDays++
    else closedDays++
  }
  const unsoldDays =
    units === 0 && (slot.stock ?? 0) > 0
      ? availableDays + countUnsoldDays(slot, days, calendar, intervals, now, UNSOLD_DAYS_COUNTED - availableDays)
      : 0
  const counted = { units, availableDays, emptyDays, closedDays, highestLevel, emptySince, unsoldDays }
  const missing = STOCKED_DAYS_MIN - availableDays
  const longer = missing > 0 ? all() : undefined
  if (!longer) return { ...counted, earlierDays: 0, rateUnits, rateDays }
  const earlier = observeEarlierDays(slot, row, longer, calendar, intervals, days.window.from, missing)
  return {
    ...counted,
    earlierDays: earlier.days,
    rateUnits: rateUnits + earlier.units,
    rateDays: rateDays + earlier.rateDays,
  }
}

/** A slot that sold nothing on this many days in stock, three weeks, is not topped up. */
const DEAD_STOCK_DAYS = 21
/** Longer silences are not counted. */
const UNSOLD_DAYS_COUNTED = 60

/** Stock that nobody buys. */
export const isDeadStock = ({ unsoldDays }: SlotObservation): boolean => unsoldDays >= DEAD_STOCK_DAYS

/** Days in stock between the last sale and the window, as far as the history reaches; no more than `most`. */
function countUnsoldDays(
  slot: SlotInput,
  days: MachineDays,
  calendar: Calendar,
  intervals: readonly number[],
  now: number,
  most: number,
): number {
  const { firstDay } = calendar
  let known = Math.max(slot.firstSeenAt ?? -Infinity, days.historyFrom)
  for (const at of slot.sales.at) if (at <= now) known = Math.max(known, at)
  // The day on which the history begins, or of the last sale, is not a whole day without one.
  const first = Math.max(firstDay, known === -Infinity ? firstDay : dayAt(calendar, known) + 1)
  let counted = 0
  for (let day = days.window.from - 1; day >= first && counted < most; day--)
    if (!days.closures.weekdays[weekdayOf(day)] && emptyShare(intervals, calendar, day) <= EMPTY_SHARE) counted++
  return counted
}

/** The last days in stock before a day, no more than are missing. */
function observeEarlierDays(
  slot: SlotInput,
  row: number,
  days: MachineDays,
  calendar: Calendar,
  intervals: readonly number[],
  before: number,
  missing: number,
) {
  const { window, units, factors } = days
  const first = firstDayIn(slot, days, calendar)
  const found = { days: 0, units: 0, rateDays: 0 }
  for (let day = before - 1; day >= first && found.days < missing; day--) {
    if (classOf(day, row, days, calendar, intervals) !== AVAILABLE) continue
    const i = day - window.from
    found.days++
    found.units += units[row * (window.today - window.from) + i]!
    found.rateDays += factors ? factors[i]! : 1
  }
  return found
}

function emptyShare(intervals: readonly number[], { starts, firstDay }: Calendar, day: number): number {
  const from = starts[day - firstDay]!
  const to = starts[day - firstDay + 1]!
  return overlap(intervals, from, to) / (to - from)
}

/** Units sold, and the usual days on which they could be sold. */
export interface SalesTotals {
  units: number
  availableDays: number
}

const ROUTE_RATE_DAYS = 20

/** Units per slot and day of a machine, as if it had sold at the route's rate for 20 days more: a new one has few. */
export const machineRate = ({ units, availableDays }: SalesTotals, routeRate: number): number =>
  (units + ROUTE_RATE_DAYS * routeRate) / (availableDays + ROUTE_RATE_DAYS)

/** Units by which the products of other machines are taken for average ones while they sold little. */
const AVERAGE_PRODUCT_UNITS = 8

/** The rate of its peers: the machine's rate times how much better or worse the product sells in other machines. */
export const peerRate = (machineRate: number, othersUnits: number, othersExpected: number): number =>
  (machineRate * (othersUnits + AVERAGE_PRODUCT_UNITS)) / (othersExpected + AVERAGE_PRODUCT_UNITS)

const PSEUDO_SALES = 1
const PSEUDO_DAYS_MAX = 14

/** Sales per open day in stock, with one pseudo-sale at the peers' rate. */
export function dailyRate(
  { units, availableDays }: Pick<SlotObservation, 'units' | 'availableDays'>,
  peersRate: number,
): number {
  const days = Math.min(PSEUDO_SALES / Math.max(peersRate, 1e-6), PSEUDO_DAYS_MAX)
  return (units + days * peersRate) / (availableDays + days)
}
