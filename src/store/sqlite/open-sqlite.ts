/** SQLite through node:sqlite: one connection that writes, one that reads, durable commits, prepared statements kept. */
import { statSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import type { StatementSync } from 'node:sqlite'
import { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { refuseInsideTransaction, requireInsideTransaction, transactionOf } from '../store.ts'
import type { Row, Store, Tx } from '../store.ts'
import { GroupCommit } from './group-commit.ts'
import { pendingMigrations } from '../migrate.ts'
import type { Database } from '../schema.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import { createPrivate, makePrivate } from '../private-files.ts'
import { toOpenFailure, toSqliteFailure } from './sqlite-failure.ts'
import { WriteQueue } from './write-queue.ts'

const STATEMENTS_MAX = 500
const BUSY_TIMEOUT_MS = 5000

/** Asking a statement for its columns costs as much as running it, so they are asked for once. */
interface Prepared {
  readonly statement: StatementSync
  readonly columns: readonly string[]
}

/** Rows come as lists: the objects node:sqlite would build are dictionaries, slow to make and slow to read. */
function toObject(columns: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (let i = 0; i < columns.length; i++) row[columns[i]!] = values[i]
  return row
}

class Connection implements DatabaseConnection {
  readonly #database: DatabaseSync
  /** Bounded: lists of varying length make texts that are used once. */
  readonly #statements = new BoundedMap<string, Prepared>(STATEMENTS_MAX)

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** The rows of a query without parameters, read before this call returns. */
  readNow(sql: string): readonly Row[] {
    const { statement, columns } = this.#prepared(sql)
    return (statement.all() as unknown as unknown[][]).map((values) => toObject(columns, values))
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { statement, columns } = this.#prepared(query.sql)
    const parameters = query.parameters as (string | number | null)[]
    if (columns.length > 0) {
      const lists = statement.all(...parameters) as unknown as unknown[][]
      return { rows: lists.map((values) => toObject(columns, values) as R) }
    }
    const { changes, lastInsertRowid } = statement.run(...parameters)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    const { statement, columns } = this.#prepared(query.sql)
    for (const values of statement.iterate(...(query.parameters as (string | number | null)[])))
      yield { rows: [toObject(columns, values as unknown as unknown[]) as R] }
  }

  #prepared(sql: string): Prepared {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    const fresh = { statement, columns: statement.columns().map(({ name }) => name) }
    if (fresh.columns.length > 0) statement.setReturnArrays(true)
    this.#statements.set(sql, fresh)
    return fresh
  }
}

/**
 * Single statements. Reading has a connection of its own where the database is a file: it sees what is committed, never
 * what a transaction is still doing, and waits for nobody. Everything else waits for its turn.
 */
class AutocommitConnection implements DatabaseConnection {
  readonly #writer: Connection
  readonly #reader: Connection | undefined
  readonly #turns: WriteQueue
  readonly #file: string

  constructor(file: string, writer: Connection, reader: Connection | undefined, turns: WriteQueue) {
    this.#file = file
    this.#writer = writer
    this.#reader = reader
    this.#turns = turns
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      if (this.#reader && query.query.kind === 'SelectQueryNode') return await this.#reader.executeQuery(query)
      return await this.#write(query)
    } catch (failure) {
      throw toSqliteFailure(this.#file, failure)
    }
  }

  async #write<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    await this.#turns.acquire('statement')
    try {
      return await this.#writer.executeQuery(query)
    } finally {
      this.#turns.release()
    }
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    if (this.#reader) return yield* this.#reader.streamQuery<R>(query)
    await this.#turns.acquire('statement')
    try {
      yield* this.#writer.streamQuery<R>(query)
    } finally {
      this.#turns.release()
    }
  }
}

class AutocommitDriver implements Driver {
  readonly #single: AutocommitConnection
  readonly #database: DatabaseSync
  readonly #close: () => void

  constructor(database: DatabaseSync, single: AutocommitConnection, close: () => void) {
    this.#database = database
    this.#single = single
    this.#close = close
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    refuseInsideTransaction(this.#database)
    return this.#single
  }

  async releaseConnection(): Promise<void> {}

  beginTransaction = unsupportedHere
  commitTransaction = unsupportedHere
  rollbackTransaction = unsupportedHere

  async destroy(): Promise<void> {
    this.#close()
  }
}

/** For statements of the transaction that has the connection: they wait for nobody, and end with it. */
class TransactionDriver implements Driver {
  readonly #connection: Connection
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync, connection: Connection) {
    this.#database = database
    this.#connection = connection
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    requireInsideTransaction(this.#database)
    return this.#connection
  }

  async releaseConnection(): Promise<void> {}

  beginTransaction = unsupportedHere
  commitTransaction = unsupportedHere
  rollbackTransaction = unsupportedHere

  async destroy(): Promise<void> {}
}

async function unsupportedHere(): Promise<never> {
  throw new Error('transactions go through the store')
}

/** Kysely would queue callers in front of the driver, before it can tell a misuse from an ordinary wait. */
class Adapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/** One connection that writes and, where the database is a file, one that reads. */
function connect(file: string): { readonly database: DatabaseSync; readonly readOnly: DatabaseSync | undefined } {
  let database: DatabaseSync | undefined
  try {
    if (file !== ':memory:') makePrivate(file)
    database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: BUSY_TIMEOUT_MS })
    // FULL: a commit that was answered survives a power cut. Never NORMAL where money moves.
    database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma temp_store = memory')
    const readOnly =
      file === ':memory:' ? undefined : new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
    return { database, readOnly }
  } catch (failure) {
    database?.close()
    throw toOpenFailure(file, failure)
  }
}

export function openSqlite(file: string): Store {
  const { database, readOnly } = connect(file)
  const adapter = new Adapter()
  const over = (driver: Driver) =>
    new Kysely<Database>({
      dialect: {
        createDriver: () => driver,
        createQueryCompiler: () => new SqliteQueryCompiler(),
        createAdapter: () => adapter,
        createIntrospector: (outer) => new SqliteIntrospector(outer),
      },
    })
  const writer = new Connection(database)
  const reader = readOnly && new Connection(readOnly)
  const turns = new WriteQueue()
  const close = () => {
    readOnly?.close()
    database.close()
  }
  const db = over(new AutocommitDriver(database, new AutocommitConnection(file, writer, reader, turns), close))
  const inside = over(new TransactionDriver(database, writer))
  const commits = new GroupCommit(database, turns)

  const [begin, rollback] = [database.prepare('begin immediate'), database.prepare('rollback')]
  /** All in one turn of the event loop. The write lock keeps other processes from committing meanwhile. */
  const actUnderLock: Store['actUnderLock'] = async (_name, query, act) => {
    refuseInsideTransaction(database)
    // The transaction under way belongs to this process, so nobody else has the lock.
    if (database.isTransaction) return act(writer.readNow(query))
    begin.run()
    try {
      return act(writer.readNow(query))
    } finally {
      rollback.run()
    }
  }

  // Each its own object, by which what follows its commit is found.
  const transaction = transactionOf(database, async (work) => {
    try {
      return await commits.run(() => work(inside.withTables() as unknown as Tx))
    } catch (failure) {
      throw toSqliteFailure(file, failure)
    }
  })

  const ears = new Map<string, Set<() => void>>()
  return {
    kind: 'sqlite',
    ...(file === ':memory:' ? {} : { file }),
    db,
    transaction,
    // One process has one connection, and transactions are synchronous: nothing to wait for.
    urgentTransaction: transaction,
    lock: async () => {},
    actUnderLock,
    ping: async () => void database.prepare('select 1').get(),
    pendingMigrations: () => pendingMigrations(db),
    notify: (channel) => ears.get(channel)?.forEach((hear) => queueMicrotask(hear)),
    listen: (channel, hear) => {
      const all = ears.get(channel) ?? new Set()
      ears.set(channel, all.add(hear))
      return () => void all.delete(hear)
    },
    backup: async (target) => {
      createPrivate(target)
      await backup(database, target)
      return checkedCopy(target)
    },
    close: () => db.destroy(),
  }
}

/** A backup nobody can read is none. */
function checkedCopy(file: string): { readonly bytes: number } {
  const copy = new DatabaseSync(file, { readOnly: true })
  try {
    const verdict = copy.prepare('pragma integrity_check').get() as { integrity_check: string }
    if (verdict.integrity_check !== 'ok') throw new Error(`the copy is damaged: ${verdict.integrity_check}`)
    return { bytes: statSync(file).size }
  } finally {
    copy.close()
  }
}
