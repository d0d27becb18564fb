/** Packs of a price list without a certain size: which articles wait for a word, and what was said. */
import { PAGE_DEFAULT, PAGE_MAX } from '../../contract/limits.ts'
import type { Pack, PackList, PackQuery } from '../../contract/shapes/connection.ts'
import { rfc3339 } from '../../kernel/clock.ts'
import type { Fen } from '../../kernel/fen.ts'
import { type Namespace, parseNamespace, skuIdOf } from '../../kernel/ids.ts'
import { type Outcome, accept, refuse } from '../../kernel/outcome.ts'
import { partOf } from '../../lib/pages.ts'
import type { AskedPack } from '../../vendors/packs.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import type { SupplyVendor } from '../../vendors/supply-vendor.ts'
import type { Context } from '../../context.ts'
import { type StoredPack, listStoredPacks } from './pack-records.ts'

export type Deps = Pick<Context, 'store' | 'clock' | 'vendors' | 'config'>

export interface PackVendor extends SupplyVendor {
  askedPacks(): readonly AskedPack[] | undefined
}

type Body = Omit<PackList, 'ucp'>

export async function listPacks(ctx: Deps, namespaceText: string, query: PackQuery): Promise<Outcome<Body>> {
  const found = findPackVendor(ctx, namespaceText)
  if (!found.ok) return found
  const { namespace, vendor } = found.value
  const catalog = await vendor.catalog()
  return catalog.ok ? viewPacks(ctx, namespace, vendor, query) : toRefusal(catalog)
}

/** A supplier whose list may leave the size of a pack open. */
export function findPackVendor(
  { vendors }: Pick<Context, 'vendors'>,
  text: string,
): Outcome<{ readonly namespace: Namespace; readonly vendor: PackVendor }> {
  const namespace = parseNamespace(text)
  // The namespace is the resource of this path: an unknown one is not found, and not a mistake in a field.
  if (!namespace || !vendors.lookup(namespace).ok) return refuse('not_found', `Namespace "${text}" is not registered`)
  const found = vendors.supply(namespace)
  if (!found.ok) return found
  const vendor = found.value
  return isPackVendor(vendor)
    ? accept({ namespace, vendor })
    : refuse('namespace_unsupported', `${namespace} states the sizes of its packs itself`)
}

const isPackVendor = (vendor: SupplyVendor): vendor is PackVendor => vendor.askedPacks !== undefined

/** Of the list as it was last read. It may have 200,000 articles, so only those of the page are written out. */
export async function viewPacks(
  { store, config }: Deps,
  namespace: Namespace,
  vendor: PackVendor,
  { state = 'waiting', limit = PAGE_DEFAULT, cursor }: PackQuery,
): Promise<Outcome<Body>> {
  const asked = vendor.askedPacks() ?? []
  const waiting = asked.filter(({ contains }) => contains === undefined)
  const stored = await listStoredPacks(store.db, namespace)
  const part = partOf<AskedPack | StoredPack>(
    state === 'waiting' ? waiting : stored,
    { limit, cursor },
    PAGE_MAX,
    ({ text, vendorSku = '' }) => `${vendorSku} ${text}`,
  )
  if (!part.ok) return part
  const { entries, pagination = { has_next_page: false } } = part.value
  const price = (amount: Fen) => ({ amount, currency: config.currency })
  const titles = titlesOf(asked, entries)
  const packs = entries.map((entry): Pack => {
    const { text, vendorSku } = entry
    const title = vendorSku === undefined ? undefined : titles.get(vendorSku)
    return {
      text,
      ...(vendorSku !== undefined && idMember(namespace, vendorSku)),
      ...(title !== undefined && { title }),
      ...('packPriceFen' in entry && { pack_price: price(entry.packPriceFen) }),
      ...('packPriceFen' in entry && entry.eachPriceFen !== undefined && { each_price: price(entry.eachPriceFen) }),
      ...('reason' in entry && { reason: entry.reason }),
      ...('suggested' in entry && entry.suggested !== undefined && { suggested: entry.suggested }),
      ...(entry.contains !== undefined && { contains: entry.contains }),
      ...('statedAt' in entry && { stated_at: rfc3339(entry.statedAt, config.timeZone) }),
      ...('statedAt' in entry && entry.by && { stated_by: entry.by.name }),
    }
  })
  return accept({ packs, waiting_count: waiting.length, stated_count: stored.length, pagination })
}

function titlesOf(asked: readonly AskedPack[], entries: readonly (AskedPack | StoredPack)[]) {
  const wanted = new Set(entries.map(({ vendorSku }) => vendorSku))
  return new Map(
    asked.filter(({ vendorSku }) => wanted.has(vendorSku)).map(({ vendorSku, title }) => [vendorSku, title]),
  )
}

function idMember(namespace: Namespace, vendorSku: string): Pick<Pack, 'sku_id'> {
  const id = skuIdOf(namespace, vendorSku)
  return id === undefined ? {} : { sku_id: id }
}
