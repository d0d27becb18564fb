/** Reads a supplier's catalog or one machine's products through their adapters, and links new products on the way. */
import type { Product } from '../../contract/catalog.ts'
import { SALES_WINDOW_DAYS_DEFAULT } from '../../contract/limits.ts'
import { DAY } from '../../kernel/clock.ts'
import { skuIdOf } from '../../kernel/ids.ts'
import type { LocationId, Namespace, SkuId } from '../../kernel/ids.ts'
import type { NoteMessage } from '../../kernel/message.ts'
import { accept } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import type { MachineSlot } from '../../vendors/contract.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import { findSlotFacts, hasSaleSince, unreadableInfo, saveLevels, unverifiedWarning } from '../locations/index.ts'
import type { SlotFacts } from '../locations/index.ts'
import { linkCatalog, linkMachineProducts } from '../skus/index.ts'
import type { AliasesBySku } from '../skus/index.ts'
import type { CatalogIndex } from './catalog-index.ts'
import type { CatalogContext } from './context.ts'
import { normalizeText } from './filter.ts'
import type { Filterable } from './filter.ts'
import { aliasView, machineProductView } from './product.ts'

export interface LoadedCatalog {
  readonly index: CatalogIndex
  readonly aliases: AliasesBySku
  /** Which rows the catalog leaves out because they cannot be read. */
  readonly messages: readonly NoteMessage[]
}

/** Writes aliases when the catalog is new or changed, so that the reply shows them. A failed read is never an empty catalog. */
export async function loadAndLinkCatalog(
  ctx: CatalogContext,
  namespace: Namespace,
  path?: string,
): Promise<Outcome<LoadedCatalog>> {
  const vendor = ctx.vendors.supply(namespace, path)
  if (!vendor.ok) return vendor
  const catalog = await vendor.value.catalog()
  if (!catalog.ok) return toRefusal(catalog)
  await linkCatalog(ctx, namespace, catalog.value)
  return accept({
    index: ctx.catalogIndexes.indexOf(namespace, catalog.value),
    aliases: await ctx.aliasCache.load(namespace, ctx.clock.now()),
    messages: unreadableInfo(namespace, catalog.refused),
  })
}

export interface LoadedSlot extends Filterable {
  readonly id: SkuId
  readonly slot: MachineSlot
  readonly product: Product
}

export interface LoadedMachine {
  /** In order of id. */
  readonly slots: readonly LoadedSlot[]
  readonly messages: readonly NoteMessage[]
}

/** Writes new products, their aliases and changed stock levels, so that the catalog and the plan show the same. */
export async function loadAndLinkMachine(
  ctx: CatalogContext,
  namespace: Namespace,
  location: LocationId,
  path?: string,
): Promise<Outcome<LoadedMachine>> {
  const { store, clock, config } = ctx
  const vendor = ctx.vendors.machine(namespace, path)
  if (!vendor.ok) return vendor
  const askedAt = clock.now()
  const inventory = await vendor.value.inventory(location)
  if (!inventory.ok) return toRefusal(inventory)
  const readAt = inventory.readAt ?? askedAt
  await linkMachineProducts(ctx, namespace, inventory.value)
  const [facts, isSeen, aliasesBySku] = await Promise.all([
    findSlotFacts(store.db, location),
    hasSaleSince(store.db, location, clock.now() - SALES_WINDOW_DAYS_DEFAULT * DAY),
    ctx.aliasCache.load(namespace, clock.now()),
  ])
  await saveChangedLevels(ctx, location, inventory.value, facts, readAt)
  const slots = inventory.value.flatMap((read): readonly LoadedSlot[] => {
    const slot = withCurrentStock(read, facts.get(read.vendorSku), readAt)
    const id = skuIdOf(namespace, slot.vendorSku)
    if (!id) return []
    const aliases = (aliasesBySku.get(id) ?? []).map((alias) => aliasView(alias, config.timeZone))
    const product = machineProductView(id, slot, location, facts.get(slot.vendorSku), aliases)
    const searchText = normalizeText(slot.title)
    return [{ id, slot, product, searchText, category: undefined, priceFen: slot.priceFen }]
  })
  return accept({
    slots: slots.toSorted((left, right) => (left.id < right.id ? -1 : 1)),
    messages: [
      ...(isSeen ? [] : [unverifiedWarning(location, SALES_WINDOW_DAYS_DEFAULT)]),
      ...unreadableInfo(location, inventory.refused),
    ],
  })
}

/** A level booked or read after this reading, such as a receipt, is newer than what the machine reported. */
const withCurrentStock = (slot: MachineSlot, facts: SlotFacts | undefined, readAt: number): MachineSlot =>
  facts?.level && facts.level.at > readAt ? { ...slot, stock: facts.level.stock } : slot

async function saveChangedLevels(
  { store, clock }: CatalogContext,
  location: LocationId,
  slots: readonly MachineSlot[],
  facts: ReadonlyMap<string, SlotFacts>,
  readAt: number,
): Promise<void> {
  const hasChanged = slots.some(({ vendorSku, stock }) => {
    const level = facts.get(vendorSku)?.level
    return level !== undefined && level.at <= readAt && level.stock !== Math.max(0, stock)
  })
  if (hasChanged) await store.transaction((tx) => saveLevels(tx, location, slots, readAt, clock.now()))
}
