/** Codes of events and of approvals. Callers write the sentence of a code in their own language; the console has all. */

export const EVENT_CODES = [
  'alias_confirmed',
  'alias_rejected',
  'attempt_superseded',
  'decision_approved',
  'decision_rejected',
  'decision_withdrawn',
  'emergency_stop_engaged',
  'emergency_stop_released',
  'late_order_found',
  'machine_registered',
  'machine_removed',
  'machine_updated',
  'price_change_confirmed',
  'price_change_confirmed_partly',
  'price_change_denied',
  'price_change_failed',
  'price_change_late',
  'price_change_not_applied',
  'price_change_not_executed',
  'price_change_outcome_unknown',
  'price_change_refused',
  'price_change_still_waiting',
  'price_change_unconfirmed',
  'price_change_waiting',
  'price_changed',
  'price_changed_partly',
  'prices_already_set',
  'purchase_already_completed',
  'purchase_arrived',
  'purchase_booked',
  'purchase_cancelled',
  'purchase_closed',
  'purchase_completed',
  'purchase_failed',
  'purchase_ordered',
  'purchase_reassessed',
  'purchase_refused',
  'rows_unreadable',
  'run_canceled',
  'run_placed',
  'run_received',
  'sale_recorded',
  'second_order_found',
  'slot_counted',
  'slot_locked',
  'slot_unlocked',
  'sync_completed',
  'sync_failed',
] as const

export type EventCode = (typeof EVENT_CODES)[number]

/** The guardrail that asks for an approval. */
export const APPROVAL_CODES = ['spending_limit', 'price_cap', 'probation'] as const

export type ApprovalCode = (typeof APPROVAL_CODES)[number]
