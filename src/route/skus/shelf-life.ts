/** How long a product may stay in a machine: stated for one SKU, and valid for all that are the same product. */
import type { SkuId } from '../../kernel/ids.ts'
import type { Queryable } from '../../store/store.ts'
import type { WriteContext } from '../../context.ts'
import { recordEvent } from '../../record/events/index.ts'
import { isConfirmed } from './aliases.ts'
import { findAliases } from './records.ts'
import { listStatedDays, saveStatedDays } from './shelf-life-records.ts'
import { shelfLifeStated } from './texts.ts'

/** Days by SKU. What is stated for a SKU itself comes first; of several same products the shortest counts. */
export async function loadShelfDays(db: Queryable): Promise<ReadonlyMap<SkuId, number>> {
  const stated = await listStatedDays(db)
  if (stated.size === 0) return stated
  const found = new Map(stated)
  for (const [skuId, aliases] of await findAliases(db, [...stated.keys()]))
    for (const { skuId: other } of aliases.filter(isConfirmed))
      if (!stated.has(other)) found.set(other, Math.min(stated.get(skuId)!, found.get(other) ?? Infinity))
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
