/** An event: something that happened, when it happened, and why (2.8, section 6). */
import type { TextParams } from '../../kernel/message.ts'

export interface NewEvent {
  /** An open string; the service itself writes the kinds below. */
  readonly kind: string
  readonly summary: string
  readonly reasoning: string
  /** Names the sentence of `summary`, with its values, so that the console can write it in the reader's language. */
  readonly code?: string | undefined
  readonly params?: TextParams | undefined
  readonly location?: string | undefined
  /** When it happened; now, unless it is told late (a sale out of the ledger). */
  readonly occurredAt?: number | undefined
  /** Who wrote it, where a caller did and not the service. */
  readonly author?: string | undefined
}

/** The kinds the service writes; no caller may use them. */
export const SERVICE_EVENT_KINDS = [
  'checkout',
  'price_change',
  'approval',
  'replenishment',
  'location',
  'sync',
  'order',
  'guardrail',
] as const

export type ServiceEventKind = (typeof SERVICE_EVENT_KINDS)[number]

/** Spaces, case, width and invisible characters do not make another kind of it: people could not tell the two apart. */
export function isReservedKind(kind: string): boolean {
  const plain = kind
    .normalize('NFKC')
    .replaceAll(/[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Cc}]/gu, '')
    .toLowerCase()
  return (SERVICE_EVENT_KINDS as readonly string[]).includes(plain)
}

export interface StoredEvent {
  readonly seq: number
  readonly storedAt: number
  readonly occurredAt: number
  readonly kind: string
  readonly summary: string
  readonly reasoning: string
  readonly code: string | undefined
  readonly params: TextParams | undefined
  readonly location: string | undefined
  readonly source: 'service' | 'caller'
  readonly author: string | undefined
  /** The agent whose request caused it. */
  readonly agent: string | undefined
  /** How many identical refusals it stands for. */
  readonly occurrences: number
}

/** Unique over all instances without a further column: the database gives `seq`. */
export const eventId = (event: Pick<StoredEvent, 'storedAt' | 'seq'>): string => `evt-${event.storedAt}-${event.seq}`
