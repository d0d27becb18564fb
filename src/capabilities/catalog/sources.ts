/** Where catalog answers come from: a supplier's shelf or one machine's slots, read through their adapters. */
import type { Product } from '../../contract/catalog.ts'
import { SALES_WINDOW_DAYS_DEFAULT } from '../../contract/limits.ts'
import { DAY } from '../../kernel/clock.ts'
import { skuIdOf } from '../../kernel/ids.ts'
import type { LocationId, Namespace, SkuId } from '../../kernel/ids.ts'
import { warning } from '../../kernel/message.ts'
import type { NoteMessage } from '../../kernel/message.ts'
import { accept } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import { readAtOf } from '../../vendors/cache/cached-vendors.ts'
import type { MachineSlot } from '../../vendors/contract.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import type { Context } from '../context.ts'
import { isSeenInLedger, slotFacts, refusedInfo, noteLevels } from '../locations/index.ts'
import type { SlotFacts } from '../locations/index.ts'
import { loadAliases, linkCatalog, linkMachineProducts } from '../skus/index.ts'
import type { AliasesBySku } from '../skus/index.ts'
import { searchText } from './filter.ts'
import type { Filtered } from './filter.ts'
import { aliasView, slotView } from './product.ts'
import { indexCatalog } from './catalog-index.ts'
import type { CatalogIndex } from './catalog-index.ts'

export interface LoadedCatalog {
  readonly shelf: CatalogIndex
  readonly aliases: AliasesBySku
  /** What the listing leaves out because it cannot be read. */
  readonly messages: readonly NoteMessage[]
}

/** An upstream that fails is told as such, never as an empty shelf. */
export async function loadCatalog(ctx: Context, namespace: Namespace, path?: string): Promise<Outcome<LoadedCatalog>> {
  const vendor = ctx.vendors.supply(namespace, path)
  if (!vendor.ok) return vendor
  const answer = await vendor.value.catalog()
  if (!answer.ok) return toRefusal(answer)
  await linkCatalog(ctx, namespace, answer.value)
  return accept({
    shelf: indexCatalog(namespace, answer.value, ctx.config.timeZone),
    aliases: await loadAliases(ctx, namespace),
    messages: refusedInfo(namespace, answer.refused),
  })
}

export interface ShownSlot extends Filtered {
  readonly id: SkuId
  readonly slot: MachineSlot
  readonly product: Product
}

export interface LoadedMachine {
  /** In order of id. */
  readonly slots: readonly ShownSlot[]
  readonly messages: readonly NoteMessage[]
}

export async function loadMachine(
  ctx: Context,
  namespace: Namespace,
  location: LocationId,
  path?: string,
): Promise<Outcome<LoadedMachine>> {
  const vendor = ctx.vendors.machine(namespace, path)
  if (!vendor.ok) return vendor
  const askedAt = ctx.clock.now()
  const answer = await vendor.value.inventory(location)
  if (!answer.ok) return toRefusal(answer)
  const readAt = readAtOf(answer.value) ?? askedAt
  await linkMachineProducts(ctx, namespace, answer.value)
  const [facts, seen, page] = await Promise.all([
    slotFacts(ctx.store.db, location),
    isSeenInLedger(ctx.store.db, location, ctx.clock.now() - SALES_WINDOW_DAYS_DEFAULT * DAY),
    loadAliases(ctx, namespace),
  ])
  await keepLevels(ctx, location, answer.value, facts, readAt)
  const slots = answer.value.flatMap((read): readonly ShownSlot[] => {
    const slot = currentSlot(read, facts.get(read.vendorSku), readAt)
    const id = skuIdOf(namespace, slot.vendorSku)
    if (!id) return []
    const aliases = (page.get(id) ?? []).map((alias) => aliasView(alias, ctx.config.timeZone))
    const product = slotView(id, slot, location, facts.get(slot.vendorSku), aliases)
    return [{ id, slot, product, haystack: searchText(slot.title), category: undefined, priceFen: slot.priceFen }]
  })
  return accept({
    slots: slots.toSorted((left, right) => (left.id < right.id ? -1 : 1)),
    messages: [...(seen ? [] : [unverified(location)]), ...refusedInfo(location, answer.refused)],
  })
}

/** The level booked or read after this reading, if there is one: a receipt is newer than what the machine said before. */
const currentSlot = (slot: MachineSlot, facts: SlotFacts | undefined, readAt: number): MachineSlot =>
  facts?.level && facts.level.at > readAt ? { ...slot, stock: facts.level.stock } : slot

/** What is shown here is what the plan counts with: a newer level is kept. */
async function keepLevels(
  { store, clock }: Context,
  location: LocationId,
  slots: readonly MachineSlot[],
  facts: ReadonlyMap<string, SlotFacts>,
  readAt: number,
): Promise<void> {
  const moved = slots.some(({ vendorSku, stock }) => {
    const level = facts.get(vendorSku)?.level
    return level !== undefined && level.at <= readAt && level.stock !== Math.max(0, stock)
  })
  if (moved) await store.transaction((tx) => noteLevels(tx, location, slots, readAt, clock.now()))
}

/** Some platforms answer for machines that do not exist; only the ledger proves one (4.2). */
const unverified = (location: LocationId): NoteMessage =>
  warning(
    'location_unverified',
    `the ledger knows no sale of machine ${location} in the last ${SALES_WINDOW_DAYS_DEFAULT} days; it may not exist`,
  )
