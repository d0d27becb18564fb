/** Rows of shelf lives, as operators state them. */
import type { SkuId } from '../../kernel/ids.ts'
import type { Queryable, Tx } from '../../store/store.ts'

export async function listStatedDays(db: Queryable): Promise<Map<SkuId, number>> {
  const rows = await db.selectFrom('shelf_life').selectAll().execute()
  return new Map(rows.map(({ sku_id, days }) => [sku_id as SkuId, days]))
}

/** Null removes them. False when nothing changed. */
export async function saveStatedDays(tx: Tx, skuId: SkuId, days: number | null): Promise<boolean> {
  const before = await tx.selectFrom('shelf_life').select('days').where('sku_id', '=', skuId).executeTakeFirst()
  if ((before?.days ?? null) === days) return false
  if (days === null) await tx.deleteFrom('shelf_life').where('sku_id', '=', skuId).execute()
  else
    await tx
      .insertInto('shelf_life')
      .values({ sku_id: skuId, days })
      .onConflict((conflict) => conflict.column('sku_id').doUpdateSet({ days }))
      .execute()
  return true
}
