/** Trades of the mirrored ledger, one or a page of them. */
import { sql } from 'kysely'
import type { Queryable } from '../../store/store.ts'
import { saleTransactionOf, NO_TIME } from './sale-transaction.ts'
import type { SaleTransaction } from './sale-transaction.ts'

export async function findSaleTransaction(db: Queryable, orderNo: string): Promise<SaleTransaction | undefined> {
  const row = await db
    .selectFrom('trade')
    .selectAll()
    .where('order_no', '=', orderNo)
    .orderBy('namespace')
    .limit(1)
    .executeTakeFirst()
  return row && saleTransactionOf(row)
}

/** Where a page ended. */
export interface SaleKey {
  readonly at: number
  readonly orderNo: string
  readonly namespace: string
}

export const keyOf = ({ createdAt, orderNo, namespace }: SaleTransaction): SaleKey => ({
  at: createdAt ?? NO_TIME,
  orderNo,
  namespace,
})

export interface SaleFilter {
  readonly location?: string | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly settledOnly: boolean
  readonly after?: SaleKey | undefined
  readonly limit: number
}

/** Newest first; trades without a readable time come last, and not at all where a time is asked for. */
export async function listSaleTransactions(db: Queryable, filter: SaleFilter): Promise<SaleTransaction[]> {
  const { location, from, to, after } = filter
  let query = db
    .selectFrom('trade')
    .selectAll()
    .orderBy('at', 'desc')
    .orderBy('order_no', 'desc')
    .orderBy('namespace', 'desc')
    .limit(filter.limit)
  // Written into the text, not bound: only then the partial indices of settled trades are seen to apply.
  if (filter.settledOnly) query = query.where('settled', '=', sql.lit(1))
  if (location !== undefined) query = query.where('location', '=', location)
  if (from !== undefined || to !== undefined) query = query.where('at', '>=', Math.max(from ?? 0, NO_TIME + 1))
  if (to !== undefined) query = query.where('at', '<=', to)
  if (after)
    query = query.where(
      sql<boolean>`(at, order_no, namespace) < (cast(${after.at} as bigint), ${after.orderNo}, ${after.namespace})`,
    )
  return (await query.execute()).map(saleTransactionOf)
}
