/** Ends a session without an order: called off, out of time. The supplier is not called. */
import type { Tx } from '../../store/store.ts'
import { withdrawDecision } from '../approvals/index.ts'
import { recordEvent } from '../events/index.ts'
import type { Context } from '../context.ts'
import { ConflictError, retryOnConflict } from '../../lib/retry-on-conflict.ts'
import { findSession, overdueSessions, saveSession } from './records.ts'
import { isOverdue } from './session.ts'
import type { ClosedAs, Session } from './session.ts'
import { advance } from './transitions.ts'

type Needs = Pick<Context, 'store' | 'clock'>

const WHY: Record<Exclude<ClosedAs, 'approval_rejected'>, string> = {
  canceled: 'It was called off; the supplier was not called.',
  expired: 'It was not completed within 24 hours; the supplier was not called.',
}

/** In the caller's transaction; the decision that waits is locked first, then the session. */
export async function close(ctx: Needs, tx: Tx, session: Session, as: keyof typeof WHY): Promise<Session> {
  const status = advance(session.status, as === 'expired' ? 'expire' : 'cancel')
  if (!status) throw new Error(`a checkout that is ${session.status} cannot be closed`)
  if (session.status === 'requires_escalation' && session.decision)
    if (!(await withdrawDecision(ctx, tx, session.decision, `${session.id} ${as}`))) throw new ConflictError()
  const saved = await saveSession(tx, { ...session, status, closed: { as, at: ctx.clock.now() } })
  if (!saved) throw new ConflictError()
  await recordEvent(ctx, tx, { kind: 'checkout', summary: `${session.id} ${as}`, reasoning: WHY[as] })
  return saved
}

/** Expiry is judged on every read; the session comes back as it now is. */
export async function closeIfOverdue(ctx: Needs, session: Session): Promise<Session> {
  if (!isOverdue(session, ctx.clock.now())) return session
  return retryOnConflict(async () => {
    const current = (await findSession(ctx.store.db, session.id)) ?? session
    if (!isOverdue(current, ctx.clock.now())) return current
    return ctx.store.transaction((tx) => close(ctx, tx, current, 'expired'))
  })
}

const AT_ONCE = 200

/** The job: also what nobody reads expires. */
export async function expireOverdue(ctx: Needs): Promise<void> {
  while (true) {
    const overdue = await overdueSessions(ctx.store.db, ctx.clock.now(), AT_ONCE)
    for (const session of overdue) await closeIfOverdue(ctx, session)
    if (overdue.length < AT_ONCE) return
  }
}
