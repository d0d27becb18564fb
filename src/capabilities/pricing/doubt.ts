/**
 * How long a price change that was not answered may still arrive at the machine. Measured with the monotonic clock by each
 * process (ADR 13): a stored instant would become old whenever somebody sets the clock forward.
 */
import type { Clock } from '../../kernel/clock.ts'
import type { PriceChange } from './records.ts'

/** Beyond this many the oldest measure is dropped; it begins anew, which only makes it later. */
const MEASURES_MAX = 10_000
/** While nobody gave up, the call may have to begin, wait for its turn and take its time, and then has its grace. */
const TIMEOUTS_UNTIL_CERTAIN = 4

type Attempt = Pick<PriceChange, 'seq' | 'attempts'>

interface Measure {
  readonly since: number
  readonly timeouts: number
}

export interface DoubtTimers {
  /** Begins the measure when this process sees the attempt for the first time. */
  start(attempt: Attempt): void
  /** This process gave up waiting for the machine's answer: from now on only the grace counts. */
  giveUp(attempt: Attempt): void
  /** True once a request that was sent can no longer arrive: what the machine shows from now on is the outcome. */
  isOver(attempt: Attempt): boolean
}

export function doubtTimers(clock: Pick<Clock, 'elapsed'>, timeoutMs: number): DoubtTimers {
  const measures = new Map<string, Measure>()
  const keyOf = ({ seq, attempts }: Attempt) => `${seq} ${attempts}`

  function begin(key: string, timeouts: number): Measure {
    const [oldest] = measures.keys()
    if (measures.size >= MEASURES_MAX && oldest !== undefined) measures.delete(oldest)
    const measure = { since: clock.elapsed(), timeouts }
    measures.set(key, measure)
    return measure
  }

  const measureOf = (attempt: Attempt): Measure => {
    const key = keyOf(attempt)
    return measures.get(key) ?? begin(key, TIMEOUTS_UNTIL_CERTAIN)
  }

  return {
    start: (attempt) => void measureOf(attempt),
    giveUp: (attempt) => void begin(keyOf(attempt), 1),
    isOver(attempt) {
      const { since, timeouts } = measureOf(attempt)
      return clock.elapsed() - since >= timeouts * timeoutMs
    },
  }
}
