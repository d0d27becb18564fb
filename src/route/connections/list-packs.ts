/** Packs of a price list without a certain size: which articles wait for a word, and what was said. */
import { PAGE_DEFAULT, PAGE_MAX } from '../../contract/limits.ts'
import type { Pack, PackList, PackQuery } from '../../contract/shapes/connection.ts'
import { rfc3339 } from '../../kernel/clock.ts'
import type { Fen } from '../../kernel/fen.ts'
import { type Namespace, parseNamespace, skuIdOf } from '../../kernel/ids.ts'
import { type Outcome, accept, refuse } from '../../kernel/outcome.ts'
import { partOf } from '../../lib/page.ts'
import type { AskedPack } from '../../vendors/packs.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import type { SupplyVendor } from '../../vendors/supply-vendor.ts'
import type { Context } from '../../context.ts'
import { listStoredPacks } from './pack-records.ts'

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

/** Of the list as it was last read. */
export async function viewPacks(
  { store, config }: Deps,
  namespace: Namespace,
  vendor: PackVendor,
  { state = 'waiting', limit = PAGE_DEFAULT, cursor }: PackQuery,
): Promise<Outcome<Body>> {
  const asked = vendor.askedPacks() ?? []
  const waiting = asked.filter(({ contains }) => contains === undefined)
  const stored = await listStoredPacks(store.db, namespace)
  const price = (amount: Fen) => ({ amount, currency: config.currency })
  const questions = () =>
    waiting.map(({ vendorSku, title, text, packPriceFen, eachPriceFen }): Pack => ({
      text,
      ...idMember(namespace, vendorSku),
      title,
      pack_price: price(packPriceFen),
      ...(eachPriceFen !== undefined && { each_price: price(eachPriceFen) }),
    }))
  const words = () => {
    const titles = new Map(asked.map(({ vendorSku, title }) => [vendorSku, title]))
    return stored.map(({ text, vendorSku, contains, statedAt, by }): Pack => {
      const title = vendorSku === undefined ? undefined : titles.get(vendorSku)
      return {
        text,
        ...(vendorSku !== undefined && idMember(namespace, vendorSku)),
        ...(title !== undefined && { title }),
        contains,
        stated_at: rfc3339(statedAt, config.timeZone),
        ...(by && { stated_by: by.name }),
      }
    })
  }
  const part = partOf(
    state === 'waiting' ? questions() : words(),
    { limit, cursor },
    PAGE_MAX,
    ({ text, sku_id: id = '' }) => `${id} ${text}`,
  )
  if (!part.ok) return part
  const { entries: packs, pagination = { has_next_page: false } } = part.value
  return accept({ packs, waiting_count: waiting.length, stated_count: stored.length, pagination })
}

function idMember(namespace: Namespace, vendorSku: string): Pick<Pack, 'sku_id'> {
  const id = skuIdOf(namespace, vendorSku)
  return id === undefined ? {} : { sku_id: id }
}
