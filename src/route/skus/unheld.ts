/** Products of suppliers that no machine holds. */
import type { Fen } from '../../kernel/fen.ts'
import { type SkuId, namespaceOf, roleOf } from '../../kernel/ids.ts'
import { groupBySku, isConfirmed } from './aliases.ts'
import { listPairsInNamespace } from './records.ts'
import {
  type OrderUnit,
  type Source,
  type SourceDeps,
  liveSuppliers,
  readSupplierCatalog,
  sourceOf,
} from './sources.ts'
import { orderableQuantity } from './units.ts'

export interface UnheldProduct extends Source {
  readonly title: string
  readonly category: string
  readonly priceFen: Fen
  readonly orderedIn: OrderUnit
  /** Items in the smallest order. */
  readonly smallestOrder: number
  /** What machine platforms call it, where a machine held it before. */
  readonly machineIds: readonly SkuId[]
}

/**
 * For sale now, of a stated category and a known pack. A product that is linked to one that a machine holds is left out,
 * also where the link is a guess: it may be the same. Of several with one barcode, the cheapest.
 */
export async function findUnheld(ctx: SourceDeps, held: ReadonlySet<string>): Promise<readonly UnheldProduct[]> {
  const found = new Map<string, UnheldProduct>()
  for (const namespace of liveSuppliers(ctx)) {
    const catalog = await readSupplierCatalog(ctx, namespace)
    if (!catalog) continue
    const aliases = groupBySku(await listPairsInNamespace(ctx.store.db, namespace))
    for (const product of catalog.products) {
      const source = sourceOf(`${namespace}:${product.vendorSku}` as SkuId, product)
      const { skuId, title, category, priceFen, orderedIn, barcode } = source
      if (title === undefined || category === undefined || !priceFen || !orderedIn || product.stock === 0) continue
      const linked = aliases.get(skuId) ?? []
      if (linked.some((alias) => held.has(alias.skuId))) continue
      const known = found.get(barcode ?? skuId)
      if (known && known.priceFen <= priceFen) continue
      found.set(barcode ?? skuId, {
        ...source,
        title,
        category,
        priceFen,
        orderedIn,
        smallestOrder: orderableQuantity(1, orderedIn) * orderedIn.contains,
        machineIds: linked
          .filter((alias) => isConfirmed(alias) && roleOf(namespaceOf(alias.skuId)) === 'machine')
          .map((alias) => alias.skuId),
      })
    }
  }
  return [...found.values()]
}
