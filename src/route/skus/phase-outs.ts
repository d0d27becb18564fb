/**
 * Products to phase out: nothing more is ordered, what is in the machines sells off. For the whole route, or for one
 * machine, for example because another product takes its slot.
 */
import { namespaceOf, roleOf } from '../../kernel/ids.ts'
import { type Outcome, accept, refuse } from '../../kernel/outcome.ts'
import type { Tx } from '../../store/store.ts'
import type { WriteContext } from '../../context.ts'
import { recordEvent } from '../../record/events/index.ts'
import { type PhaseOutChange, deletePhaseOut, insertPhaseOut, ROUTE } from './phase-out-records.ts'
import { findMachineProducts } from './records.ts'
import { phaseOutChanged } from './texts.ts'

/** The caller has checked that the product exists. */
export async function changePhaseOut(ctx: WriteContext, change: PhaseOutChange): Promise<Outcome<undefined>> {
  const { skuId } = change
  if (roleOf(namespaceOf(skuId)) !== 'machine')
    return refuse('namespace_mismatch', 'sku_id must be in a machine namespace', '$.sku_id')
  await ctx.store.transaction((tx) => savePhaseOut(ctx, tx, change))
  return accept(undefined)
}

/** With its event, unless nothing changes. */
export async function savePhaseOut(ctx: WriteContext, tx: Tx, change: PhaseOutChange): Promise<void> {
  const { skuId, location = ROUTE, isPhasedOut } = change
  const hasChanged = isPhasedOut
    ? await insertPhaseOut(tx, skuId, location, ctx.clock.now())
    : await deletePhaseOut(tx, skuId, location)
  if (!hasChanged) return
  const title = (await findMachineProducts(tx, [skuId])).get(skuId)?.title
  await recordEvent(ctx, tx, phaseOutChanged(change, title))
}
