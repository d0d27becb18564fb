/** Sale lines whose cost is an estimate. */
import { sql } from 'kysely'
import { matchColumns } from '../../../store/match-columns.ts'
import type { Queryable, Tx } from '../../../store/store.ts'
import type { SlotOfSales } from './rebuild-records.ts'

/** From the daily totals, which are few. */
export const listEstimatedProducts = (db: Queryable): Promise<Pick<SlotOfSales, 'namespace' | 'vendorSku'>[]> =>
  db
    .selectFrom('product_sales_daily')
    .select(['namespace', 'vendor_sku as vendorSku'])
    .distinct()
    .whereRef('known_revenue', '<', 'revenue')
    .orderBy('namespace')
    .orderBy('vendor_sku')
    .execute()

export async function listEstimatedSlots(
  db: Queryable,
  namespace: string,
  vendorSku: string,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('sale_line')
    .select('location')
    .distinct()
    // A constant, so that the index of estimates is used.
    .where(sql<boolean>`cost_estimated = 1`)
    .where((eb) => matchColumns(eb, { namespace, vendor_sku: vendorSku }))
    .orderBy('location')
    .limit(limit)
    .execute()
  return rows.map(({ location }) => location)
}

/** Returns the days whose totals change. */
export async function replaceEstimates(
  tx: Tx,
  { namespace, location, vendorSku }: SlotOfSales,
  costE4: number,
): Promise<string[]> {
  const rows = await tx
    .updateTable('sale_line')
    .set({ unit_cost_e4: costE4, cost_estimated: 0 })
    .where(sql<boolean>`cost_estimated = 1`)
    .where((eb) => matchColumns(eb, { namespace, location, vendor_sku: vendorSku }))
    .returning('day')
    .execute()
  return [...new Set(rows.map(({ day }) => day))]
}
