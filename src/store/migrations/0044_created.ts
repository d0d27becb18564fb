/** What a write created, so that it finds it when it runs again after its process died. */
import type { Ddl } from '../migrate.ts'

export const created = ({ int, strict }: Ddl): readonly string[] => [
  `create table created (
    write_id text primary key,
    id text not null,
    created_at ${int} not null
  )${strict}`,
  'create index created_at on created (created_at)',
]
