/** One typed function per row of the table; the compiler finds the gaps. Types only. */
import type { Static, TSchema } from 'typebox'
import type { Outcome, Refusal } from '../kernel/outcome.ts'
import type { Identity } from '../kernel/person.ts'
import type { CapabilityName } from './capabilities.ts'
import type { Guard } from './operation.ts'
import type { OPERATIONS, OperationId } from './operations.ts'

export type { OperationId } from './operations.ts'

type Row<K extends OperationId> = (typeof OPERATIONS)[K]

/** What a row without params or query gets. */
export type Nothing = Readonly<Record<string, never>>

export type Params<K extends OperationId> = Row<K> extends { params: infer S extends TSchema } ? Static<S> : Nothing
export type Query<K extends OperationId> = Row<K> extends { query: infer S extends TSchema } ? Static<S> : Nothing
export type Body<K extends OperationId> = Row<K> extends { body: infer S extends TSchema } ? Static<S> : undefined

/** The answer on the wire. */
export type Answer<K extends OperationId> = Static<Row<K>['returns']>

/** The answer as a handler gives it: the HTTP layer adds `ucp`, unless the reply has its own. */
export type Returns<K extends OperationId> = Row<K> extends { rawEnvelope: true } ? Answer<K> : Omit<Answer<K>, 'ucp'>

export interface CallContext {
  readonly requestId: string
  /** Whom the credentials prove; undefined where none are needed. */
  readonly by?: Identity
  /** The platform profile of UCP-Agent: recorded, never verified. */
  readonly agent?: string
  readonly idempotencyKey?: string
  /** The caller came over TLS, as a trusted proxy says. */
  readonly secure?: true
  /** Where a request without credentials came from, for the log of sign-ins. */
  readonly address?: string
  /** As they came, names in lower case: for conditional requests and the origin of a page. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

export interface Call<K extends OperationId> {
  readonly params: Params<K>
  readonly query: Query<K>
  readonly body: Body<K>
  readonly context: CallContext
}

export interface Reply<K extends OperationId> {
  readonly body: Returns<K>
  /** Instead of the row's, when this answer has more or fewer. */
  readonly capabilities?: readonly CapabilityName[]
  readonly paymentHandlers?: true
  readonly headers?: Readonly<Record<string, string>>
  readonly status?: number
  /** The whole answer as JSON text, envelope included, where it was serialized beforehand; `body` says the same. */
  readonly text?: string
  /** `body` as JSON bytes, where it was serialized beforehand; the HTTP layer adds the envelope. See json-stream.ts. */
  readonly chunks?: readonly Uint8Array[]
  /**
   * A list that is too long to hold at once: the name of its member and its entries, read while they are sent. The answer
   * has no other member, and `body` an empty list in its place.
   */
  readonly long?: { readonly member: string; readonly chunks: AsyncIterable<readonly unknown[]> }
  /** Not kept under the Idempotency-Key: the same request later may end otherwise (an approval still open). */
  readonly unstored?: true
}

export type Handler<K extends OperationId> = (call: Call<K>) => Promise<Outcome<Reply<K>>>

export type Handlers = { readonly [K in OperationId]: Handler<K> }

/** A request that was refused before its handler ran: the parameters of its path, unchecked, and why. */
export interface RefusedCall {
  readonly params: Readonly<Record<string, string>>
  readonly refusal: Refusal
  readonly context: CallContext
}

type RecordingOperationId = {
  [K in OperationId]: Row<K> extends { recordsRefusals: true } ? K : never
}[OperationId]

/** One for every row with `recordsRefusals`. */
export type RefusalRecorders = { readonly [K in RecordingOperationId]: (call: RefusedCall) => Promise<void> }

type GuardedOperationId = { [K in OperationId]: Row<K> extends { write: { guard: Guard } } ? K : never }[OperationId]

/**
 * True for a call of a guarded operation that sends nothing, such as completing a session that is completed already: it
 * runs although the guard refuses. An operation without an exemption is always guarded.
 */
export type GuardExemptions = { readonly [K in GuardedOperationId]?: (call: Call<K>) => Promise<boolean> }

/** The rows one capability answers for. */
export type HandlersOf<K extends OperationId> = Pick<Handlers, K>
