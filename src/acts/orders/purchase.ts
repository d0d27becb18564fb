/** Purchases as orders: one with the supplier's current state, or a page of them as last reported. */
import type { Reply } from '../../contract/handlers.ts'
import { ACTIVE } from '../../contract/capabilities.ts'
import { success } from '../../contract/envelope.ts'
import type { OrderList } from '../../contract/shapes/order.ts'
import { encodeCursor, pageOf, parseCursor } from '../../lib/pages.ts'
import { isPoNumber } from '../../kernel/ids.ts'
import { type Outcome, accept, refuse } from '../../kernel/outcome.ts'
import { INVALID_CURSOR } from '../../kernel/text.ts'
import type { Context } from '../../context.ts'
import { findArrivedOrders } from '../../route/storeroom/index.ts'
import type { Purchase } from './purchase-record.ts'
import { findPurchase, findRunsOfPurchases, findStateChanges, listPurchaseRecords } from './purchase-records.ts'
import { refreshPurchase } from './refresh-purchase.ts'
import { purchaseView } from './purchase-view.ts'

/** Undefined when there is no such purchase. When the supplier cannot be asked, the request is refused. */
export async function readPurchase(ctx: Context, id: string): Promise<Outcome<Reply<'getOrder'>> | undefined> {
  const known = await findPurchase(ctx.store.db, id)
  if (!known) return undefined
  const purchase = await refreshPurchase(ctx, known)
  if (!purchase.ok) return purchase
  return accept({ body: await loadPurchaseView(ctx, purchase.value) })
}

/** As it is stored; the supplier is not asked. */
export const loadPurchaseView = async (ctx: Pick<Context, 'store' | 'config'>, purchase: Purchase) =>
  purchaseView(
    ctx,
    purchase,
    await findStateChanges(ctx.store.db, [purchase.id]),
    (await findRunsOfPurchases(ctx.store.db, [purchase.id])).get(purchase.id),
    (await findArrivedOrders(ctx.store.db, [purchase.id])).get(purchase.id)?.at,
  )

export interface PurchaseQuery {
  /** Epoch ms, inclusive. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** Only what was bought for this machine. */
  readonly location?: string | undefined
  readonly cursor?: string | undefined
  readonly limit: number
}

export async function listPurchases(
  ctx: Pick<Context, 'store' | 'config'>,
  { from, to, location, cursor, limit }: PurchaseQuery,
): Promise<Outcome<Omit<OrderList, 'ucp'>>> {
  const parsed = parseCursor(cursor, '$.cursor', 'number', 'string')
  if (!parsed.ok) return parsed
  const [at, id] = parsed.value ?? []
  if (id !== undefined && !isPoNumber(id)) return refuse('invalid', INVALID_CURSOR, '$.cursor')
  const found = await listPurchaseRecords(ctx.store.db, {
    from,
    to,
    location,
    before: at === undefined || id === undefined ? undefined : { at, id },
    limit: limit + 1,
  })
  const { entries, pagination } = pageOf(found, limit, (last) => encodeCursor(last.placedAt, last.id))
  const ids = entries.map((purchase) => purchase.id)
  const changes = Map.groupBy(await findStateChanges(ctx.store.db, ids), ({ purchase }) => purchase)
  const runs = await findRunsOfPurchases(ctx.store.db, ids)
  const arrived = await findArrivedOrders(ctx.store.db, ids)
  const ucp = success(ACTIVE.order)
  return accept({
    orders: entries.map((purchase) => ({
      ucp,
      ...purchaseView(
        ctx,
        purchase,
        changes.get(purchase.id) ?? [],
        runs.get(purchase.id),
        arrived.get(purchase.id)?.at,
      ),
    })),
    pagination,
  })
}
