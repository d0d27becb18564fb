/**
 * What machine products cost at their suppliers, as the margin rule counts it. Nobody who may match products can lower it:
 * among products with equal barcodes the cheapest supplier counts, and every product that was ever matched by hand, also
 * when the match was withdrawn, can only raise the cost.
 */
import type { Fen } from '../../kernel/fen.ts'
import { type Namespace, type SkuId, namespaceOf, vendorSkuOf } from '../../kernel/ids.ts'
import { type StoredAlias, countsForRules, groupByEnd } from './aliases.ts'
import { findPairs } from './records.ts'
import { type SourceDeps, liveSuppliers, readNewestCatalog, productsBySku } from './sources.ts'

/** A cost is `unread` where the price list of a supplier was never read: then it is not unknown, but unchecked. */
export async function readSupplierCosts(
  ctx: SourceDeps,
  ids: readonly SkuId[],
): Promise<ReadonlyMap<SkuId, Fen | 'unread'>> {
  const pairs = groupByEnd((await findPairs(ctx.store.db, ids)).filter(countsForRules))
  const matchesOf = new Map(ids.map((id) => [id, (pairs.get(id) ?? []).map((row) => matchOf(row, id))] as const))
  const prices = await readSupplierPrices(ctx, [...matchesOf.values()].flat())
  const costs = new Map<SkuId, Fen | 'unread'>()
  for (const [id, matches] of matchesOf) {
    const cost = costOf(matches, prices)
    if (cost !== undefined) costs.set(id, cost)
  }
  return costs
}

type Match = Readonly<ReturnType<typeof matchOf>>

const matchOf = ({ a, b, source }: StoredAlias, id: SkuId) => ({
  skuId: a === id ? b : a,
  byCode: source === 'barcode',
})

type Prices = ReadonlyMap<SkuId, Fen | 'unread'>

/** Of one item; products that are not for sale have none. */
async function readSupplierPrices(ctx: SourceDeps, matches: readonly Match[]): Promise<Prices> {
  const prices = new Map<SkuId, Fen | 'unread'>()
  const live: ReadonlySet<Namespace> = new Set(liveSuppliers(ctx))
  for (const [namespace, group] of Map.groupBy(matches, ({ skuId }) => namespaceOf(skuId))) {
    if (!live.has(namespace)) continue
    const catalog = await readNewestCatalog(ctx, namespace)
    const skuIds = group.map(({ skuId }) => skuId)
    const products = productsBySku(catalog, skuIds)
    for (const skuId of skuIds) {
      const product = products.get(vendorSkuOf(skuId))
      if (!catalog) prices.set(skuId, 'unread')
      else if (product?.isForSale) prices.set(skuId, product.eachPriceFen)
    }
  }
  return prices
}

function costOf(matches: readonly Match[], prices: Prices): Fen | 'unread' | undefined {
  const pricesOf = (wanted: readonly Match[]) => wanted.flatMap(({ skuId }) => prices.get(skuId) ?? [])
  const byHand = pricesOf(matches.filter(({ byCode }) => !byCode))
  const bySupplier = Map.groupBy(
    matches.filter(({ byCode }) => byCode),
    ({ skuId }) => namespaceOf(skuId),
  )
  const offers = [...bySupplier.values()].flatMap((own) => highestOf(pricesOf(own)) ?? [])
  const readOffers = offers.filter((price) => price !== 'unread')
  return highestOf([...byHand, ...(readOffers.length > 0 ? [Math.min(...readOffers) as Fen] : offers)])
}

/** Unread before any price. */
const highestOf = (prices: readonly (Fen | 'unread')[]): Fen | 'unread' | undefined =>
  prices.includes('unread')
    ? 'unread'
    : (prices as readonly Fen[]).reduce<Fen | undefined>(
        (most, one) => (most !== undefined && most >= one ? most : one),
        undefined,
      )
