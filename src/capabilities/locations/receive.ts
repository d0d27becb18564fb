/** Goods put into machines: our stock rises at once, and the next sync reads what is really there. */
import type { Tx } from '../../store/store.ts'
import { logStock } from './sync/replace-slots.ts'

export interface Receipt {
  readonly location: string
  readonly vendorSku: string
  readonly quantity: number
  /** More ordered than fitted in shows how much a slot holds. */
  readonly ordered: number
}

/** Slots that are gone since are left out: there is nothing to raise. */
export async function raiseStock(tx: Tx, receipts: readonly Receipt[], now: number): Promise<void> {
  if (receipts.length === 0) return
  const ids = [...new Set(receipts.map(({ location }) => location))].toSorted()
  // Held against a sync that is writing the same machines.
  for (const id of ids) await tx.updateTable('location').set({ updated_at: now }).where('id', '=', id).execute()

  for (const { location, vendorSku, quantity, ordered } of receipts) {
    const slot = await tx
      .selectFrom('slot')
      .select(['stock', 'capacity', 'capacity_source'])
      .where('location', '=', location)
      .where('vendor_sku', '=', vendorSku)
      .executeTakeFirst()
    if (!slot) continue
    const raised = slot.stock + quantity
    const stock = slot.capacity === null ? raised : Math.max(slot.stock, Math.min(slot.capacity, raised))
    const short = slot.capacity === null && quantity > 0 && quantity < ordered
    await tx
      .updateTable('slot')
      .set({
        stock,
        updated_at: now,
        ...(short ? { capacity: await highestSeen(tx, location, vendorSku, stock), capacity_source: 'inferred' } : {}),
      })
      .where('location', '=', location)
      .where('vendor_sku', '=', vendorSku)
      .execute()
    if (stock !== slot.stock)
      await logStock(tx, [{ location, vendor_sku: vendorSku, at: now, stock, source: 'receipt' }])
  }
}

async function highestSeen(tx: Tx, location: string, vendorSku: string, stock: number): Promise<number> {
  const { highest } = await tx
    .selectFrom('stock_log')
    .select((at) => at.fn.max('stock').as('highest'))
    .where('location', '=', location)
    .where('vendor_sku', '=', vendorSku)
    .executeTakeFirstOrThrow()
  return Math.max(stock, highest ?? 0)
}
