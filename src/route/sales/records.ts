/** Sale transactions of the mirrored ledger, and the lines and daily totals computed from them. */
import { sql } from 'kysely'
import { type Fen, fen } from '../../kernel/fen.ts'
import { type SkuId, namespaceOf, vendorSkuOf } from '../../kernel/ids.ts'
import { chunk } from '../../lib/concurrency.ts'
import { type Queryable, type Tx, readAll, readFirst } from '../../store/store.ts'
import type { Columns } from '../../store/schema.ts'
import { type SaleTransaction, type SaleTransactionRow, NO_TIME, saleTransactionOf } from './sale-transaction.ts'

const ROWS_AT_ONCE = 500
const IDS_AT_ONCE = 200

const selectSales = (db: Queryable) => db.selectFrom('sale_transaction').selectAll()

export const findSaleTransaction = (db: Queryable, orderNo: string): Promise<SaleTransaction | undefined> =>
  readFirst(selectSales(db).where('order_no', '=', orderNo).orderBy('namespace').limit(1), saleTransactionOf)

/** Where a page ended. */
export interface SaleKey {
  readonly at: number
  readonly orderNo: string
  readonly namespace: string
}

export const saleKeyOf = ({ createdAt, orderNo, namespace }: SaleTransaction): SaleKey => ({
  at: createdAt ?? NO_TIME,
  orderNo,
  namespace,
})

export interface SaleFilter {
  readonly machine?: SellingMachine | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly settledOnly: boolean
  readonly after?: SaleKey | undefined
  readonly limit: number
}

/** Newest first. Sales without a valid time come last, and are left out where the filter names a time. */
export async function listSaleTransactions(db: Queryable, filter: SaleFilter): Promise<SaleTransaction[]> {
  const { machine, from, to, after } = filter
  const newest = selectSales(db).orderBy('created_at', 'desc').orderBy('order_no', 'desc').orderBy('namespace', 'desc')
  let query = newest.limit(filter.limit)
  // A literal, not a parameter: otherwise the partial indexes on settled sales are not used.
  if (filter.settledOnly) query = query.where('settled', '=', sql.lit(1))
  if (machine) query = query.where('location', '=', machine.location)
  if (machine?.namespace !== undefined) query = query.where('namespace', '=', machine.namespace)
  if (from !== undefined || to !== undefined) query = query.where('created_at', '>=', Math.max(from ?? 0, NO_TIME + 1))
  if (to !== undefined) query = query.where('created_at', '<=', to)
  if (after)
    query = query.where(
      sql<boolean>`(created_at, order_no, namespace) < (cast(${after.at} as bigint), ${after.orderNo}, ${after.namespace})`,
    )
  return readAll(query, saleTransactionOf)
}

export const findSaleRows = (tx: Tx, namespace: string, orderNos: readonly string[]): Promise<SaleTransactionRow[]> =>
  selectSales(tx).where('order_no', 'in', orderNos).where('namespace', '=', namespace).execute()

export async function writeSaleTransactions(tx: Tx, rows: readonly SaleTransactionRow[]): Promise<void> {
  await tx
    .insertInto('sale_transaction')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['order_no', 'namespace']).doUpdateSet((eb) => ({
        location: eb.ref('excluded.location'),
        location_name: eb.ref('excluded.location_name'),
        status: eb.ref('excluded.status'),
        status_label: eb.ref('excluded.status_label'),
        settled: eb.ref('excluded.settled'),
        total_fen: eb.ref('excluded.total_fen'),
        created_at: eb.ref('excluded.created_at'),
        created_at_raw: eb.ref('excluded.created_at_raw'),
        lines: eb.ref('excluded.lines'),
        changed_at: eb.ref('excluded.changed_at'),
        to_announce: eb.ref('excluded.to_announce'),
      })),
    )
    .execute()
}

