/** A slot may have several swaps over time: one that was done or rejected stays on record beside the next. */
import type { Ddl } from '../migrate.ts'

export const swapHistory = ({ int, strict }: Ddl): readonly string[] => [
  `create table slot_swap_history (
    location text not null references location (id) on delete cascade,
    vendor_sku text not null,
    slot_id text not null,
    to_sku text not null,
    decision text not null,
    status text not null,
    weekly_gain ${int} not null,
    at ${int} not null,
    changed_at ${int} not null,
    primary key (location, vendor_sku, to_sku)
  )${strict}`,
  `insert into slot_swap_history
    select location, vendor_sku, slot_id, to_sku, decision, status, weekly_gain, at, at from slot_swap`,
  `drop table slot_swap`,
  `alter table slot_swap_history rename to slot_swap`,
  `create index slot_swap_by_decision on slot_swap (decision)`,
]
