/**
 * Monotonic time since this process first saw a session in progress. That an order is absent is believed only after the
 * time in which it could still arrive, and a clock that jumps must not shorten that time: so it is measured anew by each
 * process, and never taken from a stored instant.
 */
import type { Clock } from '../../kernel/clock.ts'
import type { Session } from './session.ts'

/** Beyond this many the least recently looked at goes: its measure begins anew, which only makes it later. */
const TIMERS_MAX = 10_000

type InProgress = Pick<Session, 'id' | 'attempt' | 'status' | 'unresolved'>

/** A new attempt, or giving up on one, begins a new watch. */
const keyOf = ({ id, attempt, status, unresolved }: InProgress): string =>
  `${id} ${attempt} ${status} ${unresolved ? 'given up' : 'calling'}`

export interface PendingTimers {
  /** Begins the watch when it is the first look. */
  elapsedSince(session: InProgress): number
}

export function pendingTimers(clock: Pick<Clock, 'elapsed'>): PendingTimers {
  const since = new Map<string, number>()
  return {
    elapsedSince(session) {
      const now = clock.elapsed()
      if (session.status !== 'complete_in_progress') return 0
      const key = keyOf(session)
      const first = since.get(key) ?? now
      since.delete(key)
      const [oldest] = since.keys()
      if (since.size >= TIMERS_MAX && oldest !== undefined) since.delete(oldest)
      since.set(key, first)
      return now - first
    },
  }
}

/**
 * How long an order that was given up on can still arrive: the grace of one time-out. While nobody gave up, the call
 * may first have to begin, wait for its place in the line, and take its time: each of them one time-out at most.
 */
export const absenceCertainAfterMs = ({ unresolved }: InProgress, timeoutMs: number): number =>
  (unresolved ? 1 : 4) * timeoutMs
