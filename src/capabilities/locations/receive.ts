/** Books products loaded into machines: stock rises at once, and the next sync replaces it with what the machine reports. */
import type { Tx } from '../../store/store.ts'
import { findSlot, highestStock, lockLocation, updateSlotLevel } from './records.ts'
import type { StoredSlot } from './records.ts'
import { raisedLevel } from './stock/booked-level.ts'
import { bookCount, bookReceipt } from './stock/book-records.ts'
import type { KnownCapacity } from './sync/infer-capacity.ts'
import { saveStockReadings } from './sync/replace-slots.ts'

export interface Receipt {
  readonly location: string
  readonly vendorSku: string
  readonly quantity: number
  /** Fewer loaded than ordered shows the capacity of the slot. */
  readonly ordered: number
}

/** Slots that no longer exist are skipped. */
export async function raiseStock(tx: Tx, receipts: readonly Receipt[], now: number): Promise<void> {
  if (receipts.length === 0) return
  const ids = [...new Set(receipts.map(({ location }) => location))].toSorted()
  // Row lock: serialises with a running sync.
  for (const id of ids) await lockLocation(tx, id, now)

  for (const receipt of receipts) {
    const { location, vendorSku, quantity } = receipt
    const slot = await findSlot(tx, location, vendorSku)
    // What is in a slot that was never counted stays unknown, whatever is added to it.
    if (!slot || slot.stock === null) continue
    const stock = raisedLevel(slot.stock, quantity, slot.capacity)
    const isReported = slot.stockSource === 'told'
    await updateSlotLevel(tx, {
      location,
      vendorSku,
      stock: isReported ? stock : null,
      ...(await capacityAfter(tx, slot, receipt, stock)),
      updatedAt: now,
    })
    if (isReported) await bookCount(tx, slot, now, stock)
    else await bookReceipt(tx, slot, now, quantity)
    if (stock !== slot.stock)
      await saveStockReadings(tx, [{ location, vendor_sku: vendorSku, at: now, stock, source: 'receipt' }])
  }
}

/** Fewer loaded than ordered shows the capacity of a slot whose capacity is unknown. */
async function capacityAfter(
  tx: Tx,
  { location, vendorSku, capacity, capacitySource }: StoredSlot,
  { quantity, ordered }: Receipt,
  stock: number,
): Promise<KnownCapacity> {
  const isShown = capacity === null && quantity > 0 && quantity < ordered
  return isShown
    ? { capacity: Math.max(stock, await highestStock(tx, location, vendorSku)), source: 'inferred' }
    : { capacity, source: capacitySource }
}
