/**
 * All tables, as store/tables defines them. It stays the only migration until v0.2.0 is tagged: until then a change of a
 * definition changes it, and a database made before that is refused. With the tag scripts/freeze-schema.ts writes it down as
 * text, and every later change is a migration of its own (docs/changing-things.md).
 */
import { createHash, randomUUID } from 'node:crypto'
import { TABLES } from '../schema.ts'
import { type Ddl, createTable } from '../table.ts'

/** All but the list of migrations, which is there before the first one. */
const { migration: _migration, ...tables } = TABLES

const createTables = (ddl: Ddl): readonly string[] =>
  Object.entries(tables).flatMap(([name, table]) => createTable(name, table, ddl))

export const schema = (ddl: Ddl): readonly string[] => [
  ...createTables(ddl),
  `insert into chain_head (name, seq, hash) values ('head', 0, '${'0'.repeat(64)}')`,
  // So that files outside the database, such as the journal of orders, can say whose they are (ADR 36). Backups share it.
  `insert into deployment (name, value) values ('id', '${randomUUID()}')`,
]

/** Changes with the definitions, so that a database made from others is recognized. */
const fingerprint = createHash('sha256')
  .update(createTables({ int: 'int', identity: 'identity', strict: '', clustered: ' clustered' }).join(';'))
  .digest('hex')

export const SCHEMA = `0001_schema_${fingerprint.slice(0, 8)}`
