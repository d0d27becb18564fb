/** Trades of the mirrored ledger, one or a page of them. */
import { sql } from 'kysely'
import type { Queryable } from '../../store/store.ts'
import { fromTradeRow, NO_TIME } from './sale-transaction.ts'
import type { Trade } from './sale-transaction.ts'

export async function findTrade(db: Queryable, orderNo: string): Promise<Trade | undefined> {
  const row = await db
    .selectFrom('trade')
    .selectAll()
    .where('order_no', '=', orderNo)
    .orderBy('namespace')
    .limit(1)
    .executeTakeFirst()
  return row && fromTradeRow(row)
}

/** Where a page ended. */
export interface TradeKey {
  readonly at: number
  readonly orderNo: string
  readonly namespace: string
}

export const keyOf = ({ createdAt, orderNo, namespace }: Trade): TradeKey => ({
  at: createdAt ?? NO_TIME,
  orderNo,
  namespace,
})

export interface TradeFilter {
  readonly location?: string | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly settledOnly: boolean
  readonly after?: TradeKey | undefined
  readonly limit: number
}

/** Newest first; trades without a readable time come last, and not at all where a time is asked for. */
export async function listTrades(db: Queryable, filter: TradeFilter): Promise<Trade[]> {
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
  return (await query.execute()).map(fromTradeRow)
}
