/** Orders: purchases and sales in one list, and the jobs that read the ledger for sale events. */
import type { HandlersOf } from '../../contract/handlers.ts'
import type { Job } from '../../jobs/runner.ts'
import { HOUR, MINUTE, SECOND } from '../../kernel/clock.ts'
import { accept, mapOutcome } from '../../kernel/outcome.ts'
import type { Context } from '../../context.ts'
import type { OrdersContext } from './context.ts'
import { findLocation } from '../../route/locations/index.ts'
import {
  catchUp,
  checkRandomDay,
  hasUnreadHistory,
  pollLedger,
  getDailySales,
  priceEstimates,
} from '../../route/sales/index.ts'
import { listOrders } from './list.ts'
import { getOrder } from './get-order.ts'
import { processInbound } from './process-inbound.ts'

/** While history is missing or being re-read, the next part is read sooner than the next poll. */
const BACKFILL_MS = 15 * SECOND

export const ordersHandlers = (ctx: OrdersContext): HandlersOf<'getOrder' | 'listOrders' | 'listDailySales'> => ({
  getOrder: ({ params }) => getOrder(ctx, params.id),
  listOrders: async ({ query }) => mapOutcome(await listOrders(ctx, query), (body) => ({ body })),
  listDailySales: async ({ query }) => {
    const machine = query.location === undefined ? undefined : await findLocation(ctx.store.db, query.location)
    return accept({ body: await getDailySales(ctx, query, machine?.namespace) })
  },
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
  { name: 'price-estimates', everyMs: MINUTE, run: async () => void (await priceEstimates(ctx)) },
  { name: 'process-inbound', everyMs: 5 * SECOND, run: () => processInbound(ctx) },
  { name: 'check-sales-day', everyMs: HOUR, run: () => checkRandomDay(ctx) },
]

// What other folders use.
export { ordersContext } from './context.ts'
export {
  findPurchases,
  findPurchaseByLabel,
  insertPurchase,
  listInvoiceDifferences,
  listOverduePurchases,
  listPurchasesWithoutSession,
  loadSpendingSince,
  markReceived,
  listOpenPurchasesOf,
} from './purchase-records.ts'
export type { NewPurchase, Purchase, PurchaseFulfillment } from './purchase-record.ts'
export { cancelledUnits, isShort, shortFenOf } from './short-lines.ts'
export { loadPurchaseView } from './purchase.ts'
export { refreshOpenPurchases, refreshPurchase } from './refresh-purchase.ts'
export { loadOrderSnapshot } from './snapshot.ts'
export { aboveAgreedWarning, purchaseAboveAgreed } from './texts.ts'
