/** A database of one's own for each test, copied from a migrated one: in memory for SQLite unless a file is asked for. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { openStore } from '../../src/store/open.ts'
import type { Store, StoreKind } from '../../src/store/store.ts'
import { TEMPLATE } from './postgres.setup.ts'

export const DATABASE = (process.env['TEST_DATABASE'] ?? 'sqlite') as StoreKind

/** The URL of an empty, migrated database that other processes can open too; another test may get it afterwards. */
export async function databaseUrl(): Promise<string> {
  if (DATABASE === 'sqlite') {
    const folder = mkdtempSync(join(tmpdir(), 'vendops-db-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'vendops.db')
    writeFileSync(file, await (image ??= migratedImage()))
    return `sqlite:${file}`
  }
  const name = free.pop() ?? (await createDatabase())
  onTestFinished(() => void recycle(name))
  return `${inject('postgresUrl')}/${name}`
}

/** The URL of a database with exactly what the SQL text creates. */
export async function loadedDatabase(text: string): Promise<string> {
  const url = await databaseUrl()
  if (DATABASE === 'sqlite') {
    const file = url.slice('sqlite:'.length)
    rmSync(file)
    const database = new DatabaseSync(file)
    database.exec(text)
    database.close()
    return url
  }
  const client = await connectTo(new URL(url).pathname.slice(1))
  await client.query(`drop schema public cascade; create schema public; ${text}`)
  await client.end()
  return url
}

/** Databases of finished tests, empty again: emptying one takes a tenth of the CPU of copying the template. */
const free: string[] = []

async function createDatabase(): Promise<string> {
  const name = `t_${randomUUID().replaceAll('-', '')}`
  // Copying files takes a quarter of the CPU of writing every page to the log, which nobody would replay.
  await admin(`create database ${name} template ${TEMPLATE} strategy file_copy`)
  return name
}

/** A copy of a PostgreSQL database that no process has open. The returned function puts it back in the place of the database. */
export async function copyDatabase(url: string): Promise<() => Promise<void>> {
  const name = new URL(url).pathname.slice(1)
  // The server may not have noticed yet that a killed process is gone.
  const endOthers = () => admin(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
  const copy = `${name}_copy`
  await endOthers()
  await admin(`create database ${copy} template ${name} strategy file_copy`)
  return async () => {
    await admin(`drop database ${name} with (force)`)
    await admin(`alter database ${copy} rename to ${name}`)
  }
}

const OTHERS = `select count(*)::int as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
/** Tables, columns, indexes, triggers and the names of the migrations. */
const SHAPE = `select (select string_agg(relname || relnatts, ',' order by relname) from pg_class where relnamespace = 'public'::regnamespace)
  || (select count(*) from pg_trigger) || (select count(*) from pg_attribute where not attisdropped) || (select string_agg(name, ',' order by name) from migration) as shape`
const TABLES = `select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'migration'`

interface Template {
  readonly shape: unknown
  /** Brings a database of that shape back to the rows that the migrations wrote. */
  readonly reset: string
}

let template: Promise<Template> | undefined

async function readTemplate(): Promise<Template> {
  const client = await connectTo(TEMPLATE)
  try {
    const { rows: tables } = await client.query<{ name: string }>(TABLES)
    const seeds: string[] = []
    for (const { name } of tables) {
      const { rows } = await client.query<{ rows: unknown }>(`select json_agg(t) as rows from "${name}" t`)
      if (rows[0]?.rows === null) continue
      const text = pg.escapeLiteral(JSON.stringify(rows[0]?.rows))
      const from = `select * from json_populate_recordset(null::"${name}", ${text})`
      seeds.push(`insert into "${name}" overriding system value ${from}`)
    }
    return {
      shape: await shapeOf(client),
      reset: [
        'begin',
        // Without triggers, of which some refuse deletions.
        'set local session_replication_role = replica',
        ...tables.map(({ name }) => `delete from "${name}"`),
        ...seeds,
        `select setval(format('%I', sequencename), 1, false) from pg_sequences where schemaname = 'public' and last_value is not null`,
        'commit',
      ].join(';'),
    }
  } finally {
    await client.end()
  }
}

async function shapeOf(client: pg.Client): Promise<unknown> {
  const { rows } = await client.query<{ shape: unknown }>(SHAPE)
  return rows[0]?.shape
}

const connectTo = async (name: string): Promise<pg.Client> => {
  const client = new pg.Client(`${inject('postgresUrl')}/${name}`)
  // The server is stopped while the last test is still cleaned up.
  client.on('error', () => {})
  await client.connect()
  return client
}

/**
 * Those that empty a database, kept as long as it is used: a new one would first have to read the catalog of all tables, which
 * is three quarters of the CPU of emptying them.
 */
const emptying = new Map<string, pg.Client>()

async function clientOf(name: string): Promise<pg.Client> {
  const known = emptying.get(name)
  if (known) return known
  const client = await connectTo(name)
  emptying.set(name, client)
  // Ended by the server when a test copies or drops the database.
  client.once('end', () => emptying.delete(name))
  return client
}

/** Empties the database for the next test, unless the test changed its tables or left a connection open. */
async function recycle(name: string): Promise<void> {
  try {
    const { shape, reset } = await (template ??= readTemplate())
    const client = await clientOf(name)
    const othersOf = async () => (await client.query<{ n: number }>(OTHERS)).rows[0]!.n
    // The server ends a connection a little after its client did.
    let others = await othersOf()
    for (let tries = 0; tries < 20 && others > 0; tries++) {
      await sleep(10)
      others = await othersOf()
    }
    if (others === 0 && (await shapeOf(client)) === shape) {
      await client.query(reset)
      free.push(name)
    } else await admin(`drop database if exists ${name} with (force)`)
  } catch {
    // A database that cannot be emptied stays until the server is removed.
  }
}

/** One connection for all tests of a worker: opening one costs the server 5 to 10 ms of CPU. */
let adminClient: Promise<pg.Client> | undefined

async function admin(statement: string): Promise<void> {
  adminClient ??= connectTo('postgres')
  await (await adminClient).query(statement)
}

/** An SQLite database after all migrations, which take longer than most tests. */
async function migratedImage(): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-db-'))
  try {
    const file = join(folder, 'vendops.db')
    const store = await openStore(`sqlite:${file}`)
    await store.close()
    // A database in memory has no write-ahead log.
    const database = new DatabaseSync(file)
    database.exec('pragma journal_mode = delete')
    database.close()
    return readFileSync(file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

let image: Promise<Uint8Array> | undefined

export async function freshStore(): Promise<Store> {
  const store =
    DATABASE === 'sqlite'
      ? await openStore('sqlite::memory:', { copyOf: await (image ??= migratedImage()) })
      : await openStore(await databaseUrl())
  onTestFinished(() => store.close())
  return store
}

/** As a deployment has it: SQLite in a file, where reading has a connection of its own. */
export async function deployedStore(): Promise<Store> {
  const store = await openStore(await databaseUrl())
  onTestFinished(() => store.close())
  return store
}
