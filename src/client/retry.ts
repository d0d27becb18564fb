/** Decides whether a call is retried, and after how long. */
import type { VendopsError } from './error.ts'
import type { Route } from './route.ts'

const FIRST_WAIT_MS = 250
const WAIT_MAX_MS = 8000
/** A longer `Retry-After` is reported to the caller instead of waited for. */
const RETRY_AFTER_MAX_S = 30

const BUSY = [429, 502, 503, 504]

/** The first request still runs, or its outcome is unknown; a retry with the same key returns its outcome. */
const RETRY_WITH_KEY = ['idempotency_in_progress', 'service_unavailable']

/** Only a person can make the rules readable again, and whoever waits for the answer should see that at once. */
const NOT_RETRIED = ['guard_unverifiable']

/**
 * A read is retried whenever that may help. A write with an idempotency key is retried only without a response of the
 * service: such a response is final, because a supplier that refused an order must not be asked again automatically.
 */
export function mayRetry(kind: Route['kind'], hasKey: boolean, error: VendopsError): boolean {
  if ((error.retryAfter ?? 0) > RETRY_AFTER_MAX_S || NOT_RETRIED.includes(error.code)) return false
  if (kind === 'read') return error.status === 0 || BUSY.includes(error.status)
  if (kind === 'once' || !hasKey) return false
  if (error.isUnanswered) return error.status === 0 || BUSY.includes(error.status)
  return error.status === 429 || RETRY_WITH_KEY.includes(error.code)
}

/** Exponential backoff with full jitter, in addition to `Retry-After`. */
export function waitMs(attempt: number, retryAfter: number | undefined, random: () => number = Math.random): number {
  const backoffMs = Math.min(WAIT_MAX_MS, FIRST_WAIT_MS * 2 ** (attempt - 1))
  return (retryAfter ?? 0) * 1000 + backoffMs * random()
}

export const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
