/**
 * Receipts per stop: a line is received at its own time, by the service of its machine, and an event of a receipt keeps its
 * lines. Lines of runs from before were received with their run.
 */
import type { Ddl } from '../migrate.ts'

export const services = ({ int, strict }: Ddl): readonly string[] => [
  `create table service (
    id text primary key,
    location text not null,
    run text,
    at ${int} not null,
    note text,
    body text not null,
    undone_at ${int},
    by_name text,
    by_role text
  )${strict}`,
  `create index service_by_machine on service (location, at)`,
  `alter table run_line add column delivered_at ${int}`,
  `alter table run_line add column service text`,
  `alter table run_event add column line_items text`,
  `update run_line set delivered_at = (select delivered_at from replenishment_run where id = run_line.run)
    where removed is null and run in (select id from replenishment_run where status = 'delivered')`,
]
