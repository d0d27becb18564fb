/** An event: what happened, when, and why. */
import { type EventCode, type OwnEventKind, OWN_EVENT_KINDS } from '../../contract/event-codes.ts'
import type { TextParam, TextParams } from '../../kernel/message.ts'
import type { EVENTS } from '../../texts/en.ts'
import type { NeededValues } from '../../texts/sentences.ts'
import type { Person } from '../../kernel/person.ts'
import { readings } from '../../lib/words.ts'

export interface NewEvent {
  /** Any string; the kinds below are reserved for the service. */
  readonly kind: string
  readonly summary: string
  readonly reasoning: string
  /** Names the sentence of `summary`, with its values, so that the console can write it in the reader's language. */
  readonly code?: EventCode | undefined
  readonly params?: TextParams | undefined
  readonly location?: string | undefined
  /** When it happened; default now. A sale is recorded later than it happens. */
  readonly occurredAt?: number | undefined
  /** The caller that wrote it; undefined for the service itself. */
  readonly author?: string | undefined
}

/** An event that the service writes itself. */
export type OwnEvent = NewEvent & { readonly kind: OwnEventKind } & Told

/** What the console adds: the name of the machine, how many lines follow the first, what was decided on, what was typed. */
type Derived = 'machine' | 'more' | 'what' | 'note'

/** The values of one of the sentences of the code, at least. */
export type EventParams<Code extends EventCode> = NeededValues<(typeof EVENTS)[Code][number], Derived, TextParam>

/** A code with the values of its sentence; where it needs none they may be left out. */
type Told = {
  [Code in EventCode]: object extends EventParams<Code>
    ? { readonly code: Code }
    : { readonly code: Code; readonly params: EventParams<Code> }
}[EventCode]

const lettersOf = (kind: string): readonly string[] => readings(kind).map(({ letters }) => letters)
const OWN_LETTERS: ReadonlySet<string> = new Set(OWN_EVENT_KINDS.flatMap(lettersOf))

/** Compares letters as they look, without case, width, signs and invisible characters: people could not tell such kinds apart. */
export const isReservedKind = (kind: string): boolean => lettersOf(kind).some((letters) => OWN_LETTERS.has(letters))

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
  /** The person whose request caused it. */
  readonly by: Person | undefined
}

/** Unique over all instances: the database assigns `seq`. */
export const eventId = (event: Pick<StoredEvent, 'storedAt' | 'seq'>): string => `evt-${event.storedAt}-${event.seq}`
