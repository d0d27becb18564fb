/** What was observed of machines over time: our own log of stock. */
import { DAY } from '../../kernel/clock.ts'
import type { Context } from '../context.ts'
import { yieldToEventLoop, chunk } from '../../lib/concurrency.ts'
import { listLocationIds } from './records.ts'
import { pruneRefusedSales } from './refused-rows.ts'
import { blockOf } from '../sales/index.ts'

/** Longer than any window a plan or a score looks back over. */
const STOCK_LOG_KEPT_MS = 100 * DAY
const MACHINES_AT_ONCE = 25

export async function pruneStockLog({ store, clock }: Pick<Context, 'store' | 'clock'>): Promise<void> {
  const kept = clock.now() - STOCK_LOG_KEPT_MS
  await store.db.deleteFrom('stock_log').where('at', '<', kept).execute()
  await pruneRefusedSales(store.db, kept)
  // In bites: once in 32 days this is a row of every slot.
  for (const ids of chunk(await listLocationIds(store.db), MACHINES_AT_ONCE)) {
    await store.db.deleteFrom('slot_levels').where('location', 'in', ids).where('block', '<', blockOf(kept)).execute()
    await yieldToEventLoop()
  }
}
