/** Price changes for whoever has to approve them: old and new prices, and what the products sell in that machine. */
import type { ApprovalDetails } from '../../contract/shapes/approval.ts'
import type { Decision, DecisionId } from '../../rules/approvals/index.ts'
import { findLocations } from '../../route/locations/index.ts'
import { loadUnitsPerDay } from '../../route/sales/index.ts'
import type { PricingContext } from './context.ts'
import { findChangesOf, subjectIdOf } from './records.ts'

export async function describeChanges(
  ctx: PricingContext,
  decisions: readonly Decision[],
  linesMax: number,
): Promise<ReadonlyMap<DecisionId, ApprovalDetails>> {
  const found = await findChangesOf(ctx.store.db, decisions)
  const changes = new Map(found.map((change) => [subjectIdOf(change.seq), change]))
  const machines = await findLocations(ctx.store.db, [...new Set(found.map(({ location }) => location))])
  const names = new Map(machines.map(({ id, name }) => [id as string, name]))
  const shown = [...changes.values()].map(({ location, lines }) =>
    lines.slice(0, linesMax).map(({ skuId }) => ({ location, skuId })),
  )
  const soldOf = await loadUnitsPerDay(ctx, shown.flat())
  const details = new Map<DecisionId, ApprovalDetails>()
  for (const { id, subject } of decisions) {
    const change = changes.get(subject.id)
    if (!change) continue
    const { location, lines, status } = change
    const name = names.get(location)
    details.set(id, {
      currency: ctx.config.currency,
      subject_status: status,
      location,
      ...(name === undefined ? {} : { location_name: name }),
      line_count: lines.length,
      lines: lines.slice(0, linesMax).map(({ skuId, title, previousFen, priceFen }) => ({
        sku_id: skuId,
        title,
        previous_price: previousFen,
        price: priceFen,
        sales_per_day: soldOf({ location, skuId }),
      })),
    })
  }
  return details
}
