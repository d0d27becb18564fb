/** Writes what became of a trial, with the event that tells it. */
import { recordEvent } from '../../record/events/index.ts'
import type { TrialContext } from './context.ts'
import { type Trial, type TrialChange, changeTrial, findTrial } from './records.ts'
import { trialEnded } from './texts.ts'

/** What an open trial does next. */
export type Steps = Readonly<
  Record<'starting' | 'running' | 'taking_back', (ctx: TrialContext, trial: Trial) => Promise<void>>
>

/** Undefined: somebody else changed it, who goes on. */
export async function saveTrial(ctx: TrialContext, trial: Trial, to: TrialChange): Promise<Trial | undefined> {
  const now = ctx.clock.now()
  const isEnd = to.status === 'kept' || to.status === 'taken_back' || to.status === 'ended'
  const isSaved = await ctx.store.transaction(async (tx) => {
    if (!(await changeTrial(tx, trial, isEnd ? { ...to, endedAt: now } : to))) return false
    if (isEnd) {
      const reason = to.reason ?? trial.reason ?? 'person'
      await recordEvent(
        ctx,
        tx,
        trialEnded(trial, to.status, reason, to.measured ?? trial.measured, ctx.config.currency),
      )
    }
    return true
  })
  return isSaved ? findTrial(ctx.store.db, trial.id) : undefined
}
