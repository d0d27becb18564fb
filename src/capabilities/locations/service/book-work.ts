/** Books what was loaded, taken out and counted: our stock changes at once, and the next sync replaces it. */
import type { Tx } from '../../../store/store.ts'
import { salesSince } from '../../sales/index.ts'
import { findSlot, highestStock, lockLocation, updateSlotLevel } from '../records.ts'
import type { StoredSlot } from '../records.ts'
import type { BookEntry } from '../stock/booked-level.ts'
import { bookChange, bookCount, bookKey, listBooks } from '../stock/book-records.ts'
import type { KnownCapacity } from '../sync/infer-capacity.ts'
import { saveStockReadings } from '../sync/replace-slots.ts'
import { levelAfterWork, removedUnits } from './work.ts'
import type { LevelChange, SlotWork } from './work.ts'

/** A slot as it was, to put it back. */
export interface SlotBefore {
  /** As it is stored: null where the level follows from the book. */
  readonly stock: number | null
  readonly capacity: KnownCapacity
  readonly updatedAt: number
  readonly book: readonly BookEntry[]
}

export interface BookedWork extends LevelChange {
  readonly work: SlotWork
  readonly slot: StoredSlot
  readonly before: SlotBefore
}

/** Slots that no longer exist are skipped. */
export async function bookWork(
  tx: Tx,
  location: string,
  slotWorks: readonly SlotWork[],
  now: number,
): Promise<readonly BookedWork[]> {
  if (slotWorks.length === 0) return []
  // Row lock: serialises with a running sync.
  await lockLocation(tx, location, now)
  const books = await listBooks(tx, [location])
  const booked: BookedWork[] = []
  for (const work of slotWorks) {
    const slot = await findSlot(tx, location, work.vendorSku)
    if (!slot) continue
    const book = (books.get(bookKey(slot)) ?? []).map(({ at, kind, units }) => ({ at, kind, units }))
    booked.push({ work, slot, before: beforeOf(slot, book), ...(await bookSlot(tx, slot, work, now)) })
  }
  return booked
}

const beforeOf = (slot: StoredSlot, book: readonly BookEntry[]): SlotBefore => ({
  stock: slot.stockSource === 'told' ? slot.stock : null,
  capacity: { capacity: slot.capacity, source: slot.capacitySource },
  updatedAt: slot.updatedAt,
  book,
})

async function bookSlot(tx: Tx, slot: StoredSlot, work: SlotWork, now: number): Promise<LevelChange> {
  const change = levelAfterWork(await expectedStock(tx, slot, work), work, slot.capacity)
  const { after } = change
  // What is in a slot that was never counted stays unknown, whatever is added to it.
  if (after === null) return change
  const { location, vendorSku } = slot
  const isReported = slot.stockSource === 'told'
  await updateSlotLevel(tx, {
    location,
    vendorSku,
    stock: isReported ? after : null,
    ...(await capacityAfter(tx, slot, work, after)),
    updatedAt: now,
  })
  if (isReported || work.counted) await bookCount(tx, slot, now, after)
  else await bookChanges(tx, slot, work, now)
  if (after !== slot.stock || work.counted)
    await saveStockReadings(tx, [
      { location, vendor_sku: vendorSku, at: now, stock: after, source: isLoaded(work) ? 'receipt' : 'count' },
    ])
  return change
}

/** A machine that reports its stock has sold since it was last read; what was sold is not missing. */
async function expectedStock(tx: Tx, slot: StoredSlot, { counted }: SlotWork): Promise<number | null> {
  if (!counted || slot.stock === null || slot.stockSource !== 'told') return slot.stock
  const sold = (await salesSince(tx, [slot], slot.updatedAt)).get(slot.slotId)?.at.length ?? 0
  return Math.max(0, slot.stock - sold)
}

const isLoaded = ({ loaded }: SlotWork): boolean => (loaded?.quantity ?? 0) > 0

/**
 * Books changes, not a level: sales from before this service may arrive late, and the level is then computed again from
 * the book.
 */
async function bookChanges(tx: Tx, slot: StoredSlot, work: SlotWork, now: number): Promise<void> {
  const taken = removedUnits(work)
  if (taken > 0) await bookChange(tx, slot, now, 'removal', taken)
  if (work.loaded && isLoaded(work)) await bookChange(tx, slot, now, 'receipt', work.loaded.quantity)
}

/** Fewer loaded than ordered shows the capacity of a slot whose capacity is unknown. */
async function capacityAfter(
  tx: Tx,
  { location, vendorSku, capacity, capacitySource }: StoredSlot,
  { loaded }: SlotWork,
  after: number,
): Promise<KnownCapacity> {
  const isShown = capacity === null && loaded !== undefined && loaded.quantity > 0 && loaded.quantity < loaded.ordered
  return isShown
    ? { capacity: Math.max(after, await highestStock(tx, location, vendorSku)), source: 'inferred' }
    : { capacity, source: capacitySource }
}
