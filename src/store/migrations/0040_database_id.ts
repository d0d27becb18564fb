/**
 * An id of the database, so that files outside it, such as the journal of orders, can say whose they are (ADR 36). A backup
 * has the id of its database. A database that was used before has one that follows from its content: a new random one would
 * be another one each time an old backup is restored. Where nothing is there to derive it from, it has none.
 */
import { randomUUID } from 'node:crypto'

const USED = ['event', 'checkout', 'purchase', 'vendor_memory']

export const databaseId = (): readonly string[] => [
  `insert into deployment (name, value) select 'id', hash from chain_entry where seq = (select min(seq) from chain_entry)`,
  `insert into deployment (name, value) select 'id', '${randomUUID()}'
    where not exists (select 1 from chain_entry) and ${USED.map((table) => `not exists (select 1 from ${table})`).join(' and ')}`,
]
