/**
 * Products that no run may take: those of the no-go list, and, where runs are ordered from real suppliers, those that none of
 * them is linked to and the store room has none of. A simulated supplier delivers anything. From the catalogs as they were last read: a plan asks no supplier.
 */
import type { SkuId } from '../../../kernel/ids.ts'
import type { Context } from '../../../context.ts'
import { readGuardrails } from '../../../rules/guardrails/index.ts'
import { findSources, liveSuppliers, recallCatalog } from '../../../route/skus/index.ts'
import type { SlotSummary } from '../planner/input.ts'
import { loadFreeStock } from '../storeroom/free-stock.ts'
import { matchingNoGo } from '../runs/create/draft-lines.ts'
import { placementTarget } from '../runs/place/placement-target.ts'

export interface BlockedProduct {
  readonly code: NonNullable<SlotSummary['blocked']>
  /** The entry of the no-go list. */
  readonly entry?: string
}

/** By product. Undefined: a run may take it. */
export type BlockedProducts = ReadonlyMap<SkuId, BlockedProduct | undefined>

interface NamedProduct {
  readonly skuId: SkuId
  readonly title: string
}

/** Whether runs are ordered from real suppliers, and not from the simulated one. */
export const ordersFromSuppliers = (ctx: Pick<Context, 'vendors' | 'config'>): boolean =>
  placementTarget({ ...ctx.config, hasLiveSupplier: liveSuppliers(ctx).length > 0 }) === 'sessions'

/** Looks each product up once. While the rules cannot be read, no product counts as one of the no-go list. */
export async function findBlockedProducts(ctx: Pick<Context, 'store' | 'vendors' | 'config' | 'readRules'>) {
  const guard = await readGuardrails(ctx)
  const needsSource = ordersFromSuppliers(ctx)
  const known = new Map<SkuId, BlockedProduct | undefined>()

  return async (products: readonly NamedProduct[]): Promise<BlockedProducts> => {
    const found = products.filter(({ skuId }) => !known.has(skuId))
    if (found.length === 0) return known
    const skuIds = found.map(({ skuId }) => skuId)
    const sources = await findSources(ctx, skuIds, recallCatalog)
    const free = await loadFreeStock(ctx, ctx.store.db, skuIds)
    const isServed = (skuId: SkuId) =>
      free.servedBy.get(skuId)?.some((supply) => free.lots.get(supply)?.length) === true
    for (const product of found) {
      const source = sources.get(product.skuId)
      const entry = guard.ok ? matchingNoGo(guard.value.rules, product, source) : undefined
      if (entry !== undefined) known.set(product.skuId, { code: 'hard_no_go', entry })
      else
        known.set(
          product.skuId,
          needsSource && !source && !isServed(product.skuId) ? { code: 'unresolved_sku' } : undefined,
        )
    }
    return known
  }
}
