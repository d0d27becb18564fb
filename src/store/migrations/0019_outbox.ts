/** Messages to receivers outside: order webhooks and notifications to people (ADR 32). */
import type { Ddl } from '../migrate.ts'

export const outbox = ({ int, identity, strict }: Ddl): readonly string[] => [
  `create table outbox (
    seq ${identity},
    id text not null,
    channel text not null,
    topic text not null,
    kind text not null,
    told_once text,
    is_first ${int} not null,
    event_id text,
    occurred_at ${int} not null,
    since ${int} not null,
    data text,
    state text not null,
    attempts ${int} not null,
    due_at ${int} not null,
    finished_at ${int},
    last_status ${int},
    last_error text
  )${strict}`,
  `create unique index outbox_id on outbox (id)`,
  `create unique index outbox_told_once on outbox (channel, told_once) where told_once is not null`,
  `create index outbox_waiting on outbox (channel, due_at) where state = 'waiting'`,
  `create index outbox_topic on outbox (channel, topic)`,
  `create table hook_call (
    channel text not null,
    id text not null,
    seen_at ${int} not null,
    primary key (channel, id)
  )${strict}`,
]
