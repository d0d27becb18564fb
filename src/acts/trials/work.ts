/** Goes on with trials, of prices and of products alike. */
import { SECOND } from '../../kernel/clock.ts'
import { waitForLease } from '../../store/lease.ts'
import type { TrialContext } from './context.ts'
import { PRICE_STEPS } from './prices/work.ts'
import { type Trial, findTrial, isOpenTrial, listDueTrials } from './records.ts'
import type { Steps } from './save.ts'
import { SWAP_STEPS } from './swaps/work.ts'

const LEASE_WAIT_MS = 20 * SECOND

/** Goes on with one trial as far as it can now; undefined when somebody else does. */
export async function workOn(ctx: TrialContext, id: string): Promise<Trial | undefined> {
  const lease = await waitForLease(ctx, `trial ${id}`, LEASE_WAIT_MS)
  if (!lease) return undefined
  try {
    const trial = await findTrial(ctx.store.db, id)
    if (!trial || !isOpenTrial(trial)) return trial
    const steps = trial.kind === 'price' ? PRICE_STEPS : SWAP_STEPS
    await steps[trial.status as keyof Steps](ctx, trial)
    return await findTrial(ctx.store.db, id)
  } finally {
    await lease.release()
  }
}

/** The job. A trial that fails does not stop the others. */
export async function workOnDueTrials(ctx: TrialContext): Promise<void> {
  for (const { id } of await listDueTrials(ctx.store.db, ctx.clock.now())) {
    try {
      await workOn(ctx, id)
    } catch (failure) {
      ctx.log.error({ err: failure, trial: id }, 'A trial could not be gone on with')
    }
  }
}
