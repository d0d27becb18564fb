/** SQLite through node:sqlite: one write connection, one read connection, durable commits, cached prepared statements. */
import { statSync } from 'node:fs'
import { type StatementSync, backup, DatabaseSync } from 'node:sqlite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  Kysely,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import {
  type Row,
  type Store,
  type Tx,
  refuseInsideTransaction,
  requireInsideTransaction,
  transactionRunner,
} from '../store.ts'
import { GroupCommit } from './group-commit.ts'
import { LendingAdapter } from '../compiled-query.ts'
import { listPendingMigrations } from '../migrate.ts'
import type { Database } from '../schema.ts'
import { BoundedMap } from '../../lib/caches.ts'
import { createPrivate, ensurePrivate } from '../private-files.ts'
import { toOpenFailure, toSqliteFailure } from './sqlite-failure.ts'
import { WriteQueue } from './write-queue.ts'

const STATEMENTS_MAX = 500
const BUSY_TIMEOUT_MS = 5000

/** Reading the column names of a statement costs as much as running it, so they are cached. */
interface Prepared {
  readonly statement: StatementSync
  readonly columns: readonly string[]
}

/** Rows are read as arrays: the objects that node:sqlite builds are in dictionary mode, slow to create and to read. */
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

  /** The rows of a query without parameters. */
  readSync(sql: string): readonly Row[] {
    const { statement, columns } = this.#prepare(sql)
    return (statement.all() as unknown as unknown[][]).map((values) => toObject(columns, values))
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { statement, columns } = this.#prepare(query.sql)
    const parameters = query.parameters as (string | number | null)[]
    if (columns.length > 0) {
      const rows = statement.all(...parameters) as unknown as unknown[][]
      return { rows: rows.map((values) => toObject(columns, values) as R) }
    }
    const { changes, lastInsertRowid } = statement.run(...parameters)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    const { statement, columns } = this.#prepare(query.sql)
    for (const values of statement.iterate(...(query.parameters as (string | number | null)[])))
      yield { rows: [toObject(columns, values as unknown as unknown[]) as R] }
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    const prepared = { statement, columns: statement.columns().map(({ name }) => name) }
    if (prepared.columns.length > 0) statement.setReturnArrays(true)
    this.#statements.set(sql, prepared)
    return prepared
  }
}

/**
 * Statements outside a transaction. Where the database is a file, reads have their own connection: they see only committed
 * data and wait for nothing. Everything else waits in the write queue.
 */
class AutocommitConnection implements DatabaseConnection {
  readonly #writer: Connection
  readonly #reader: Connection | undefined
  readonly #queue: WriteQueue
  readonly #file: string

  constructor(file: string, writer: Connection, reader: Connection | undefined, queue: WriteQueue) {
    this.#file = file
    this.#writer = writer
    this.#reader = reader
    this.#queue = queue
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
    await this.#queue.acquire('statement')
    try {
      return await this.#writer.executeQuery(query)
    } finally {
      this.#queue.release()
    }
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    if (this.#reader) return yield* this.#reader.streamQuery<R>(query)
    await this.#queue.acquire('statement')
    try {
      yield* this.#writer.streamQuery<R>(query)
    } finally {
      this.#queue.release()
    }
  }
}

/** Lends the same connection to every statement, after `check`. Transactions are the store's. */
class LendingDriver implements Driver {
  readonly #connection: DatabaseConnection
  readonly #check: () => void
  readonly #close: () => void

  constructor(connection: DatabaseConnection, check: () => void, close: () => void = () => {}) {
    this.#connection = connection
    this.#check = check
    this.#close = close
  }

  async init(): Promise<void> {}

  lend(): DatabaseConnection {
    this.#check()
    return this.#connection
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.lend()
  }

  async releaseConnection(): Promise<void> {}

  beginTransaction = throwUnsupported
  commitTransaction = throwUnsupported
  rollbackTransaction = throwUnsupported

