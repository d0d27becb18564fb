/**
 * Reads are asked again when that may help: exponential back-off with full jitter, so that many callers do not return
 * in step. Bounded in number and in time. Nothing here may ever carry a write.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Result, FailureReason } from '../contract.ts'

const ATTEMPTS = 3
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 2_000
/** An upstream that wants a longer rest than this is not waited for: the caller is told how long instead. */
const LONGEST_RETRY_AFTER_MS = 5_000

const PASSING: ReadonlySet<FailureReason> = new Set<FailureReason>(['unsent', 'limited', 'unknown'])

export interface Pacing {
  /** No attempt begins later than this after the first: a read that already timed out is not asked again. */
  readonly withinMs: number
  readonly signal?: AbortSignal | undefined
  readonly sleep?: ((ms: number) => Promise<void>) | undefined
  /** In [0, 1). */
  readonly random?: (() => number) | undefined
  /** Elapsed time, which must not jump with the wall clock. */
  readonly elapsed?: (() => number) | undefined
}

export async function retryRead<T>(attempt: () => Promise<Result<T>>, pacing: Pacing): Promise<Result<T>> {
  const { withinMs, signal, random = Math.random, elapsed = () => performance.now() } = pacing
  const sleep = pacing.sleep ?? ((ms: number) => pause(ms, undefined, { ...(signal && { signal }) }).catch(() => {}))
  const began = elapsed()
  for (let made = 1; ; made += 1) {
    const answer = await attempt()
    if (answer.ok || made >= ATTEMPTS || !PASSING.has(answer.reason)) return answer

    const jitter = random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (made - 1))
    const wanted = (answer.retryAfter ?? 0) * 1000
    const wait = wanted + jitter
    if (wanted > LONGEST_RETRY_AFTER_MS || elapsed() - began + wait > withinMs || signal?.aborted) return answer
    await sleep(wait)
    if (signal?.aborted) return answer
  }
}
