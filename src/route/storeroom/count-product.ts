/** PUT /storeroom/products/{sku_id}: what a person counted, with the reason for a difference. */
import type { StoreroomCountRequest, StoreroomReason } from '../../contract/shapes/storeroom.ts'
import { type SkuId, namespaceOf, roleOf, vendorSkuOf } from '../../kernel/ids.ts'
import { type Outcome, accept, refuse } from '../../kernel/outcome.ts'
import type { Context } from '../../context.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import { recordEvent } from '../../record/events/index.ts'
import { type MovementKind, type StoredProduct, findProducts, listReserved, lockStoreroom } from './records.ts'
import { markCounted, moveUnits, replaceLots } from './records.ts'
import { countedEvent, refuseNoStoreroom, refuseOtherCount, refuseUnknownProduct } from './texts.ts'

const KIND_OF: Readonly<Record<StoreroomReason, MovementKind>> = {
  count: 'counted',
  damaged: 'lost',
  expired: 'lost',
  lost: 'lost',
  returned: 'returned',
  other: 'counted',
}

/** An earlier one is a mistyped year. */
const FIRST_DATE = '2000-01-01'

export interface CountedProduct {
  readonly product: StoredProduct
  readonly reserved: number
}

type Deps = Pick<Context, 'store' | 'clock' | 'config' | 'vendors'>

export async function countProduct(
  ctx: Deps,
  skuId: SkuId,
  request: StoreroomCountRequest,
): Promise<Outcome<CountedProduct>> {
  if (!ctx.config.hasStoreroom) return refuseNoStoreroom()
  if (roleOf(namespaceOf(skuId)) !== 'supply')
    return refuse('namespace_mismatch', 'The store room holds products of suppliers, not of machines', '$.sku_id')
  const { best_before: bestBefore } = request
  if (bestBefore !== undefined && bestBefore < FIRST_DATE)
    return refuse('invalid', `best_before must be a date since ${FIRST_DATE}`, '$.best_before')
  const known = (await findProducts(ctx.store.db, [skuId])).get(skuId)
  const title = known ? accept(known.title) : await readTitle(ctx, skuId)
  return title.ok ? book(ctx, { skuId, title: title.value }, request) : title
}

/** Only what a supplier lists can lie there. */
async function readTitle({ vendors }: Deps, skuId: SkuId): Promise<Outcome<string>> {
  const vendor = vendors.supply(namespaceOf(skuId))
  if (!vendor.ok) return refuseUnknownProduct(skuId)
  const catalog = await vendor.value.catalog()
  if (!catalog.ok) return toRefusal(catalog)
  const product = catalog.value.products.find(({ vendorSku }) => vendorSku === vendorSkuOf(skuId))
  return product ? accept(product.title) : refuseUnknownProduct(skuId)
}

const book = (
  ctx: Deps,
  { skuId, title }: Pick<StoredProduct, 'skuId' | 'title'>,
  { units, reason, note, best_before: bestBefore, expected_units: expected }: StoreroomCountRequest,
): Promise<Outcome<CountedProduct>> =>
  ctx.store.transaction(async (tx) => {
    const now = ctx.clock.now()
    await lockStoreroom(tx)
    const before = (await findProducts(tx, [skuId])).get(skuId)?.units ?? 0
    if (expected !== undefined && expected !== before) return refuseOtherCount(title, expected, before)
    const difference = units - before
    const kind = KIND_OF[reason]
    if (kind === 'lost' && difference > 0)
      return refuse('invalid', `${before} are in the store room; ${reason} units only lower that`, '$.units')
    if (kind === 'returned' && difference < 0)
      return refuse('invalid', `${before} are in the store room; returned units only raise that`, '$.units')
    await moveUnits(tx, now, [{ skuId, title, kind, units: difference, reason, note }])
    await markCounted(tx, skuId, title, now)
    if (bestBefore !== undefined) await replaceLots(tx, skuId, [{ bestBefore, units }])
    await recordEvent(ctx, tx, countedEvent({ skuId, title }, units, difference, reason, note))
    const product = (await findProducts(tx, [skuId])).get(skuId)!
    return accept({ product, reserved: (await listReserved(tx)).get(skuId) ?? 0 })
  })
