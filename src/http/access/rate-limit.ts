/**
 * RATE_LIMIT_PER_MINUTE: token buckets that refill evenly, one per caller and kind of request. They use the monotonic
 * clock, so a change of the wall clock neither blocks a caller nor fills its bucket.
 */
import { type Clock, MINUTE } from '../../kernel/clock.ts'
import { BoundedMap } from '../../lib/caches.ts'

/** `new`: what people have to read, which is approvals created and events appended by callers. */
export type LimitedKind = 'request' | 'write' | 'new'

/** Divides the limit for each kind: 3000, 600 and 60 per minute by default. */
const DIVISORS: Readonly<Record<LimitedKind, number>> = { request: 1, write: 5, new: 50 }
const BUCKETS_MAX = 10_000

interface Bucket {
  tokens: number
  at: number
}

export interface RateLimits {
  /** Seconds until the caller may continue; 0 when it may now. Charges nothing. */
  waitSeconds(kind: LimitedKind, caller: string, perMinute?: number): number
  /** Charges one, even below zero: what has already happened delays the next request. */
  charge(kind: LimitedKind, caller: string, perMinute?: number): void
}

/** 0 means no limits. A caller may have a limit of its own, which applies to requests and in proportion to the other kinds. */
export function rateLimits(usual: number, clock: Clock): RateLimits {
  const buckets = new BoundedMap<string, Bucket>(BUCKETS_MAX)
  const sizeOf = (kind: LimitedKind, perMinute: number) => Math.max(1, Math.floor(perMinute / DIVISORS[kind]))

  function bucketOf(kind: LimitedKind, caller: string, perMinute: number): Bucket {
    const key = `${kind} ${caller}`
    const size = sizeOf(kind, perMinute)
    const at = clock.elapsed()
    const known = buckets.get(key) ?? { tokens: size, at }
    known.tokens = Math.min(size, known.tokens + ((at - known.at) / MINUTE) * size)
    known.at = at
    // Setting it again makes it the newest, so that the least recently used is evicted first.
    buckets.set(key, known)
    return known
  }

  return {
    waitSeconds(kind, caller, perMinute = usual) {
      if (perMinute === 0) return 0
      const { tokens } = bucketOf(kind, caller, perMinute)
      return tokens >= 1 ? 0 : Math.max(1, Math.ceil(((1 - tokens) / sizeOf(kind, perMinute)) * 60))
    },
    charge(kind, caller, perMinute = usual) {
      if (perMinute > 0) bucketOf(kind, caller, perMinute).tokens -= 1
    },
  }
}
