/** What the suppliers of a run ask beyond the prices of its products: tax, delivery and fees, as far as they quote them. */
import { type Fen, add, fen, ZERO } from '../../../../kernel/fen.ts'
import { previewCreate } from '../../../checkout/index.ts'
import type { Context } from '../../../../context.ts'
import type { PlacementInput } from '../place/mark-placed.ts'
import { requestsFor } from '../place/placement-intent.ts'
import type { Run } from '../run.ts'

/** An estimate: a supplier that does not answer adds nothing to it. Each purchase is quoted again before it is bought. */
export async function estimateCharges(
  ctx: Context,
  { lines }: Pick<Run, 'lines'>,
  sources: PlacementInput['sources'],
): Promise<Fen> {
  const requests = requestsFor({ lines }, lines, sources, ctx.config.defaultDestination)
  const charges = await Promise.all(
    requests
      .filter(({ vendor }) => ctx.vendors.supports(vendor, 'quote'))
      .map(async ({ body }) => {
        const preview = await previewCreate(ctx, body)
        const totals = preview.ok ? preview.value.session.totals : undefined
        return totals ? fen(totals.total - totals.subtotal) : ZERO
      }),
  )
  return add(ZERO, ...charges)
}
