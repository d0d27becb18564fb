/** What was observed of machines over time: our own log of stock. */
import { DAY } from '../../kernel/clock.ts'
import type { Queryable } from '../../store/db.ts'
import type { Floor } from '../floor.ts'

/** Longer than any window a plan or a score looks back over. */
const STOCK_LOG_KEPT_MS = 100 * DAY

export interface StockReading {
  readonly location: string
  readonly vendorSku: string
  readonly at: number
  readonly stock: number
  readonly source: 'sync' | 'receipt'
}

/** Change points of stock of these machines, oldest first. */
export async function stockReadings(
  db: Queryable,
  locations: readonly string[],
  fromMs: number,
): Promise<StockReading[]> {
  if (locations.length === 0) return []
  const rows = await db
    .selectFrom('stock_log')
    .selectAll()
    .where('location', 'in', locations)
    .where('at', '>=', fromMs)
    .orderBy('at')
    .execute()
  return rows.map((row) => ({
    location: row.location,
    vendorSku: row.vendor_sku,
    at: row.at,
    stock: row.stock,
    source: row.source,
  }))
}

export async function pruneStockLog({ store, clock }: Pick<Floor, 'store' | 'clock'>): Promise<void> {
  await store.db
    .deleteFrom('stock_log')
    .where('at', '<', clock.now() - STOCK_LOG_KEPT_MS)
    .execute()
}
