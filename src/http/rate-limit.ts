/** RATE_LIMIT_PER_MINUTE: a bucket per caller that refills evenly. Zero turns it off. */
import { MINUTE } from '../kernel/clock.ts'
import type { Clock } from '../kernel/clock.ts'

const CALLERS_KEPT = 10_000

export function rateLimit(perMinute: number, clock: Clock) {
  const buckets = new Map<string, { tokens: number; at: number }>()
  return {
    /** Seconds to wait, or 0 when the request may pass. */
    take(caller: string): number {
      if (perMinute === 0) return 0
      const now = clock.elapsed()
      const known = buckets.get(caller) ?? { tokens: perMinute, at: now }
      const tokens = Math.min(perMinute, known.tokens + ((now - known.at) / MINUTE) * perMinute)
      buckets.delete(caller)
      if (buckets.size >= CALLERS_KEPT) buckets.delete(buckets.keys().next().value as string)
      buckets.set(caller, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now })
      return tokens >= 1 ? 0 : Math.max(1, Math.ceil(((1 - tokens) / perMinute) * 60))
    },
  }
}
