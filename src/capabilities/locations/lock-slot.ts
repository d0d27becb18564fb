/** PUT /locations/{id}/slots/{slot_id}: an operator's lock, which replenishment respects and a sync keeps. */
import type { Inventory } from '../../contract/catalog.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import { recordEvent } from '../events/index.ts'
import type { Context } from '../context.ts'
import { findSlot } from './records.ts'
import { slotView } from './view.ts'

export async function lockSlot(
  ctx: Pick<Context, 'store' | 'clock'>,
  { location, slotId, locked }: { readonly location: string; readonly slotId: string; readonly locked: boolean },
): Promise<Outcome<Inventory>> {
  const prefix = `${location}-`
  const vendorSku = slotId.startsWith(prefix) ? slotId.slice(prefix.length) : undefined
  return ctx.store.transaction(async (tx) => {
    const slot = vendorSku === undefined ? undefined : await findSlot(tx, location, vendorSku)
    if (!slot) return refuse('not_found', `no slot ${slotId} at location ${location}`)
    const key = { location, vendor_sku: slot.vendorSku }
    const done = locked
      ? await tx
          .insertInto('slot_lock')
          .values({ ...key, locked_at: ctx.clock.now() })
          .onConflict((conflict) => conflict.columns(['location', 'vendor_sku']).doNothing())
          .executeTakeFirstOrThrow()
      : await tx
          .deleteFrom('slot_lock')
          .where('location', '=', location)
          .where('vendor_sku', '=', slot.vendorSku)
          .executeTakeFirstOrThrow()
    const changed = 'numDeletedRows' in done ? done.numDeletedRows : done.numInsertedOrUpdatedRows
    if (changed === 1n)
      await recordEvent(ctx, tx, {
        kind: 'location',
        location,
        summary: `Slot ${slotId} (${slot.title}) ${locked ? 'locked' : 'unlocked'}`,
        reasoning: locked
          ? 'Replenishment leaves it alone until it is unlocked.'
          : 'Replenishment may order for it again.',
      })
    return accept(slotView({ ...slot, locked }))
  })
}
