import type { Ddl } from '../migrate.ts'

export const vendorMemory = ({ int, strict }: Ddl): readonly string[] => [
  `create table vendor_memory (
    namespace text not null,
    key text not null,
    value text not null,
    version ${int} not null,
    primary key (namespace, key)
  )${strict}`,
  `create table connection_state (
    namespace text not null primary key,
    read_at ${int},
    failed_at ${int},
    failure_reason text,
    failure text
  )${strict}`,
  `alter table ledger_mirror add column changes ${int} not null default 0`,
  `alter table ledger_mirror add column changed_from ${int}`,
]
