/**
 * How fast a slot sells while it can. Days on which it was empty or the machine closed say nothing about demand and are
 * left out; what remains is thin, so each slot starts with one pseudo-sale at the pace of its peers.
 */
import { closures, dayAt } from './calendar.ts'
import type { Calendar, Closures } from './calendar.ts'
import { findStockouts, overlap, sortedTraces } from './stockouts.ts'
import type { MachineInput, Sales, SlotInput } from './input.ts'

/** The complete local days whose sales count: `from` up to, not including, `today`. */
export interface Window {
  readonly from: number
  readonly today: number
}

/** W days before today, fewer when the ledger was cut: only days it covers whole. */
export function windowOf(calendar: Calendar, windowDays: number, ledgerFrom: number | null): Window {
  const { today, firstDay, starts } = calendar
  const full = today - windowDays
  if (ledgerFrom === null) return { from: full, today }
  const day = dayAt(calendar, ledgerFrom)
  const covered = day >= firstDay && ledgerFrom > starts[day - firstDay]! ? day + 1 : day
  return { from: Math.min(today, Math.max(full, covered)), today }
}

export interface SlotObservation {
  readonly units: number
  readonly availableDays: number
  readonly emptyDays: number
  readonly closedDays: number
  /** The highest level seen; only trustworthy as a guess at an unknown capacity. */
  readonly peak: number
}

export interface MachineDays {
  readonly window: Window
  readonly closures: Closures
  /** Units per slot and window day, one row after the other. */
  readonly units: Uint32Array
}

/** Counts a machine's sales by local day and finds its closed days. */
export function machineDays(machine: MachineInput, calendar: Calendar, windowDays: number): MachineDays {
  const window = windowOf(calendar, windowDays, machine.ledgerFrom)
  const length = window.today - window.from
  const units = new Uint32Array(machine.slots.length * length)
  const perDay = new Float64Array(length)
  machine.slots.forEach(({ sales }, row) => count(sales, calendar, window, units, row * length, perDay))
  const born = bornOn(machine, calendar) - window.from
  return {
    window,
    closures: closures(perDay, window.from, machine.openWeekdays, born, stockedShare(machine, units, length)),
    units,
  }
}

/** Of the units sold in the window, those from slots that hold something now. */
function stockedShare({ slots }: MachineInput, units: Uint32Array, length: number): number {
  let all = 0
  let stocked = 0
  slots.forEach(({ stock }, row) => {
    let sold = 0
    for (let i = 0; i < length; i++) sold += units[row * length + i]!
    all += sold
    if (stock > 0) stocked += sold
  })
  return all > 0 ? stocked / all : 1
}

/** The first day the machine is known to have stood there: silence before says nothing about closed doors. */
function bornOn({ slots }: MachineInput, calendar: Calendar): number {
  let born = Infinity
  for (const { firstSeen } of slots) born = Math.min(born, firstSeen ?? -Infinity)
  return dayAt(calendar, born)
}

function count(
  sales: Sales,
  calendar: Calendar,
  { from, today }: Window,
  into: Uint32Array,
  row: number,
  perDay: Float64Array,
) {
  for (let i = 0; i < sales.at.length; i++) {
    const day = dayAt(calendar, sales.at[i]!)
    if (day < from || day >= today) continue
    const sold = sales.units ? sales.units[i]! : 1
    into[row + day - from]! += sold
    perDay[day - from]! += sold
  }
}

const MOST_OF_A_DAY = 0.5

/** What a window day was for a slot. Days before the slot was first seen have no class. */
export const UNSEEN = 0
export const AVAILABLE = 1
export const EMPTY = 2
export const CLOSED = 3

/** Gives each window day since the slot was first seen exactly one class; returns the highest level seen on the way. */
export function classifyDays(
  slot: SlotInput,
  row: number,
  { window, closures, units }: MachineDays,
  calendar: Calendar,
  now: number,
  into: Uint8Array,
): number {
  const length = window.today - window.from
  const first = slot.firstSeen === null ? window.from : Math.max(window.from, dayAt(calendar, slot.firstSeen))
  const { intervals, peak } = findStockouts(slot, sortedTraces(slot, now), now)
  into.fill(UNSEEN)
  for (let day = first; day < window.today; day++) {
    const i = day - window.from
    if (units[row * length + i]! > 0) into[i] = AVAILABLE
    else if (closures.days[i]) into[i] = CLOSED
    else if (intervals.length > 0 && emptyShare(intervals, calendar, day) > MOST_OF_A_DAY) into[i] = EMPTY
    else into[i] = AVAILABLE
  }
  return peak
}

/** Counts the classes of one slot. `scratch` holds a window of days and is overwritten. */
export function observeSlot(
  slot: SlotInput,
  row: number,
  days: MachineDays,
  calendar: Calendar,
  now: number,
  scratch: Uint8Array,
): SlotObservation {
  const peak = classifyDays(slot, row, days, calendar, now, scratch)
  const length = days.window.today - days.window.from
  let units = 0
  let availableDays = 0
  let emptyDays = 0
  let closedDays = 0
  for (let i = 0; i < length; i++) {
    const seen = scratch[i]!
    if (seen === UNSEEN) continue
    units += days.units[row * length + i]!
    if (seen === AVAILABLE) availableDays++
    else if (seen === EMPTY) emptyDays++
    else closedDays++
  }
  return { units, availableDays, emptyDays, closedDays, peak }
}

function emptyShare(intervals: readonly number[], { starts, firstDay }: Calendar, day: number): number {
  const from = starts[day - firstDay]!
  const to = starts[day - firstDay + 1]!
  return overlap(intervals, from, to) / (to - from)
}

/** Sales and the exposure they were made in. */
export interface Pool {
  units: number
  days: number
}

/** Pace of a machine's slots, leaning on the route's while the machine is young. */
export const machineRate = ({ units, days }: Pool, routeRate: number): number => (units + 20 * routeRate) / (days + 20)

/** What peers suggest: the machine's pace times how much better or worse the product sells elsewhere. */
export const peerRate = (machineRate: number, othersUnits: number, othersExpected: number): number =>
  (machineRate * (othersUnits + 8)) / (othersExpected + 8)

const PSEUDO_SALES = 1
const LONGEST_PRIOR_DAYS = 14

/** Sales per open day in stock, with one pseudo-sale at the peers' pace. */
export function dailyRate(
  { units, availableDays }: Pick<SlotObservation, 'units' | 'availableDays'>,
  prior: number,
): number {
  const days = Math.min(PSEUDO_SALES / Math.max(prior, 1e-6), LONGEST_PRIOR_DAYS)
  return (units + days * prior) / (availableDays + days)
}
