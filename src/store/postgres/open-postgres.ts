/** PostgreSQL through pg: a pool, integers as numbers, LISTEN/NOTIFY that reconnects. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type PostgresPoolClient, Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { type Store, LOCKS, refuseInsideTransaction, transactionRunner } from '../store.ts'
import { listPendingMigrations } from '../migrate.ts'
import type { Database } from '../schema.ts'
import { StoreUnavailable, StoreUnusable } from '../unavailable.ts'

export const POOL_SIZE = 10
/** For a new connection, and for one of the pool while all are busy. */
const CONNECTION_WAIT_MS = 5000
const STATEMENT_TIMEOUT_MS = 30_000
/**
 * A connection whose network failed without a word answers nothing, not even that a statement was canceled. It is closed when
 * a statement has had no answer for this much longer than the server lets it run.
 */
const SILENCE_MS = 5000
/** Of the connections that are kept for the emergency stop: without an answer by then they are replaced before they are used. */
const KEPT_ANSWER_MS = 2000
/** Of the connection that reads who sends a request: sooner after its last use it is not asked, which would double each read. */
const RESERVED_TRUSTED_MS = 1000
/** No read on it takes as long. */
const RESERVED_QUERY_TIMEOUT_MS = 5000
/** How soon the operating system asks whether the other side is there, while a connection is silent. */
const KEEP_ALIVE_MS = 2000
const PING_TIMEOUT_MS = 3000
const RELISTEN_MS = 1000
/**
 * A transaction that sends no statement for this long is ended, and so is one of this age that the emergency stop waits for:
 * a process that hangs must not delay it. No transaction waits for anything but the database.
 */
export const GIVE_WAY_MS = 5000
/** Of the emergency stop: longer than whatever it waits for. Those have at most the two times above. */
const URGENT_STATEMENT_TIMEOUT_MS = 60_000
/** How often it is checked what the emergency stop waits for. */
const BLOCKERS_EVERY_MS = 200
/** An urgent transaction is ended only if it is silent as well: another emergency stop that waits for the same is not in the way. */
const URGENT_SILENT_MS = 1000
/** Half of it: a lock whose grant took longer to arrive may already be lost. */
const LOCK_TRUSTED_MS = 2500
const INT8 = 20
const NUMERIC = 1700

/** pg returns int8, sum and avg as text because they may exceed a double; our numbers never do. */
function safeNumber(text: string): number {
  const n = Number(text)
  if (Number.isInteger(n) && !Number.isSafeInteger(n)) throw new Error(`number out of range: ${text}`)
  return n
}

const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 || oid === NUMERIC ? safeNumber : pg.types.getTypeParser(oid, format),
}

/**
 * SQLSTATEs after which a retry helps: connection exceptions, serialization failures and deadlocks, lack of resources, a
 * server that stops, starts, cancels or has become a read-only standby, and I/O errors.
 */
const TRANSIENT = /^(?:08|40001|40P01|53|55P03|57|58|25P0[34]|25006)/
/** Refused access and missing databases: a retry does not help until the operator changes something. */
const REFUSED = /^(?:28|3D000|42501)/
/** ECONNREFUSED, ECONNRESET, EPIPE, ETIMEDOUT, EAI_AGAIN and the like, but not Node's own ERR_ codes. */
const SYSTEM_ERROR = /^E(?!RR_)/
/** pg's own errors about a broken connection have no code. */
const BROKEN_CONNECTION = /connection|timeout exceeded when trying to connect|not queryable|read timeout/i

/** Translates errors of the server, the driver and the network into the store's own. */
export function toStoreFailure(failure: unknown): unknown {
  if (failure instanceof pg.DatabaseError) {
    const { code = '', message } = failure
    if (TRANSIENT.test(code)) return new StoreUnavailable(message, { cause: failure })
    return REFUSED.test(code)
      ? new StoreUnusable(`PostgreSQL refuses access: ${message} (${code}).`, { cause: failure })
      : failure
  }
  if (!(failure instanceof Error)) return failure
  const { code, message } = failure as NodeJS.ErrnoException
  return SYSTEM_ERROR.test(code ?? '') || BROKEN_CONNECTION.test(message)
    ? new StoreUnavailable(message || code, { cause: failure })
    : failure
}

async function translateFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (failure) {
    throw toStoreFailure(failure)
  }
}

/** Not named after the database: a restored one may have another name. */
const SIDECAR = 'postgres'

export interface PostgresOptions {
  /** For the files that belong to the database but are not in it; none are written without it. */
  readonly dataFolder?: string
  /** How long work waits for a connection before it fails; for tests on a busy machine. */
  readonly connectionWaitMs?: number
}

