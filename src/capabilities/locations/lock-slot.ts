/** PUT /locations/{id}/slots/{slot_id}: an operator's lock. Restocking skips the slot, and a sync keeps the lock. */
import type { Inventory } from '../../contract/catalog.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import { recordEvent } from '../events/index.ts'
import type { Context } from '../context.ts'
import { findLocation, findSlot, setSlotLock } from './records.ts'
import { slotLocked } from './texts.ts'
import { slotView } from './view.ts'

export async function lockSlot(
  ctx: Pick<Context, 'store' | 'clock'>,
  { location, slotId, locked }: { readonly location: string; readonly slotId: string; readonly locked: boolean },
): Promise<Outcome<Inventory>> {
  const prefix = `${location}-`
  const vendorSku = slotId.startsWith(prefix) ? slotId.slice(prefix.length) : undefined
  return ctx.store.transaction(async (tx) => {
    const slot = vendorSku === undefined ? undefined : await findSlot(tx, location, vendorSku)
    if (!slot) return refuse('not_found', `Slot "${slotId}" not found in machine ${location}`)
    if (await setSlotLock(tx, slot, locked, ctx.clock.now())) {
      const machine = await findLocation(tx, location)
      await recordEvent(ctx, tx, slotLocked(slot, machine?.name, locked))
    }
    return accept(slotView({ ...slot, locked }))
  })
}
