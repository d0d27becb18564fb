/**
 * RATE_LIMIT_PER_MINUTE: token buckets that refill evenly, one per caller and kind of request. The clock is the one
 * nobody can set, so a jump of the wall clock neither blocks a caller nor fills its bucket.
 */
import { MINUTE } from '../kernel/clock.ts'
import type { Clock } from '../kernel/clock.ts'
import { BoundedMap } from '../lib/bounded-map.ts'

/** `new` is what people have to read or what stays for long: decisions that were opened, events that callers wrote. */
export type LimitedKind = 'request' | 'write' | 'new'

/** Of the requests per minute, the part that may be of each kind: 3000, 600 and 60 by default. */
const PER_REQUESTS: Readonly<Record<LimitedKind, number>> = { request: 1, write: 5, new: 50 }
const BUCKETS_MAX = 10_000

interface Bucket {
  tokens: number
  at: number
}

export interface RateLimits {
  /** Seconds until the caller may go on; 0 when it may now. Takes nothing. */
  wait(kind: LimitedKind, caller: string): number
  /** Takes one, also where none is left: what has happened is paid for later. */
  charge(kind: LimitedKind, caller: string): void
}

/** Zero turns it off. */
export function rateLimits(perMinute: number, clock: Clock): RateLimits {
  const buckets = new BoundedMap<string, Bucket>(BUCKETS_MAX)
  const sizeOf = (kind: LimitedKind) => Math.max(1, Math.floor(perMinute / PER_REQUESTS[kind]))

  function bucketOf(kind: LimitedKind, caller: string): Bucket {
    const key = `${kind} ${caller}`
    const size = sizeOf(kind)
    const at = clock.elapsed()
    const known = buckets.get(key) ?? { tokens: size, at }
    known.tokens = Math.min(size, known.tokens + ((at - known.at) / MINUTE) * size)
    known.at = at
    // Setting it again makes it the newest, so that the least recently used is evicted first.
    buckets.set(key, known)
    return known
  }

  return {
    wait(kind, caller) {
      if (perMinute === 0) return 0
      const { tokens } = bucketOf(kind, caller)
      return tokens >= 1 ? 0 : Math.max(1, Math.ceil(((1 - tokens) / sizeOf(kind)) * 60))
    },
    charge(kind, caller) {
      if (perMinute > 0) bucketOf(kind, caller).tokens -= 1
    },
  }
}
