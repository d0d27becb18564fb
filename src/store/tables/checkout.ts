/** Checkout sessions, and each attempt to complete one. */
import { CALLER_COLUMNS } from '../caller-columns.ts'
import { int, nullable, reference, table, text, textOf } from '../table.ts'

export const CHECKOUT_TABLES = {
  checkout: table(
    {
      id: text,
      /** Grows with every change: whoever writes names the one it read. */
      version: int,
      status: textOf<
        'incomplete' | 'requires_escalation' | 'ready_for_complete' | 'complete_in_progress' | 'completed' | 'canceled'
      >(),
      vendor: text,
      created_at: int,
      expires_at: int,
      /** When lines and fulfillment were last held against catalog and rules. */
      assessed_at: int,
      total_fen: int,
      /** SHA-256 over the body it was created with. */
      create_request_hash: text,
      /** SHA-256 over what would be ordered and at what price. */
      order_hash: text,
      /** The owner's decision about this order, pending or taken. */
      decision: nullable(text),
      /** The order that the owner approved: unlike `order_hash` without prices and pickup time. */
      approved_order_hash: nullable(text),
      /** What it may cost at most. */
      approved_total_fen: nullable(int),
      /** Number of the last attempt to complete; 0 before the first. */
      attempt_no: int,
      /** While in progress: when the outcome was given up on, and why. */
      outcome_unknown_since: nullable(int),
      outcome_unknown_text: nullable(text),
      /** 1 once an attempt may have reached the supplier and nobody can be sure that it did not. */
      order_may_exist: int,
      closed_as: nullable(textOf<'canceled' | 'expired' | 'approval_rejected'>()),
      closed_at: nullable(int),
      /** The supplier's own number of the order. */
      supplier_order_no: nullable(text),
      /** JSON: lines, fulfillment, buyer, messages. */
      body: text,
    },
    {
      key: ['id'],
      indexes: {
        due: { on: ['expires_at'], where: `status in ('incomplete', 'requires_escalation', 'ready_for_complete')` },
        /** Canceled although an attempt may have reached the supplier: few, and watched for a while. */
        late: { on: ['closed_at'], where: `status = 'canceled' and order_may_exist = 1` },
        newest: ['created_at', 'id'],
        status: ['status', 'created_at', 'id'],
      },
    },
  ),

  checkout_attempt: table(
    {
      checkout: reference('checkout'),
      attempt_no: int,
      claimed_at: int,
      /** JSON: exactly what was to be ordered, at which prices, and why it was allowed. On disk before the call. */
      intent: text,
      /** Null until it is known, or given up for now. */
      outcome: nullable(
        textOf<
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
        >(),
      ),
      outcome_text: nullable(text),
      /** Set where our own guard called the attempt off before anything was sent. */
      denied: nullable(textOf<'kill_switch_engaged' | 'guard_unverifiable'>()),
      settled_at: nullable(int),
      /** The event of its outcome. */
      event: nullable(int),
      /** What it commits to spend, from whom and by whom; null where it is not known. */
      supplier: nullable(text),
      buyer_key: nullable(text),
      total_fen: nullable(int),
      /** 1 where somebody who may approve said that there is no order: it no longer counts towards a day or a week. */
      frees_budget: int,
      ...CALLER_COLUMNS,
    },
    {
      key: ['checkout', 'attempt_no'],
      indexes: {
        by_claim: ['claimed_at'],
        /** Retention looks up which attempts refer to an event. */
        event: ['event'],
      },
    },
  ),
}
