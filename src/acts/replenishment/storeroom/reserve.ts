/** What a placed run will take out of the store room is promised to nobody else. */
import type { SkuId } from '../../../kernel/ids.ts'
import type { Tx } from '../../../store/store.ts'
import { ConflictError } from '../../../lib/concurrency.ts'
import type { Context } from '../../../context.ts'
import { lockStoreroom } from '../../../route/storeroom/index.ts'
import type { Run, RunLine } from '../runs/run.ts'
import { withStoreroom } from './free-stock.ts'

/** By supply product: what these lines take from the store room. */
export function reservedUnits(
  lines: readonly Pick<RunLine, 'removed' | 'deliveredAt' | 'fromStoreroom'>[],
): ReadonlyMap<SkuId, number> {
  const reserved = new Map<SkuId, number>()
  for (const { removed, deliveredAt, fromStoreroom = {} } of lines)
    if (removed === undefined && deliveredAt === undefined)
      for (const [skuId, units] of Object.entries(fromStoreroom) as [SkuId, number][])
        reserved.set(skuId, (reserved.get(skuId) ?? 0) + units)
  return reserved
}

/** Under the lock: what the checks before it counted on is still free, else they start again. */
export async function requireSameStoreroom(
  ctx: Pick<Context, 'clock' | 'config'>,
  tx: Tx,
  run: Pick<Run, 'id' | 'lines'>,
): Promise<void> {
  if (!ctx.config.hasStoreroom) return
  await lockStoreroom(tx)
  const now = await withStoreroom(ctx, tx, run.lines, run.id)
  if (now.some((line, i) => JSON.stringify(line.fromStoreroom) !== JSON.stringify(run.lines[i]!.fromStoreroom)))
    throw new ConflictError()
}
