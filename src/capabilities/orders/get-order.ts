/** GET /orders/{id}: a purchase with its supplier status, else a sale as the platform lists it now. */
import type { Reply } from '../../contract/handlers.ts'
import { rfc3339 } from '../../kernel/clock.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import { ledgerCoverage } from '../sales/mirror-ledger.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import type { Floor } from '../context.ts'
import { readPurchase } from './purchase.ts'
import { findTrade } from '../sales/records.ts'
import { findSale, refreshSale } from './refresh-sale.ts'
import { viewSales } from './sales.ts'

export async function getOrder(floor: Floor, id: string): Promise<Outcome<Reply<'getOrder'>>> {
  const purchase = await readPurchase(floor, id)
  if (purchase) return purchase
  const known = await findTrade(floor.store.db, id)
  const failure = known ? await refreshSale(floor, known) : await findSale(floor, id)
  if (failure) return toRefusal(failure)
  const trade = await findTrade(floor.store.db, id)
  const [order] = trade ? await viewSales(floor, [trade]) : []
  return order ? accept({ body: order }) : refuse('not_found', `no order ${id}${await unreadHistory(floor)}`)
}

/** A sale of long ago may only not have been read yet. */
async function unreadHistory({ store, config }: Floor): Promise<string> {
  const [hole] = (await ledgerCoverage(store.db)).flatMap((coverage) => coverage.hole ?? [])
  return hole ? `; sales before ${rfc3339(hole.to, config.timeZone)} are still being read` : ''
}
