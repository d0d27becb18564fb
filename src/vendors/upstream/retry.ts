/**
 * Retries reads: exponential back-off with full jitter, bounded in number and in time. Must never be used for a write.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Result, FailureReason } from '../contract.ts'

const ATTEMPTS = 3
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 2_000
/** A longer Retry-After is not waited for; the caller gets it instead. */
const LONGEST_RETRY_AFTER_MS = 5_000

const TRANSIENT: ReadonlySet<FailureReason> = new Set<FailureReason>(['unsent', 'limited', 'unknown'])

export interface Pacing {
  /** No attempt starts later than this after the first, so a read that timed out is not retried. */
  readonly withinMs: number
  readonly signal?: AbortSignal | undefined
  readonly sleep?: ((ms: number) => Promise<void>) | undefined
  /** In [0, 1). */
  readonly random?: (() => number) | undefined
  /** Monotonic time. */
  readonly elapsed?: (() => number) | undefined
}

export async function retryRead<T>(attempt: () => Promise<Result<T>>, pacing: Pacing): Promise<Result<T>> {
  const { withinMs, signal, random = Math.random, elapsed = () => performance.now() } = pacing
  const sleep = pacing.sleep ?? ((ms: number) => pause(ms, undefined, { ...(signal && { signal }) }).catch(() => {}))
  const startedAt = elapsed()
  for (let attempts = 1; ; attempts += 1) {
    const result = await attempt()
    if (result.ok || attempts >= ATTEMPTS || !TRANSIENT.has(result.reason)) return result

    const jitter = random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1))
    const wanted = (result.retryAfter ?? 0) * 1000
    const wait = wanted + jitter
    if (wanted > LONGEST_RETRY_AFTER_MS || elapsed() - startedAt + wait > withinMs || signal?.aborted) return result
    await sleep(wait)
    if (signal?.aborted) return result
  }
}
