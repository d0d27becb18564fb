/** Applies the numbered migrations at start, under a lock. Both databases share their text. */
import { sql } from 'kysely'
import type { Db, Store, StoreKind } from './store.ts'
import { MIGRATIONS } from './migrations/index.ts'
import { StoreUnusable } from './unavailable.ts'

/** The few parts of a definition in which the two databases differ. */
export interface Ddl {
  /** A 64-bit integer. */
  readonly int: string
  /** A 64-bit key that the database assigns in ascending order. */
  readonly identity: string
  /** Appended to a table definition: SQLite checks column types only in strict tables. */
  readonly strict: string
}

const DDL: Record<StoreKind, Ddl> = {
  sqlite: { int: 'integer', identity: 'integer primary key autoincrement', strict: ' strict' },
  postgres: { int: 'bigint', identity: 'bigint generated always as identity primary key', strict: '' },
}

/** An arbitrary number, the same in every instance. */
const LOCK = 815_042

/**
 * One transaction for all migrations. On SQLite it starts by taking the write lock, on PostgreSQL by taking an advisory
 * lock, so of several processes that start at once the first migrates and the others find it done.
 */
export async function migrate(store: Store): Promise<void> {
  await store.transaction(async (tx) => {
    if (store.kind === 'postgres') {
      // A step over a large table may take longer than any statement of the service should.
      await sql.raw('set local statement_timeout = 0').execute(tx)
      await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx)
    }
    await sql.raw('create table if not exists migration (name text primary key)').execute(tx)
    const applied = new Set((await tx.selectFrom('migration').select('name').execute()).map(({ name }) => name))
    refuseNewer([...applied])
    for (const [name, statements] of Object.entries(MIGRATIONS)) {
      if (applied.has(name)) continue
      for (const statement of statements(DDL[store.kind])) await sql.raw(statement).execute(tx)
      await tx.insertInto('migration').values({ name }).execute()
    }
  })
}

/** Code must not use a database of a newer version: each would misread what the other wrote. */
function refuseNewer(applied: readonly string[]): void {
  const newer = applied.filter((name) => !(name in MIGRATIONS))
  if (newer.length > 0)
    throw new StoreUnusable(
      `The database was written by a newer version of vendops (${newer.join(', ')}). Install that version, or restore a backup made before the upgrade.`,
    )
}

/** For commands that do not migrate. */
export async function refuseNewerDatabase(db: Db): Promise<void> {
  refuseNewer((await db.selectFrom('migration').select('name').execute()).map(({ name }) => name))
}

/** Names of migrations not yet applied; shown by the readiness check. */
export async function listPendingMigrations(db: Db): Promise<readonly string[]> {
  const applied = await db.selectFrom('migration').select('name').execute()
  return Object.keys(MIGRATIONS).filter((name) => !applied.some((row) => row.name === name))
}
