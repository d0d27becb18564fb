/** Codes of events and of approvals. Callers write the sentence of a code in their own language; `src/texts` has all. */
import type { EVENTS, RULES } from '../texts/en.ts'

export type EventCode = keyof typeof EVENTS

/** The guardrail that asks for an approval. */
export type ApprovalCode = keyof typeof RULES

/** The kinds that the service writes; callers may not use them. */
export const OWN_EVENT_KINDS = [
  'checkout',
  'price_change',
  'approval',
  'replenishment',
  'location',
  'sync',
  'order',
  'guardrail',
  'webhook',
  'operator',
] as const

export type OwnEventKind = (typeof OWN_EVENT_KINDS)[number]
