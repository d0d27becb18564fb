import type { Ddl } from '../migrate.ts'

export const foundation = ({ int, identity, strict }: Ddl): readonly string[] => [
  `create table idempotency (
    scope text primary key,
    fingerprint text not null,
    state text not null,
    held_until ${int} not null,
    holder text not null,
    status ${int},
    headers text,
    body text,
    created_at ${int} not null
  )${strict}`,
  `create index idempotency_created on idempotency (created_at)`,
  `create table lease (
    name text primary key,
    holder text not null,
    fence ${int} not null,
    held_until ${int} not null,
    next_at ${int} not null
  )${strict}`,
  `create table counter (
    name text primary key,
    value ${int} not null
  )${strict}`,
  `create table event (
    seq ${identity},
    stored_at ${int} not null,
    occurred_at ${int} not null,
    kind text not null,
    summary text not null,
    reasoning text not null,
    location text
  )${strict}`,
  `create index event_location on event (location, seq)`,
  `create index event_kind on event (kind, seq)`,
]
