/** Approvals, and the requests to read and resolve them. */
import { type Static, Type } from 'typebox'
import { UnitCode } from './catalog.ts'
import {
  Amount,
  Count,
  Currency,
  ENVELOPE,
  Messages,
  PARTED,
  PaginationResponse,
  RuleEvidence,
  SkuId,
  TextParams,
  Timestamp,
  UcpEnvelope,
} from '../common.ts'
import { APPROVAL_LINES_MAX, OPTION_MAX, REASONING_MAX, SLOT_ID_MAX, SUMMARY_MAX, WORD_MAX } from '../limits.ts'
import { By } from './people.ts'
import { answer, list, nullable, oneOf, request, text } from '../schema-helpers.ts'

export const DecisionKind = oneOf(['swap', 'price_change', 'fault_flag', 'restock_plan', 'note'], {
  title: 'DecisionKind',
})
export type DecisionKind = Static<typeof DecisionKind>

const ABOUT_TYPES = ['replenishment_run', 'checkout', 'price_change', 'slot'] as const
/** A question about nothing else is its own subject. */
export const SubjectType = oneOf([...ABOUT_TYPES, 'note'])
export type SubjectType = Static<typeof SubjectType>

export const ApprovalStatus = oneOf(['pending', 'approved', 'rejected'])
export type ApprovalStatus = Static<typeof ApprovalStatus>

const ApprovalLine = answer('ApprovalLine', {
  sku_id: SkuId,
  title: Type.String(),
  location: Type.Optional(Type.String({ description: 'The machine it is for.' })),
  location_name: Type.Optional(Type.String()),
  quantity: Type.Optional(Count),
  unit: Type.Optional(UnitCode),
  previous_price: Type.Optional(Amount),
  price: Amount,
  total: Type.Optional(Amount),
  sales_per_day: Type.Optional(
    Type.Number({
      description:
        'Units sold a day. Of a run: the rate of the plan that the quantity follows from. Else over 30 days, or since its first sale in them, in that machine or in all; absent where no machine is known to sell it.',
    }),
  ),
  stock: Type.Optional(Type.Integer({ description: 'In the slot, when the run was planned.' })),
  days_left: Type.Optional(
    nullable(Type.Number({ description: 'Until the slot is empty, when the run was planned. Null: not expected.' })),
  ),
  orderable: Type.Optional(Type.Boolean({ description: 'False: no supplier is known, so it cannot be ordered.' })),
})
export type ApprovalLine = Static<typeof ApprovalLine>

const ApprovalDestination = answer('ApprovalDestination', {
  method: oneOf(['shipping', 'pickup']),
  name: Type.String({ description: 'Who receives the delivery, or the pickup site.' }),
  phone_number: Type.Optional(Type.String()),
  address: Type.Optional(Type.String()),
})
export type ApprovalDestination = Static<typeof ApprovalDestination>

export const ApprovalDetails = answer('ApprovalDetails', {
  currency: Currency,
  subject_status: Type.String({ description: 'Of the purchase, the run or the price change, now.' }),
  supplier: Type.Optional(Type.String()),
  location: Type.Optional(Type.String({ description: 'The machine whose prices change.' })),
  location_name: Type.Optional(Type.String()),
  destination: Type.Optional(ApprovalDestination),
  total: Type.Optional(Amount),
  unorderable: Type.Optional(
    answer('UnorderableLines', {
      lines: Count,
      total: Type.Integer({ description: 'Part of `total` that is not ordered, because no supplier is known.' }),
    }),
  ),
  line_count: Count,
  lines: Type.Immutable(
    Type.Array(ApprovalLine, {
      description: `In a list the first ${APPROVAL_LINES_MAX}, the dearest first; all of them where one approval is read.`,
    }),
  ),
})
export type ApprovalDetails = Static<typeof ApprovalDetails>

