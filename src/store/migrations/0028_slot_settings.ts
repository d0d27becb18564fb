/** What an operator states about a slot. Apart from the slots, because a sync replaces those wholesale. */
import type { Ddl } from '../migrate.ts'

export const slotSettings = ({ int, strict }: Ddl): readonly string[] => [
  `create table slot_setting (
    location text not null references location (id) on delete cascade,
    vendor_sku text not null,
    capacity ${int},
    par ${int},
    position_row text,
    position_column ${int},
    updated_at ${int} not null,
    primary key (location, vendor_sku)
  )${strict}`,
]
