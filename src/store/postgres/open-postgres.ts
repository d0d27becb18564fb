/** PostgreSQL through pg: a pool, integers as numbers, LISTEN/NOTIFY that survives a dropped line. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, PostgresDialect, sql } from 'kysely'
import type { PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { LOCKS, refuseInsideTransaction, transactionOf } from '../store.ts'
import type { Store } from '../store.ts'
import { pendingMigrations } from '../migrate.ts'
import type { Database } from '../schema.ts'
import { StoreUnavailable, StoreUnusable } from '../unavailable.ts'

const POOL_SIZE = 10
const CONNECT_TIMEOUT_MS = 5000
const STATEMENT_TIMEOUT_MS = 30_000
const PING_TIMEOUT_MS = 3000
const RELISTEN_MS = 1000
/** Who holds a lock and is silent for so long loses it: a process that hangs must not hold up the emergency stop. */
const LOCK_HELD_MS = 5000
/** Well before that: whoever hears of the lock later than this cannot rely on having it. */
const LOCK_TRUSTED_MS = 2500
const INT8 = 20
const NUMERIC = 1700

/** pg hands out int8, sum and avg as text because they may exceed a double; ours never may. */
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
 * SQLSTATEs after which trying again helps: connection exceptions, lost races for locks, lack of resources, a server that
 * stops, starts, cancels or has become a read-only standby, and input/output errors.
 */
const TRANSIENT = /^(?:08|40001|40P01|53|55P03|57|58|25P0[34]|25006)/
/** Who may connect, and to what: nothing changes until somebody changes it. */
const REFUSED = /^(?:28|3D000|42501)/
/** ECONNREFUSED, ECONNRESET, EPIPE, ETIMEDOUT, EAI_AGAIN and their like, but no complaint of Node about its arguments. */
const SYSTEM_ERROR = /^E(?!RR_)/
/** What pg itself says about a line that broke; it gives these errors no code. */
const BROKEN_LINE = /connection|timeout exceeded when trying to connect|not queryable|read timeout/i

/** Our own word for what the server, the driver or the network say. */
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
  return SYSTEM_ERROR.test(code ?? '') || BROKEN_LINE.test(message)
    ? new StoreUnavailable(message || code, { cause: failure })
    : failure
}

async function translated<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (failure) {
    throw toStoreFailure(failure)
  }
}

export async function openPostgres(url: string): Promise<Store> {
  const settings: pg.PoolConfig = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'vendops',
    types,
    // An answered commit is on disk, whatever the server's default says.
    options: '-c synchronous_commit=on',
  }
  const { pool, db } = openPool({ ...settings, max: POOL_SIZE })
  // Opened now and kept: when the emergency stop is pulled, the pool may be busy and the server may accept no more.
  const urgent = openPool({ ...settings, max: 1, min: 1, idleTimeoutMillis: 0, application_name: 'vendops-urgent' })
  urgent.pool.query('select 1').catch(() => {})
  const hints = listener(url)

  /**
   * One round trip before `act`. Lock and query are two statements of a READ COMMITTED transaction, so the query sees
   * everything that was committed before the lock was granted.
   */
  const actUnderLock: Store['actUnderLock'] = async (name, query, act) => {
    refuseInsideTransaction(pool)
    const client = await translated(pool.connect())
    try {
      const askedAt = performance.now()
      const results = (await translated(
        client.query(
          `begin isolation level read committed;
         set local idle_in_transaction_session_timeout = ${LOCK_HELD_MS};
         select pg_advisory_xact_lock_shared(${LOCKS[name]});
         ${query}`,
        ),
      )) as unknown as readonly pg.QueryResult[]
      if (performance.now() - askedAt > LOCK_TRUSTED_MS) throw new Error(`lock ${name} was granted too long ago`)
      return act(results.at(-1)?.rows ?? [])
    } finally {
      // Not waited for: what was to be done under the lock is done.
      client.query('rollback').then(
        () => client.release(),
        (failure: Error) => client.release(failure),
      )
    }
  }

  return {
    kind: 'postgres',
    db,
    transaction: transactionOf(pool, (work) => db.transaction().execute(work)),
    urgentTransaction: transactionOf(urgent.pool, (work) => urgent.db.transaction().execute(work)),
    lock: async (tx, name, mode) => {
      const lock = mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock'
      await sql`select ${sql.raw(lock)}(${sql.lit(LOCKS[name])})`.execute(tx)
    },
    actUnderLock,
    ping: async () => {
      const late = sleep(PING_TIMEOUT_MS, undefined, { ref: false }).then(() => {
        throw new StoreUnavailable(`no answer within ${PING_TIMEOUT_MS} ms`)
      })
      await Promise.race([translated(pool.query('select 1')), late])
    },
    pendingMigrations: () => pendingMigrations(db),
    notify: (channel) => void pool.query('select pg_notify($1, $2)', [channel, '']).catch(() => {}),
    listen: (channel, hear) => hints.listen(channel, hear),
    close: async () => {
      await hints.close()
      await db.destroy()
      // Not through its query builder, which ends nothing that it has not used.
      await urgent.pool.end()
    },
  }
}

/** A pool and the query builder over it, whose failures are in our words. */
function openPool(settings: pg.PoolConfig) {
  const pool = new pg.Pool(settings)
  // A connection that breaks is replaced at the next use; without a listener it would end the process. The pool listens to
  // idle connections only, so each gets a listener that stays while it is in use.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))

  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  async function connect(): Promise<PostgresPoolClient> {
    refuseInsideTransaction(pool)
    const client = await translated(pool.connect())
    const known = clients.get(client)
    if (known) return known
    const fresh = {
      query: (text: string, values: unknown[]) => translated(client.query(text, values)),
      release: (destroy?: boolean) => client.release(destroy),
    } as unknown as PostgresPoolClient
    clients.set(client, fresh)
    return fresh
  }
  const guarded = { connect, end: () => pool.end(), options: {} }
  return { pool, db: new Kysely<Database>({ dialect: new PostgresDialect({ pool: guarded }) }) }
}

/** One connection that listens; it comes back by itself and then hints on every channel, for it may have missed some. */
function listener(url: string) {
  const ears = new Map<string, Set<() => void>>()
  let client: pg.Client | undefined
  let closed = false
  let retry: NodeJS.Timeout | undefined

  const all = () => [...ears.values()].flatMap((set) => [...set])

  async function connect(): Promise<void> {
    clearTimeout(retry)
    const fresh = new pg.Client({ connectionString: url, application_name: 'vendops-listen' })
    client = fresh
    const lost = () => {
      if (closed || client !== fresh) return
      client = undefined
      void fresh.end().catch(() => {})
      retry = setTimeout(() => void connect(), RELISTEN_MS)
      retry.unref()
    }
    fresh.on('error', lost)
    fresh.on('end', lost)
    fresh.on('notification', ({ channel }) => ears.get(channel)?.forEach((hear) => hear()))
    try {
      await fresh.connect()
      for (const channel of ears.keys()) await fresh.query(`listen ${pg.escapeIdentifier(channel)}`)
      for (const hear of all()) hear()
    } catch {
      lost()
    }
  }

  return {
    listen(channel: string, hear: () => void): () => void {
      const known = ears.get(channel)
      const set = known ?? new Set<() => void>()
      ears.set(channel, set.add(hear))
      if (!client) void connect()
      else if (!known) void client.query(`listen ${pg.escapeIdentifier(channel)}`).catch(() => {})
      return () => void set.delete(hear)
    },
    async close(): Promise<void> {
      closed = true
      clearTimeout(retry)
      await client?.end().catch(() => {})
    },
  }
}
