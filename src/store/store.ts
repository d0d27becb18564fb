/** The store: a typed query builder over SQLite (embedded) or PostgreSQL (several instances), and the rules of transactions. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { DeleteResult, InsertResult, Kysely, Transaction, UpdateResult } from 'kysely'
import type { Database } from './schema.ts'

export type StoreKind = 'sqlite' | 'postgres'
export type Db = Kysely<Database>
export type Tx = Transaction<Database>
/** Reads take either; writes that must commit with others take a Tx. */
export type Queryable = Db | Tx

/** Locks shared by all processes on the database, each with its PostgreSQL advisory lock number. */
export const LOCKS = { emergencyStop: 815_043 } as const
export type LockName = keyof typeof LOCKS

/** A row of hand-written SQL; the author of the query knows its columns. */
export type Row = Readonly<Record<string, unknown>>

export interface Store {
  readonly kind: StoreKind
  /**
   * The first part of the path of files that belong to the database but survive its restore: beside the file of a SQLite
   * database, in the data folder for PostgreSQL. Absent for a database in memory.
   */
  readonly sidecarPrefix?: string
  readonly db: Db
  /** For reads that must not wait while all other connections are in use: who sends a request. Never for writes. */
  readonly reservedDb: Db
  /** Runs `work` in one transaction. `work` must await nothing but the database: no network, no timers. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Like `transaction`, on a connection that no other work can occupy: for the emergency stop. On PostgreSQL, transactions
   * of any process that hold it up and are older than five seconds are ended.
   */
  urgentTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Holds the lock until the transaction ends. On SQLite every transaction holds the only write lock anyway. */
  lock(tx: Tx, name: LockName, mode: 'shared' | 'exclusive'): Promise<void>
  /**
   * Runs `query` under the shared lock and calls `act` with its rows before the lock is released. No transaction that
   * takes the lock exclusively can commit between the read and the end of `act`, which is synchronous. Rejects without
   * calling `act` when the lock may have been lost.
   */
  actUnderLock<T>(name: LockName, query: string, act: (rows: readonly Row[]) => T): Promise<T>
  /** Throws when the database does not answer in time. */
  ping(): Promise<void>
  pendingMigrations(): Promise<readonly string[]>
  /** Notifies every process on this database. A notification may be lost, so it is only a hint to look. */
  notify(channel: string): void
  /** Calls back on each notification, including those of this process. Returns the function that stops it. */
  listen(channel: string, onNotify: () => void): () => void
  /** Online copy into a new file, read back and checked. Only where the database is a file. */
  readonly backup?: (file: string) => Promise<{ readonly bytes: number }>
  close(): Promise<void>
}

/** The transaction that the current asynchronous call runs in. */
const currentTransaction = new AsyncLocalStorage<{ readonly owner: object; hasEnded: boolean }>()

/**
 * Using the outer `db` inside a transaction would deadlock on SQLite, where the transaction holds the only connection,
 * and silently run outside the transaction on PostgreSQL. Both are bugs, so both throw.
 */
export function refuseInsideTransaction(owner: object): void {
  if (currentTransaction.getStore()?.owner === owner)
    throw new Error('The outer database was used inside a transaction; pass the tx')
}

/** A statement that was not awaited would run in another transaction. */
export function requireInsideTransaction(owner: object): void {
  const current = currentTransaction.getStore()
  if (current?.owner !== owner || current.hasEnded) throw new Error('A transaction was used after it ended')
}

const commitCallbacks = new WeakMap<Tx, (() => void)[]>()

/** Calls `callback` once the transaction is committed; never when it is rolled back. */
export function afterCommit(tx: Tx, callback: () => void): void {
  const callbacks = commitCallbacks.get(tx)
  if (callbacks) callbacks.push(callback)
  else commitCallbacks.set(tx, [callback])
}

const commitSteps = new WeakMap<Tx, (() => Promise<void>)[]>()

/** Runs `step` in the transaction, after all other work and just before the commit: for locks that all transactions share. */
export function beforeCommit(tx: Tx, step: () => Promise<void>): void {
  const steps = commitSteps.get(tx)
  if (steps) steps.push(step)
  else commitSteps.set(tx, [step])
}

/** `run` begins a transaction, calls the work, and resolves when it is committed. */
export const transactionRunner =
  (owner: object, run: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>): Store['transaction'] =>
  async (work) => {
    refuseInsideTransaction(owner)
    let callbacks: readonly (() => void)[] = []
    const result = await run((tx) => {
      const current = { owner, hasEnded: false }
      return currentTransaction.run(current, async () => {
        try {
          const value = await work(tx)
          for (const step of commitSteps.get(tx) ?? []) await step()
          callbacks = commitCallbacks.get(tx) ?? []
          return value
        } finally {
          current.hasEnded = true
        }
      })
    })
    for (const callback of callbacks) callback()
    return result
  }

/** Runs an insert, update or delete; false when it changed no row. */
export async function changeRows(query: {
  executeTakeFirst(): Promise<Partial<InsertResult & UpdateResult & DeleteResult> | undefined>
}): Promise<boolean> {
  const { numInsertedOrUpdatedRows, numUpdatedRows, numDeletedRows } = (await query.executeTakeFirst()) ?? {}
  return Boolean(numInsertedOrUpdatedRows ?? numUpdatedRows ?? numDeletedRows)
}

/** The rows of a query as records. */
export const readAll = async <R, T>(query: { execute(): Promise<R[]> }, fromRow: (row: R) => T): Promise<T[]> =>
  (await query.execute()).map(fromRow)

/** The first row of a query as a record; undefined when there is none. */
export async function readFirst<R, T>(
  query: { executeTakeFirst(): Promise<R | undefined> },
  fromRow: (row: R) => T,
): Promise<T | undefined> {
  const row = await query.executeTakeFirst()
  return row && fromRow(row)
}
