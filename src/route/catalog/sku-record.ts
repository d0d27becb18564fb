/** GET /skus/{sku_id}: what a SKU is, its aliases at other vendors, and where it can be bought. */
import type { PurchasableSource, SkuRecord } from '../../contract/shapes/catalog.ts'
import { type Namespace, type SkuId, namespaceOf, roleOf, vendorSkuOf } from '../../kernel/ids.ts'
import type { NoteMessage } from '../../kernel/message.ts'
import { type Outcome, accept, refuse } from '../../kernel/outcome.ts'
import { isConfirmed, barcodesOf, findAliases, findMachineProducts, findPhaseOut, saleUnits } from '../skus/index.ts'
import { loadKnownShelfLives } from '../locations/index.ts'
import type { Alias } from '../skus/index.ts'
import type { CatalogContext } from './context.ts'
import { requireLocation } from './location.ts'
import { aliasView } from './product.ts'
import { loadAndLinkMachine, loadAndLinkCatalog } from './sources.ts'

/** What its vendor knows of a SKU; without a title when only an alias still names it. */
interface Identity {
  readonly title?: string
  readonly barcode?: string | undefined
  readonly messages: readonly NoteMessage[]
}

export async function getSkuRecord(
  ctx: CatalogContext,
  skuId: SkuId,
  location: string | undefined,
): Promise<Outcome<Omit<SkuRecord, 'ucp'>>> {
  const identity = await identifySku(ctx, skuId, location)
  if (!identity.ok) return identity
  const { title, barcode, messages } = identity.value
  const aliases = (await findAliases(ctx.store.db, [skuId])).get(skuId) ?? []
  const sources = await findPurchasable(ctx, skuId, aliases)
  if (!sources.ok) return sources
  const shelf = (await loadKnownShelfLives(ctx.store.db)).get(skuId)
  const phaseOut = await findPhaseOut(ctx.store.db, skuId)
  return accept({
    sku_id: skuId,
    namespace: namespaceOf(skuId),
    vendor_sku: vendorSkuOf(skuId),
    ...(title !== undefined && { title }),
    barcodes: barcodesOf(barcode),
    aliases: aliases.map((alias) => aliasView(alias, ctx.config.timeZone)),
    purchasable_from: sources.value,
    ...(shelf && { shelf_days: shelf.days, shelf_days_source: shelf.source }),
    ...(phaseOut && { phase_out: phaseOut }),
    ...(messages.length > 0 && { messages }),
  })
}

export const skuNotFound = (skuId: SkuId): string => `SKU "${skuId}" not found`

/** Known is what its vendor lists, what a machine holds or has held, and what an alias names; anything else is 404. */
export async function identifySku(
  ctx: CatalogContext,
  skuId: SkuId,
  location: string | undefined,
): Promise<Outcome<Identity>> {
  const found = await (roleOf(namespaceOf(skuId)) === 'supply'
    ? identifySupplyProduct(ctx, skuId)
    : identifyMachineProduct(ctx, skuId, location))
  if (!found.ok || found.value.title !== undefined) return found
  const named = (await findAliases(ctx.store.db, [skuId])).has(skuId)
  return named ? found : refuse('not_found', skuNotFound(skuId), '$.sku_id')
}

async function identifySupplyProduct(ctx: CatalogContext, skuId: SkuId): Promise<Outcome<Identity>> {
  const read = await loadAndLinkCatalog(ctx, namespaceOf(skuId), '$.sku_id')
  if (!read.ok) return read
  const product = read.value.index.find(skuId)?.product
  return accept({ ...(product && { title: product.title, barcode: product.barcode }), messages: [] })
}

/** Reads the machine where one is named; a product that has left it since is still known. */
async function identifyMachineProduct(
  ctx: CatalogContext,
  skuId: SkuId,
  location: string | undefined,
): Promise<Outcome<Identity>> {
  const adapter = ctx.vendors.machine(namespaceOf(skuId), '$.sku_id')
  if (!adapter.ok) return adapter
  const messages: NoteMessage[] = []
  if (location !== undefined) {
    const id = requireLocation(location, '$.location')
    if (!id.ok) return id
    const read = await loadAndLinkMachine(ctx, namespaceOf(skuId), id.value)
    if (!read.ok) return read
    messages.push(...read.value.messages)
  }
  const product = (await findMachineProducts(ctx.store.db, [skuId])).get(skuId)
  return accept({ ...(product && { title: product.title, barcode: product.barcode }), messages })
}

/** The SKU itself if a supplier sells it, and its confirmed aliases; only what is on sale. */
async function findPurchasable(
  ctx: CatalogContext,
  skuId: SkuId,
  aliases: readonly Alias[],
): Promise<Outcome<readonly PurchasableSource[]>> {
  const own = roleOf(namespaceOf(skuId)) === 'supply' ? [skuId] : []
  const ids = [...own, ...aliases.filter(isConfirmed).map((alias) => alias.skuId)].filter((id) => isLive(ctx, id))
  const sources: PurchasableSource[] = []
  for (const id of ids) {
    const read = await loadAndLinkCatalog(ctx, namespaceOf(id))
    if (!read.ok) return read
    const product = read.value.index.find(id)?.product
    if (product?.isForSale)
      sources.push({ sku_id: id, title: product.title, sale_units: saleUnits(product, ctx.config.currency) })
  }
  return accept(sources)
}

const isLive = ({ vendors }: CatalogContext, id: SkuId): boolean => {
  const namespace: Namespace = namespaceOf(id)
  return roleOf(namespace) === 'supply' && vendors.supply(namespace).ok
}