export async function openPostgres(
  url: string,
  { dataFolder, connectionWaitMs = CONNECTION_WAIT_MS }: PostgresOptions,
): Promise<Store> {
  const settings: pg.PoolConfig = {
    connectionString: url,
    connectionTimeoutMillis: connectionWaitMs,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS + SILENCE_MS,
    idle_in_transaction_session_timeout: GIVE_WAY_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: 'vendops',
    types,
    // A reported commit is on disk, whatever the server's default says.
    options: '-c synchronous_commit=on',
  }
  const { pool, db } = openPool({ ...settings, max: POOL_SIZE })
  // Opened now and kept open: when the emergency stop is pulled, the pool may be busy and the server may refuse more.
  const kept = { ...settings, max: 1, min: 1, idleTimeoutMillis: 0 }
  const urgent = openPool(
    {
      ...kept,
      statement_timeout: URGENT_STATEMENT_TIMEOUT_MS,
      query_timeout: URGENT_STATEMENT_TIMEOUT_MS + SILENCE_MS,
      application_name: URGENT,
    },
    0,
  )
  const reserved = openPool(
    { ...kept, query_timeout: RESERVED_QUERY_TIMEOUT_MS, application_name: 'vendops-reserved' },
    RESERVED_TRUSTED_MS,
  )
  for (const { pool: opened } of [urgent, reserved]) opened.query('select 1').catch(() => {})
  const notifications = notificationListener(url)

  /**
   * One round trip before `act`. Lock and query are two statements of a READ COMMITTED transaction, so the query sees
   * everything that was committed before the lock was granted.
   */
  const actUnderLock: Store['actUnderLock'] = async (name, query, act) => {
    refuseInsideTransaction(pool)
    const client = await translateFailure(pool.connect())
    try {
      const requestedAt = performance.now()
      const results = (await translateFailure(
        client.query(
          `begin isolation level read committed;
         select pg_advisory_xact_lock_shared(${LOCKS[name]});
         ${query}`,
        ),
      )) as unknown as readonly pg.QueryResult[]
      if (performance.now() - requestedAt > LOCK_TRUSTED_MS)
        throw new Error(`The grant of lock ${name} arrived too late`)
      return act(results.at(-1)?.rows ?? [])
    } finally {
      // Not awaited: the work under the lock is done.
      client.query('rollback').then(
        () => client.release(),
        (failure: Error) => client.release(failure),
      )
    }
  }

  return {
    kind: 'postgres',
    ...(dataFolder === undefined ? {} : { sidecarPrefix: join(dataFolder, SIDECAR) }),
    db,
    reservedDb: reserved.db,
    transaction: transactionRunner(pool, (work) => db.transaction().execute(work)),
    urgentTransaction: transactionRunner(urgent.pool, (work) =>
      urgent.db.transaction().execute(async (tx) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
        const stopEnding = endBlockers(reserved.pool, rows[0]?.pid)
        try {
          return await work(tx)
        } finally {
          stopEnding()
        }
      }),
    ),
    lock: async (tx, name, mode) => {
      const lock = mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock'
      await sql`select ${sql.raw(lock)}(${sql.lit(LOCKS[name])})`.execute(tx)
    },
    actUnderLock,
    ping: async () => {
      const late = sleep(PING_TIMEOUT_MS, undefined, { ref: false }).then(() => {
        throw new StoreUnavailable(`No answer within ${PING_TIMEOUT_MS} ms`)
      })
      await Promise.race([translateFailure(pool.query('select 1')), late])
    },
    pendingMigrations: () => listPendingMigrations(db),
    notify: (channel) => void pool.query('select pg_notify($1, $2)', [channel, '']).catch(() => {}),
    listen: (channel, onNotify) => notifications.listen(channel, onNotify),
    close: async () => {
      await notifications.close()
      await db.destroy()
      // Not through their query builders, which close only a pool that they have used.
      await Promise.all([urgent.pool.end(), reserved.pool.end()])
    },
  }
}

const URGENT = 'vendops-urgent'

/** Of the transactions that one waits for, directly or through others, those that are too old. Of other users it ends none. */
const END_BLOCKERS = `
  with recursive blocker (pid) as (
    select unnest(pg_blocking_pids($1::int))
    union
    select unnest(pg_blocking_pids(blocker.pid)) from blocker
  )
  select pg_terminate_backend(pid) from blocker join pg_stat_activity using (pid)
  where pid <> $1::int and backend_type = 'client backend' and clock_timestamp() - xact_start > $2::int * interval '1 ms'
    and (application_name <> '${URGENT}'
      or state <> 'active' and clock_timestamp() - state_change > $3::int * interval '1 ms')`

