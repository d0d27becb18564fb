import type { Ddl } from '../migrate.ts'

const CAUSED = ['event', 'decision', 'price_change', 'checkout_attempt']

export const callersAndLatePrices = ({ int }: Ddl): readonly string[] => [
  ...CAUSED.flatMap((table) => [
    `alter table ${table} add column agent text`,
    `alter table ${table} add column request_id text`,
  ]),
  // Identical refusals within a minute are counted on one event.
  `alter table event add column fold_key text`,
  `alter table event add column occurrences ${int} not null default 1`,
  `create unique index event_fold on event (fold_key) where fold_key is not null`,
  `alter table price_change add column check_at ${int}`,
  `alter table price_change add column checks ${int} not null default 0`,
  `alter table price_change add column applied ${int} not null default 0`,
  `create index price_change_check on price_change (check_at) where check_at is not null`,
  `create index price_change_open on price_change (location) where status in ('executing', 'unresolved')`,
]
