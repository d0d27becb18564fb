/** Messages and their codes. They are part of an entity, or of a refusal. */
import type { Money } from './currency.ts'

export type Severity = 'recoverable' | 'requires_buyer_input' | 'requires_buyer_review' | 'unrecoverable'

/** Every error code with its severity (those of the contract and our own). Callers should branch on the code only. */
export const SEVERITY = {
  missing: 'recoverable',
  invalid: 'recoverable',
  not_found: 'unrecoverable',
  unauthorized: 'unrecoverable',
  forbidden: 'unrecoverable',
  out_of_stock: 'recoverable',
  item_unavailable: 'recoverable',
  price_changed: 'requires_buyer_review',
  request_too_large: 'recoverable',
  rate_limited: 'recoverable',
  too_many_pending: 'recoverable',
  namespace_mismatch: 'recoverable',
  namespace_unsupported: 'unrecoverable',
  unresolved_sku: 'recoverable',
  hard_no_go: 'unrecoverable',
  approval_rejected: 'unrecoverable',
  canceled: 'unrecoverable',
  expired: 'unrecoverable',
  confirmation_required: 'requires_buyer_review',
  approval_required: 'requires_buyer_review',
  kill_switch_engaged: 'requires_buyer_review',
  guard_unverifiable: 'unrecoverable',
  supplier_rejected: 'unrecoverable',
  upstream_unreachable: 'unrecoverable',
  already_placed: 'unrecoverable',
  already_delivered: 'unrecoverable',
  simulation_disabled: 'unrecoverable',
  conflict: 'recoverable',
  idempotency_mismatch: 'recoverable',
  idempotency_in_progress: 'recoverable',
  not_editable: 'unrecoverable',
  already_resolved: 'unrecoverable',
  not_placeable: 'unrecoverable',
  not_placed: 'unrecoverable',
  undo_expired: 'unrecoverable',
  already_received: 'unrecoverable',
  not_enabled: 'unrecoverable',
  shift_running: 'recoverable',
  service_unavailable: 'recoverable',
  internal: 'unrecoverable',
} as const satisfies Record<string, Severity>

export type ErrorCode = keyof typeof SEVERITY

export type WarningCode =
  | 'price_estimated'
  | 'stock_unknown'
  | 'supplier_notice'
  | 'above_agreed'
  | 'invoice_differs'
  | 'outcome_needed'
  | 'outcome_unconfirmed'
  | 'rounded_up'
  | 'location_unverified'
  | 'history_truncated'
  | 'hours_unknown'
  | 'same_namespace'
  | 'match_still_counts'
  | 'sync_problem'
  | 'price_filter_ignored'
  | 'unresolved_sku'
  | 'not_in_machine'
  | 'late_order'
  | 'order_restored'
  | 'more_than_ordered'
  | 'purchase_not_completed'
  | 'storeroom_short'
  | 'expires_soon'

export type InfoCode =
  | 'not_found'
  | 'decision_withdrawn'
  | 'outcome_pending'
  | 'handoff'
  | 'sync_problem'
  | 'covered_by_other_run'
  | 'not_due'
  | 'no_visit_due'
  | 'dead_stock'
  | 'newer_stock_kept'
  | 'cost_unknown'
  | 'cost_estimated'
  | 'visit_cost_unset'
  | 'capacity_unknown'

/** A value in a sentence. Money keeps its currency, so that the console can format it. */
export type TextParam = string | number | boolean | Money

/** The values of a text: with the code, the console can write the sentence in another language. */
export type TextParams = Readonly<Record<string, TextParam>>

export interface ErrorMessage {
  readonly type: 'error'
  readonly code: ErrorCode
  readonly content: string
  readonly severity: Severity
  readonly path?: string
  readonly params?: TextParams
}

export interface NoteMessage {
  readonly type: 'warning' | 'info'
  readonly code: WarningCode | InfoCode
  readonly content: string
  readonly path?: string
  readonly params?: TextParams
}

export type Message = ErrorMessage | NoteMessage

const optional = (path: string | undefined, params: TextParams | undefined) => ({
  ...(path === undefined ? {} : { path }),
  ...(params === undefined ? {} : { params }),
})

/** Only errors have a severity. */
export const error = (code: ErrorCode, content: string, path?: string, params?: TextParams): ErrorMessage => ({
  type: 'error',
  code,
  content,
  severity: SEVERITY[code],
  ...optional(path, params),
})

/** With what the owner said about it. */
export const rejectedMessage = (content: string, comment: string | undefined): ErrorMessage =>
  comment === undefined
    ? error('approval_rejected', content)
    : error('approval_rejected', `${content}: ${comment}`, undefined, { comment })

export const warning = (code: WarningCode, content: string, path?: string, params?: TextParams): NoteMessage => ({
  type: 'warning',
  code,
  content,
  ...optional(path, params),
})

export const info = (code: InfoCode, content: string, path?: string, params?: TextParams): NoteMessage => ({
  type: 'info',
  code,
  content,
  ...optional(path, params),
})
