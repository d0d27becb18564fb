/** Ends a session without an order: canceled or expired. The supplier is not called. */
import type { Tx } from '../../store/store.ts'
import { withdrawDecision } from '../approvals/index.ts'
import { recordEvent } from '../events/index.ts'
import type { WriteContext } from '../context.ts'
import { ConflictError, retryOnConflict } from '../../lib/retry-on-conflict.ts'
import { findSession, listOverdueSessions, saveSession } from './records.ts'
import { type Session, isOverdue } from './session.ts'
import { EVENTS } from './texts.ts'
import { advance } from './transitions.ts'

type Deps = WriteContext

/** Withdraws the decision that a session waits for; `what` happened to the session. */
export async function withdrawPending(ctx: Deps, tx: Tx, session: Session, what: string): Promise<void> {
  if (session.status === 'requires_escalation' && session.decision)
    if (!(await withdrawDecision(ctx, tx, session.decision, `${session.id} ${what}.`))) throw new ConflictError()
}

/** In the caller's transaction. Locks the pending decision first, then the session. */
export async function closeSession(ctx: Deps, tx: Tx, session: Session, as: 'canceled' | 'expired'): Promise<Session> {
  const status = advance(session.status, as === 'expired' ? 'expire' : 'cancel')
  if (!status) throw new Error(`A checkout session that is ${session.status} cannot be closed`)
  await withdrawPending(ctx, tx, session, as)
  const saved = await saveSession(tx, { ...session, status, closed: { as, at: ctx.clock.now() } })
  await recordEvent(ctx, tx, EVENTS.closed(session.id, as))
  return saved
}

/** Checks expiry on every read; returns the session as it is then. */
export async function closeIfOverdue(ctx: Deps, session: Session): Promise<Session> {
  if (!isOverdue(session, ctx.clock.now())) return session
  return retryOnConflict(async () => {
    const current = (await findSession(ctx.store.db, session.id)) ?? session
    if (!isOverdue(current, ctx.clock.now())) return current
    return ctx.store.transaction((tx) => closeSession(ctx, tx, current, 'expired'))
  })
}

const BATCH_SIZE = 200

/** The job that expires sessions which are not read any more. */
export async function expireOverdue(ctx: Deps): Promise<void> {
  while (true) {
    const overdue = await listOverdueSessions(ctx.store.db, ctx.clock.now(), BATCH_SIZE)
    for (const session of overdue) await closeIfOverdue(ctx, session)
    if (overdue.length < BATCH_SIZE) return
  }
}
