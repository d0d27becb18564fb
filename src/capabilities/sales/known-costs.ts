/** What the ledger knows of the cost of a machine's products. */
import { sql } from 'kysely'
import { fen } from '../../kernel/fen.ts'
import type { Fen } from '../../kernel/fen.ts'
import { namespaceOf, vendorSkuOf } from '../../kernel/ids.ts'
import type { SkuId } from '../../kernel/ids.ts'
import type { Queryable } from '../../store/store.ts'
import { chunk } from '../../lib/concurrency.ts'

const IDS_AT_ONCE = 200

/**
 * The newest known cost of each product, from paid sales. A cost equal to the price is unknown (2.1). So is one of
 * nothing: it would pass every spending limit.
 */
export async function newestCosts(db: Queryable, ids: readonly SkuId[]): Promise<ReadonlyMap<SkuId, Fen>> {
  const costs = new Map<SkuId, Fen>()
  for (const part of chunk([...new Set(ids)], IDS_AT_ONCE)) {
    const wanted = sql.join(part.map((id) => sql`(${id}, ${namespaceOf(id)}, ${vendorSkuOf(id)})`))
    // The conditions stand in the text as in the index: only then it is used.
    const { rows } = await sql<{ id: SkuId; cost: number | null }>`select wanted.column1 as id, (
        select cost from sale_line
        where namespace = wanted.column2 and vendor_sku = wanted.column3 and cost > 0 and cost <> price
        order by at desc, order_no desc, line desc limit 1
      ) as cost from (values ${wanted}) as wanted`.execute(db)
    for (const { id, cost } of rows) if (cost !== null) costs.set(id, fen(cost))
  }
  return costs
}
