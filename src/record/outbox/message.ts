/** A message in the outbox, and when it is tried again. Pure. */
import { isDue } from '../../kernel/due.ts'
import type { OutboxMessage } from './records.ts'
import { LONGEST_WAIT_MS } from './retry.ts'

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

/** A message that was not tried yet never waits. */
export const isMessageDue = ({ attempts, dueAt }: Pick<OutboxMessage, 'attempts' | 'dueAt'>, now: number): boolean =>
  isDue(dueAt, now, attempts === 0 ? 0 : LONGEST_WAIT_MS)

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
