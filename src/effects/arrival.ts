/**
 * How long something that was sent without an answer may still arrive: an order at its supplier, a price at its machine. Each
 * process measures it by its own monotonic clock (ADR 13), because a stored instant would look old once the wall clock is set
 * forward. Only afterwards does what the receiver says about it count as the outcome.
 */
import type { Clock } from '../kernel/clock.ts'
import { BoundedMap } from '../lib/caches.ts'
import type { EffectKind } from './watch-records.ts'

declare module '../context.ts' {
  interface Context {
    readonly arrivals: ArrivalTimers
  }
}

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

/** One attempt to send. */
export interface SentAttempt {
  readonly kind: EffectKind
  readonly subject: string | number
  readonly attempt: number
}

/** `hasCallEnded`: it is on record that the call ended without an answer. */
export interface ArrivalTimers {
  /** How long it may still arrive; 0 once it cannot any more. Starts the timer unless it runs. */
  remainingMs(sent: SentAttempt, hasCallEnded?: boolean): number
}

export function arrivalTimers(clock: Pick<Clock, 'elapsed'>, timeoutMs: number): ArrivalTimers {
  const timers = new BoundedMap<string, Timer>(TIMERS_MAX)

  function timerOf({ kind, subject, attempt }: SentAttempt, hasCallEnded: boolean): Timer {
    const key = `${kind} ${subject} ${attempt}`
    const known = timers.get(key)
    if (known && (known.hasCallEnded || !hasCallEnded)) return known
    const timer = { since: clock.elapsed(), hasCallEnded }
    timers.set(key, timer)
    return timer
  }

  return {
    remainingMs(sent, hasCallEnded = false) {
      const timer = timerOf(sent, hasCallEnded)
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
