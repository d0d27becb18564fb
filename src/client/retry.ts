/** When a call is sent again, and after how long. */
import type { VendopsError } from './error.ts'
import type { Route } from './route.ts'

const FIRST_WAIT_MS = 250
const WAIT_MAX_MS = 8000
/** Asked to wait longer than this, the caller should know instead of hang. */
const RETRY_AFTER_MAX_S = 30

const BUSY = [429, 502, 503, 504]

/** The first request still runs, or its outcome is unknown: only the same key can tell what came of it. */
const AGAIN_UNDER_KEY = ['idempotency_in_progress', 'service_unavailable']

/**
 * A read may be sent again whenever that may help. A write under an idempotency key also, while nobody answered for it:
 * an answer that came through the service is final, for an upstream that refused money must not be asked again unbidden.
 */
export function mayRetry(kind: Route['kind'], keyed: boolean, error: VendopsError): boolean {
  if ((error.retryAfter ?? 0) > RETRY_AFTER_MAX_S) return false
  if (kind === 'read') return error.status === 0 || BUSY.includes(error.status)
  if (kind === 'once' || !keyed) return false
  if (error.unanswered) return error.status === 0 || BUSY.includes(error.status)
  return error.status === 429 || AGAIN_UNDER_KEY.includes(error.code)
}

/** Growing waits with full jitter, so that many clients do not come back at once; never sooner than we were told. */
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
