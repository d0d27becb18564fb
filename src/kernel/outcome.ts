/**
 * How operations end. A refusal rejects the request and is returned; a message is part of an entity; an exception is a bug
 * or a lost database and reaches one handler.
 */
import { type ErrorCode, type ErrorMessage, error } from './message.ts'

export interface Refusal {
  /** At least one; the first decides the HTTP status unless `status` is set. */
  readonly messages: readonly ErrorMessage[]
  readonly status?: number
  /** Seconds after which a retry may succeed. */
  readonly retryAfter?: number
  readonly continueUrl?: string
  /** Not kept under an Idempotency-Key: the same request may succeed once the owner has decided. */
  readonly unstored?: true
}

export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: Refusal }

export type Refused = Extract<Outcome<never>, { readonly ok: false }>

export const accept = <T>(value: T): Outcome<T> => ({ ok: true, value })

/** A refusal stays as it is. */
export const mapOutcome = <T, R>(outcome: Outcome<T>, map: (value: T) => R): Outcome<R> =>
  outcome.ok ? accept(map(outcome.value)) : outcome

export const refuse = (
  code: ErrorCode,
  content: string,
  path?: string,
  extra: Omit<Refusal, 'messages'> = {},
): { readonly ok: false; readonly refusal: Refusal } => ({
  ok: false,
  refusal: { messages: [error(code, content, path)], ...extra },
})

export const refuseAll = (
  messages: readonly ErrorMessage[],
  extra: Omit<Refusal, 'messages'> = {},
): { readonly ok: false; readonly refusal: Refusal } => ({ ok: false, refusal: { messages, ...extra } })

/** Carries a refusal out of a transaction, because only an exception rolls it back. */
export class RefusedError extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.messages[0]?.content)
    this.refusal = refusal
  }
}

export async function catchRefusal<T>(work: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await work()
  } catch (failure) {
    if (failure instanceof RefusedError) return { ok: false, refusal: failure.refusal }
    throw failure
  }
}

/** Another request of ours holds what this one needs, and was waited for: trying again later helps. */
export const refuseBusy = (content: string, retryAfter: number): { readonly ok: false; readonly refusal: Refusal } =>
  refuse('service_unavailable', content, undefined, { retryAfter })
