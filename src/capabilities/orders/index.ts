/** Section 4.5, and the poll of the ledger behind sale events (6.3). */
import type { HandlersOf } from '../../contract/handlers.ts'
import type { Job } from '../../jobs/runner.ts'
import { SECOND } from '../../kernel/clock.ts'
import { accept } from '../../kernel/outcome.ts'
import type { Floor } from '../context.ts'
import { catchUp, hasUnreadHistory } from '../sales/mirror-ledger.ts'
import { pollLedger } from '../sales/announce-sales.ts'
import { dailySales } from '../sales/daily-sales.ts'
import { listOrders } from './list.ts'
import { getOrder } from './get-order.ts'

/** While history is missing, or a look back is not finished, it is read a stretch at a time, sooner than the next poll. */
const BACKFILL_MS = 15 * SECOND

export const ordersHandlers = (floor: Floor): HandlersOf<'getOrder' | 'listOrders' | 'listDailySales'> => ({
  getOrder: ({ params }) => getOrder(floor, params.id),
  listOrders: async ({ query }) => {
    const listed = await listOrders(floor, query)
    return listed.ok ? accept({ body: listed.value }) : listed
  },
  listDailySales: async ({ query }) => accept({ body: await dailySales(floor, query) }),
})

export const ordersJobs = (floor: Floor): readonly Job[] => [
  { name: 'poll-ledger', everyMs: floor.config.ledgerPollIntervalMs, run: () => pollLedger(floor) },
  {
    name: 'backfill-ledger',
    everyMs: BACKFILL_MS,
    run: async () => {
      if (await hasUnreadHistory(floor.store.db)) await catchUp(floor)
    },
  },
]
