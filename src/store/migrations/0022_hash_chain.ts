/** Decisions, attempts, price changes, stops and people, each change with the hash of the one before. */
import type { Ddl } from '../migrate.ts'

export const hashChain = ({ int, strict }: Ddl): readonly string[] => [
  `create table chain_entry (
    seq ${int} primary key,
    at ${int} not null,
    kind text not null,
    subject text not null,
    by_name text,
    by_role text,
    facts text not null,
    previous text not null,
    hash text not null
  )${strict}`,
  // One row: locking it gives every entry its place.
  `create table chain_head (
    name text primary key,
    seq ${int} not null,
    hash text not null
  )${strict}`,
  `insert into chain_head (name, seq, hash) values ('head', 0, '${'0'.repeat(64)}')`,
]
