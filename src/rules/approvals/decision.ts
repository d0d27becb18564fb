/** A decision of the owner, pending or resolved, and its states. */
import type { ApprovalCode } from '../../contract/event-codes.ts'
import type { ApprovalStatus, DecisionKind, SubjectType } from '../../contract/shapes/approval.ts'
import type { Brand } from '../../kernel/brand.ts'
import type { TextParams } from '../../kernel/message.ts'
import type { Person, PersonRole } from '../../kernel/person.ts'

export type DecisionId = Brand<string, 'DecisionId'>

export interface SubjectRef {
  readonly type: SubjectType
  readonly id: string
}

/** A rule that requires the decision, with the values that were compared. */
export interface DecisionEvidence {
  readonly rule: string
  readonly code: ApprovalCode
  readonly params: TextParams
  /** The comparison as a clause without a full stop. */
  readonly text: string
}

export interface NewDecision {
  readonly kind: DecisionKind
  readonly summary: string
  /** The evidence of the verdict that requires the decision. */
  readonly reasoning: string
  /** The rule that requires the decision, and the values in its sentence. */
  readonly code?: ApprovalCode | undefined
  readonly params?: TextParams | undefined
  /** All rules that require the decision; `code` is that of the first. */
  readonly evidence?: readonly DecisionEvidence[] | undefined
  readonly subject: SubjectRef
  /** Of a question to the owner. */
  readonly question?: Question | undefined
}

export interface Question {
  /** Empty: yes or no. */
  readonly options: readonly string[]
  readonly expiresAt: number
  /** What it is about; answering it never approves that. */
  readonly about: SubjectRef | undefined
}

export interface Decision extends NewDecision {
  readonly id: DecisionId
  readonly seq: number
  readonly at: number
  readonly status: ApprovalStatus
  readonly resolvedAt: number | undefined
  readonly resolvedBy: string | undefined
  /** The agent whose request needs the decision. */
  readonly agent: string | undefined
  /** The person whose request needs the decision. */
  readonly by: Person | undefined
  /** The role of the key that resolved it. */
  readonly resolvedRole: PersonRole | undefined
  /** Why, in the words of whoever resolved it. */
  readonly comment: string | undefined
  /** The answer to a question that offers several. */
  readonly option: string | undefined
}

/** Nobody answered in time. */
export const isExpired = ({ status, code }: Pick<Decision, 'status' | 'code'>): boolean =>
  status === 'rejected' && code === 'expired'

/** One row per state (docs/contract.md, 3.3): a decision is resolved once. The service itself withdraws one whose subject is gone. */
export const NEXT = {
  pending: { approve: 'approved', reject: 'rejected', withdraw: 'rejected' },
  approved: {},
  rejected: {},
} as const satisfies Record<ApprovalStatus, Partial<Record<'approve' | 'reject' | 'withdraw', ApprovalStatus>>>

/** Unique over all instances: the database assigns `seq`. */
export const decisionId = (at: number, seq: number): DecisionId => `dec-${at}-${seq}` as DecisionId

const ID = /^dec-(0|[1-9]\d{0,15})-([1-9]\d{0,15})$/

export function parseDecisionId(text: string): { readonly at: number; readonly seq: number } | undefined {
  const [, at, seq] = ID.exec(text) ?? []
  const id = { at: Number(at), seq: Number(seq) }
  return Number.isSafeInteger(id.at) && Number.isSafeInteger(id.seq) ? id : undefined
}

/** The values of an event about a decision: what was asked for, so that readers see more than an id. */
export const subjectParams = ({
  id,
  summary,
  subject,
  question,
  params = {},
}: Decision): TextParams & Readonly<Record<'decision' | 'summary', string>> => ({
  ...params,
  decision: id,
  summary,
  subject: (question?.about ?? subject).type,
  subject_id: question ? (question.about?.id ?? id) : subject.id,
})
