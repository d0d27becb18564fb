/** Reads a supplier's catalog or one machine's products through their adapters, and links new products on the way. */
import type { Product } from '../../contract/shapes/catalog.ts'
import { SALES_WINDOW_DAYS_DEFAULT } from '../../contract/limits.ts'
import { DAY } from '../../kernel/clock.ts'
import { type LocationId, type Namespace, type SkuId, skuIdOf } from '../../kernel/ids.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { MachineSlot } from '../../vendors/machine-vendor.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import {
  findLocation,
  findSlotFacts,
  isMissingFromLedger,
  machineOfOtherPlatform,
  unreadableInfo,
  unverifiedWarning,
} from '../locations/index.ts'
import { linkCatalog, linkMachineProducts } from '../skus/index.ts'
import type { CatalogContext } from './context.ts'
import type { Filterable } from './filter.ts'
import { normalizeText } from '../../lib/words.ts'
import { aliasView, machineProductView } from './product.ts'

/** Writes aliases when the catalog is new or changed, so that the reply shows them. A failed read is never an empty catalog. */
export async function loadAndLinkCatalog(ctx: CatalogContext, namespace: Namespace, path?: string) {
  const vendor = ctx.vendors.supply(namespace, path)
  if (!vendor.ok) return vendor
  const catalog = await vendor.value.catalog()
  if (!catalog.ok) return toRefusal(catalog)
  await linkCatalog(ctx, namespace, catalog.value)
  return accept({
    index: await ctx.catalogIndexes.indexOf(namespace, catalog.value),
    aliases: await ctx.aliasCache.load(namespace, ctx.clock.now()),
    // Which rows the catalog leaves out because they cannot be read.
    messages: unreadableInfo(namespace, catalog.unreadable),
  })
}

export interface LoadedSlot extends Filterable {
  readonly id: SkuId
  readonly slot: MachineSlot
  readonly product: Product
}

/** Writes new products and their aliases. Only a sync changes the stock of a slot. */
export async function loadAndLinkMachine(
  ctx: CatalogContext,
  namespace: Namespace,
  location: LocationId,
  path?: string,
) {
  const { store, clock, config } = ctx
  const vendor = ctx.vendors.machine(namespace, path)
  if (!vendor.ok) return vendor
  const registered = await findLocation(store.db, location)
  if (registered && registered.namespace !== namespace)
    return refuse('namespace_mismatch', machineOfOtherPlatform(registered), path)
  const askedAt = clock.now()
  const inventory = await vendor.value.inventory(location)
  if (!inventory.ok) return toRefusal(inventory)
  const readAt = inventory.readAt ?? askedAt
  await linkMachineProducts(ctx, namespace, inventory.value)
  const [facts, isUnverified, aliasesBySku] = await Promise.all([
    findSlotFacts(store.db, location),
    isMissingFromLedger(store.db, { namespace, id: location }, clock.now() - SALES_WINDOW_DAYS_DEFAULT * DAY),
    ctx.aliasCache.load(namespace, clock.now()),
  ])
  const slots = inventory.value.flatMap((slot): readonly LoadedSlot[] => {
    const id = skuIdOf(namespace, slot.vendorSku)
    if (!id) return []
    const aliases = (aliasesBySku.get(id) ?? []).map((alias) => aliasView(alias, config.timeZone))
    const product = machineProductView(id, slot, config, location, facts.get(slot.vendorSku), readAt, aliases)
    const searchText = normalizeText(slot.title)
    return [{ id, slot, product, searchText, category: undefined, priceFen: slot.priceFen }]
  })
  return accept({
    // In order of id.
    slots: slots.toSorted((left, right) => (left.id < right.id ? -1 : 1)),
    messages: [
      ...(isUnverified ? [unverifiedWarning(location, SALES_WINDOW_DAYS_DEFAULT)] : []),
      ...unreadableInfo(location, inventory.unreadable),
    ],
  })
}
