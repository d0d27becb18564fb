/** Sessions as the subject of decisions: what a decision does to its session. Completing stays a separate call. */
import { retryOnConflict } from '../../lib/concurrency.ts'
import { type Decision, type Subject, OverdueSubjectError } from '../../rules/approvals/index.ts'
import type { Context } from '../../context.ts'
import { approvalHash } from './basket/basket.ts'
import { closeIfOverdue } from './close.ts'
import { describeSessions } from './describe-sessions.ts'
import { findSession, saveApproved, saveSession } from './records.ts'
import { type Session, isOverdue } from './session.ts'
import { advance } from './transitions.ts'

export const checkoutSubject = (ctx: Pick<Context, 'store' | 'clock' | 'config'>): Subject => ({
  describe: (decisions, linesMax) => describeSessions(ctx, decisions, linesMax),

  // The decision row is locked, so no other transaction can end the wait for it; after a conflict it is enough to read the
  // session again.
  applyDecision: (tx, decision, approved) =>
    retryOnConflict(async () => {
      const session = await findSession(tx, decision.subject.id)
      const status = session && advance(session.status, approved ? 'approve' : 'reject')
      if (!session || !status || session.decision !== decision.id)
        throw new Error(`${decision.id} was pending, but ${decision.subject.id} is not waiting for it`)
      if (isOverdue(session, ctx.clock.now())) throw new OverdueSubjectError()
      if (approved) {
        const approval = { approvedOrderHash: approvalHash(session), approvedTotalFen: session.totalFen }
        await saveApproved(tx, { ...session, status, ...approval })
      } else await saveSession(tx, { ...session, status, ...rejection(decision, ctx.clock.now()) })
    }),

  async closeOverdue(decision) {
    const session = await findSession(ctx.store.db, decision.subject.id)
    if (session) await closeIfOverdue(ctx, session)
  },
})

const rejection = ({ comment }: Decision, at: number): Partial<Session> => ({
  closed: { as: 'approval_rejected', at },
  ...(comment === undefined ? {} : { rejectedBecause: comment }),
})
