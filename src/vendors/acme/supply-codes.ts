/** The reply envelope of Acme Supply and its codes. */
import { fail, succeed } from '../result.ts'
import { boundedRetryAfter } from '../upstream/client.ts'
import type { Result, FailureReason } from '../contract.ts'
import { optionalText, object, int } from '../upstream/read-json.ts'

const REASONS: Readonly<Record<number, FailureReason>> = {
  40001: 'rejected',
  40101: 'unauthorized',
  40102: 'unauthorized',
  42900: 'limited',
  50000: 'unknown',
  60001: 'rejected',
  60002: 'rejected',
  60003: 'rejected',
  60004: 'rejected',
}
const NOT_FOUND = 40400

/** `notFound` is what 40400 means for this call. A code that is not documented says nothing about what happened. */
export function readEnvelope<T>(json: unknown, notFound: 'absent' | 'rejected', read: (data: unknown) => T): Result<T> {
  const reply = object(json, 'reply')
  const code = int(reply, 'code', Number.MIN_SAFE_INTEGER)
  if (code === 0) return succeed(read(reply['data']))

  const reason = code === NOT_FOUND ? notFound : (REASONS[code] ?? 'unknown')
  const retryAfter = reason === 'limited' ? retryAfterOf(reply['data']) : undefined
  return fail(reason, optionalText(reply, 'msg') ?? `The supplier answered with code ${code}`, {
    raw: `code ${code}`,
    retryAfter,
  })
}

const retryAfterOf = (data: unknown): number | undefined =>
  typeof data === 'object' && data !== null && 'retryAfter' in data ? boundedRetryAfter(data.retryAfter) : undefined
