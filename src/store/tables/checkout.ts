/** Checkout sessions, each attempt to complete one, and orders to ask suppliers about. */
import type { CallerColumns } from '../caller-columns.ts'

export interface CheckoutTable {
  id: string
  /** Grows with every change: whoever writes names the one it read. */
  version: number
  status:
    | 'incomplete'
    | 'requires_escalation'
    | 'ready_for_complete'
    | 'complete_in_progress'
    | 'completed'
    | 'canceled'
  vendor: string
  created_at: number
  expires_at: number
  /** When lines and fulfillment were last held against catalog and rules. */
  assessed_at: number
  total_fen: number
  /** SHA-256 over the body it was created with. */
  fingerprint: string
  /** SHA-256 over what would be ordered and at what price. */
  basket: string
  /** The owner's decision about this basket, pending or taken. */
  decision: string | null
  /** The order the owner said yes to. */
  approved_basket: string | null
  /** What it may cost at most. */
  approved_total_fen: number | null
  /** Number of the last attempt to complete; 0 before the first. */
  attempt: number
  /** While in progress: when the outcome was given up on, and why. */
  unknown_since: number | null
  unknown_text: string | null
  /** 1 once an attempt may have reached the supplier and nobody can be sure that it did not. */
  sent: number
  closed_as: 'canceled' | 'expired' | 'approval_rejected' | null
  closed_at: number | null
  /** The supplier's own number of the order. */
  label: string | null
  /** JSON: lines, fulfillment, buyer, messages. */
  body: string
}

export interface CheckoutAttemptTable extends CallerColumns {
  checkout: string
  n: number
  claimed_at: number
  /** JSON: exactly what was to be ordered, at which prices, and why it was allowed. On disk before the call. */
  intent: string
  /** Null until it is known, or given up for now. */
  outcome:
    | 'accepted'
    | 'rejected'
    | 'unauthorized'
    | 'unsent'
    | 'unsupported'
    | 'absent'
    | 'unknown'
    /** The order of an earlier attempt was found while this one was out. */
    | 'superseded'
    /** A person completes the purchase on a page of the supplier. */
    | 'handed_off'
    /** A person said that there is no order. */
    | 'not_placed'
    | null
  outcome_text: string | null
  /** Set where our own guard called the attempt off before anything was sent. */
  denied: 'kill_switch_engaged' | 'guard_unverifiable' | null
  settled_at: number | null
  /** The event of its outcome. */
  event: number | null
  /** What it commits to spend, from whom and by whom; null where it is not known. */
  supplier: string | null
  buyer_key: string | null
  total_fen: number | null
  /** 1 where somebody who may approve said that there is no order: it no longer counts towards a day or a week. */
  frees_budget: number
}

/** Sessions whose supplier may have, or may still get, an order of an attempt: it is asked again when this is due. */
export interface PendingOrderTable {
  checkout: string
  vendor: string
  ask_at: number
  /** Between the question before and `ask_at`: further away than this, the clock was set back and the question is due. */
  interval_ms: number
  asks: number
  /** Sum of the intervals that ended with the supplier having no order. */
  covered_ms: number
  /** Grows with every question: the least recently asked comes first, whatever the clock says. */
  turn: number
}

export interface CheckoutTables {
  checkout: CheckoutTable
  checkout_attempt: CheckoutAttemptTable
  pending_order: PendingOrderTable
}
