/** The operator of the service, and its shifts. */
import { type Static, Type } from 'typebox'
import {
  Amount,
  Count,
  Currency,
  ENVELOPE,
  PARTED,
  PaginationResponse,
  TextParams,
  Timestamp,
  UcpEnvelope,
} from '../../common.ts'
import { WORD_MAX } from '../../limits.ts'
import { Autonomy, AutonomyRequest } from '../guardrails.ts'
import { By } from '../people.ts'
import { answer, list, nullable, oneOf, request, text } from '../../schema-helpers.ts'

export const SHIFT_STATUSES = ['running', 'done', 'waiting', 'failed', 'stopped'] as const
export type ShiftStatus = (typeof SHIFT_STATUSES)[number]
export const SHIFT_TRIGGERS = ['wake_up', 'event', 'reminder', 'by_hand'] as const
export type ShiftTrigger = (typeof SHIFT_TRIGGERS)[number]
const OUTCOMES = ['begun', 'noted', 'done', 'asked', 'waiting', 'refused', 'unknown', 'would', 'taken_over'] as const
export type ShiftOutcome = (typeof OUTCOMES)[number]

const SHIFT = {
  id: Type.String(),
  started_at: Timestamp,
  ended_at: nullable(Timestamp),
  status: oneOf(SHIFT_STATUSES, { description: '`waiting`: it ended, and something waits for the owner.' }),
  trigger: oneOf(SHIFT_TRIGGERS),
  dry_run: Type.Boolean(),
  summary: Type.String(),
  figures: Type.Optional(
    answer('ShiftFigures', {
      ordered: Count,
      bought: Count,
      spent: Amount,
      asked: Count,
      waiting: Count,
      refused: Count,
      currency: Currency,
    }),
  ),
  by: Type.Optional(By),
}

const ShiftEntry = answer('ShiftEntry', SHIFT)
export type ShiftEntry = Static<typeof ShiftEntry>

const ShiftStep = answer('ShiftStep', {
  at: Timestamp,
  step: Type.String(),
  saw: Type.String(),
  did: Type.String(),
  because: Type.String(),
  code: Type.String({ description: 'Names the sentences.' }),
  params: TextParams,
  reference: nullable(
    answer('ShiftReference', { type: oneOf(['replenishment_run', 'checkout', 'approval', 'slot']), id: Type.String() }),
  ),
  outcome: oneOf(OUTCOMES, {
    description:
      '`begun`: it is not known yet what came of it. `would`: of a dry run. `taken_over`: by the built-in operator, from a model.',
  }),
})
export type ShiftStep = Static<typeof ShiftStep>

const OperatorModel = answer('OperatorModel', { name: Type.String() })

export const ShiftAnswer = answer('ShiftAnswer', {
  ucp: UcpEnvelope,
  ...SHIFT,
  steps: list(ShiftStep),
  model: nullable(OperatorModel),
  cost: nullable(
    answer('ShiftCost', {
      model_tokens: answer('ModelTokens', { input: Count, output: Count }),
      model_cost: Type.Union([Amount, Type.Null()], { description: 'Minor units; null: the prices are not known.' }),
    }),
  ),
})
export type ShiftAnswer = Static<typeof ShiftAnswer>

const TranscriptEntry = answer('TranscriptEntry', {
  at: Timestamp,
  kind: oneOf(['brief', 'reply', 'result', 'failure'], {
    description: 'A request holds the brief and all replies and results before it.',
  }),
  call: nullable(Type.String({ description: 'Of a result: the call that it answers.' })),
  content: Type.String(),
  hash: Type.String({ description: 'SHA-256 of the content; of a reply also in the journal.' }),
})
export type TranscriptEntry = Static<typeof TranscriptEntry>

export const Transcript = answer('Transcript', {
  ucp: UcpEnvelope,
  id: Type.String(),
  model: nullable(OperatorModel),
  entries: list(TranscriptEntry),
  pagination: Type.Optional(PaginationResponse),
})
export type Transcript = Static<typeof Transcript>

export const ShiftList = answer('ShiftList', {
  ucp: UcpEnvelope,
  shifts: list(ShiftEntry),
  pagination: Type.Optional(PaginationResponse),
})
export type ShiftList = Static<typeof ShiftList>
export const ShiftListQuery = request('ShiftListQuery', PARTED)
export type ShiftListQuery = Static<typeof ShiftListQuery>

const WaitingFor = answer('WaitingFor', {
  type: oneOf(['approval', 'purchase']),
  id: Type.String(),
  since: Timestamp,
  text: Type.String(),
})

export const Operator = answer('Operator', {
  ...ENVELOPE,
  autonomy: Autonomy,
  model: nullable(OperatorModel),
  wake_at: list(Type.String()),
  weekdays: list(Type.Integer({ minimum: 1, maximum: 7 })),
  paused_until: nullable(Timestamp),
  next_wake_at: nullable(Timestamp),
  last_shift: nullable(ShiftEntry),
  waiting_for: list(WaitingFor),
  budget: answer('OperatorBudget', {
    currency: Currency,
    per_purchase: nullable(Amount),
    left_today: nullable(Amount),
    left_this_week: nullable(Amount),
  }),
})
export type Operator = Static<typeof Operator>

export const OperatorRequest = request('OperatorRequest', {
  autonomy: Type.Optional(AutonomyRequest),
  wake_at: Type.Optional(
    Type.Array(
      Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', maxLength: 5, description: 'Local time, such as 06:00.' }),
      {
        maxItems: 8,
      },
    ),
  ),
  weekdays: Type.Optional(
    Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), { minItems: 1, maxItems: 7, description: '1 is Monday.' }),
  ),
  paused_until: Type.Optional(nullable(text(WORD_MAX, 'RFC 3339; null ends a pause.'))),
})
export type OperatorRequest = Static<typeof OperatorRequest>
