/** GET /storeroom: what is there, what of it is promised, what it is worth, and what will not be sold before its date. */
import { PAGE_DEFAULT, PAGE_MAX } from '../../../contract/limits.ts'
import type { Storeroom, StoreroomQuery } from '../../../contract/shapes/storeroom.ts'
import { mayReadCosts } from '../../../kernel/caller.ts'
import { localDay } from '../../../kernel/clock.ts'
import { money } from '../../../kernel/currency.ts'
import type { SkuId } from '../../../kernel/ids.ts'
import type { NoteMessage } from '../../../kernel/message.ts'
import { type Outcome, accept } from '../../../kernel/outcome.ts'
import { compareText } from '../../../kernel/text.ts'
import { encodeCursor, pageOf, parseCursor } from '../../../lib/pages.ts'
import { normalizeText } from '../../../lib/words.ts'
import type { Context } from '../../../context.ts'
import { listSlotsWith } from '../../../route/locations/index.ts'
import { loadUnitsPerDay } from '../../../route/sales/index.ts'
import { findLinked } from '../../../route/skus/index.ts'
import {
  type StoredProduct,
  costOfUnits,
  expiresSoonWarning,
  findProducts,
  listReserved,
  productView,
  refuseNoStoreroom,
} from '../../../route/storeroom/index.ts'
import { unsoldBeforeDate } from './allocate.ts'

type Deps = Pick<Context, 'store' | 'clock' | 'config'>

/** Slots that are asked how much of a product they sell. */
const SLOTS_MAX = 5000
const MESSAGES_MAX = 50

export async function getStoreroom(
  ctx: Deps,
  { query = '', in_stock: inStock = false, limit: wanted = PAGE_DEFAULT, cursor }: StoreroomQuery,
): Promise<Outcome<Omit<Storeroom, 'ucp'>>> {
  const { store, config } = ctx
  if (!config.hasStoreroom) return refuseNoStoreroom()
  const position = parseCursor(cursor, '$.cursor', 'string', 'string')
  if (!position.ok) return position
  const products = [...(await findProducts(store.db)).values()]
  const text = normalizeText(query)
  const found = products
    .filter(({ units }) => !inStock || units > 0)
    .filter(({ title, skuId }) => normalizeText(title).includes(text) || skuId.toLowerCase().includes(text))
    .toSorted(byTitle)
  const after = position.value
  const rest = after ? found.filter((each) => byTitle(each, { title: after[0], skuId: after[1] as SkuId }) > 0) : found
  const limit = Math.min(wanted, PAGE_MAX)
  const { entries, pagination } = pageOf(rest.slice(0, limit + 1), limit, ({ title, skuId }) =>
    encodeCursor(title, skuId),
  )
  const reserved = await listReserved(store.db)
  const messages = await findExpiring(ctx, products)
  const value = products.reduce((sum, { units, averageCostE4 }) => sum + (costOfUnits(units, averageCostE4) ?? 0), 0)
  return accept({
    products: entries.map((each) => productView(each, reserved.get(each.skuId) ?? 0, config)),
    ...(mayReadCosts() && { value: money(value, config.currency) }),
    pagination,
    ...(messages.length > 0 && { messages }),
  })
}

const byTitle = (a: Pick<StoredProduct, 'title' | 'skuId'>, b: Pick<StoredProduct, 'title' | 'skuId'>): number =>
  compareText(a.title, b.title) || compareText(a.skuId, b.skuId)

/** At the rate at which the machines that hold the product sell it. */
async function findExpiring(ctx: Deps, products: readonly StoredProduct[]): Promise<readonly NoteMessage[]> {
  const dated = products.filter(({ lots }) => lots.some(({ bestBefore }) => bestBefore !== null))
  if (dated.length === 0) return []
  const linked = await findLinked(
    ctx.store.db,
    dated.map(({ skuId }) => skuId),
    'machine',
  )
  const machineSkus = (skuId: SkuId) => linked.get(skuId) ?? []
  const slots = await listSlotsWith(
    ctx.store.db,
    dated.flatMap(({ skuId }) => machineSkus(skuId)),
    SLOTS_MAX,
  )
  const soldOf = await loadUnitsPerDay(ctx, slots)
  const today = localDay(ctx.clock.now(), ctx.config.timeZone)
  return dated
    .flatMap((product) => {
      const { skuId, lots } = product
      const own = new Set(machineSkus(skuId))
      const rate = slots.filter((slot) => own.has(slot.skuId)).reduce((sum, slot) => sum + soldOf(slot), 0)
      return unsoldBeforeDate(lots, rate, today).map(({ date, units }) => expiresSoonWarning(product, units, date))
    })
    .slice(0, MESSAGES_MAX)
}