/** Replaces the paid and the refunded lines of these transactions. */
export async function replaceSaleLines(
  tx: Tx,
  namespace: string,
  knownOrderNos: readonly string[],
  paid: readonly Columns<'sale_line'>[],
  refunded: readonly Columns<'refund_line'>[],
): Promise<void> {
  if (knownOrderNos.length > 0)
    for (const table of ['sale_line', 'refund_line'] as const) await deleteLines(tx, table, namespace, knownOrderNos)
  for (const part of chunk(paid, ROWS_AT_ONCE)) await tx.insertInto('sale_line').values(part).execute()
  for (const part of chunk(refunded, ROWS_AT_ONCE)) await tx.insertInto('refund_line').values(part).execute()
}

async function deleteLines(
  tx: Tx,
  table: 'sale_line' | 'refund_line',
  namespace: string,
  orderNos: readonly string[],
): Promise<void> {
  await tx.deleteFrom(table).where('order_no', 'in', orderNos).where('namespace', '=', namespace).execute()
}

export type PaidLine = Columns<'sale_line'>

/** The paid lines of these transactions, as they are stored. */
export const findPaidLines = (tx: Tx, namespace: string, orderNos: readonly string[]): Promise<PaidLine[]> =>
  tx.selectFrom('sale_line').selectAll().where('order_no', 'in', orderNos).where('namespace', '=', namespace).execute()

/** A machine whose platform is not known: of every platform that uses its id. */
export interface SellingMachine {
  readonly location: string
  readonly namespace?: string | undefined
}

export interface DayFilter {
  /** Undefined: all machines. */
  readonly machine: SellingMachine | undefined
  readonly from: string
  readonly to: string
  readonly limit: number
}

/** Newest day first; days without a sale have no row. */
export const loadDayTotals = (db: Queryable, { machine, from, to, limit }: DayFilter) =>
  db
    .selectFrom('sales_daily')
    .where('day', '>=', from)
    .where('day', '<=', to)
    .$if(machine !== undefined, (query) => query.where('location', '=', machine?.location ?? ''))
    .$if(machine?.namespace !== undefined, (query) => query.where('namespace', '=', machine?.namespace ?? ''))
    .select((is) => ['day', is.fn.sum<number>('units').as('units'), is.fn.sum<number>('revenue').as('revenue')])
    .groupBy('day')
    .orderBy('day', 'desc')
    .limit(limit)
    .execute()

/** Sales whose present status has no event yet, oldest first. */
export const listUnannouncedSales = (
  db: Queryable,
  limit: number,
): Promise<{ namespace: string; order_no: string }[]> =>
  db
    .selectFrom('sale_transaction')
    .select(['namespace', 'order_no'])
    // A literal, not a parameter: otherwise the partial index is not used.
    .where('to_announce', '=', sql.lit(1))
    .orderBy('created_at')
    .limit(limit)
    .execute()

/** Of these, the sales that no other instance announced meanwhile. */
export const takeUnannounced = (tx: Tx, namespace: string, orderNos: readonly string[]): Promise<SaleTransaction[]> =>
  readAll(
    tx
      .updateTable('sale_transaction')
      .set({ to_announce: 0 })
      .where('namespace', '=', namespace)
      .where('order_no', 'in', orderNos)
      .where('to_announce', '=', 1)
      .returningAll(),
    saleTransactionOf,
  )

/**
 * The newest known cost of each product, from paid sales. A cost equal to the price is unknown. So is a cost of 0:
 * it would pass every spending limit.
 */
export async function findNewestCosts(db: Queryable, ids: readonly SkuId[]): Promise<ReadonlyMap<SkuId, Fen>> {
  const costs = new Map<SkuId, Fen>()
  for (const part of chunk([...new Set(ids)], IDS_AT_ONCE)) {
    const wanted = sql.join(part.map((id) => sql`(${id}, ${namespaceOf(id)}, ${vendorSkuOf(id)})`))
    // The conditions are written as in the partial index: otherwise it is not used.
    const { rows } = await sql<{ id: SkuId; cost: number | null }>`select wanted.column1 as id, (
        select cost_fen from sale_line
        where namespace = wanted.column2 and vendor_sku = wanted.column3 and cost_fen > 0 and cost_fen <> price_fen
        order by at desc, order_no desc, line desc limit 1
      ) as cost from (values ${wanted}) as wanted`.execute(db)
    for (const { id, cost } of rows) if (cost !== null) costs.set(id, fen(cost))
  }
  return costs
}
