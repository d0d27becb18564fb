import type { Ddl } from '../migrate.ts'

export const checkout = ({ int, strict }: Ddl): readonly string[] => [
  `create table checkout (
    id text primary key,
    version ${int} not null,
    status text not null,
    vendor text not null,
    created_at ${int} not null,
    expires_at ${int} not null,
    assessed_at ${int} not null,
    total_fen ${int} not null,
    fingerprint text not null,
    basket text not null,
    decision text,
    approved_basket text,
    attempt ${int} not null,
    unknown_since ${int},
    unknown_text text,
    sent ${int} not null,
    closed_as text,
    closed_at ${int},
    label text,
    body text not null
  )${strict}`,
  `create index checkout_newest on checkout (created_at, id)`,
  `create index checkout_status on checkout (status, created_at, id)`,
  `create index checkout_due on checkout (expires_at)
    where status in ('incomplete', 'requires_escalation', 'ready_for_complete')`,
  // Canceled although an attempt may have reached the supplier: few, and watched for a while.
  `create index checkout_late on checkout (closed_at) where status = 'canceled' and sent = 1`,
  `create table checkout_attempt (
    checkout text not null references checkout (id),
    n ${int} not null,
    claimed_at ${int} not null,
    intent text not null,
    outcome text,
    outcome_text text,
    settled_at ${int},
    event ${int},
    primary key (checkout, n)
  )${strict}`,
  `create table purchase (
    id text primary key,
    version ${int} not null,
    vendor text not null,
    label text not null,
    placed_at ${int} not null,
    total_fen ${int} not null,
    body text not null,
    state text not null,
    raw_status ${int},
    description text,
    logistics text,
    asked_at ${int}
  )${strict}`,
  // A supplier's number stands for one order: the same one twice would be two sessions claiming one purchase.
  `create unique index purchase_label on purchase (vendor, label)`,
  `create index purchase_newest on purchase (placed_at, id)`,
  `create index purchase_open on purchase (asked_at) where state = 'ordered'`,
  `create table purchase_event (
    purchase text not null references purchase (id),
    n ${int} not null,
    state text not null,
    occurred_at ${int} not null,
    primary key (purchase, n)
  )${strict}`,
]
