/**
 * PUT /locations/{id}/slots/{slot_id}: an operator's lock, and an operator's count. Restocking skips a locked slot, and a
 * sync keeps the lock. A count starts our own book where the platform reports no stock; elsewhere it counts until the
 * platform reports a newer level.
 */
import type { Inventory } from '../../contract/catalog.ts'
import type { SlotRequest } from '../../contract/location.ts'
import { currentCaller } from '../../kernel/caller.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import type { Tx } from '../../store/store.ts'
import { recordEvent } from '../events/index.ts'
import type { Context } from '../context.ts'
import { findLocation, findSlot, lockLocation, setSlotLock, updateSlotLevel } from './records.ts'
import type { StoredSlot } from './records.ts'
import { bookCount } from './stock/book-records.ts'
import { saveStockReadings } from './sync/replace-slots.ts'
import { slotCounted, slotLocked } from './texts.ts'
import { slotView } from './view.ts'

export async function updateSlot(
  ctx: Pick<Context, 'store' | 'clock' | 'config'>,
  location: string,
  slotId: string,
  { locked, stock }: SlotRequest,
): Promise<Outcome<Inventory>> {
  if (locked === undefined && stock === undefined) return refuse('missing', 'locked or stock is required', '$.locked')
  if (locked !== undefined && currentCaller()?.by?.role === 'driver')
    return refuse('forbidden', 'A driver counts; only an operator locks and unlocks', '$.locked')
  const prefix = `${location}-`
  const vendorSku = slotId.startsWith(prefix) ? slotId.slice(prefix.length) : undefined
  return ctx.store.transaction(async (tx) => {
    const now = ctx.clock.now()
    // Row lock: a count serialises with a running sync and with receipts.
    if (stock !== undefined) await lockLocation(tx, location, now)
    const slot = vendorSku === undefined ? undefined : await findSlot(tx, location, vendorSku)
    if (!slot) return refuse('not_found', `Slot "${slotId}" not found in machine ${location}`)
    const machine = await findLocation(tx, location)
    if (locked !== undefined && (await setSlotLock(tx, slot, locked, now)))
      await recordEvent(ctx, tx, slotLocked(slot, machine?.name, locked))
    if (stock !== undefined) {
      await saveCount(tx, slot, stock, now)
      await recordEvent(ctx, tx, slotCounted(slot, machine?.name, stock))
    }
    const after = await findSlot(tx, location, slot.vendorSku)
    if (!after) throw new Error(`slot ${slotId} is not there in the transaction that wrote it`)
    return accept(slotView(after, ctx.config.currency))
  })
}

async function saveCount(tx: Tx, slot: StoredSlot, stock: number, now: number): Promise<void> {
  const { location, vendorSku, capacity, capacitySource, stockSource } = slot
  await updateSlotLevel(tx, {
    location,
    vendorSku,
    stock: stockSource === 'told' ? stock : null,
    capacity,
    source: capacitySource,
    updatedAt: now,
  })
  await bookCount(tx, slot, now, stock)
  await saveStockReadings(tx, [{ location, vendor_sku: vendorSku, at: now, stock, source: 'count' }])
}
