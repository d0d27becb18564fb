/** How long a product may stay in a machine: known of one SKU, and valid for all that are the same product. */
import type { SkuId } from '../../kernel/ids.ts'
import type { Queryable } from '../../store/store.ts'
import type { WriteContext } from '../../context.ts'
import { recordEvent } from '../../record/events/index.ts'
import { isConfirmed } from './aliases.ts'
import { findAliases } from './records.ts'
import { listStatedDays, saveStatedDays } from './shelf-life-records.ts'
import { shelfLifeStated } from './texts.ts'

export interface ShelfLife {
  readonly days: number
  /** By a person, or from units that had expired. */
  readonly source: 'stated' | 'learned'
}

/** By SKU. What a person states comes before what was learned, from whichever SKU of the product. */
export async function loadShelfLives(
  db: Queryable,
  learned: ReadonlyMap<SkuId, number>,
): Promise<ReadonlyMap<SkuId, ShelfLife>> {
  const found = new Map<SkuId, ShelfLife>()
  const add = (days: ReadonlyMap<SkuId, number>, source: ShelfLife['source']) => {
    for (const [skuId, each] of days) found.set(skuId, { days: each, source })
  }
  add(await spreadDays(db, learned), 'learned')
  add(await spreadDays(db, await listStatedDays(db)), 'stated')
  return found
}

/** What is known of a SKU itself comes first; of several same products the shortest counts. */
async function spreadDays(db: Queryable, known: ReadonlyMap<SkuId, number>): Promise<ReadonlyMap<SkuId, number>> {
  if (known.size === 0) return known
  const found = new Map(known)
  for (const [skuId, aliases] of await findAliases(db, [...known.keys()]))
    for (const { skuId: other } of aliases.filter(isConfirmed))
      if (!known.has(other)) found.set(other, Math.min(known.get(skuId)!, found.get(other) ?? Infinity))
  return found
}

/** Null removes it. The caller has checked that the SKU exists. */
export const setShelfDays = (
  ctx: WriteContext,
  skuId: SkuId,
  title: string | undefined,
  days: number | null,
): Promise<void> =>
  ctx.store.transaction(async (tx) => {
    if (await saveStatedDays(tx, skuId, days)) await recordEvent(ctx, tx, shelfLifeStated(skuId, title, days))
  })
