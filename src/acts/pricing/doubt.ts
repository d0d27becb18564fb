/**
 * How long an unanswered price change may still arrive at the machine. Each process timers it with the monotonic clock
 * (ADR 13): setting the wall clock forward would make a stored instant look old.
 */
import type { Clock } from '../../kernel/clock.ts'
import { BoundedMap } from '../../lib/caches.ts'
import type { PriceChange } from './records.ts'

/** Beyond this many the oldest timer is dropped; it starts again, which only makes it end later. */
const TIMERS_MAX = 10_000
/** Until the caller gave up: one time-out each to start, to wait in the queue, for the call itself, and as grace period. */
const TIMEOUTS_UNTIL_CERTAIN = 4

type Attempt = Pick<PriceChange, 'seq' | 'attempts'>

interface Timer {
  readonly since: number
  readonly timeouts: number
}

export interface DoubtTimers {
  /** Starts the timer unless it runs already. */
  start(attempt: Attempt): void
  /** This process gave up waiting for the machine's answer: from now on only the grace period counts. */
  giveUp(attempt: Attempt): void
  /** True once a request that was sent can no longer arrive: the prices on the machine are then the outcome. */
  isOver(attempt: Attempt): boolean
}

export function doubtTimers(clock: Pick<Clock, 'elapsed'>, timeoutMs: number): DoubtTimers {
  const timers = new BoundedMap<string, Timer>(TIMERS_MAX)
  const keyOf = ({ seq, attempts }: Attempt) => `${seq} ${attempts}`

  function begin(key: string, timeouts: number): Timer {
    const timer = { since: clock.elapsed(), timeouts }
    timers.set(key, timer)
    return timer
  }

  const timerOf = (attempt: Attempt): Timer => {
    const key = keyOf(attempt)
    return timers.get(key) ?? begin(key, TIMEOUTS_UNTIL_CERTAIN)
  }

  return {
    start: (attempt) => void timerOf(attempt),
    giveUp: (attempt) => void begin(keyOf(attempt), 1),
    isOver(attempt) {
      const { since, timeouts } = timerOf(attempt)
      return clock.elapsed() - since >= timeouts * timeoutMs
    },
  }
}
