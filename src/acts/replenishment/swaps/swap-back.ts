/** The product that a trial replaced comes back into its slot: a swap on the list of the next visit, as any other. */
import type { Context } from '../../../context.ts'
import { vendorSkuOf } from '../../../kernel/ids.ts'
import { findLocation } from '../../../route/locations/index.ts'
import { savePhaseOut } from '../../../route/skus/index.ts'
import { recordApproved } from '../../../rules/approvals/index.ts'
import type { SwapBack } from '../../trials/index.ts'
import { incrementRunsVersion } from '../runs/records.ts'
import { findOpenSwap, saveSwap } from './records.ts'
import { backDecision } from './texts.ts'

/** Its decision; undefined when the machine is gone. */
export const swapBack = (ctx: Context, back: SwapBack): Promise<string | undefined> =>
  ctx.store.transaction(async (tx) => {
    const { location, slotId, sku, to, gainFen } = back
    await incrementRunsVersion(tx)
    if (!(await findLocation(tx, location))) return undefined
    const open = await findOpenSwap(tx, slotId)
    if (open?.toSku === to.sku && open.status === 'approved') return open.decision
    const decision = await recordApproved(ctx, tx, backDecision(back, ctx.config.currency))
    const swap = {
      location,
      vendorSku: vendorSkuOf(sku),
      slotId,
      fromSku: sku,
      toSku: to.sku,
      toTitle: to.title,
      priceFen: undefined,
      decision,
      weeklyGainFen: gainFen,
    }
    await saveSwap(tx, { ...swap, status: 'approved' }, ctx.clock.now())
    await savePhaseOut(ctx, tx, { skuId: sku, location, isPhasedOut: true })
    await savePhaseOut(ctx, tx, { skuId: to.sku, location, isPhasedOut: false })
    return decision
  })
