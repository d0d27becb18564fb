/** Checkout sessions, every attempt to complete one, and the purchases that came of them. */

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
  /** SHA-256 over what would be ordered and at what price: a decision covers this and nothing else. */
  basket: string
  /** The owner's decision about this basket, pending or taken. */
  decision: string | null
  /** The basket the owner said yes to. */
  approved_basket: string | null
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

export interface CheckoutAttemptTable {
  checkout: string
  n: number
  claimed_at: number
  /** JSON: exactly what was to be ordered, at which prices, and why it was allowed. On disk before the call. */
  intent: string
  /** Null until it is known, or given up for now. */
  outcome: 'accepted' | 'rejected' | 'unauthorized' | 'unsent' | 'unsupported' | 'absent' | 'unknown' | null
  outcome_text: string | null
  settled_at: number | null
  /** The event that told of it. */
  event: number | null
}

export interface PurchaseTable {
  id: string
  version: number
  vendor: string
  label: string
  placed_at: number
  total_fen: number
  /** JSON: lines, destination and method as ordered. */
  body: string
  state: 'ordered' | 'arrived' | 'cancelled'
  /** As the supplier last told it; null until it was asked. */
  raw_status: number | null
  description: string | null
  logistics: string | null
  asked_at: number | null
}

/** Appended when the supplier's state changes or a shipment is named, and never written again. */
export interface PurchaseEventTable {
  purchase: string
  n: number
  state: 'ordered' | 'shipped' | 'arrived' | 'cancelled'
  occurred_at: number
  carrier: string | null
  tracking_number: string | null
  tracking_url: string | null
}

export interface CheckoutTables {
  checkout: CheckoutTable
  checkout_attempt: CheckoutAttemptTable
  purchase: PurchaseTable
  purchase_event: PurchaseEventTable
}
