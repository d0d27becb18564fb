import type { Ddl } from '../migrate.ts'

export const replenishment = ({ int, strict }: Ddl): readonly string[] => [
  `create table replenishment_run (
    id text primary key,
    created_at ${int} not null,
    status text not null,
    placed_at ${int},
    delivered_at ${int},
    supplier text,
    decision text,
    strategy_version text not null,
    line_count ${int} not null,
    delivered_units ${int},
    note text,
    "placing" text,
    body text not null
  )${strict}`,
  `create index replenishment_run_newest on replenishment_run (created_at, id)`,
  `create index replenishment_run_status on replenishment_run (status, created_at, id)`,
  `create table run_line (
    run text not null references replenishment_run (id),
    n ${int} not null,
    location text not null,
    vendor_sku text not null,
    slot_id text not null,
    sku_id text not null,
    title text not null,
    quantity ${int} not null,
    cost ${int} not null,
    cost_estimated ${int} not null,
    source text,
    checkout text,
    removed text,
    delivered ${int},
    primary key (run, n)
  )${strict}`,
  // A plan asks machine by machine what the few runs of the last weeks hold for it.
  `create index run_line_by_machine on run_line (run, location)`,
  `create table run_event (
    run text not null references replenishment_run (id),
    n ${int} not null,
    type text not null,
    occurred_at ${int} not null,
    primary key (run, n)
  )${strict}`,
  `create table forecast (
    location text not null references location (id) on delete cascade,
    vendor_sku text not null,
    day text not null,
    made_at ${int} not null,
    daily_rate_e4 ${int} not null,
    naive_rate_e4 ${int} not null,
    measured ${int} not null,
    primary key (location, vendor_sku, day)
  )${strict}`,
  `create index forecast_by_day on forecast (day)`,
]
