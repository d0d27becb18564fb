/** Writes an assessed session together with the decision that it needs, or no longer needs. */
import type { Tx } from '../../../store/store.ts'
import { createPending, withdrawDecision } from '../../../rules/approvals/index.ts'
import type { Context } from '../../../context.ts'
import { type Verdict, approvalNeedOf } from '../../../rules/guardrails/index.ts'
import type { BasketAssessment } from './assess-basket.ts'
import { newApproval } from './approval-request.ts'
import { isApproved } from './basket.ts'
import { ConflictError } from '../../../lib/concurrency.ts'
import { saveSession, setDecision } from '../records.ts'
import type { Session } from '../session.ts'

type Deps = Pick<Context, 'store' | 'clock' | 'config'>

/** The session with its assessment. An approval stays while it covers the order, a decision also while nothing changed. */
export function withAssessment(session: Session, assessment: BasketAssessment, now: number): Session {
  const {
    decision,
    approvedOrderHash,
    approvedTotalFen,
    totals: _quotedBefore,
    approvalNeed: _before,
    ...rest
  } = session
  const { verdict, ...assessed } = assessment
  const approvalNeed = assessed.status === 'requires_escalation' ? approvalNeedOf(verdict.evidence) : undefined
  const approved = isApproved(session, { ...assessed, vendor: session.vendor })
  return {
    ...rest,
    ...assessed,
    assessedAt: now,
    ...(approvalNeed && { approvalNeed }),
    ...(approved && approvedOrderHash !== undefined ? { approvedOrderHash } : {}),
    ...(approved && approvedTotalFen !== undefined ? { approvedTotalFen } : {}),
    ...(decision !== undefined && (approved || assessed.orderHash === session.orderHash) ? { decision } : {}),
  }
}

/**
 * Always in the order withdraw, save, create: resolving a decision also locks the decision before the session, so that
 * two transactions never wait for each other.
 */
export async function saveAssessment(
  ctx: Deps,
  tx: Tx,
  before: Session,
  after: Session,
  verdict: Verdict,
): Promise<Session> {
  const pending = before.status === 'requires_escalation' ? before.decision : undefined
  const staysPending = pending !== undefined && after.status === 'requires_escalation' && after.decision === pending
  if (pending !== undefined && !staysPending) {
    const why = `${before.id} changed; a decision covers only the basket it was requested for.`
    if (!(await withdrawDecision(ctx, tx, pending, why))) throw new ConflictError()
  }
  const saved = await saveSession(
    tx,
    staysPending || after.approvedOrderHash !== undefined ? after : withoutDecision(after),
  )
  if (saved.status !== 'requires_escalation' || staysPending) return saved
  return setDecision(tx, saved, await createPending(ctx, tx, newApproval(saved, verdict, ctx.config.currency)))
}

function withoutDecision(session: Session): Session {
  const { decision: _, ...rest } = session
  return rest
}
