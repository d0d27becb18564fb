/** Purchases as orders: one with the supplier's state of now, or a page of them as last told (4.5). */
import type { Reply } from '../../contract/handlers.ts'
import { ACTIVE } from '../../contract/capabilities.ts'
import { success } from '../../contract/envelope.ts'
import { decodeCursor, encodeCursor } from '../../lib/cursor.ts'
import { isPoNumber } from '../../kernel/ids.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import type { Context } from '../context.ts'
import { findPurchase, listPurchaseRecords, findStateChanges } from './purchase-records.ts'
import { refreshPurchase } from './refresh-purchase.ts'
import { purchaseView } from './purchase-view.ts'

/** Undefined when there is no such purchase. A supplier that cannot be asked is told, never passed over. */
export async function readPurchase(ctx: Context, id: string): Promise<Outcome<Reply<'getOrder'>> | undefined> {
  const known = await findPurchase(ctx.store.db, id)
  if (!known) return undefined
  const purchase = await refreshPurchase(ctx, known)
  if (!purchase.ok) return purchase
  return accept({ body: purchaseView(ctx, purchase.value, await findStateChanges(ctx.store.db, [id])) })
}

export interface PurchaseQuery {
  /** Epoch ms; both ends belong to it. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** A machine: only what was bought for it. */
  readonly location?: string | undefined
  readonly cursor?: string | undefined
  readonly limit: number
}

export async function listPurchases(
  ctx: Pick<Context, 'store' | 'config'>,
  { from, to, location, cursor, limit }: PurchaseQuery,
): Promise<Outcome<Reply<'listOrders'>>> {
  const place = cursor === undefined ? undefined : decodeCursor(cursor, 'number', 'string')
  if (cursor !== undefined && !(place && isPoNumber(place[1])))
    return refuse('invalid', 'this cursor was not handed out here', '$.cursor')
  const found = await listPurchaseRecords(ctx.store.db, {
    from,
    to,
    location,
    before: place && { at: place[0], id: place[1] },
    limit: limit + 1,
  })
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const changes = Map.groupBy(
    await findStateChanges(
      ctx.store.db,
      page.map(({ id }) => id),
    ),
    ({ purchase }) => purchase,
  )
  const ucp = success(ACTIVE.order)
  return accept({
    body: {
      orders: page.map((purchase) => ({ ucp, ...purchaseView(ctx, purchase, changes.get(purchase.id) ?? []) })),
      pagination:
        found.length > limit && last
          ? { has_next_page: true, cursor: encodeCursor(last.placedAt, last.id) }
          : { has_next_page: false },
    },
  })
}