const APPROVAL = {
  id: Type.String(),
  kind: DecisionKind,
  at: Timestamp,
  summary: Type.String(),
  reasoning: Type.String(),
  code: Type.Optional(Type.String({ description: 'The rule that requires the approval.' })),
  params: Type.Optional(TextParams),
  subject: answer('Subject', { type: SubjectType, id: Type.String() }),
  status: ApprovalStatus,
  approved: nullable(Type.Boolean()),
  agent: Type.Optional(Type.String({ description: 'The UCP-Agent profile of the request that needs the approval.' })),
  by: Type.Optional(By),
  resolved_at: Type.Optional(Timestamp),
  resolved_by: Type.Optional(Type.String({ description: 'Who decided, as the request stated it.' })),
  decided_by: Type.Optional(By),
  comment: Type.Optional(Type.String({ description: 'What whoever decided said about it.' })),
  options: Type.Optional(
    Type.Immutable(Type.Array(Type.String(), { description: 'Of a question: the answers it offers.' })),
  ),
  expires_at: Type.Optional(Timestamp),
  answer: Type.Optional(
    answer('QuestionAnswer', {
      option: nullable(Type.String({ description: 'The option that was chosen.' })),
      comment: nullable(Type.String()),
    }),
  ),
  evidence: Type.Optional(
    Type.Immutable(Type.Array(RuleEvidence, { description: 'Every rule that requires the approval.' })),
  ),
  details: Type.Optional(ApprovalDetails),
}

export const Approval = answer('Approval', APPROVAL)
export type Approval = Static<typeof Approval>

/** One approval as a response of its own. */
export const ApprovalAnswer = answer('ApprovalAnswer', { ...ENVELOPE, ...APPROVAL })
export type ApprovalAnswer = Static<typeof ApprovalAnswer>

export const ApprovalList = answer('ApprovalList', {
  ucp: UcpEnvelope,
  approvals: list(Approval),
  pagination: Type.Optional(PaginationResponse),
  messages: Type.Optional(Messages),
})
export type ApprovalList = Static<typeof ApprovalList>

export const ApprovalListQuery = request('ApprovalListQuery', {
  status: Type.Optional(oneOf(['pending', 'approved', 'rejected', 'all'], { default: 'pending' })),
  kind: Type.Optional(DecisionKind),
  details: Type.Optional(
    Type.Boolean({ description: 'Whether each approval has `details`: what it is about, line by line.' }),
  ),
  ...PARTED,
})
export type ApprovalListQuery = Static<typeof ApprovalListQuery>

export const QuestionRequest = request('QuestionRequest', {
  kind: oneOf(['note']),
  summary: text(SUMMARY_MAX, 'The question, in one sentence.'),
  reasoning: text(REASONING_MAX, 'What led to it.'),
  options: Type.Optional(
    Type.Array(text(OPTION_MAX), { minItems: 2, maxItems: 5, description: 'Answers to choose from; all different.' }),
  ),
  expires_at: Type.Optional(
    Type.String({ description: 'RFC 3339. Within 90 days; without it 7 days from now.', maxLength: WORD_MAX }),
  ),
  subject: Type.Optional(request('QuestionSubject', { type: oneOf([...ABOUT_TYPES]), id: text(SLOT_ID_MAX) })),
  params: Type.Optional(TextParams),
})
export type QuestionRequest = Static<typeof QuestionRequest>

export const Resolver = request('Resolver', {
  channel: oneOf(['chat', 'dashboard']),
  chat_id: Type.Optional(text(WORD_MAX)),
  sender_id: Type.Optional(text(WORD_MAX)),
})
export type Resolver = Static<typeof Resolver>

export const ResolveApprovalRequest = request('ResolveApprovalRequest', {
  approved: Type.Boolean(),
  option: Type.Optional(text(OPTION_MAX, 'Of a question: one of its options, with `approved: true`.')),
  resolver: Type.Optional(Resolver),
  comment: Type.Optional(text(SUMMARY_MAX)),
})
export type ResolveApprovalRequest = Static<typeof ResolveApprovalRequest>
