/** PostgreSQL through pg: a pool, integers as numbers, LISTEN/NOTIFY that survives a dropped line. */
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { LOCKS, refuseInsideTransaction, transactionOf } from './db.ts'
import type { Store } from './db.ts'
import { pendingMigrations } from './migrate.ts'
import type { Database } from './schema.ts'

const POOL_SIZE = 10
const CONNECT_TIMEOUT_MS = 5000
const STATEMENT_TIMEOUT_MS = 30_000
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

export async function openPostgres(url: string): Promise<Store> {
  const pool = new pg.Pool({
    connectionString: url,
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    application_name: 'vendops',
    types,
    // An answered commit is on disk, whatever the server's default says.
    options: '-c synchronous_commit=on',
  })
  // An idle connection that breaks is replaced at the next use; without a listener it would end the process.
  pool.on('error', () => {})

  const guarded = { connect: () => (refuseInsideTransaction(pool), pool.connect()), end: () => pool.end(), options: {} }
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: guarded }) })
  const hints = listener(url)

  /**
   * One round trip before `act`. Lock and query are two statements of a READ COMMITTED transaction, so the query sees
   * everything that was committed before the lock was granted.
   */
  const actUnderLock: Store['actUnderLock'] = async (name, query, act) => {
    refuseInsideTransaction(pool)
    const client = await pool.connect()
    // A connection that breaks while it is checked out also reports that as an event.
    const ignore = () => {}
    client.on('error', ignore)
    const giveBack = (failure?: Error) => {
      client.off('error', ignore)
      client.release(failure)
    }
    try {
      const askedAt = performance.now()
      const results = (await client.query(
        `begin isolation level read committed;
         set local idle_in_transaction_session_timeout = ${LOCK_HELD_MS};
         select pg_advisory_xact_lock_shared(${LOCKS[name]});
         ${query}`,
      )) as unknown as readonly pg.QueryResult[]
      if (performance.now() - askedAt > LOCK_TRUSTED_MS) throw new Error(`lock ${name} was granted too long ago`)
      return act(results.at(-1)?.rows ?? [])
    } finally {
      // Not waited for: what was to be done under the lock is done.
      client.query('rollback').then(() => giveBack(), giveBack)
    }
  }

  return {
    kind: 'postgres',
    db,
    transaction: transactionOf(pool, (work) => db.transaction().execute(work)),
    lock: async (tx, name, mode) => {
      const lock = mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock'
      await sql`select ${sql.raw(lock)}(${sql.lit(LOCKS[name])})`.execute(tx)
    },
    actUnderLock,
    ping: async () => void (await pool.query('select 1')),
    pendingMigrations: () => pendingMigrations(db),
    notify: (channel) => void pool.query('select pg_notify($1, $2)', [channel, '']).catch(() => {}),
    listen: (channel, hear) => hints.listen(channel, hear),
    close: async () => {
      await hints.close()
      await db.destroy()
    },
  }
}

/** One connection that listens; it comes back by itself and then hints on every channel, for it may have missed some. */
function listener(url: string) {
  const ears = new Map<string, Set<() => void>>()
  let client: pg.Client | undefined
  let closed = false
  let retry: NodeJS.Timeout | undefined

  const all = () => [...ears.values()].flatMap((set) => [...set])

  async function connect(): Promise<void> {
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
