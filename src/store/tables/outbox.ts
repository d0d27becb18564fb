/** Messages to receivers outside, and the calls that came back from them. */
import type { Generated } from 'kysely'

export interface OutboxTable {
  seq: Generated<number>
  /** A UUID; the same on every attempt. */
  id: string
  /** `order:<target>` or `notify:<channel>`. */
  channel: string
  /** What the message is about: the id of the order, or the subject of a notification. */
  topic: string
  /** `purchase` or `sale` for an order, else the kind of the notification. */
  kind: string
  /** Unique in its channel: what was said under this key is not said again. */
  told_once: string | null
  /** 1: the first message of its topic, which is never replaced by a later one. */
  is_first: number
  event_id: string | null
  occurred_at: number
  /** From when on the time is counted after which it is given up. */
  since: number
  /** JSON of a notification; null for an order, which is read when it is sent. */
  data: string | null
  state: 'waiting' | 'delivered' | 'superseded' | 'dead'
  attempts: number
  due_at: number
  finished_at: number | null
  last_status: number | null
  last_error: string | null
}

/** One row per channel whose last try failed. */
export interface OutboxChannelTable {
  channel: string
  /** Tries in a row without success. */
  failures: number
  /** What was written before waits until `paused_until`; what was written later finds out whether the receiver is back. */
  paused_at: number
  paused_until: number
  /** The receiver named this time (`Retry-After`): nothing is sent before it. */
  not_before: number
}

export interface HookCallTable {
  channel: string
  id: string
  seen_at: number
}

export interface OutboxTables {
  outbox: OutboxTable
  outbox_channel: OutboxChannelTable
  hook_call: HookCallTable
}
