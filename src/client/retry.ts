/** When a call is retried, and after how long. */
import type { VendopsError } from './error.ts'
import type { Route } from './route.ts'

const FIRST_WAIT_MS = 250
const WAIT_MAX_MS = 8000
/** A longer Retry-After is returned to the caller as an error. */
const RETRY_AFTER_MAX_S = 30

const BUSY = [429, 502, 503, 504]

/** The first request still runs, or its outcome is unknown: a retry with the same key returns its result. */
const AGAIN_UNDER_KEY = ['idempotency_in_progress', 'service_unavailable']

/**
 * Reads are retried whenever that may help. Writes with an idempotency key are retried while the service has not answered;
 * its answer is final, as an order that an upstream refused must not be sent again without the caller's decision.
 */
export function mayRetry(kind: Route['kind'], keyed: boolean, error: VendopsError): boolean {
  if ((error.retryAfter ?? 0) > RETRY_AFTER_MAX_S) return false
  if (kind === 'read') return error.status === 0 || BUSY.includes(error.status)
  if (kind === 'once' || !keyed) return false
  if (error.unanswered) return error.status === 0 || BUSY.includes(error.status)
  return error.status === 429 || AGAIN_UNDER_KEY.includes(error.code)
}

/** Exponential backoff with full jitter, never less than Retry-After. */
export function waitMs(attempt: number, retryAfter: number | undefined, random: () => number = Math.random): number {
  const growing = Math.min(WAIT_MAX_MS, FIRST_WAIT_MS * 2 ** (attempt - 1))
  return (retryAfter ?? 0) * 1000 + growing * random()
}

export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
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
}
