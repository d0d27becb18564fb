/** An event: something that happened, when it happened, and why (2.8, section 6). */
export interface NewEvent {
  /** An open string; the service itself writes the kinds below. */
  readonly kind: string
  readonly summary: string
  readonly reasoning: string
  readonly location?: string | undefined
  /** When it happened; now, unless it is told late (a sale out of the ledger). */
  readonly occurredAt?: number | undefined
}

export type ServiceEventKind =
  | 'checkout'
  | 'price_change'
  | 'approval'
  | 'replenishment'
  | 'location'
  | 'sync'
  | 'order'
  | 'guardrail'

export interface StoredEvent {
  readonly seq: number
  readonly storedAt: number
  readonly occurredAt: number
  readonly kind: string
  readonly summary: string
  readonly reasoning: string
  readonly location: string | undefined
  /** The agent whose request caused it. */
  readonly agent: string | undefined
  /** How many identical refusals it stands for. */
  readonly occurrences: number
}

/** Unique over all instances without a further column: the database gives `seq`. */
export const eventId = (event: Pick<StoredEvent, 'storedAt' | 'seq'>): string => `evt-${event.storedAt}-${event.seq}`
