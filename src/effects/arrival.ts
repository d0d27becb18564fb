/**
 * How long something that was sent without an answer may still arrive: an order at its supplier, a price at its machine. Each
 * process measures it by its own monotonic clock (ADR 13), because a stored instant would look old once the wall clock is set
 * forward. Only afterwards does what the receiver says about it count as the outcome.
 */
import type { Clock } from '../kernel/clock.ts'
import { BoundedMap } from '../lib/caches.ts'

/** Beyond this many the oldest timer is dropped; it starts again, which only makes it end later. */
const TIMERS_MAX = 10_000
/** Until the call has ended: one time-out each to start, to wait in the queue, for the call itself, and as grace period. */
const TIMEOUTS_OF_CALL = 4
/** After it. */
const TIMEOUTS_AFTER_CALL = 1

interface Timer {
  readonly since: number
  readonly hasCallEnded: boolean
}

/** `attempt` names one attempt to send; `hasCallEnded`: it is on record that the call ended without an answer. */
export interface ArrivalTimers {
  /** Starts the timer unless it runs. */
  start(attempt: string, hasCallEnded?: boolean): void
  /** How long it may still arrive; 0 once it cannot any more. Starts the timer unless it runs. */
  remainingMs(attempt: string, hasCallEnded?: boolean): number
}

export function arrivalTimers(clock: Pick<Clock, 'elapsed'>, timeoutMs: number): ArrivalTimers {
  const timers = new BoundedMap<string, Timer>(TIMERS_MAX)

  function timerOf(attempt: string, hasCallEnded: boolean): Timer {
    const known = timers.get(attempt)
    if (known && (known.hasCallEnded || !hasCallEnded)) return known
    const timer = { since: clock.elapsed(), hasCallEnded }
    timers.set(attempt, timer)
    return timer
  }

  return {
    start: (attempt, hasCallEnded = false) => void timerOf(attempt, hasCallEnded),
    remainingMs(attempt, hasCallEnded = false) {
      const timer = timerOf(attempt, hasCallEnded)
      const timeouts = timer.hasCallEnded ? TIMEOUTS_AFTER_CALL : TIMEOUTS_OF_CALL
      return Math.max(0, timeouts * timeoutMs - (clock.elapsed() - timer.since))
    },
  }
}

/**
 * A process that was suspended after its claim must not act on it: the time to start the call is over, and others may have
 * concluded that nothing was sent. `claimedAt`: on the monotonic clock, from before the claim was stored.
 */
export const isTooLateToSend = (
  {
    clock,
    config,
  }: { readonly clock: Pick<Clock, 'elapsed'>; readonly config: { readonly upstreamTimeoutMs: number } },
  claimedAt: number,
): boolean => clock.elapsed() - claimedAt > config.upstreamTimeoutMs
