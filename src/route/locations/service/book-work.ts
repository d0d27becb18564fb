/** Books what was loaded, taken out and counted: our stock changes at once, and a reading that brings news replaces it. */
import type { Tx } from '../../../store/store.ts'
import { loadSalesSince } from '../../sales/index.ts'
import { lockLocation } from '../records.ts'
import { type StoredSlot, findSlot, updateSlotLevel } from '../slot-records.ts'
import { findHighestStock, listStockLog } from '../stock/stock-log-records.ts'
import { type BookEntry, bookedLevel } from '../stock/booked-level.ts'
import { bookChange, bookCount, slotKey, listBooks } from '../stock/book-records.ts'
import { type Booking, type Reported, explainedSince } from '../stock/choose-level.ts'
import { findHighestBelieved, plausibleMaxOf } from './check-counts.ts'
import type { KnownCapacity } from '../sync/infer-capacity.ts'
import { saveStockReadings } from '../sync/replace-slots.ts'
import { type LevelChange, type SlotWork, levelAfterWork, removedUnits } from './work.ts'

/** A slot as it was, to put it back. */
export interface SlotBefore {
  /** As it is stored: null where the level follows from the book. */
  readonly stock: number | null
  readonly capacity: KnownCapacity
  readonly updatedAt: number
  /** Absent in services that were booked before this was stored. */
  readonly countedAt?: number
  readonly book: readonly BookEntry[]
  /** The booking that the stock showed, and what the platform had said. */
  readonly booking?: Booking | undefined
  readonly reported?: Reported | null
}

/** When the work was done, and when it was reported to us. */
export interface WorkTime {
  readonly at: number
  readonly now: number
}

export interface BookedWork extends LevelChange {
  /** Read or counted after the work was done: the newer level stays. */
  readonly isStockKept?: true
  readonly work: SlotWork
  readonly slot: StoredSlot
  readonly before: SlotBefore
}

/** Slots that no longer exist are skipped. */
export async function bookWork(
  tx: Tx,
  location: string,
  slotWorks: readonly SlotWork[],
  time: WorkTime,
): Promise<readonly BookedWork[]> {
  if (slotWorks.length === 0) return []
  // Row lock: serializes with a running sync.
  await lockLocation(tx, location, time.now)
  const books = await listBooks(tx, [location])
  const booked: BookedWork[] = []
  for (const work of slotWorks) {
    const slot = await findSlot(tx, location, work.vendorSku)
    if (!slot) continue
    const book = (books.get(slotKey(slot)) ?? []).map(({ at, kind, units }) => ({ at, kind, units }))
    const before = toSlotBefore(slot, book)
    const since = await loadChangesSince(tx, slot, book, time)
    booked.push(
      since.isReplaced
        ? { work, slot, before, after: slot.stock, isStockKept: true }
        : { work, slot, before, ...(await bookSlot(tx, slot, book, work, time, since.fallen)) },
    )
  }
  return booked
}

const toSlotBefore = (slot: StoredSlot, book: readonly BookEntry[]): SlotBefore => ({
  stock: slot.stockSource === 'told' ? slot.stock : null,
  capacity: { capacity: slot.capacity, source: slot.capacitySource },
  updatedAt: slot.updatedAt,
  countedAt: slot.countedAt,
  book,
  booking: slot.booking,
  reported: slot.reported,
})

/** What happened to the level since the work was done. */
interface ChangesSince {
  /** A rise or a count made after it contains it already. */
  readonly isReplaced: boolean
  /** By how much the readings since have fallen. */
  readonly fallen: number
}

const NOTHING_SINCE: ChangesSince = { isReplaced: false, fallen: 0 }
const REPLACED: ChangesSince = { isReplaced: true, fallen: 0 }

/** Only for work that is booked late. A reading that has not risen does not contain it. */
async function loadChangesSince(
  tx: Tx,
  slot: StoredSlot,
  book: readonly BookEntry[],
  { at, now }: WorkTime,
): Promise<ChangesSince> {
  if (at === now) return NOTHING_SINCE
  if (slot.stockSource !== 'told')
    return book.some((entry) => entry.kind === 'count' && entry.at > at) ? REPLACED : NOTHING_SINCE
  if (slot.booking?.kind === 'count' && slot.booking.at > at) return REPLACED
  // The platform may have counted long before it was read. While a booking stands, falls lower it without a newer count.
  if (!slot.booking && slot.countedAt <= at) return NOTHING_SINCE
  const log = (await listStockLog(tx, slot.location, at + 1)).get(slot.vendorSku) ?? []
  // It was seen for the first time after the work.
  if (log[0] && log[0].at > at) return REPLACED
  let fallen = 0
  for (const [i, { stock, source }] of log.entries()) {
    const rise = stock - (log[i - 1]?.stock ?? stock)
    if (source === 'receipt') continue
    if (rise > 0) return REPLACED
    fallen -= rise
  }
  return { isReplaced: false, fallen }
}

