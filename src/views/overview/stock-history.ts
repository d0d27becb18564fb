/** The stock of a slot over time, from its readings and the sales between them: levels, empty times, refills. Pure. */
import { DAY } from '../../kernel/clock.ts'
import { firstIndexWhere } from '../../lib/binary-search.ts'

export interface LoggedStock {
  readonly at: number
  readonly stock: number
  readonly source: 'sync' | 'receipt' | 'count'
}

export interface Load {
  readonly at: number
  readonly units: number
}

export interface SlotLog {
  /** In order of time; the last one before the window is included. */
  readonly readings: readonly LoggedStock[]
  /** Instants of paid sales, ascending. */
  readonly sales: ArrayLike<number>
  /** What people loaded, as they reported it. */
  readonly loads: readonly Load[]
  /** Now; null: unknown. */
  readonly stock: number | null
}

export interface Window {
  readonly from: number
  readonly to: number
}

interface Interval {
  readonly from: number
  readonly to: number
}

/** The readings, and the stock of now. */
function anchorsOf({ readings, stock }: SlotLog, to: number): readonly LoggedStock[] {
  const until = readings.filter(({ at }) => at <= to)
  return stock === null ? until : [...until, { at: to, stock: Math.max(0, stock), source: 'sync' }]
}

const indexAfter = (at: ArrayLike<number>, t: number): number => firstIndexWhere(at.length, (i) => at[i]! > t)

/** Sales after `from`, up to and including `to`. */
const soldBetween = (sales: ArrayLike<number>, from: number, to: number): number =>
  Math.max(0, indexAfter(sales, to) - indexAfter(sales, from))

/**
 * When the slot was empty. It empties with the last sale before a reading of zero, or with the last sale when more were
 * sold than the reading before had; it stays empty until a reading above zero, or a sale that shows an unknown refill.
 */
export function emptyTimes(slot: SlotLog, { from, to }: Window): readonly Interval[] {
  const anchors = anchorsOf(slot, to)
  const { sales } = slot
  const found: Interval[] = []
  const add = (start: number, end: number) => {
    const last = found.at(-1)
    if (last && start <= last.to) found[found.length - 1] = { from: last.from, to: Math.max(last.to, end) }
    else if (end > start) found.push({ from: start, to: end })
  }
  const [first] = anchors
  const emptiedBefore = first && first.stock <= 0 ? sales[indexAfter(sales, first.at) - 1] : undefined
  if (first && emptiedBefore !== undefined) add(emptiedBefore, first.at)
  anchors.forEach(({ at, stock }, i) => {
    const next = anchors[i + 1]
    const end = next?.at ?? to
    const soldFrom = indexAfter(sales, at)
    const after = indexAfter(sales, end)
    const lastSale = after > soldFrom ? sales[after - 1]! : undefined
    if (stock <= 0) {
      add(at, after > soldFrom ? sales[soldFrom]! : end)
      if (lastSale !== undefined && next && next.stock <= 0) add(lastSale, end)
    } else if (next && next.stock <= 0) add(lastSale ?? end, end)
    else if (!next && after - soldFrom >= stock) add(lastSale ?? end, end)
  })
  return found.flatMap((one) => {
    const clipped = { from: Math.max(one.from, from), to: Math.min(one.to, to) }
    return clipped.to > clipped.from ? [clipped] : []
  })
}

/** The level at each instant, which must ascend; null where nothing is known yet. */
export function levelsAt(slot: SlotLog, instants: readonly number[], window: Window): readonly (number | null)[] {
  const anchors = anchorsOf(slot, window.to)
  const empty = emptyTimes(slot, { from: -Infinity, to: window.to })
  const { sales } = slot
  return instants.map((t) => {
    if (empty.some((one) => one.from <= t && t < one.to)) return 0
    const index = firstIndexWhere(anchors.length, (i) => anchors[i]!.at > t) - 1
    const before = anchors[index]
    // Before the first reading nobody knows when the slot was filled (ADR 15).
    return before ? Math.max(0, before.stock - soldBetween(sales, before.at, t)) : null
  })
}

/**
 * Receipts that were booked, and readings above what the sales left. A visit that was sent late leaves a newer reading as
 * it is: the rise that this reading shows is what was loaded then.
 */
export const refillsOf = ({ readings, sales, loads }: SlotLog, { from, to }: Window) =>
  readings.flatMap(({ at, stock, source }, i) => {
    const before = readings[i - 1]
    if (!before || at < from || at > to || source === 'count') return []
    const left = Math.max(0, before.stock - soldBetween(sales, before.at, at))
    if (source === 'receipt') {
      const units = loads.find((load) => load.at === at)?.units ?? Math.max(0, stock - left)
      return units > 0 ? [{ at, units, isBooked: true }] : []
    }
    // A reading may be a moment older than a sale: one unit more is no refill.
    const units = stock - Math.max(left, before.stock)
    const late = loads.find((load) => load.at > before.at && load.at <= at)
    return units > 1 ? [{ at: late?.at ?? at, units, isBooked: late !== undefined }] : []
  })

/** What an empty slot lost: its sales a day while it had stock, times the days it had none. */
export function lossOf(slot: SlotLog, window: Window) {
  const empty = emptyTimes(slot, window)
  const knownFrom = Math.max(window.from, Math.min(slot.readings[0]?.at ?? window.from, slot.sales[0] ?? window.to))
  const emptyMs = empty.reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, knownFrom)), 0)
  const sold = soldBetween(slot.sales, window.from - 1, window.to)
  const inStockDays = (window.to - knownFrom - emptyMs) / DAY
  // Before the first reading nobody knew whether it was empty: a first count of 0 does not say since when.
  const countedFrom = Math.max(knownFrom, slot.readings[0]?.at ?? window.to)
  const lostMs = empty.reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, countedFrom)), 0)
  const last = empty.at(-1)
  return {
    sold,
    emptyMs,
    // Before the first reading nobody knew the stock, whatever was sold.
    emptySince:
      slot.stock !== null && slot.stock <= 0 && last && last.to >= window.to
        ? Math.max(last.from, slot.readings[0]?.at ?? last.from)
        : undefined,
    // An estimate: less than a day in stock says nothing about a day.
    lostUnits: inStockDays < 1 ? 0 : (sold / inStockDays) * (lostMs / DAY),
  }
}
