/** The supplier products to buy for machine products: by confirmed aliases, with the price and title last read. */
import type { UnitCode } from '../../contract/shapes/catalog.ts'
import type { Fen } from '../../kernel/fen.ts'
import { type Namespace, type SkuId, namespaceOf, vendorSkuOf } from '../../kernel/ids.ts'
import type { Queryable } from '../../store/store.ts'
import type { SupplyCatalog, SupplyProduct } from '../../vendors/supply-vendor.ts'
import type { Context } from '../../context.ts'
import type { ProductIds } from '../../rules/guardrails/index.ts'
import { findIdentities } from './identities.ts'
import { resolveAliases } from './resolve.ts'
import { unitPrice } from './units.ts'

/** The supplier product that is bought for a machine product; without details where the catalog could not be read. */
export interface Source {
  readonly skuId: SkuId
  /** Of one item. */
  readonly priceFen?: Fen
  /** How it is ordered; absent where the catalog could not be read. */
  readonly orderedIn?: OrderUnit
  readonly title?: string
  readonly brand?: string
  readonly category?: string
  readonly barcode?: string
  /** Other ids of the product, by confirmed aliases. */
  readonly aliases?: readonly ProductIds[]
}

/** The unit that a run orders a product in: single items where they are sold, otherwise boxes. */
export interface OrderUnit {
  readonly unit: UnitCode
  /** Items in one unit. */
  readonly contains: number
  readonly priceFen: Fen
  readonly increment?: number
  readonly minimum?: number
}

export type SourceDeps = Pick<Context, 'store' | 'vendors'>

/** Supply namespaces that can be bought from, the default first. */
export const liveSuppliers = ({ vendors }: Pick<Context, 'vendors'>): Namespace[] =>
  vendors.registrations
    .filter(({ role, status }) => role === 'supply' && status === 'live')
    .map((each) => each.namespace)

/**
 * Of several suppliers the cheapest that has the product for sale. A catalog that cannot be read leaves the price
 * unknown; the alias still counts.
 */
export async function findSources(
  ctx: SourceDeps,
  ids: readonly SkuId[],
  readCatalog = readSupplierCatalog,
): Promise<Map<SkuId, Source>> {
  const wanted = [...new Set(ids)]
  const sources = new Map<SkuId, Source>()
  for (const namespace of liveSuppliers(ctx)) {
    const catalog = await readCatalog(ctx, namespace)
    const resolved = await resolveAliases(ctx.store.db, wanted, namespace, catalog)
    if (resolved.size === 0) continue
    const products = productsBySku(catalog, resolved.values())
    for (const [id, skuId] of resolved) {
      const source = sourceOf(skuId, products.get(vendorSkuOf(skuId)))
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

/** Details of a supplier product, for whoever handles it. */
export interface SupplyDetails {
  readonly category?: string
  /** Units in a box. */
  readonly boxOf?: number
  readonly orderedIn?: OrderUnit
}

/** Of these supplier products, those whose catalog can be read. */
export async function findSupplyDetails(
  ctx: SourceDeps,
  skuIds: readonly SkuId[],
): Promise<ReadonlyMap<SkuId, SupplyDetails>> {
  const details = new Map<SkuId, SupplyDetails>()
  for (const [namespace, ids] of Map.groupBy(new Set(skuIds), namespaceOf)) {
    const products = productsBySku(await readSupplierCatalog(ctx, namespace), ids)
    for (const id of ids) {
      const product = products.get(vendorSkuOf(id))
      if (!product) continue
      const boxOf = unitPrice(product, 'BX')?.quantityUnit.contains
      details.set(id, {
        ...(product.category === undefined ? {} : { category: product.category }),
        ...(boxOf === undefined ? {} : { boxOf }),
        ...orderedIn(product),
      })
    }
  }
  return details
}

/** What the catalogs as they were last read call these supplier products; one that they do not know is left out. */
export async function recallTitles(ctx: SourceDeps, skuIds: readonly SkuId[]): Promise<ReadonlyMap<SkuId, string>> {
  const titles = new Map<SkuId, string>()
  for (const [namespace, ids] of Map.groupBy(new Set(skuIds), namespaceOf)) {
    const products = productsBySku(await recallCatalog(ctx, namespace), ids)
    for (const id of ids) {
      const title = products.get(vendorSkuOf(id))?.title
      if (title !== undefined) titles.set(id, title)
    }
  }
  return titles
}

export async function readSupplierCatalog(
  { vendors }: SourceDeps,
  namespace: Namespace,
): Promise<SupplyCatalog | undefined> {
  const vendor = vendors.supply(namespace)
  const catalog = vendor.ok ? await vendor.value.catalog() : undefined
  return catalog?.ok ? catalog.value : undefined
}

/** Where an older price is better than none. */
export const readNewestCatalog = async (ctx: SourceDeps, namespace: Namespace): Promise<SupplyCatalog | undefined> =>
  (await readSupplierCatalog(ctx, namespace)) ?? (await recallCatalog(ctx, namespace))

/** For `findSources` where no supplier may be asked. */
export async function recallCatalog({ vendors }: SourceDeps, namespace: Namespace): Promise<SupplyCatalog | undefined> {
  const vendor = vendors.supply(namespace)
  return vendor.ok ? vendor.value.lastCatalog?.() : undefined
}

/** What one item costs now at the cheapest supplier, by confirmed aliases and the catalogs as they were last read. */
export async function recallPrices(
  { vendors }: Pick<Context, 'vendors'>,
  db: Queryable,
  ids: readonly SkuId[],
): Promise<ReadonlyMap<SkuId, Fen>> {
  const prices = new Map<SkuId, Fen>()
  for (const namespace of liveSuppliers({ vendors })) {
    const vendor = vendors.supply(namespace)
    const catalog = vendor.ok ? vendor.value.lastCatalog?.() : undefined
    if (!catalog) continue
    const resolved = await resolveAliases(db, ids, namespace, catalog)
    const products = productsBySku(catalog, resolved.values())
    for (const [id, skuId] of resolved) {
      const product = products.get(vendorSkuOf(skuId))
      if (product?.isForSale && product.eachPriceFen < (prices.get(id) ?? Infinity))
        prices.set(id, product.eachPriceFen)
    }
  }
  return prices
}

export function productsBySku(
  catalog: SupplyCatalog | undefined,
  skuIds: Iterable<SkuId>,
): ReadonlyMap<string, SupplyProduct> {
  const wanted = new Set([...skuIds].map(vendorSkuOf))
  const products = (catalog?.products ?? []).filter(({ vendorSku }) => wanted.has(vendorSku))
  return new Map(products.map((product) => [product.vendorSku, product]))
}

/** With the price of one item, unless the product is not for sale. */
export const sourceOf = (skuId: SkuId, product: SupplyProduct | undefined): Source => ({
  skuId,
  ...(product?.isForSale ? { priceFen: product.eachPriceFen, ...orderedIn(product) } : {}),
  ...(product ? { title: product.title } : {}),
  ...(product?.brand === undefined ? {} : { brand: product.brand }),
  ...(product?.category === undefined ? {} : { category: product.category }),
  ...(product?.barcode === undefined ? {} : { barcode: product.barcode }),
})

/** Single items where the supplier sells them. */
function orderedIn(product: SupplyProduct): Pick<Source, 'orderedIn'> {
  const found = unitPrice(product, 'EA') ?? unitPrice(product, 'BX')
  if (!found) return {}
  const { unit, contains = 1, increment = 1, minimum = 1 } = found.quantityUnit
  return { orderedIn: { unit, contains, priceFen: found.priceFen, increment, minimum } }
}
