/** When a message that was not delivered is tried again. Pure. */
import { DAY, HOUR, MINUTE, SECOND } from '../../kernel/clock.ts'

const RETRY_MS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 6 * HOUR]
const LAST_RETRY_MS = 12 * HOUR
const SPREAD = 0.2
/** The longest that a try or a receiver is waited for. */
export const LONGEST_WAIT_MS = LAST_RETRY_MS * (1 + SPREAD)
export const GIVE_UP_MS = 5 * DAY

/** `random` from 0 to 1 spreads the retries, so that a receiver that comes back is not called by all at once. */
export function retryDelayMs(attempts: number, random: number, retryAfterMs = 0): number {
  const delay = RETRY_MS[attempts - 1] ?? LAST_RETRY_MS
  const spread = delay * (1 - SPREAD + 2 * SPREAD * random)
  return Math.round(Math.max(spread, Math.min(retryAfterMs, LAST_RETRY_MS)))
}

/** Seconds, or a date (RFC 9110, 10.2.3). */
export function parseRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
