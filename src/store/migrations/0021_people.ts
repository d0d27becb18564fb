/** People and their keys, sign-in links, and who caused each row. */
import type { Ddl } from '../migrate.ts'

/** Tables whose rows name the request that caused them. */
const CAUSED = ['event', 'decision', 'price_change', 'checkout_attempt', 'replenishment_run', 'run_event']

export const people = ({ int, strict }: Ddl): readonly string[] => [
  // Rows are never deleted: that an owner ever existed is a fact that must not be lost.
  `create table person (
    id text primary key,
    name text not null,
    folded_name text not null,
    role text not null,
    key_hash text not null unique,
    keyed_at ${int} not null,
    created_at ${int} not null,
    last_used_at ${int},
    expires_at ${int},
    revoked_at ${int},
    rate_limit_per_minute ${int}
  )${strict}`,
  `create unique index person_name on person (folded_name) where revoked_at is null`,
  `create index person_role on person (role)`,
  `create table sign_in_link (
    hash text primary key,
    person text not null,
    key_hash text not null,
    expires_at ${int} not null
  )${strict}`,
  `alter table console_session add column key_hash text`,
  ...CAUSED.flatMap((table) => [
    `alter table ${table} add column by_name text`,
    `alter table ${table} add column by_role text`,
  ]),
  `alter table decision add column resolved_role text`,
]
