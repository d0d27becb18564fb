import type { Ddl } from '../migrate.ts'

/** Tables that hold amounts once a service has worked with the database. */
const USED = ['event', 'slot', 'purchase', 'checkout', 'price_change', 'trade']

/** In which currency the amounts of this database are. All versions before this one knew only CNY. */
export const currency = ({ strict }: Ddl): readonly string[] => [
  `create table deployment (name text primary key, value text not null)${strict}`,
  `insert into deployment (name, value) select 'currency', 'CNY'
    where ${USED.map((table) => `exists (select 1 from ${table})`).join(' or ')}`,
]
