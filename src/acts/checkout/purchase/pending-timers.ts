/**
 * Monotonic time since this process first saw a session in progress. An order counts as absent only after its grace
 * period. Each process measures that time itself: a stored instant would be wrong after a change of
 * the wall clock.
 */
import type { Clock } from '../../../kernel/clock.ts'
import { BoundedMap } from '../../../lib/caches.ts'
import type { Session } from '../session.ts'

/** Beyond this many the least recently used timer is dropped; it starts again, which only makes it end later. */
const TIMERS_MAX = 10_000

type InProgress = Pick<Session, 'id' | 'attemptNo' | 'status' | 'outcomeUnknown'>

/** A new timer starts with each attempt, and again when the call ended without an answer. */
const keyOf = ({ id, attemptNo, status, outcomeUnknown }: InProgress): string =>
  `${id} ${attemptNo} ${status} ${outcomeUnknown ? 'no answer' : 'calling'}`

export interface PendingTimers {
  /** Starts the timer of a session in progress, unless it runs. */
  start(session: InProgress): void
  /** Since the timer was started; 0 where this call has to start it. */
  elapsedMs(session: InProgress): number
}

export function pendingTimers(clock: Pick<Clock, 'elapsed'>): PendingTimers {
  const startedAt = new BoundedMap<string, number>(TIMERS_MAX)
  const elapsedMs = (session: InProgress): number => {
    const now = clock.elapsed()
    if (session.status !== 'complete_in_progress') return 0
    const key = keyOf(session)
    const first = startedAt.get(key) ?? now
    startedAt.set(key, first)
    return now - first
  }
  return { start: (session) => void elapsedMs(session), elapsedMs }
}

/**
 * The grace period, in which an order can still arrive: one time-out after its caller gave up. Before that, the call may
 * still have to start, to wait in the queue and to run, each for one time-out at most.
 */
export const gracePeriodMs = ({ outcomeUnknown }: InProgress, timeoutMs: number): number =>
  (outcomeUnknown ? 1 : 4) * timeoutMs
