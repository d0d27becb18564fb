/**
 * POST /replenishment/runs/{id}/cancel: cancels a run of which nothing was ordered, or whose orders the supplier canceled.
 * The purchases that placing it opened are closed with it.
 */
import { type Outcome, accept, catchRefusal, refuse, RefusedError } from '../../../kernel/outcome.ts'
import { ConflictError, retryOnConflict } from '../../../lib/concurrency.ts'
import { withdrawDecision } from '../../../rules/approvals/index.ts'
import { recordEvent } from '../../../record/events/index.ts'
import { closeSession, findSessions, isOpen } from '../../checkout/index.ts'
import type { Context } from '../../../context.ts'
import { findPurchases } from '../../orders/index.ts'
import { writeRemoved } from './purchases/end-purchases.ts'
import { appendRunEvent, incrementRunsVersion, findRun, getRun, updateRun } from './records.ts'
import { giveUpIntent } from './place/placement-intent.ts'
import { type Run, activeLines } from './run.ts'
import { canceledEvent, refuseUnknownRun } from './texts.ts'
import { CANCEL_REFUSALS, NEXT } from './transitions.ts'

type Deps = Pick<Context, 'store' | 'clock' | 'config'>

/** Starts again when another request changed the run first, with its new status. */
export const cancelRun = (ctx: Deps, id: string): Promise<Outcome<Run>> =>
  catchRefusal(() => retryOnConflict(() => cancel(ctx, id)))

async function cancel(ctx: Deps, id: string): Promise<Outcome<Run>> {
  const run = await findRun(ctx.store.db, id)
  if (!run) return refuseUnknownRun(id)
  if (run.status === 'placed') return cancelPlaced(ctx, id)
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

const ON_ITS_WAY = refuse(
  'not_editable',
  'A purchase of this run was sent to its supplier, so its products may be on their way. Receive the run instead.',
)

/** Only while none of its purchases was sent, or the supplier canceled those that were. */
const cancelPlaced = (ctx: Deps, id: string): Promise<Outcome<Run>> =>
  ctx.store.transaction(async (tx) => {
    await incrementRunsVersion(tx)
    const run = await findRun(tx, id)
    if (run?.status !== 'placed') throw new ConflictError()
    const ids = run.checkouts.map((checkout) => checkout.id)
    const purchases = new Map((await findPurchases(tx, ids)).map(({ id: purchase, state }) => [purchase, state]))
    const sessions = (await findSessions(tx, ids)).filter((session) => purchases.get(session.id) !== 'cancelled')
    const isSent = sessions.some(
      (session) =>
        purchases.has(session.id) || session.orderMayExist || (session.status !== 'canceled' && !isOpen(session)),
    )
    const hasReceipt = run.lines.some(({ deliveredAt }) => deliveredAt !== undefined)
    const isSimulated = ids.length === 0 && run.supplier !== undefined
    if (isSimulated || isSent || hasReceipt) return ON_ITS_WAY
    for (const session of sessions) if (isOpen(session)) await closeSession(ctx, tx, session, 'canceled')
    await writeRemoved(ctx, tx, run, activeLines(run.lines))
    return accept(await getRun(tx, id))
  })
