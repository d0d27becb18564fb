/** Applies the numbered migrations at start, under a lock. Both databases share their text. */
import { sql } from 'kysely'
import type { Db, Queryable, Store, StoreKind } from './store.ts'
import { type Migrations, MIGRATIONS } from './migrations/index.ts'
import { type Ddl, createTable } from './table.ts'
import { STORE_TABLES } from './tables/store.ts'
import { StoreUnusable } from './unavailable.ts'

export const DDL: Record<StoreKind, Ddl> = {
  sqlite: {
    int: 'integer',
    identity: 'integer primary key autoincrement',
    strict: ' strict',
    clustered: ', without rowid',
  },
  postgres: { int: 'bigint', identity: 'bigint generated always as identity primary key', strict: '', clustered: '' },
}

/** An arbitrary number, the same in every instance. */
const LOCK = 815_042

/**
 * One transaction for all migrations. On SQLite it starts by taking the write lock, on PostgreSQL by taking an advisory
 * lock, so of several processes that start at once the first migrates and the others find it done.
 */
export async function migrate(store: Store, migrations: Migrations = MIGRATIONS): Promise<void> {
  const ddl = DDL[store.kind]
  await store.transaction(async (tx) => {
    if (store.kind === 'postgres') {
      // A step over a large table may take longer than any statement of the service should.
      await sql.raw('set local statement_timeout = 0').execute(tx)
      await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx)
    }
    for (const statement of createTable('if not exists migration', STORE_TABLES.migration, ddl))
      await sql.raw(statement).execute(tx)
    const applied = await listApplied(tx)
    refuse(findRefusal(applied, migrations))
    for (const [name, statements] of Object.entries(migrations)) {
      if (applied.includes(name)) continue
      for (const statement of statements(ddl)) await sql.raw(statement).execute(tx)
      await tx.insertInto('migration').values({ name }).execute()
    }
  })
}

const listApplied = async (db: Queryable): Promise<readonly string[]> =>
  (await db.selectFrom('migration').select('name').execute()).map(({ name }) => name)

/** Why this version cannot use a database, as the end of a sentence about it, and what to do. */
export interface Refusal {
  readonly problem: string
  readonly remedy: string
}

/** Code must not use a database of another schema: each would misread what the other wrote. */
export function findRefusal(applied: readonly string[], migrations: Migrations = MIGRATIONS): Refusal | undefined {
  const unknown = applied.filter((name) => !(name in migrations))
  if (unknown.some((name) => name.startsWith('0001_')))
    return {
      problem: 'was written by an unreleased version of vendops and cannot be upgraded',
      remedy:
        'start with an empty database; what to export before, with the version that wrote it: docs/backup-and-restore.md',
    }
  if (unknown.length > 0)
    return {
      problem: `was written by a newer version of vendops (${unknown.join(', ')})`,
      remedy: 'install that version, or restore a backup made before the upgrade',
    }
  return undefined
}

function refuse(refusal: Refusal | undefined): void {
  if (refusal) throw new StoreUnusable(`The database ${refusal.problem}: ${refusal.remedy}.`)
}

export const findDatabaseRefusal = async (db: Db): Promise<Refusal | undefined> => findRefusal(await listApplied(db))

/** For commands that do not migrate. */
export const requireUsableDatabase = async (db: Db): Promise<void> => refuse(await findDatabaseRefusal(db))

/** Names of migrations not yet applied; shown by the readiness check. */
export async function listPendingMigrations(db: Db): Promise<readonly string[]> {
  const applied = await listApplied(db)
  return Object.keys(MIGRATIONS).filter((name) => !applied.includes(name))
}
