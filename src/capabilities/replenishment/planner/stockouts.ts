/**
 * When was a slot empty? Nobody writes that down, so it is concluded from traces. A sale, a receipt or a reading above
 * zero shows goods; a reading of zero, no stock now, or a receipt into a slot that must have been bare shows none. Each
 * sign of emptiness opens an interval at the sale that emptied the slot and closes it at the next sign of goods.
 */
import type { Reading, Receipt, Sales, SlotInput } from './input.ts'

/** The traces of one slot, in order of time and none of them after now. */
export interface Traces {
  readonly sales: Sales
  readonly receipts: readonly Receipt[]
  readonly readings: readonly Reading[]
}

export interface Stockouts {
  /** Disjoint and ascending: from, to, from, to … */
  readonly intervals: readonly number[]
  /** The highest level the traces show. */
  readonly peak: number
}

const byTime = (a: { readonly at: number }, b: { readonly at: number }) => a.at - b.at

/** Sorted and cut at now: platforms deliver out of order, and a clock that runs ahead must not count. */
export function sortedTraces({ sales, receipts, readings }: SlotInput, now: number): Traces {
  return {
    sales: inOrder(sales, now),
    receipts: upTo(receipts, now),
    readings: upTo(readings, now),
  }
}

function upTo<T extends { readonly at: number }>(list: readonly T[], now: number): readonly T[] {
  for (let i = 0; i < list.length; i++)
    if (list[i]!.at > (list[i + 1]?.at ?? now)) return list.filter(({ at }) => at <= now).toSorted(byTime)
  return list
}

function inOrder(sales: Sales, now: number): Sales {
  const { at, units } = sales
  let sorted = true
  for (let i = 1; i < at.length && sorted; i++) sorted = at[i]! >= at[i - 1]!
  if (sorted && (at.length === 0 || at[at.length - 1]! <= now)) return sales
  if (!units) return { at: at.filter((t) => t <= now).toSorted() }
  const order = Array.from(at.keys())
    .filter((i) => at[i]! <= now)
    .toSorted((a, b) => at[a]! - at[b]!)
  return { at: Float64Array.from(order, (i) => at[i]!), units: Uint32Array.from(order, (i) => units[i]!) }
}

export function findStockouts(slot: SlotInput, seen: Traces, now: number): Stockouts {
  const stock = Math.max(0, slot.stock)
  const { revealed: bare, peak } = goBack(slot, seen)
  let highest = Math.max(stock, peak)
  for (const reading of seen.readings) {
    if (reading.stock <= 0) bare.push(reading.at)
    else highest = Math.max(highest, reading.stock)
  }
  if (stock === 0) bare.push(now)
  else if (bare.length === 0) return { intervals: [], peak: highest }
  bare.sort((a, b) => a - b)

  const filled = instants(seen.receipts, ({ units }) => units > 0)
  const stocked = instants(seen.readings, (reading) => reading.stock > 0)
  const intervals: number[] = []
  for (const z of bare) {
    const until = intervals.at(-1) ?? -Infinity
    // Told already: by an interval that lasts beyond this sign, or to this very moment.
    if (z < until || until === now) continue
    if (stock > 0 && z >= now) continue
    const sale = lastAt(seen.sales.at, z)
    const other = Math.max(lastAt(filled, z), lastAt(stocked, z))
    const from = sale >= other ? sale : z
    const start = from === -Infinity ? (slot.firstSeen ?? -Infinity) : from
    const end = Math.min(now, nextAt(seen.sales.at, z), nextAt(filled, z), nextAt(stocked, z))
    if (end > start) intervals.push(start, end)
  }
  return { intervals, peak: highest }
}

/**
 * Levels reconstructed backwards from the present. Where a receipt met a level of zero or less the slot was bare just
 * before it. A negative level means an unrecorded loss, a level above capacity an unrecorded refill: both end the walk,
 * and so does the time before refills were recorded.
 */
function goBack(slot: SlotInput, { sales, receipts }: Traces): { revealed: number[]; peak: number } {
  const revealed: number[] = []
  const { recordedFrom = -Infinity } = slot
  let level = Math.max(0, slot.stock)
  let peak = level
  let s = sales.at.length - 1
  let r = receipts.length - 1
  if (r < 0 && slot.capacity !== null) return { revealed, peak }
  while (s >= 0 || r >= 0) {
    const receipt = receipts[r]
    if (receipt && (s < 0 || receipt.at >= sales.at[s]!)) {
      r--
      if (receipt.units <= 0) continue
      const before = level - receipt.units
      if (before <= 0) revealed.push(receipt.at - 1)
      if (before < 0) break
      level = before
    } else {
      if (sales.at[s]! < recordedFrom) break
      level += sales.units ? sales.units[s]! : 1
      s--
      if (slot.capacity !== null && level > slot.capacity) break
      peak = Math.max(peak, level)
    }
  }
  return { revealed, peak }
}

/** How much of [from, to) lies in the intervals. */
export function overlap(intervals: readonly number[], from: number, to: number): number {
  let sum = 0
  for (let i = 0; i < intervals.length; i += 2) {
    sum += Math.max(0, Math.min(to, intervals[i + 1]!) - Math.max(from, intervals[i]!))
  }
  return sum
}

type Instants = ArrayLike<number>

const NONE: Instants = []

function instants<T extends { readonly at: number }>(list: readonly T[], counts: (one: T) => boolean): Instants {
  if (list.length === 0) return NONE
  const all: number[] = []
  for (const one of list) if (counts(one)) all.push(one.at)
  return all
}

/** Index of the first instant after t. */
function after(at: Instants, t: number): number {
  let low = 0
  let high = at.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (at[middle]! > t) high = middle
    else low = middle + 1
  }
  return low
}
const lastAt = (at: Instants, t: number): number => at[after(at, t) - 1] ?? -Infinity
const nextAt = (at: Instants, t: number): number => at[after(at, t)] ?? Infinity
