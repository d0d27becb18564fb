/** GET /orders/{id}: a purchase with its supplier status, else a sale as the platform lists it now. */
import type { Reply } from '../../contract/handlers.ts'
import { rfc3339 } from '../../kernel/clock.ts'
import { type Outcome, accept } from '../../kernel/outcome.ts'
import { listLedgerCoverage, findSaleTransaction } from '../../route/sales/index.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import type { Context } from '../../context.ts'
import type { OrdersContext } from './context.ts'
import { readPurchase } from './purchase.ts'
import { findSale, refreshSale } from './refresh-sale.ts'
import { loadSaleViews } from './sale-views.ts'
import { orderNotFound } from './texts.ts'

export async function getOrder(ctx: OrdersContext, id: string): Promise<Outcome<Reply<'getOrder'>>> {
  const purchase = await readPurchase(ctx, id)
  if (purchase) return purchase
  const known = await findSaleTransaction(ctx.store.db, id)
  const failure = known ? await refreshSale(ctx, known) : await findSale(ctx, id)
  if (failure) return toRefusal(failure)
  const sale = await findSaleTransaction(ctx.store.db, id)
  const [order] = sale ? await loadSaleViews(ctx, [sale]) : []
  return order ? accept({ body: order }) : orderNotFound(id, await findUnreadSalesBefore(ctx))
}

/** An old sale may not have been read yet. */
async function findUnreadSalesBefore({ store, config }: Context): Promise<string | undefined> {
  const [hole] = (await listLedgerCoverage(store.db)).flatMap((coverage) => coverage.gap ?? [])
  return hole && rfc3339(hole.to, config.timeZone)
}