async function bookSlot(
  tx: Tx,
  slot: StoredSlot,
  book: readonly BookEntry[],
  work: SlotWork,
  time: WorkTime,
  fallen: number,
): Promise<LevelChange> {
  const { at } = time
  const change = levelAfterWork(await loadExpectedStock(tx, slot, book, work, time, fallen), work, slot.capacity)
  // What is in a slot that was never counted stays unknown, whatever is added to it.
  if (change.after === null) return change
  const after = Math.max(0, change.after - fallen)
  const { location, vendorSku } = slot
  const isReported = slot.stockSource === 'told'
  await updateSlotLevel(tx, {
    location,
    vendorSku,
    stock: isReported ? after : null,
    ...(await inferCapacityAfter(tx, slot, work, change.after)),
    updatedAt: Math.max(at, slot.updatedAt),
    booking: await bookingAfter(tx, slot, work, at),
    ...(work.counted ? { countedAt: at } : {}),
  })
  if (isReported || work.counted) await bookCount(tx, slot, at, after)
  else await bookChanges(tx, slot, work, at)
  // A load that leaves the level as it was, because as much was taken out, is a refill all the same.
  if (after !== slot.stock || work.counted || isLoaded(work))
    await saveStockReadings(tx, [
      { location, vendor_sku: vendorSku, at, stock: change.after, source: isLoaded(work) ? 'receipt' : 'count' },
      ...(fallen > 0
        ? [{ location, vendor_sku: vendorSku, at: time.now, stock: after, source: 'count' as const }]
        : []),
    ])
  return { ...change, after }
}

/** A count replaces a booking; what is loaded or taken out is added to one that stands. */
async function bookingAfter(tx: Tx, slot: StoredSlot, work: SlotWork, at: number): Promise<Booking> {
  const { booking, reported, countedAt } = slot
  const { counted } = work
  const kind = counted ? 'count' : isLoaded(work) ? 'receipt' : 'removal'
  if (booking && !counted) return { ...booking, kind, at }
  const base = reported && explainedSince({ stock: reported.stock, at: booking ? reported.at : countedAt }, slot.lanes)
  if (!counted) return { kind, at, base }
  const loaded = counted.when === 'arrival' ? 0 : (work.loaded?.quantity ?? 0)
  const plausibleMax = plausibleMaxOf(counted.stock, await findHighestBelieved(tx, slot, loaded))
  return { kind, at, base, ...(plausibleMax === undefined ? {} : { plausibleMax }) }
}

/**
 * What was in the slot when the work was done. A machine that reports its stock has sold since it was last read; what was
 * sold is not missing.
 */
async function loadExpectedStock(
  tx: Tx,
  slot: StoredSlot,
  book: readonly BookEntry[],
  { counted }: SlotWork,
  { at, now }: WorkTime,
  fallen: number,
): Promise<number | null> {
  if (slot.stock === null) return null
  const soldBefore = async (from: number) =>
    [...((await loadSalesSince(tx, [slot], from)).get(slot.slotId)?.at ?? [])].filter((each) => at === now || each < at)
  if (slot.stockSource === 'told') {
    const level = slot.stock + fallen
    return counted ? Math.max(0, level - (await soldBefore(slot.updatedAt)).length) : level
  }
  if (at === now) return slot.stock
  const known = book.filter((entry) => entry.at <= at)
  return bookedLevel(known, await soldBefore(Math.min(...known.map((entry) => entry.at))), slot.capacity)
}

const isLoaded = ({ loaded }: SlotWork): boolean => (loaded?.quantity ?? 0) > 0

/**
 * Books changes, not a level: sales from before this service may arrive late, and the level is then computed again from
 * the book.
 */
async function bookChanges(tx: Tx, slot: StoredSlot, work: SlotWork, at: number): Promise<void> {
  const taken = removedUnits(work)
  if (taken > 0) await bookChange(tx, slot, at, 'removal', taken)
  if (work.loaded && isLoaded(work)) await bookChange(tx, slot, at, 'receipt', work.loaded.quantity)
}

/**
 * Fewer loaded than ordered shows the capacity of a slot whose capacity is unknown. Not where the slot has held more
 * before: then there was room, and something else was missing.
 */
async function inferCapacityAfter(
  tx: Tx,
  { location, vendorSku, capacity, capacitySource }: StoredSlot,
  { loaded }: SlotWork,
  after: number,
): Promise<KnownCapacity> {
  const isShort = capacity === null && loaded !== undefined && loaded.quantity > 0 && loaded.quantity < loaded.ordered
  return isShort && after >= (await findHighestStock(tx, location, vendorSku))
    ? { capacity: after, source: 'inferred' }
    : { capacity, source: capacitySource }
}
