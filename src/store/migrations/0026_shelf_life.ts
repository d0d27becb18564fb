/** How long products may stay in a machine, as the operator states it. */
import type { Ddl } from '../migrate.ts'

export const shelfLife = ({ int, strict }: Ddl): readonly string[] => [
  `create table shelf_life (
    sku_id text primary key,
    days ${int} not null
  )${strict}`,
]
