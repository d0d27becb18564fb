/**
 * When was a slot empty? No record says so, so it is inferred. A sale, a receipt or a reading above zero shows stock; a
 * reading of zero, no stock now, or a receipt into a slot that must have been empty shows none. Each sign of emptiness
 * gives an interval from the sale or removal that emptied the slot to the next sign of stock.
 */
import { firstIndexWhere } from '../../../../lib/binary-search.ts'
import type { Reading, Sales, SlotInput } from '../input.ts'

/** The history of one slot, in order of time, with nothing after now. */
export type SlotHistory = Readonly<ReturnType<typeof sortHistory>>

const NONE: readonly never[] = []

const byTime = (a: { readonly at: number }, b: { readonly at: number }) => a.at - b.at

/** Platforms deliver out of order, and a clock that runs ahead must not count. */
export const sortHistory = ({ sales, receipts, removals = NONE, readings }: SlotInput, now: number) => ({
  sales: sortSales(sales, now),
  receipts: sortUpTo(receipts, now),
  removals: sortUpTo(removals, now),
  readings: sortUpTo(readings, now),
})

function sortUpTo<T extends { readonly at: number }>(list: readonly T[], now: number): readonly T[] {
  for (let i = 0; i < list.length; i++)
    if (list[i]!.at > (list[i + 1]?.at ?? now)) return list.filter(({ at }) => at <= now).toSorted(byTime)
  return list
}

function sortSales(sales: Sales, now: number): Sales {
  const { at, units } = sales
  let isSorted = true
  for (let i = 1; i < at.length && isSorted; i++) isSorted = at[i]! >= at[i - 1]!
  if (isSorted && (at.length === 0 || at[at.length - 1]! <= now)) return sales
  if (!units) return { at: at.filter((t) => t <= now).toSorted() }
  const order = Array.from(at.keys())
    .filter((i) => at[i]! <= now)
    .toSorted((a, b) => at[a]! - at[b]!)
  return { at: Float64Array.from(order, (i) => at[i]!), units: Uint32Array.from(order, (i) => units[i]!) }
}

export function findStockouts(slot: SlotInput, history: SlotHistory, now: number) {
  // An unknown stock is no sign of emptiness, and no level to reconstruct others from.
  const stock = slot.stock === null ? null : Math.max(0, slot.stock)
  const { emptyAt, highestLevel } =
    stock === null ? { emptyAt: [] as number[], highestLevel: 0 } : reconstructLevels(slot, stock, history)
  // Receipts one after the other show no larger slot: a booked level counts as seen once units of it were sold.
  const soldAt = history.sales.at.at(-1) ?? -Infinity
  const isSeen = ({ at, isReceipt }: Reading) => !isReceipt || soldAt > at
  const last = history.readings.at(-1)
  const seenStock = last && !isSeen(last) ? 0 : (stock ?? 0)
  let highestRead = 0
  let firstReceived = 0
  for (const reading of history.readings) {
    if (reading.stock <= 0) emptyAt.push(reading.at)
    else if (isSeen(reading)) highestRead = Math.max(highestRead, reading.stock)
    else firstReceived ||= reading.stock
  }
  // Refills that nobody entered make a reconstructed level too high. What was read bounds it.
  const highestSeen = Math.max(seenStock, highestRead > 0 ? highestRead : highestLevel)
  const highest = Math.min(highestSeen > 0 ? highestSeen : firstReceived, slot.plausibleMax ?? Infinity)
  if (stock === 0) emptyAt.push(now)
  else if (emptyAt.length === 0) return { intervals: [], highestLevel: highest }
  emptyAt.sort((a, b) => a - b)

  const filled = instants(history.receipts, ({ units }) => units > 0)
  const stocked = instants(history.readings, (reading) => reading.stock > 0)
  const removed = instants(history.removals, ({ units }) => units > 0)
  /** Disjoint and ascending: from, to, from, to … */
  const intervals: number[] = []
  for (const at of emptyAt) {
    const until = intervals.at(-1) ?? -Infinity
    // Covered by the interval before.
    if (at < until || until === now) continue
    if (stock !== 0 && at >= now) continue
    // What emptied it: a sale, or taking out what was left.
    const emptiedAt = Math.max(lastUpTo(history.sales.at, at), lastUpTo(removed, at))
    const stockedAt = Math.max(lastUpTo(filled, at), lastUpTo(stocked, at))
    const from = emptiedAt >= stockedAt ? emptiedAt : at
    const start = from === -Infinity ? (slot.firstSeenAt ?? -Infinity) : from
    const end = Math.min(now, firstAfter(history.sales.at, at), firstAfter(filled, at), firstAfter(stocked, at))
    if (end > start) intervals.push(start, end)
  }
  return { intervals, highestLevel: highest }
}

/**
 * Reconstructs levels backwards from the present stock. A receipt into a level of zero or less shows that the slot was
 * empty just before. A negative level means an unrecorded loss, a level above capacity an unrecorded refill: both end the
 * reconstruction, and so does the time before refills were recorded.
 */
function reconstructLevels(
  slot: SlotInput,
  stock: number,
  { sales, receipts, removals }: SlotHistory,
): { emptyAt: number[]; highestLevel: number } {
  const emptyAt: number[] = []
  const { recordedFrom = -Infinity } = slot
  let level = stock
  let highestLevel = 0
  let s = sales.at.length - 1
  let r = receipts.length - 1
  let d = removals.length - 1
  if (r < 0 && slot.capacity !== null) return { emptyAt, highestLevel }
  while (s >= 0 || r >= 0) {
    const receipt = receipts[r]
    const removal = removals[d]
    // At one instant old units are taken out before new ones are loaded.
    if (removal && removal.at >= (sales.at[s] ?? -Infinity) && removal.at > (receipt?.at ?? -Infinity)) {
      level += removal.units
      d--
      highestLevel = Math.max(highestLevel, level)
    } else if (receipt && (s < 0 || receipt.at >= sales.at[s]!)) {
      r--
      if (receipt.units <= 0) continue
      const before = level - receipt.units
      if (before <= 0) emptyAt.push(receipt.at - 1)
      if (before < 0) break
      level = before
    } else {
      if (sales.at[s]! < recordedFrom) break
      level += sales.units ? sales.units[s]! : 1
      s--
      if (slot.capacity !== null && level > slot.capacity) break
      highestLevel = Math.max(highestLevel, level)
    }
  }
  return { emptyAt, highestLevel }
}

/** How much of [from, to) the intervals cover. */
export function overlap(intervals: readonly number[], from: number, to: number): number {
  let total = 0
  for (let i = 0; i < intervals.length; i += 2) {
    total += Math.max(0, Math.min(to, intervals[i + 1]!) - Math.max(from, intervals[i]!))
  }
  return total
}

type Instants = ArrayLike<number>

function instants<T extends { readonly at: number }>(list: readonly T[], isCounted: (one: T) => boolean): Instants {
  if (list.length === 0) return NONE
  const all: number[] = []
  for (const one of list) if (isCounted(one)) all.push(one.at)
  return all
}

const indexAfter = (at: Instants, t: number): number => firstIndexWhere(at.length, (i) => at[i]! > t)
const lastUpTo = (at: Instants, t: number): number => at[indexAfter(at, t) - 1] ?? -Infinity
const firstAfter = (at: Instants, t: number): number => at[indexAfter(at, t)] ?? Infinity
