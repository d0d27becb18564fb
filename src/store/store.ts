/** The one way to the database: a typed query builder over SQLite (embedded) or PostgreSQL (several instances). */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely, Transaction } from 'kysely'
import { migrate } from './migrate.ts'
import type { Database } from './schema.ts'
import { StoreUnavailable, StoreUnusable } from './unavailable.ts'

export type StoreKind = 'sqlite' | 'postgres'
export type Db = Kysely<Database>
export type Tx = Transaction<Database>
/** Reads take either; writes that must commit with others take a Tx. */
export type Queryable = Db | Tx

/** Locks that exclude over all processes on the database, each with its number at PostgreSQL. */
export const LOCKS = { emergencyStop: 815_043 } as const
export type LockName = keyof typeof LOCKS

/** As the database gives it; whoever wrote the query knows its columns. */
export type Row = Readonly<Record<string, unknown>>

export interface Store {
  readonly kind: StoreKind
  /** The file of a SQLite database that is not in memory. */
  readonly file?: string
  readonly db: Db
  /** Runs `work` in one transaction. It awaits nothing but the database: no network, no timers. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** As `transaction`, and never behind other work for a connection: for the emergency stop. */
  urgentTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Holds the lock until the transaction ends. On SQLite every transaction already has the only write lock. */
  lock(tx: Tx, name: LockName, mode: 'shared' | 'exclusive'): Promise<void>
  /**
   * Runs `query` under the shared lock and calls `act` with its rows before the lock is released: nobody who takes the
   * lock exclusively commits between the read and the end of `act`. `act` is synchronous. Rejects without calling it
   * when the lock cannot be relied on.
   */
  actUnderLock<T>(name: LockName, query: string, act: (rows: readonly Row[]) => T): Promise<T>
  /** Answers, or throws, within the given time. */
  ping(): Promise<void>
  pendingMigrations(): Promise<readonly string[]>
  /** Tells every process on this database that something happened on the channel; a hint, may be lost. */
  notify(channel: string): void
  /** Calls back on each hint, also those of this process. */
  listen(channel: string, hear: () => void): () => void
  /** Online copy into a new file, read back and checked; only where the database is a file. */
  readonly backup?: (file: string) => Promise<{ readonly bytes: number }>
  close(): Promise<void>
}

/** The transaction under way in this line of calls. */
const inTransaction = new AsyncLocalStorage<{ readonly owner: object; ended: boolean }>()

/**
 * On SQLite the outer `db` used inside a transaction would wait for ever for the connection that the transaction
 * holds. On PostgreSQL it would silently run outside it. Both are bugs, so both throw.
 */
export function refuseInsideTransaction(owner: object): void {
  if (inTransaction.getStore()?.owner === owner)
    throw new Error('the outer database was used inside a transaction; pass the tx')
}

/** A statement that nobody waited for would run in somebody else's transaction. */
export function requireInsideTransaction(owner: object): void {
  const present = inTransaction.getStore()
  if (present?.owner !== owner || present.ended) throw new Error('a transaction was used outside of itself')
}

const followUps = new WeakMap<Tx, (() => void)[]>()

/** Runs once the transaction is committed, and never when it is rolled back. */
export function afterCommit(tx: Tx, follow: () => void): void {
  const known = followUps.get(tx)
  if (known) known.push(follow)
  else followUps.set(tx, [follow])
}

/** `run` begins, calls, and comes back when all of it is committed. */
export const transactionOf =
  (owner: object, run: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>): Store['transaction'] =>
  async (work) => {
    refuseInsideTransaction(owner)
    let follows: readonly (() => void)[] = []
    const result = await run((tx) => {
      const present = { owner, ended: false }
      return inTransaction.run(present, async () => {
        try {
          const value = await work(tx)
          follows = followUps.get(tx) ?? []
          return value
        } finally {
          present.ended = true
        }
      })
    })
    for (const follow of follows) follow()
    return result
  }

export interface Patience {
  /** A database that starts at the same time as the service is waited for. */
  readonly waitMs: number
  /** Called before each pause. */
  readonly onWait: (reason: string) => void
}

const RETRY_MS = 1000

export async function openStore(url: string, patience?: Patience): Promise<Store> {
  const store = url.startsWith('sqlite:')
    ? (await import('./sqlite/open-sqlite.ts')).openSqlite(url.slice('sqlite:'.length))
    : await (await import('./postgres/open-postgres.ts')).openPostgres(url)
  try {
    await migrateWhenThere(store, patience)
  } catch (failure) {
    await store.close()
    throw failure
  }
  return store
}

async function migrateWhenThere(store: Store, patience: Patience | undefined): Promise<void> {
  const giveUp = performance.now() + (patience?.waitMs ?? 0)
  while (true) {
    try {
      return await migrate(store)
    } catch (failure) {
      if (!patience || !(failure instanceof StoreUnavailable)) throw failure
      // A file that cannot be used is not about to start.
      if (store.kind === 'sqlite') throw new StoreUnusable(failure.message, { cause: failure })
      if (performance.now() > giveUp) {
        const text = `The database did not answer within ${Math.round(patience.waitMs / 1000)} s: ${failure.message}.`
        throw new StoreUnusable(text, { cause: failure })
      }
      patience.onWait(failure.message)
      await sleep(RETRY_MS)
    }
  }
}

/** `1` of `changes` tells who won a compare-and-set. */
export const hasUpdatedRows = (result: { readonly numUpdatedRows: bigint } | undefined): boolean =>
  result !== undefined && result.numUpdatedRows > 0n
