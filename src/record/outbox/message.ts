/** A message in the outbox, and when it is tried again. Pure. */
import { DAY, HOUR, MINUTE, SECOND } from '../../kernel/clock.ts'
import { isDue } from '../../kernel/due.ts'
import type { OutboxMessage } from './records.ts'

export type SendResult =
  | { readonly outcome: 'delivered'; readonly status?: number }
  /** There is nothing to say any more. */
  | { readonly outcome: 'obsolete' }
  | {
      readonly outcome: 'retry'
      readonly status?: number
      readonly error: string
      readonly retryAfterMs?: number
      /** Where the status does not say it: whether the message failed, or its receiver cannot be reached. */
      readonly fault?: 'message' | 'receiver'
    }
  /** The receiver does not want it. */
  | { readonly outcome: 'dead'; readonly status?: number; readonly error: string }

/** What to send now, and the messages that it makes unnecessary. */
export interface Batch {
  readonly message: OutboxMessage
  readonly replaces: readonly OutboxMessage[]
}

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

/** A message that was not tried yet never waits. */
export const isMessageDue = ({ attempts, dueAt }: Pick<OutboxMessage, 'attempts' | 'dueAt'>, now: number): boolean =>
  isDue(dueAt, now, attempts === 0 ? 0 : LONGEST_WAIT_MS)

/** Seconds, or a date (RFC 9110, 10.2.3). */
export function parseRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

/**
 * The messages about orders to one receiver: one per order at a time. The first message of an order is always sent; of the
 * others only the newest, because each has the state of the order at the time of sending. What was tried least comes first:
 * an order that the receiver cannot take holds up no other.
 */
export function orderBatches(waiting: readonly OutboxMessage[], now: number): readonly Batch[] {
  const byOrder = Map.groupBy(
    waiting.toSorted((a, b) => a.seq - b.seq),
    ({ topic }) => topic,
  )
  return [...byOrder.values()]
    .flatMap((messages): Batch[] => {
      const [first] = messages
      const newest = messages.at(-1)
      if (!first || !newest) return []
      if (first.isFirst) return [{ message: first, replaces: [] }]
      return [{ message: newest, replaces: messages.slice(0, -1) }]
    })
    .filter(({ message }) => isMessageDue(message, now))
    .toSorted((a, b) => a.message.attempts - b.message.attempts || a.message.seq - b.message.seq)
}
