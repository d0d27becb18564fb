/** GET /skus/{sku_id}: what a SKU is, under which names other vendors carry it, and where it can be bought (4.2). */
import type { PurchasableSource, SkuRecord } from '../../contract/catalog.ts'
import { namespaceOf, roleOf, vendorSkuOf } from '../../kernel/ids.ts'
import type { Namespace, SkuId } from '../../kernel/ids.ts'
import type { NoteMessage } from '../../kernel/message.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import type { Context } from '../context.ts'
import { isConfirmed, barcodesOf, aliasesOf, findMachineProducts, saleUnits } from '../skus/index.ts'
import type { Alias } from '../skus/index.ts'
import { requireLocation } from './location.ts'
import { aliasView } from './product.ts'
import { loadMachine, loadCatalog } from './sources.ts'

/** What its own vendor says of a SKU; without a title when only an alias still names it. */
interface Identity {
  readonly title?: string
  readonly barcode?: string | undefined
  readonly messages: readonly NoteMessage[]
}

export async function skuRecord(
  ctx: Context,
  skuId: SkuId,
  location: string | undefined,
): Promise<Outcome<Omit<SkuRecord, 'ucp'>>> {
  const identity = await identify(ctx, skuId, location)
  if (!identity.ok) return identity
  const { title, barcode, messages } = identity.value
  const aliases = (await aliasesOf(ctx.store.db, [skuId])).get(skuId) ?? []
  const sources = await purchasable(ctx, skuId, aliases)
  if (!sources.ok) return sources
  return accept({
    sku_id: skuId,
    namespace: namespaceOf(skuId),
    vendor_sku: vendorSkuOf(skuId),
    ...(title !== undefined && { title }),
    barcodes: barcodesOf(barcode),
    aliases: aliases.map((alias) => aliasView(alias, ctx.config.timeZone)),
    purchasable_from: sources.value,
    ...(messages.length > 0 && { messages }),
  })
}

/** Known is what its vendor lists, what a machine was seen to hold, and what an alias names; all else is 404. */
export async function identify(ctx: Context, skuId: SkuId, location: string | undefined): Promise<Outcome<Identity>> {
  const found = await (roleOf(namespaceOf(skuId)) === 'supply' ? listed(ctx, skuId) : seen(ctx, skuId, location))
  if (!found.ok || found.value.title !== undefined) return found
  const named = (await aliasesOf(ctx.store.db, [skuId])).has(skuId)
  return named ? found : refuse('not_found', `no SKU ${skuId}`, '$.sku_id')
}

async function listed(ctx: Context, skuId: SkuId): Promise<Outcome<Identity>> {
  const read = await loadCatalog(ctx, namespaceOf(skuId), '$.sku_id')
  if (!read.ok) return read
  const good = read.value.shelf.find(skuId)?.good
  return accept({ ...(good && { title: good.title, barcode: good.barcode }), messages: [] })
}

/** Read live where a machine is named; the good may since have left it and is remembered all the same. */
async function seen(ctx: Context, skuId: SkuId, location: string | undefined): Promise<Outcome<Identity>> {
  const adapter = ctx.vendors.machine(namespaceOf(skuId), '$.sku_id')
  if (!adapter.ok) return adapter
  const messages: NoteMessage[] = []
  if (location !== undefined) {
    const id = requireLocation(location, '$.location')
    if (!id.ok) return id
    const read = await loadMachine(ctx, namespaceOf(skuId), id.value)
    if (!read.ok) return read
    messages.push(...read.value.messages)
  }
  const good = (await findMachineProducts(ctx.store.db, [skuId])).get(skuId)
  return accept({ ...(good && { title: good.title, barcode: good.barcode }), messages })
}

/** The SKU itself where it is a supplier's, else what confirmed aliases lead to; nothing that is off the shelf. */
async function purchasable(
  ctx: Context,
  skuId: SkuId,
  aliases: readonly Alias[],
): Promise<Outcome<readonly PurchasableSource[]>> {
  const own = roleOf(namespaceOf(skuId)) === 'supply' ? [skuId] : []
  const ids = [...own, ...aliases.filter(isConfirmed).map((alias) => alias.skuId)].filter((id) => isLive(ctx, id))
  const sources: PurchasableSource[] = []
  for (const id of ids) {
    const read = await loadCatalog(ctx, namespaceOf(id))
    if (!read.ok) return read
    const good = read.value.shelf.find(id)?.good
    if (good?.onShelf) sources.push({ sku_id: id, title: good.title, sale_units: saleUnits(good) })
  }
  return accept(sources)
}

const isLive = ({ vendors }: Context, id: SkuId): boolean => {
  const namespace: Namespace = namespaceOf(id)
  return roleOf(namespace) === 'supply' && vendors.supply(namespace).ok
}
