/** Writes what an assessment made of a session, together with the decision it needs, or no longer needs. */
import { REASONING_MAX } from '../../contract/limits.ts'
import { yuan } from '../../kernel/fen.ts'
import type { Tx } from '../../store/store.ts'
import { createPending, withdrawDecision } from '../approvals/index.ts'
import type { NewDecision } from '../approvals/index.ts'
import type { Context } from '../context.ts'
import { describeEvidence } from '../guardrails/index.ts'
import type { Verdict } from '../guardrails/index.ts'
import type { BasketAssessment } from './assess-basket.ts'
import { isApproved } from './basket.ts'
import { ConflictError } from '../../lib/retry-on-conflict.ts'
import { saveSession, setDecision } from './records.ts'
import type { Session } from './session.ts'

type Needs = Pick<Context, 'store' | 'clock'>

/** The session as the assessment leaves it. An approval stays while it covers the order; a pending decision only for the same prices. */
export function withAssessment(held: Session, assessment: BasketAssessment, now: number): Session {
  const { decision, approvedOrderHash, approvedTotalFen, ...rest } = held
  const {
    lines,
    methods,
    unavailableLines: unavailableLines,
    findings: findings,
    status,
    totalFen,
    orderHash: orderHash,
  } = assessment
  const approved = isApproved(held, { vendor: held.vendor, lines, methods })
  return {
    ...rest,
    lines,
    methods,
    unavailableLines,
    findings,
    status,
    totalFen,
    orderHash,
    assessedAt: now,
    ...(approved && approvedOrderHash !== undefined ? { approvedOrderHash } : {}),
    ...(approved && approvedTotalFen !== undefined ? { approvedTotalFen } : {}),
    ...(decision !== undefined && (approved || orderHash === held.orderHash) ? { decision } : {}),
  }
}

/**
 * In this order, always: withdraw, save, open. The decision that waits is locked before the session, as the one who
 * resolves it does; the new one is nobody's yet.
 */
export async function saveAssessment(
  ctx: Needs,
  tx: Tx,
  before: Session,
  after: Session,
  verdict: Verdict,
): Promise<Session> {
  const waiting = before.status === 'requires_escalation' ? before.decision : undefined
  const keeps = waiting !== undefined && after.status === 'requires_escalation' && after.decision === waiting
  if (waiting !== undefined && !keeps) {
    const why = `${before.id} changed: a decision covers only the basket it was asked for`
    if (!(await withdrawDecision(ctx, tx, waiting, why))) throw new ConflictError()
  }
  const saved = await saveSession(tx, keeps || after.approvedOrderHash !== undefined ? after : withoutDecision(after))
  if (!saved) throw new ConflictError()
  if (saved.status !== 'requires_escalation' || keeps) return saved
  return setDecision(tx, saved, await createPending(ctx, tx, approvalFor(saved, verdict)))
}

function withoutDecision(session: Session): Session {
  const { decision: _, ...rest } = session
  return rest
}

export function approvalFor({ id, vendor, lines, totalFen }: Session, verdict: Verdict): NewDecision {
  const goods = lines.map(({ quantity, unit, title }) => `${quantity} ${unit === 'BX' ? 'box of' : '×'} ${title}`)
  const count = `${lines.length} ${lines.length === 1 ? 'line' : 'lines'}`
  return {
    kind: 'restock_plan',
    summary: `Buy from ${vendor} for ${yuan(totalFen)}: ${id}, ${count}`,
    reasoning: `${describeEvidence(verdict.evidence)} ${goods.join('; ')}`.slice(0, REASONING_MAX),
    subject: { type: 'checkout', id },
  }
}
