/**
 * How long this process itself has seen a session in progress, by a watch that nobody can set. That an order is absent
 * is believed only after the time in which it could still arrive, and a clock that jumps must not shorten that time:
 * so it is measured anew by each process, and never taken from a stored instant.
 */
import type { Clock } from '../../kernel/clock.ts'
import { MINUTE } from '../../kernel/clock.ts'
import type { Session } from './session.ts'

const LONGEST_REST_MS = 5 * MINUTE
/** Beyond this many the oldest goes: its measure begins anew, which only makes it later. */
const WATCHED_MAX = 10_000

interface Watched {
  readonly since: number
  asks: number
  nextAskAt: number
}

type InProgress = Pick<Session, 'id' | 'attempt' | 'status' | 'unknown'>

/** A new attempt, or giving up on one, begins a new watch. */
const keyOf = ({ id, attempt, status, unknown }: InProgress): string =>
  `${id} ${attempt} ${status} ${unknown ? 'given up' : 'calling'}`

export interface WatchList {
  /** Begins the watch when it is the first look. */
  seenFor(session: InProgress): number
  /** The supplier is asked less and less often about the same silence. */
  isDue(session: InProgress): boolean
  asked(session: InProgress, firstRestMs: number): void
  /** Forgets all but these. */
  keepOnly(sessions: readonly InProgress[]): void
}

export function watchList(clock: Pick<Clock, 'elapsed'>): WatchList {
  const watched = new Map<string, Watched>()
  function look(session: InProgress): Watched {
    const key = keyOf(session)
    const known = watched.get(key)
    if (known) return known
    const fresh = { since: clock.elapsed(), asks: 0, nextAskAt: -Infinity }
    const [oldest] = watched.keys()
    if (watched.size >= WATCHED_MAX && oldest !== undefined) watched.delete(oldest)
    watched.set(key, fresh)
    return fresh
  }
  return {
    seenFor: (session) => clock.elapsed() - look(session).since,
    isDue: (session) => clock.elapsed() >= look(session).nextAskAt,
    asked(session, firstRestMs) {
      const entry = look(session)
      entry.nextAskAt = clock.elapsed() + Math.min(firstRestMs * 2 ** entry.asks, LONGEST_REST_MS)
      entry.asks = Math.min(entry.asks + 1, 16)
    },
    keepOnly(sessions) {
      const keys = new Set(sessions.map(keyOf))
      for (const key of watched.keys()) if (!keys.has(key)) watched.delete(key)
    },
  }
}

/**
 * How long an order that was given up on can still arrive: the grace of one time-out. While nobody gave up, the call
 * may first have to begin, wait for its place in the line, and take its time: each of them one time-out at most.
 */
export const certainAfter = ({ unknown }: InProgress, timeoutMs: number): number => (unknown ? 1 : 4) * timeoutMs
