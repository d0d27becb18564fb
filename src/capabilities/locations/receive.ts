/** Books products loaded into machines: stock rises at once, and the next sync replaces it with what the machine reports. */
import type { Tx } from '../../store/store.ts'
import { findSlot, highestStock, lockLocation, updateSlotLevel } from './records.ts'
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

  for (const { location, vendorSku, quantity, ordered } of receipts) {
    const slot = await findSlot(tx, location, vendorSku)
    if (!slot) continue
    const raised = slot.stock + quantity
    const stock = slot.capacity === null ? raised : Math.max(slot.stock, Math.min(slot.capacity, raised))
    const showsCapacity = slot.capacity === null && quantity > 0 && quantity < ordered
    const capacity = showsCapacity
      ? { capacity: Math.max(stock, await highestStock(tx, location, vendorSku)), source: 'inferred' as const }
      : { capacity: slot.capacity, source: slot.capacitySource }
    await updateSlotLevel(tx, { location, vendorSku, stock, ...capacity, updatedAt: now })
    if (stock !== slot.stock)
      await saveStockReadings(tx, [{ location, vendor_sku: vendorSku, at: now, stock, source: 'receipt' }])
  }
}
