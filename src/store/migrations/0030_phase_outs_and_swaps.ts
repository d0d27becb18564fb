/** Products that are not ordered any more, on the route or in one machine, and products proposed for a slot instead. */
import type { Ddl } from '../migrate.ts'

export const phaseOutsAndSwaps = ({ int, strict }: Ddl): readonly string[] => [
  // An empty location stands for the whole route.
  `create table phase_out (
    sku_id text not null,
    location text not null,
    at ${int} not null,
    primary key (sku_id, location)
  )${strict}`,
  `create table slot_swap (
    location text not null references location (id) on delete cascade,
    vendor_sku text not null,
    slot_id text not null,
    to_sku text not null,
    decision text not null,
    status text not null,
    weekly_gain ${int} not null,
    at ${int} not null,
    primary key (location, vendor_sku)
  )${strict}`,
  `create index slot_swap_by_decision on slot_swap (decision)`,
]
