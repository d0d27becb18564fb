/** The one way to the database: a typed query builder over SQLite (embedded) or PostgreSQL (several instances). */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Kysely, Transaction } from 'kysely'
import { migrate, pendingMigrations } from './migrate.ts'
import type { Database } from './schema.ts'

export type StoreKind = 'sqlite' | 'postgres'
export type Db = Kysely<Database>
export type Tx = Transaction<Database>
/** Reads take either; writes that must commit with others take a Tx. */
export type Queryable = Db | Tx

export interface Store {
  readonly kind: StoreKind
  readonly db: Db
  /** Runs `work` in one transaction. It awaits nothing but the database: no network, no timers. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Answers, or throws, within the given time. */
  ping(): Promise<void>
  pendingMigrations(): Promise<readonly string[]>
  /** Tells every process on this database that something happened on the channel; a hint, may be lost. */
  notify(channel: string): void
  /** Calls back on each hint, also those of this process. */
  listen(channel: string, hear: () => void): () => void
  /** Online copy into a new file; only where the database is a file. */
  readonly backup?: (file: string) => Promise<void>
  close(): Promise<void>
}

const inTransaction = new AsyncLocalStorage<object>()

/**
 * On SQLite the outer `db` used inside a transaction would wait for ever for the connection that the transaction
 * holds. On PostgreSQL it would silently run outside it. Both are bugs, so both throw.
 */
export function refuseInsideTransaction(owner: object): void {
  if (inTransaction.getStore() === owner) throw new Error('the outer database was used inside a transaction; pass the tx')
}

export const transactionOf =
  (db: Db, owner: object): Store['transaction'] =>
  (work) => {
    refuseInsideTransaction(owner)
    return db.transaction().execute((tx) => inTransaction.run(owner, () => work(tx)))
  }

export async function openStore(url: string): Promise<Store> {
  const store = url.startsWith('sqlite:')
    ? (await import('./sqlite.ts')).openSqlite(url.slice('sqlite:'.length))
    : await (await import('./postgres.ts')).openPostgres(url)
  try {
    await migrate(store.db, store.kind)
  } catch (failure) {
    await store.close()
    throw failure
  }
  return store
}

export { pendingMigrations }

/** `1` of `changes` tells who won a compare-and-set. */
export const changed = (result: { readonly numUpdatedRows: bigint } | undefined): boolean =>
  result !== undefined && result.numUpdatedRows > 0n
