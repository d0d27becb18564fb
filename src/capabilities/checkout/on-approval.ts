/** What a decision does to its session (3.1, 3.3). Completing remains a separate call. */
import { ConflictError, retryOnConflict } from '../../lib/retry-on-conflict.ts'
import type { Subject } from '../approvals/index.ts'
import type { Context } from '../context.ts'
import { approvalHash } from './basket.ts'
import { closeIfOverdue } from './close.ts'
import { describeSessions } from './describe-sessions.ts'
import { findDeadline, findSession, saveDecided } from './records.ts'
import { isOverdue } from './session.ts'
import type { Session } from './session.ts'
import { advance } from './transitions.ts'

export const checkoutSubject = (ctx: Pick<Context, 'store' | 'clock' | 'config'>): Subject => ({
  describe: (decisions) => describeSessions(ctx, decisions),

  /** Closing an overdue session withdraws the decision, so that it cannot be approved any more. */
  async prepare(decision) {
    const { id } = decision.subject
    const deadline = await findDeadline(ctx.store.db, id)
    if (!deadline || !isOverdue(deadline, ctx.clock.now())) return
    const session = await findSession(ctx.store.db, id)
    if (session) await closeIfOverdue(ctx, session)
  },

  // The decision row is locked, so no other transaction can end the wait for it; after a conflict it is enough to read the
  // session again.
  applyDecision: (tx, decision, approved) =>
    retryOnConflict(async () => {
      const session = await findSession(tx, decision.subject.id)
      const status = session && advance(session.status, approved ? 'approve' : 'reject')
      if (!session || !status || session.decision !== decision.id)
        throw new Error(`${decision.id} was pending, but ${decision.subject.id} is not waiting for it`)
      const changes: Partial<Session> = approved
        ? { approvedOrderHash: approvalHash(session), approvedTotalFen: session.totalFen }
        : rejectedClosure(ctx.clock.now())
      if (!(await saveDecided(tx, { ...session, status, ...changes }))) throw new ConflictError()
    }),
})

const rejectedClosure = (at: number): Pick<Session, 'closed'> => ({ closed: { as: 'approval_rejected', at } })
