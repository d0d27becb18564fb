/** POST /replenishment/runs/{id}/cancel: calls off a run that was not placed. Nothing was ordered, so nothing is undone. */
import { accept, refuse } from '../../../kernel/outcome.ts'
import type { Outcome } from '../../../kernel/outcome.ts'
import { withdrawDecision } from '../../approvals/index.ts'
import { recordEvent } from '../../events/index.ts'
import type { Context } from '../../context.ts'
import { appendRunEvent, countRunChange, findRun, moveRun, readPlacementIntent } from './records.ts'
import type { Run } from './run.ts'
import { RunChangedError } from './mark-placed.ts'
import { NEXT, NOT_TO_CANCEL } from './transitions.ts'
import { describeSize } from './texts.ts'

type Needs = Pick<Context, 'store' | 'clock'>

export async function cancelRun(ctx: Needs, id: string): Promise<Outcome<Run>> {
  const run = await findRun(ctx.store.db, id)
  if (!run) return refuse('not_found', 'there is no such run')
  if (run.status !== 'approved' && run.status !== 'pending_approval') {
    const { code, content } = NOT_TO_CANCEL[run.status]
    return refuse(code, content, undefined, { status: 409 })
  }
  try {
    return await close(ctx, run, NEXT[run.status].cancel)
  } catch (failure) {
    // Somebody else moved the run first: judge it by its new status.
    if (failure instanceof RunChangedError) return cancelRun(ctx, id)
    throw failure
  }
}

/** The decision first, then the run: the order in which an approval takes them. */
const close = (ctx: Needs, run: Run, status: 'rejected'): Promise<Outcome<Run>> =>
  ctx.store.transaction(async (tx) => {
    if (run.status === 'pending_approval' && run.decision)
      if (!(await withdrawDecision(ctx, tx, run.decision, `${run.id} was canceled.`))) throw new RunChangedError()
    await countRunChange(tx)
    // A placement that was cut off has opened purchases; only finishing it tells which.
    if (await readPlacementIntent(tx, run.id))
      return refuse('not_editable', 'this run is being placed; place it again to finish, then cancel its purchases')
    const { stops, checkouts, messages } = run
    const body = { stops, checkouts, messages, canceled: true as const }
    if (!(await moveRun(tx, run.id, run.status, { status, body }))) throw new RunChangedError()
    await appendRunEvent(tx, run.id, 'canceled', ctx.clock.now())
    const [stop, ...others] = run.stops
    await recordEvent(ctx, tx, {
      kind: 'replenishment',
      summary: `${run.id} canceled: ${describeSize(run.lines)}`,
      reasoning: 'Canceled before it was placed. Nothing was ordered.',
      ...(stop && others.length === 0 ? { location: stop.location } : {}),
    })
    const canceled = await findRun(tx, run.id)
    if (!canceled) throw new Error(`${run.id} vanished inside its own transaction`)
    return accept(canceled)
  })
