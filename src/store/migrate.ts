/** Numbered migrations, one text for both databases, applied at start under Kysely's migration lock. */
import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import type { Db, StoreKind } from './db.ts'
import { MIGRATIONS } from './migrations/index.ts'

/** The few words in which the two databases differ. */
export interface Ddl {
  /** A 64-bit integer. */
  readonly int: string
  /** A 64-bit key given by the database, in rising order. */
  readonly identity: string
  /** Ends a table definition: SQLite checks column types only in strict tables. */
  readonly strict: string
}

const DDL: Record<StoreKind, Ddl> = {
  sqlite: { int: 'integer', identity: 'integer primary key autoincrement', strict: ' strict' },
  postgres: { int: 'bigint', identity: 'bigint generated always as identity primary key', strict: '' },
}

const migratorOf = (db: Db, kind: StoreKind) =>
  new Migrator({
    db,
    provider: {
      getMigrations: async () =>
        Object.fromEntries(
          Object.entries(MIGRATIONS).map(([name, statements]) => [
            name,
            {
              up: async (tx) => {
                for (const statement of statements(DDL[kind])) await sql.raw(statement).execute(tx)
              },
            },
          ]),
        ),
    },
  })

export async function migrate(db: Db, kind: StoreKind): Promise<void> {
  const { error } = await migratorOf(db, kind).migrateToLatest()
  if (error) throw new Error('the database could not be migrated', { cause: error })
}

/** Names of migrations this code knows and the database has not seen; readiness asks. */
export async function pendingMigrations(db: Db, kind: StoreKind): Promise<readonly string[]> {
  const known = await migratorOf(db, kind).getMigrations()
  return known.filter((migration) => migration.executedAt === undefined).map((migration) => migration.name)
}
