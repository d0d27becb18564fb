/** GET /orders/{id}: a purchase with its supplier status, else a sale as the platform lists it now. */
import type { Reply } from '../../contract/handlers.ts'
import { rfc3339 } from '../../kernel/clock.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import { ledgerCoverage, findSaleTransaction } from '../sales/index.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import type { Context } from '../context.ts'
import { readPurchase } from './purchase.ts'
import { findSale, refreshSale } from './refresh-sale.ts'
import { saleViews } from './sales.ts'

export async function getOrder(ctx: Context, id: string): Promise<Outcome<Reply<'getOrder'>>> {
  const purchase = await readPurchase(ctx, id)
  if (purchase) return purchase
  const known = await findSaleTransaction(ctx.store.db, id)
  const failure = known ? await refreshSale(ctx, known) : await findSale(ctx, id)
  if (failure) return toRefusal(failure)
  const trade = await findSaleTransaction(ctx.store.db, id)
  const [order] = trade ? await saleViews(ctx, [trade]) : []
  return order ? accept({ body: order }) : refuse('not_found', `no order ${id}${await unreadHistory(ctx)}`)
}

/** A sale of long ago may only not have been read yet. */
async function unreadHistory({ store, config }: Context): Promise<string> {
  const [hole] = (await ledgerCoverage(store.db)).flatMap((coverage) => coverage.gap ?? [])
  return hole ? `; sales before ${rfc3339(hole.to, config.timeZone)} are still being read` : ''
}
