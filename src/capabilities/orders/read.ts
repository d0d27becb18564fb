/** GET /orders/{id}: a purchase with its supplier status, else a sale out of the ledger. */
import type { Reply } from '../../contract/handlers.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import { refusalOf } from '../../vendors/refusal.ts'
import type { Floor } from '../floor.ts'
import { catchUp } from '../locations/ledger.ts'
import { readPurchase } from './purchase.ts'
import { findTrade } from './records.ts'
import { viewSales } from './sales.ts'

export async function getOrder(floor: Floor, id: string): Promise<Outcome<Reply<'getOrder'>>> {
  const purchase = await readPurchase(floor, id)
  if (purchase) return purchase
  const known = await findTrade(floor.store.db, id)
  const trade = known ?? (await justArrived(floor, id))
  if (trade && 'ok' in trade) return trade
  const [order] = trade ? await viewSales(floor, [trade]) : []
  return order ? accept({ body: order }) : refuse('not_found', `no order ${id}`)
}

/** A sale of the last minutes may not be mirrored yet; only after a look at the ledger is it certain to be unknown. */
async function justArrived(floor: Floor, id: string) {
  const failure = await catchUp(floor)
  return failure ? refusalOf(failure) : findTrade(floor.store.db, id)
}
