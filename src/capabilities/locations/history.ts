/** What was observed of machines over time: our own log of stock. */
import { DAY } from '../../kernel/clock.ts'
import type { Floor } from '../floor.ts'

/** Longer than any window a plan or a score looks back over. */
const STOCK_LOG_KEPT_MS = 100 * DAY

export async function pruneStockLog({ store, clock }: Pick<Floor, 'store' | 'clock'>): Promise<void> {
  await store.db
    .deleteFrom('stock_log')
    .where('at', '<', clock.now() - STOCK_LOG_KEPT_MS)
    .execute()
}
