/** Messages to receivers outside, and the calls that came back from them. */
import { identity, int, nullable, table, text, textOf } from '../table.ts'

export const OUTBOX_TABLES = {
  outbox: table(
    {
      seq: identity,
      /** A UUID; the same on every attempt. */
      id: text,
      /** `order:<target>` or `notify:<channel>`. */
      channel: text,
      /** What the message is about: the id of the order, or the subject of a notification. */
      topic: text,
      /** `purchase` or `sale` for an order, else the kind of the notification. */
      kind: text,
      /** Unique in its channel: what was said under this key is not said again. */
      once_key: nullable(text),
      /** 1: the first message of its topic, which is never replaced by a later one. */
      is_first: int,
      event_id: nullable(text),
      occurred_at: int,
      /** From when on the time is counted after which it is given up. */
      since: int,
      /** JSON of a notification; null for an order, which is read when it is sent. */
      data: nullable(text),
      state: textOf<'waiting' | 'delivered' | 'superseded' | 'dead'>(),
      attempts: int,
      due_at: int,
      finished_at: nullable(int),
      last_status: nullable(int),
      last_error: nullable(text),
    },
    {
      indexes: {
        id: { unique: true, on: ['id'] },
        once_key: { unique: true, on: ['channel', 'once_key'], where: 'once_key is not null' },
        topic: ['channel', 'topic'],
        waiting: { on: ['channel', 'due_at'], where: `state = 'waiting'` },
      },
    },
  ),

  /** One row per channel whose last try failed. */
  outbox_channel: table(
    {
      channel: text,
      /** Tries in a row without success. */
      failures: int,
      /** What was written before waits until `paused_until`; what was written later finds out whether the receiver is back. */
      paused_at: int,
      paused_until: int,
      /** The receiver named this time (`Retry-After`): nothing is sent before it. */
      not_before: int,
    },
    { key: ['channel'] },
  ),

  hook_call: table(
    {
      channel: text,
      id: text,
      seen_at: int,
    },
    { key: ['channel', 'id'] },
  ),
}
