/** The one stock figure of a slot: what its platform reported, else what our own book says, else unknown. */
import type { Queryable } from '../../../store/store.ts'
import { type SellingSlot, loadSalesSince } from '../../sales/index.ts'
import { type StockSource, bookedLevel } from './booked-level.ts'
import { slotKey, listBooks } from './book-records.ts'

/** A slot as stored: `stock` is null where the platform reports none. */
export interface ReportedSlot extends SellingSlot {
  readonly stock: number | null
  readonly capacity: number | null
}

export interface CurrentStock {
  /** Null: unknown. */
  readonly stock: number | null
  readonly stockSource: StockSource
}

const NOT_SOLD: ArrayLike<number> = []

/** Reads books and sales only for slots whose platform reports no stock. */
export async function loadCurrentStock<Slot extends ReportedSlot>(
  db: Queryable,
  slots: readonly Slot[],
): Promise<(Slot & CurrentStock)[]> {
  const levels = await loadBookedLevels(
    db,
    slots.filter(({ stock }) => stock === null),
  )
  return slots.map((slot) => {
    if (slot.stock !== null) return { ...slot, stockSource: 'told' }
    const stock = levels.get(slot.slotId) ?? null
    return { ...slot, stock, stockSource: stock === null ? 'unknown' : 'kept' }
  })
}

/** By slot id, of the slots that have a book. */
async function loadBookedLevels(
  db: Queryable,
  slots: readonly ReportedSlot[],
): Promise<ReadonlyMap<string, number | null>> {
  if (slots.length === 0) return new Map()
  const books = await listBooks(db, [...new Set(slots.map(({ location }) => location))])
  const booked = slots.filter((slot) => books.has(slotKey(slot)))
  const first = Math.min(...booked.flatMap((slot) => (books.get(slotKey(slot)) ?? []).map(({ at }) => at)))
  const sales = await loadSalesSince(db, booked, first)
  return new Map(
    booked.map((slot) => [
      slot.slotId,
      bookedLevel(books.get(slotKey(slot)) ?? [], sales.get(slot.slotId)?.at ?? NOT_SOLD, slot.capacity),
    ]),
  )
}
