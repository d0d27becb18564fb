/** What a placed run will take out of the store room is promised to nobody else. */
import type { Tx } from '../../../store/store.ts'
import { ConflictError } from '../../../lib/concurrency.ts'
import type { Context } from '../../../context.ts'
import { lockStoreroom } from '../../../route/storeroom/index.ts'
import type { Run } from '../runs/run.ts'
import { withStoreroom } from './free-stock.ts'

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
