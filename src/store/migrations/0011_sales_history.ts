import type { Ddl } from '../migrate.ts'

export const salesHistory = ({ int, strict }: Ddl): readonly string[] => [
  `create table refused_row (
    namespace text not null,
    source text not null,
    id text not null,
    problem text not null,
    first_seen_at ${int} not null,
    primary key (namespace, source, id)
  )${strict}`,
  `alter table ledger_mirror add column recheck_from ${int}`,
  `alter table ledger_mirror add column recheck_to ${int}`,
  `alter table ledger_mirror add column deep_read_at ${int}`,
  // The newest known cost of a machine's product is one look into this index.
  `create index sale_line_by_cost on sale_line (namespace, vendor_sku, at) where cost > 0 and cost <> price`,
  `create index run_line_by_location on run_line (location, checkout) where checkout is not null`,
  `alter table purchase_event add column carrier text`,
  `alter table purchase_event add column tracking_number text`,
  `alter table purchase_event add column tracking_url text`,
]
