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
import { type RunLine, storeroomUnits } from '../runs/run.ts'
import { withStoreroom } from '../storeroom/free-stock.ts'
import type { PlanInput } from './load-input.ts'

export interface PlanRounding {
  /** By machine product; only products that are ordered by the box, or rounded. */
  readonly byProduct: ReadonlyMap<SkuId, NonNullable<WireEntry['rounding']>>
  /** By slot: the units that the store room would give. */
  readonly fromStoreroom: ReadonlyMap<string, number>
}

type WantedLine = Pick<RunLine, 'n' | 'slotId' | 'skuId' | 'quantity' | 'plan' | 'fromStoreroom'>

export async function computeRounding(
  ctx: Pick<Context, 'store' | 'vendors' | 'clock' | 'config'>,
  plan: Plan,
  { slots }: Pick<PlanInput, 'slots'>,
): Promise<PlanRounding> {
  const wanted = plan.plans.flatMap(({ slotId, stock, demand, daysOfCover, recommendation }, n) => {
    const { action, quantity = 0 } = recommendation
    const slot = slots.get(slotId)
    const figures = { stock, dailyRate: demand.dailyRate, daysOfCover }
    return action === 'order' && slot ? [{ n, slotId, skuId: slot.skuId, quantity, plan: figures }] : []
  })
  if (wanted.length === 0) return { byProduct: new Map(), fromStoreroom: new Map() }
  const ordered = await withStoreroom(ctx, ctx.store.db, wanted as readonly WantedLine[])
  const fromStoreroom = new Map(
    ordered.flatMap((line) => (line.fromStoreroom ? [[line.slotId, storeroomUnits(line)] as const] : [])),
  )
  const products = ordered.map(({ skuId }) => skuId)
  const sources = await findSources(ctx, products, recallCatalog)
  const units = orderUnitsOf(sources.values())
  const lines = ordered.flatMap((line) => {
    const source = sources.get(line.skuId)?.skuId
    return source === undefined ? [] : [{ ...line, source }]
  })
  const bySource = new Map(orderQuantities(neededUnits(lines), units).map((each) => [each.source, each]))
  const byProduct = new Map<SkuId, NonNullable<WireEntry['rounding']>>()
  for (const { skuId: product, source } of lines) {
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
  return { byProduct, fromStoreroom }
}
