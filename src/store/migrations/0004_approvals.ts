import type { Ddl } from '../migrate.ts'

export const approvals = ({ int, identity, strict }: Ddl): readonly string[] => [
  `create table decision (
    seq ${identity},
    at ${int} not null,
    kind text not null,
    summary text not null,
    reasoning text not null,
    subject_type text not null,
    subject_id text not null,
    status text not null,
    resolved_at ${int},
    resolved_by text
  )${strict}`,
  `create index decision_status on decision (status, seq)`,
  // At most one decision of a subject waits, whatever two instances do at the same time.
  `create unique index decision_waiting on decision (subject_type, subject_id) where status = 'pending'`,
  `create table emergency_stop (
    name text primary key,
    pulled_at ${int} not null,
    pulled_by text not null,
    reason text not null
  )${strict}`,
  `create table price_change (
    seq ${identity},
    created_at ${int} not null,
    location text not null,
    namespace text not null,
    fingerprint text not null,
    lines text not null,
    decision text,
    status text not null,
    attempts ${int} not null,
    due_at ${int} not null
  )${strict}`,
  `create index price_change_request on price_change (fingerprint, seq)`,
  `create index price_change_due on price_change (due_at) where status in ('approved', 'executing')`,
]