  async destroy(): Promise<void> {
    this.#close()
  }
}

async function throwUnsupported(): Promise<never> {
  throw new Error('Use store.transaction()')
}

/** The write connection and, where the database is a file, the read connection. */
function connect(
  file: string,
  copyOf: Uint8Array | undefined,
): { readonly database: DatabaseSync; readonly readOnly: DatabaseSync | undefined } {
  let database: DatabaseSync | undefined
  try {
    if (file !== ':memory:') ensurePrivate(file)
    database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: BUSY_TIMEOUT_MS })
    if (copyOf && file === ':memory:') database.deserialize(copyOf)
    // FULL: a reported commit survives a power cut. Never NORMAL where money moves.
    database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma temp_store = memory')
    const readOnly =
      file === ':memory:' ? undefined : new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
    return { database, readOnly }
  } catch (failure) {
    database?.close()
    throw toOpenFailure(file, failure)
  }
}

export function openSqlite(file: string, copyOf?: Uint8Array): Store {
  const { database, readOnly } = connect(file, copyOf)
  const queryBuilder = (driver: LendingDriver) =>
    new Kysely<Database>({
      dialect: {
        createDriver: () => driver,
        createQueryCompiler: () => new SqliteQueryCompiler(),
        createAdapter: () => new LendingAdapter(() => driver.lend()),
        createIntrospector: (outer) => new SqliteIntrospector(outer),
      },
    })
  const writer = new Connection(database)
  const reader = readOnly && new Connection(readOnly)
  const queue = new WriteQueue()
  const close = () => {
    readOnly?.close()
    database.close()
  }
  const db = queryBuilder(
    new LendingDriver(
      new AutocommitConnection(file, writer, reader, queue),
      () => refuseInsideTransaction(database),
      close,
    ),
  )
  const txBuilder = queryBuilder(new LendingDriver(writer, () => requireInsideTransaction(database)))
  const groupCommit = new GroupCommit(database, queue)

  const [begin, rollback] = [database.prepare('begin immediate'), database.prepare('rollback')]
  /** Runs in one turn of the event loop. The write lock keeps other processes from committing meanwhile. */
  const actUnderLock: Store['actUnderLock'] = async (_name, query, act) => {
    refuseInsideTransaction(database)
    // The open transaction belongs to this process, so it already holds the write lock.
    if (database.isTransaction) return act(writer.readSync(query))
    begin.run()
    try {
      return act(writer.readSync(query))
    } finally {
      rollback.run()
    }
  }

  // withTables() makes a new object for each transaction; afterCommit() keys its callbacks by it.
  const transaction = transactionRunner(database, async (work) => {
    try {
      return await groupCommit.run(() => work(txBuilder.withTables() as unknown as Tx))
    } catch (failure) {
      throw toSqliteFailure(file, failure)
    }
  })

  const listeners = new Map<string, Set<() => void>>()
  return {
    kind: 'sqlite',
    ...(file === ':memory:' ? {} : { sidecarPrefix: file }),
    db,
    reservedDb: db,
    transaction,
    // Transactions of this process await only SQLite, so none of them occupies the connection for long.
    urgentTransaction: transaction,
    lock: async () => {},
    actUnderLock,
    ping: async () => void database.prepare('select 1').get(),
    pendingMigrations: () => listPendingMigrations(db),
    notify: (channel) => listeners.get(channel)?.forEach((onNotify) => queueMicrotask(onNotify)),
    listen: (channel, onNotify) => {
      const ofChannel = listeners.get(channel) ?? new Set()
      listeners.set(channel, ofChannel.add(onNotify))
      return () => void ofChannel.delete(onNotify)
    },
    backup: async (target) => {
      createPrivate(target)
      await backup(database, target)
      return checkCopy(target)
    },
    close: async () => {
      await db.destroy()
      // The query builder closes only what it has used.
      if (database.isOpen) close()
    },
  }
}

/** Throws when the copy cannot be read. */
function checkCopy(file: string): { readonly bytes: number } {
  const copy = new DatabaseSync(file, { readOnly: true })
  try {
    const result = copy.prepare('pragma integrity_check').get() as { integrity_check: string }
    if (result.integrity_check !== 'ok') throw new Error(`The copy is damaged: ${result.integrity_check}`)
    return { bytes: statSync(file).size }
  } finally {
    copy.close()
  }
}