/** pg reads the time-out of a statement, but its types do not have it. */
const onKept = (text: string): pg.QueryConfig => {
  const query = { text, query_timeout: KEPT_ANSWER_MS }
  return query
}

/** Until the returned function is called. A blocker that this user may not end still gives way by the times above. */
function endBlockers(pool: pg.Pool, waiting: number | undefined): () => void {
  let isAsking = false
  const timer = setInterval(() => {
    if (isAsking) return
    isAsking = true
    pool
      .query(onKept(END_BLOCKERS), [waiting, GIVE_WAY_MS, URGENT_SILENT_MS])
      .catch(() => {})
      .finally(() => (isAsking = false))
  }, BLOCKERS_EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/**
 * A pool and a query builder over it that translates failures. A connection that was not used for `trustedMs` is asked for
 * an answer first, and replaced by a new one if it gives none.
 */
function openPool(settings: pg.PoolConfig, trustedMs = Infinity) {
  const pool = new pg.Pool(settings)
  // A broken connection is replaced at the next use, but without an error listener it would end the process. The pool
  // listens to idle connections only, so each connection gets a listener of its own.
  pool.on('error', () => {})
  const usedAt = new WeakMap<pg.PoolClient, number>()
  pool.on('connect', (client) => {
    client.on('error', () => {})
    usedAt.set(client, performance.now())
  })

  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  async function acquire(): Promise<pg.PoolClient> {
    const client = await pool.connect()
    if (performance.now() - (usedAt.get(client) ?? 0) < trustedMs) return client
    try {
      await client.query(onKept('select 1'))
      return client
    } catch (failure) {
      client.release(failure as Error)
      return pool.connect()
    }
  }

  async function connect(): Promise<PostgresPoolClient> {
    refuseInsideTransaction(pool)
    const client = await translateFailure(acquire())
    const known = clients.get(client)
    if (known) return known
    const wrapped = {
      query: (text: string, values: unknown[]) => translateFailure(closeIfSilent(client, client.query(text, values))),
      release: (destroy?: boolean) => {
        usedAt.set(client, performance.now())
        client.release(destroy)
      },
    } as unknown as PostgresPoolClient
    clients.set(client, wrapped)
    return wrapped
  }
  const guarded = { connect, end: () => pool.end(), options: {} }
  return { pool, db: new Kysely<Database>({ dialect: new PostgresDialect({ pool: guarded }) }) }
}

/** pg gives up on the statement alone: the rollback after it would wait as long again. */
async function closeIfSilent<T>(client: pg.PoolClient, answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (failure) {
    if (failure instanceof Error && failure.message === READ_TIMEOUT) void client.end().catch(() => {})
    throw failure
  }
}

const READ_TIMEOUT = 'Query read timeout'

/** One LISTEN connection. After a reconnect it notifies every channel, as it may have missed notifications. */
function notificationListener(url: string) {
  const listeners = new Map<string, Set<() => void>>()
  let client: pg.Client | undefined
  let closed = false
  let retry: NodeJS.Timeout | undefined

  async function connect(): Promise<void> {
    clearTimeout(retry)
    const fresh = new pg.Client({
      connectionString: url,
      application_name: 'vendops-listen',
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    })
    client = fresh
    const reconnectLater = () => {
      if (closed || client !== fresh) return
      client = undefined
      void fresh.end().catch(() => {})
      retry = setTimeout(() => void connect(), RELISTEN_MS)
      retry.unref()
    }
    fresh.on('error', reconnectLater)
    fresh.on('end', reconnectLater)
    fresh.on('notification', ({ channel }) => listeners.get(channel)?.forEach((onNotify) => onNotify()))
    try {
      await fresh.connect()
      for (const channel of listeners.keys()) await fresh.query(`listen ${pg.escapeIdentifier(channel)}`)
      for (const onNotify of [...listeners.values()].flatMap((set) => [...set])) onNotify()
    } catch {
      reconnectLater()
    }
  }

  return {
    listen(channel: string, onNotify: () => void): () => void {
      const known = listeners.get(channel)
      const ofChannel = known ?? new Set<() => void>()
      listeners.set(channel, ofChannel.add(onNotify))
      if (!client) void connect()
      else if (!known) void client.query(`listen ${pg.escapeIdentifier(channel)}`).catch(() => {})
      return () => void ofChannel.delete(onNotify)
    },
    async close(): Promise<void> {
      closed = true
      clearTimeout(retry)
      await client?.end().catch(() => {})
    },
  }
}
