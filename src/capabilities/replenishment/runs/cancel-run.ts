/**
 * POST /replenishment/runs/{id}/cancel: cancels a run that was not placed. Nothing was ordered, so nothing is undone; the
 * purchases that an interrupted placement opened are closed with it.
 */
import { type Outcome, accept, catchRefusal, refuse, RefusedError } from '../../../kernel/outcome.ts'
import { ConflictError, retryOnConflict } from '../../../lib/retry-on-conflict.ts'
import { withdrawDecision } from '../../approvals/index.ts'
import { recordEvent } from '../../events/index.ts'
import type { Context } from '../../context.ts'
import { appendRunEvent, incrementRunsVersion, findRun, getRun, updateRun } from './records.ts'
import { giveUpIntent } from './placement-intent.ts'
import type { Run } from './run.ts'
import { canceledEvent, refuseUnknownRun } from './texts.ts'
import { CANCEL_REFUSALS, NEXT } from './transitions.ts'

type Deps = Pick<Context, 'store' | 'clock' | 'config'>

/** Starts again when another request changed the run first, with its new status. */
export const cancelRun = (ctx: Deps, id: string): Promise<Outcome<Run>> =>
  catchRefusal(() => retryOnConflict(() => cancel(ctx, id)))

async function cancel(ctx: Deps, id: string): Promise<Outcome<Run>> {
  const run = await findRun(ctx.store.db, id)
  if (!run) return refuseUnknownRun(id)
  if (run.status !== 'approved' && run.status !== 'pending_approval') {
    const { code, content } = CANCEL_REFUSALS[run.status]
    return refuse(code, content, undefined, { status: 409 })
  }
  return close(ctx, run, NEXT[run.status].cancel)
}

const PARTLY_ORDERED = refuse(
  'not_editable',
  'A purchase of this run was sent to its supplier. Place the run again to finish it, then cancel its other purchases.',
)

/** Locks the decision before the run, in the same order as an approval does. */
const close = (ctx: Deps, run: Run, status: 'rejected'): Promise<Outcome<Run>> =>
  ctx.store.transaction(async (tx) => {
    if (run.status === 'pending_approval' && run.decision)
      if (!(await withdrawDecision(ctx, tx, run.decision, `${run.id} was canceled.`))) throw new ConflictError()
    await incrementRunsVersion(tx)
    // Thrown, so that the decision is not withdrawn either.
    if (!(await giveUpIntent(ctx, tx, run.id))) throw new RefusedError(PARTLY_ORDERED.refusal)
    const body = { ...run, canceled: true as const }
    if (!(await updateRun(tx, run.id, run.status, { status, body }))) throw new ConflictError()
    await appendRunEvent(tx, run.id, 'canceled', ctx.clock.now())
    await recordEvent(ctx, tx, canceledEvent(run, ctx.config.currency))
    return accept(await getRun(tx, run.id))
  })
