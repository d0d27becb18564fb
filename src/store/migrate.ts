/** Numbered migrations, one text for both databases, applied at start under a lock. */
import { sql } from 'kysely'
import type { Db, Store, StoreKind } from './store.ts'
import { MIGRATIONS } from './migrations/index.ts'
import { StoreUnusable } from './unavailable.ts'

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

/** Any number will do, as long as every instance asks for the same. */
const LOCK = 815_042

/**
 * One transaction for all of it. SQLite's begins by taking the write lock, PostgreSQL's asks for an advisory one, so
 * of several processes starting at once the first migrates and the others find it done.
 */
export async function migrate(store: Store): Promise<void> {
  await store.transaction(async (tx) => {
    if (store.kind === 'postgres') await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx)
    await sql.raw('create table if not exists migration (name text primary key)').execute(tx)
    const done = new Set((await tx.selectFrom('migration').select('name').execute()).map(({ name }) => name))
    refuseNewer([...done])
    for (const [name, statements] of Object.entries(MIGRATIONS)) {
      if (done.has(name)) continue
      for (const statement of statements(DDL[store.kind])) await sql.raw(statement).execute(tx)
      await tx.insertInto('migration').values({ name }).execute()
    }
  })
}

/** Older code would misread what newer code wrote, and write what newer code misreads. */
function refuseNewer(done: readonly string[]): void {
  const newer = done.filter((name) => !(name in MIGRATIONS))
  if (newer.length > 0)
    throw new StoreUnusable(
      `The database was written by a newer version of vendops (${newer.join(', ')}). Install that version, or restore a backup made before the upgrade.`,
    )
}

/** For commands that use the database as it is. */
export async function refuseNewerDatabase(db: Db): Promise<void> {
  refuseNewer((await db.selectFrom('migration').select('name').execute()).map(({ name }) => name))
}

/** Names of migrations this code knows and the database has not seen; readiness asks. */
export async function pendingMigrations(db: Db): Promise<readonly string[]> {
  const done = await db.selectFrom('migration').select('name').execute()
  return Object.keys(MIGRATIONS).filter((name) => !done.some((row) => row.name === name))
}
