import type { Approval, ApprovalDetails } from '../../contract/shapes/approval.ts'
import { rfc3339 } from '../../kernel/clock.ts'
import type { Decision } from './decision.ts'

export const decisionView = (decision: Decision, timeZone: string, details?: ApprovalDetails): Approval => ({
  id: decision.id,
  kind: decision.kind,
  at: rfc3339(decision.at, timeZone),
  summary: decision.summary,
  reasoning: decision.reasoning,
  ...(decision.code === undefined ? {} : { code: decision.code }),
  ...(decision.params === undefined ? {} : { params: decision.params }),
  ...(decision.evidence === undefined
    ? {}
    : { evidence: decision.evidence.map((each) => ({ ...each, needs_approval: true })) }),
  subject: decision.question ? (decision.question.about ?? { type: 'note', id: decision.id }) : decision.subject,
  status: decision.status,
  approved: decision.status === 'pending' ? null : decision.status === 'approved',
  ...(decision.agent === undefined ? {} : { agent: decision.agent }),
  ...(decision.by === undefined ? {} : { by: decision.by }),
  ...(decision.resolvedAt === undefined ? {} : { resolved_at: rfc3339(decision.resolvedAt, timeZone) }),
  ...(decision.resolvedBy === undefined ? {} : { resolved_by: decision.resolvedBy }),
  ...(decision.resolvedBy === undefined || decision.resolvedRole === undefined
    ? {}
    : { decided_by: { name: decision.resolvedBy, role: decision.resolvedRole } }),
  ...(decision.comment === undefined ? {} : { comment: decision.comment }),
  ...questionView(decision, timeZone),
  ...(details === undefined ? {} : { details }),
})

function questionView(
  { question, status, option, comment, resolvedBy }: Decision,
  timeZone: string,
): Pick<Approval, 'options' | 'expires_at' | 'answer'> {
  if (!question) return {}
  const { options, expiresAt } = question
  const isAnswered = status !== 'pending' && resolvedBy !== 'service'
  return {
    ...(options.length > 0 ? { options } : {}),
    expires_at: rfc3339(expiresAt, timeZone),
    ...(isAnswered ? { answer: { option: option ?? null, comment: comment ?? null } } : {}),
  }
}
