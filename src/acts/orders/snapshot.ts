/** Orders as last reported, without asking a vendor: for webhooks. */
import { ACTIVE } from '../../contract/capabilities.ts'
import { success } from '../../contract/envelope.ts'
import type { Order } from '../../contract/shapes/order.ts'
import type { Queryable } from '../../store/store.ts'
import type { Context } from '../../context.ts'
import { findSaleTransaction } from '../../route/sales/index.ts'
import { findArrivedOrders } from '../../route/storeroom/index.ts'
import { findPurchase, findRunsOfPurchases, findStateChanges } from './purchase-records.ts'
import { purchaseView } from './purchase-view.ts'
import { loadSaleViews } from './sale-views.ts'

const ENVELOPE = success(ACTIVE.order)

export async function loadPurchaseSnapshot(
  ctx: Pick<Context, 'config'>,
  db: Queryable,
  id: string,
): Promise<Order | undefined> {
  const purchase = await findPurchase(db, id)
  if (!purchase) return undefined
  const run = (await findRunsOfPurchases(db, [id])).get(id)
  const arrivedAt = (await findArrivedOrders(db, [id])).get(id)?.at
  return { ucp: ENVELOPE, ...purchaseView(ctx, purchase, await findStateChanges(db, [id]), run, arrivedAt) }
}

export async function loadOrderSnapshot(
  ctx: Pick<Context, 'store' | 'config'>,
  id: string,
): Promise<Order | undefined> {
  const purchase = await loadPurchaseSnapshot(ctx, ctx.store.db, id)
  if (purchase) return purchase
  const sale = await findSaleTransaction(ctx.store.db, id)
  const [order] = sale ? await loadSaleViews(ctx, [sale]) : []
  return order
}
