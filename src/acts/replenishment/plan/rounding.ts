/**
 * What a run from this plan would order more than its slots need, because the supplier sells the product only in larger
 * quantities, such as whole boxes. From the catalogs as they were last read, such as by the last sync: a plan asks no supplier.
 */
import type { PlanEntry as WireEntry } from '../../../contract/shapes/replenishment.ts'
import type { SkuId } from '../../../kernel/ids.ts'
import type { Context } from '../../../context.ts'
import { recallCatalog, findSources } from '../../../route/skus/index.ts'
import type { Plan } from '../planner/plan.ts'
import { neededUnits, orderQuantities, orderUnitsOf } from '../runs/create/order-quantities.ts'
import type { PlanInput } from './load-input.ts'

/** By machine product; only products that are ordered by the box, or rounded. */
export type PlanRounding = ReadonlyMap<SkuId, NonNullable<WireEntry['rounding']>>

export async function computeRounding(
  ctx: Pick<Context, 'store' | 'vendors'>,
  plan: Plan,
  { slots }: Pick<PlanInput, 'slots'>,
): Promise<PlanRounding> {
  const ordered = plan.plans.flatMap(({ slotId, recommendation: { action, quantity = 0 } }) => {
    const slot = slots.get(slotId)
    return action === 'order' && slot ? [{ product: slot.skuId, quantity }] : []
  })
  if (ordered.length === 0) return new Map()
  const products = ordered.map(({ product }) => product)
  const sources = await findSources(ctx, products, recallCatalog)
  const units = orderUnitsOf(sources.values())
  const lines = ordered.flatMap((line) => {
    const source = sources.get(line.product)?.skuId
    return source === undefined ? [] : [{ ...line, source }]
  })
  const bySource = new Map(orderQuantities(neededUnits(lines), units).map((each) => [each.source, each]))
  const byProduct = new Map<SkuId, NonNullable<WireEntry['rounding']>>()
  for (const { product, source } of lines) {
    const found = bySource.get(source)
    if (!found || (found.unit === 'EA' && found.ordered === found.needed)) continue
    const { unit, quantity, needed, ordered: unitsOrdered } = found
    byProduct.set(product, {
      sku_id: source,
      unit,
      contains: units.get(source)?.contains ?? 1,
      quantity,
      needed,
      ordered: unitsOrdered,
    })
  }
  return byProduct
}
