/** Who sells the goods a machine needs: through confirmed aliases, with the price and name of the catalog as last read. */
import { vendorSkuOf } from '../../../kernel/ids.ts'
import type { Namespace, SkuId } from '../../../kernel/ids.ts'
import type { SupplyCatalog, SupplyProduct } from '../../../vendors/contract.ts'
import type { Context } from '../../context.ts'
import { findIdentities, resolveAliases } from '../../skus/index.ts'
import type { Source } from './run.ts'

export type SourceNeeds = Pick<Context, 'store' | 'vendors'>

/** Supply namespaces that can be bought from now, the default first. */
export const liveSuppliers = ({ vendors }: Pick<Context, 'vendors'>): Namespace[] =>
  vendors.registrations
    .filter(({ role, status }) => role === 'supply' && status === 'live')
    .map((each) => each.namespace)

/**
 * A good sold by several suppliers comes from the one where it is on the shelf and cheapest. A catalog that cannot be
 * read leaves prices unknown; the alias still stands.
 */
export async function sourcesOf(ctx: SourceNeeds, ids: readonly SkuId[]): Promise<Map<SkuId, Source>> {
  const wanted = [...new Set(ids)]
  const sources = new Map<SkuId, Source>()
  for (const namespace of liveSuppliers(ctx)) {
    const catalog = await catalogOf(ctx, namespace)
    const resolved = await resolveAliases(ctx.store.db, wanted, namespace, catalog)
    if (resolved.size === 0) continue
    const goods = goodsOf(catalog, resolved.values())
    for (const [id, skuId] of resolved) {
      const source = sourceOf(skuId, goods.get(vendorSkuOf(skuId)))
      const known = sources.get(id)
      if (!known || (source.priceFen ?? Infinity) < (known.priceFen ?? Infinity)) sources.set(id, source)
    }
  }
  const identities = await findIdentities(
    ctx.store.db,
    [...sources.values()].map(({ skuId }) => skuId),
  )
  for (const [id, source] of sources) sources.set(id, { ...source, aliases: identities.get(source.skuId) ?? [] })
  return sources
}

async function catalogOf({ vendors }: SourceNeeds, namespace: Namespace): Promise<SupplyCatalog | undefined> {
  const vendor = vendors.supply(namespace)
  const catalog = vendor.ok ? await vendor.value.catalog() : undefined
  return catalog?.ok ? catalog.value : undefined
}

function goodsOf(catalog: SupplyCatalog | undefined, skuIds: Iterable<SkuId>): ReadonlyMap<string, SupplyProduct> {
  const goods = new Map<string, SupplyProduct>()
  const wanted = new Set([...skuIds].map(vendorSkuOf))
  for (const product of catalog?.products ?? [])
    if (wanted.has(product.vendorSku)) goods.set(product.vendorSku, product)
  return goods
}

/** The price of one; a good off the shelf has none that counts. */
const sourceOf = (skuId: SkuId, good: SupplyProduct | undefined): Source => ({
  skuId,
  ...(good?.onShelf ? { priceFen: good.eachPriceFen } : {}),
  ...(good ? { title: good.title } : {}),
  ...(good?.brand === undefined ? {} : { brand: good.brand }),
  ...(good?.category === undefined ? {} : { category: good.category }),
  ...(good?.barcode === undefined ? {} : { barcode: good.barcode }),
})
