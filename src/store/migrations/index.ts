/** In the order they are applied. One of a tagged version is never edited; the next one mends it (docs/changing-things.md). */
import type { Ddl } from '../table.ts'
import { SCHEMA, schema } from './0001_schema.ts'

export type Migrations = Readonly<Record<string, (ddl: Ddl) => readonly string[]>>

export const MIGRATIONS: Migrations = { [SCHEMA]: schema }
