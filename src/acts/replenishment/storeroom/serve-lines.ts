/** Lines whose purchase ended may still be served from the store room, as a whole or in part. */
import { localDay } from '../../../kernel/clock.ts'
import type { SkuId } from '../../../kernel/ids.ts'
import type { Tx } from '../../../store/store.ts'
import type { Context } from '../../../context.ts'
import { lockStoreroom } from '../../../route/storeroom/index.ts'
import { type FromStoreroom, type RunLine, storeroomUnits, unitsToBuy } from '../runs/run.ts'
import { allocate } from './allocate.ts'
import { loadFreeStock } from './free-stock.ts'

/** Of these lines those that get something; their purchase is to be taken from them. What is free now is added to what they were promised. */
export async function serveFromStoreroom(
  ctx: Pick<Context, 'clock' | 'config'>,
  tx: Tx,
  lines: readonly RunLine[],
): Promise<readonly RunLine[]> {
  if (!ctx.config.hasStoreroom) return []
  await lockStoreroom(tx)
  const free = await loadFreeStock(
    ctx,
    tx,
    lines.map(({ skuId }) => skuId),
  )
  const wanted = lines.map((line) => ({ ...line, quantity: unitsToBuy(line) }))
  const more = allocate(wanted, free, localDay(ctx.clock.now(), ctx.config.timeZone))
  return lines.flatMap((line) => {
    const fromStoreroom = addUnits(line.fromStoreroom, more.get(line.n))
    return storeroomUnits({ fromStoreroom }) === 0 ? [] : [{ ...line, fromStoreroom, bought: 0 }]
  })
}

function addUnits(some: FromStoreroom = {}, more: FromStoreroom = {}): FromStoreroom {
  const sum: Record<SkuId, number> = { ...some }
  for (const [skuId, units] of Object.entries(more) as [SkuId, number][]) sum[skuId] = (sum[skuId] ?? 0) + units
  return sum
}
