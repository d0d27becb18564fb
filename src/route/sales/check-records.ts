/** What the check of a day reads: the totals of the day, and the sales around it. */
import { sql } from 'kysely'
import type { Namespace } from '../../kernel/ids.ts'
import type { Queryable } from '../../store/store.ts'

const SALES_AT_ONCE = 500

export const listDayTotals = async (db: Queryable, day: string) => ({
  bySlot: await db.selectFrom('sales_daily').selectAll().where('day', '=', day).execute(),
  byMachine: await db.selectFrom('machine_sales_daily').selectAll().where('day', '=', day).execute(),
  byProduct: await db.selectFrom('product_sales_daily').selectAll().where('day', '=', day).execute(),
})

/** In order of time, a few at a time. */
export async function* listSalesBetween(db: Queryable, { from, to }: { readonly from: number; readonly to: number }) {
  let after = { created_at: from, order_no: '', namespace: '' }
  while (true) {
    const rows = await db
      .selectFrom('sale_transaction')
      .select(['namespace', 'order_no', 'location', 'created_at', 'lines'])
      .where(
        sql<boolean>`(created_at, order_no, namespace) > (cast(${after.created_at} as bigint), ${after.order_no}, ${after.namespace})`,
      )
      .where('created_at', '<', to)
      .orderBy('created_at')
      .orderBy('order_no')
      .orderBy('namespace')
      .limit(SALES_AT_ONCE)
      .execute()
    const last = rows.at(-1)
    if (!last) return
    yield rows.map((row) => ({ ...row, namespace: row.namespace as Namespace }))
    after = last
  }
}
