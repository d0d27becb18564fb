/** Section 4.5, and the poll of the ledger behind sale events (6.3). */
import type { HandlersOf } from '../../contract/handlers.ts'
import type { Job } from '../../jobs/runner.ts'
import { SECOND } from '../../kernel/clock.ts'
import { accept } from '../../kernel/outcome.ts'
import type { Context } from '../context.ts'
import { catchUp, hasUnreadHistory, pollLedger, dailySales } from '../sales/index.ts'
import { listOrders } from './list.ts'
import { getOrder } from './get-order.ts'

/** While history is missing, or a look back is not finished, it is read a stretch at a time, sooner than the next poll. */
const BACKFILL_MS = 15 * SECOND

export const ordersHandlers = (ctx: Context): HandlersOf<'getOrder' | 'listOrders' | 'listDailySales'> => ({
  getOrder: ({ params }) => getOrder(ctx, params.id),
  listOrders: async ({ query }) => {
    const listed = await listOrders(ctx, query)
    return listed.ok ? accept({ body: listed.value }) : listed
  },
  listDailySales: async ({ query }) => accept({ body: await dailySales(ctx, query) }),
})

export const ordersJobs = (ctx: Context): readonly Job[] => [
  { name: 'poll-ledger', everyMs: ctx.config.ledgerPollIntervalMs, run: () => pollLedger(ctx) },
  {
    name: 'backfill-ledger',
    everyMs: BACKFILL_MS,
    run: async () => {
      if (await hasUnreadHistory(ctx.store.db)) await catchUp(ctx)
    },
  },
]

// What other folders use.
export { findPurchases, findPurchaseByLabel, insertPurchase, purchasesWithoutSession } from './purchase-records.ts'
export type { Purchase, PurchaseDelivery } from './purchase-records.ts'
export { refreshOpenPurchases } from './refresh-purchase.ts'
