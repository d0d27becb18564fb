/** DELETE /locations/{id}: takes a machine off the roster and purges what was kept about it. */
import type { LocationRemoved } from '../../contract/location.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import type { Tx } from '../../store/store.ts'
import { recordEvent } from '../events/index.ts'
import type { Context } from '../context.ts'

/**
 * Profile: the roster entry. Context: slots and locks. Telemetry: the stock history. Events stay, and so does the ledger
 * with its roll-up: it is the account's, not the machine's.
 */
export async function deleteLocation(
  ctx: Pick<Context, 'store' | 'clock'>,
  id: string,
): Promise<Outcome<Omit<LocationRemoved, 'ucp'>>> {
  return ctx.store.transaction(async (tx) => {
    // Touched first: a sync that is about to write this machine waits for it, and then finds it gone.
    const gone = await tx
      .updateTable('location')
      .set({ updated_at: ctx.clock.now() })
      .where('id', '=', id)
      .returning('name')
      .executeTakeFirst()
    if (!gone) return refuse('not_found', `no location ${id}`)
    const telemetry = await purge(tx, 'stock_log', id)
    const context = (await purge(tx, 'slot', id)) + (await purge(tx, 'slot_lock', id))
    await tx.deleteFrom('refused_row').where('source', '=', `inventory ${id}`).execute()
    await tx.deleteFrom('location').where('id', '=', id).execute()
    await recordEvent(ctx, tx, {
      kind: 'location',
      location: id,
      summary: `Machine ${id} (${gone.name}) removed`,
      reasoning: `Purged its profile, ${context} slots and locks, ${telemetry} stock readings; events and sales are kept.`,
    })
    return accept({ removed: id, purged: { profile: 1, context, telemetry } })
  })
}

async function purge(tx: Tx, table: 'slot' | 'slot_lock' | 'stock_log', location: string): Promise<number> {
  const { numDeletedRows } = await tx.deleteFrom(table).where('location', '=', location).executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
