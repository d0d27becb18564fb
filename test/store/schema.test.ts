/** The database that the migrations make is the one that store/tables defines, on both databases. */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { checkDatabase } from '../../src/cli/doctor/host-checks.ts'
import { readConfig } from '../../src/config.ts'
import { migrate } from '../../src/store/migrate.ts'
import { MIGRATIONS } from '../../src/store/migrations/index.ts'
import { openStore } from '../../src/store/open.ts'
import { TABLES } from '../../src/store/schema.ts'
import type { Store } from '../../src/store/store.ts'
import type { Column, Table } from '../../src/store/table.ts'
import { StoreUnusable } from '../../src/store/unavailable.ts'
import { HOUR } from '../../src/kernel/clock.ts'
import { findLocation } from '../../src/route/locations/index.ts'
import { auditChain } from '../../src/views/audit/index.ts'
import { CRISPS, SHIPPING, WATER, line, supplier } from '../checkout/support.ts'
import {
  COLA,
  MACHINE,
  change,
  line as priceLine,
  priceRequest,
  register,
  slotsOfMachine,
} from '../pricing/machines.ts'
import { DATABASE, databaseUrl, deployedStore, freshStore, loadedDatabase } from '../support/database.ts'
import { scriptedMachine, supplyOrder } from '../support/scripted-vendors.ts'
import { type Service, NOW, startService } from '../support/service.ts'
import { dumpDatabase } from './dump.ts'

interface Shape {
  /** Each as `kind`, with `null` where it may be and `= value` where it has a default. */
  readonly columns: Readonly<Record<string, string>>
  readonly key: readonly string[]
  /** Each as its columns in their order, with `unique` and `where`. */
  readonly indexes: Readonly<Record<string, string>>
  readonly references: readonly string[]
}

const columnShape = (kind: string, isNullable: boolean, value?: string | number | null) =>
  `${kind}${isNullable ? ' null' : ''}${value === undefined || value === null ? '' : ` = ${value}`}`
const indexShape = (on: readonly string[], isUnique: boolean, isPartial: boolean) =>
  `${on.join(', ')}${isUnique ? ' unique' : ''}${isPartial ? ' where' : ''}`

function shapeOf(name: string, { columns, key, indexes = {} }: Table): Shape {
  const all = Object.entries<Column>(columns)
  return {
    columns: Object.fromEntries(
      all.map(([column, { kind, isNullable, default: value }]) => [
        column,
        columnShape(kind, isNullable === true, value),
      ]),
    ),
    key: key ?? all.filter(([, { kind }]) => kind === 'identity').map(([column]) => column),
    indexes: Object.fromEntries(
      Object.entries(indexes).map(([suffix, index]) => {
        const { on, unique, where } = 'on' in index ? index : { on: index }
        return [`${name}_${suffix}`, indexShape(on, unique === true, where !== undefined)]
      }),
    ),
    references: all
      .flatMap(([column, { references: to }]) => (to ? [`${column} ${to.table} ${to.onDelete ?? 'no action'}`] : []))
      .toSorted(),
  }
}

type Found = Record<string, string | number | null>
const rows = async ({ db }: Store, query: string): Promise<Found[]> => (await sql.raw<Found>(query).execute(db)).rows
const unquoted = (value: string | number | null | undefined) =>
  typeof value === 'string' ? value.replace(/^'(.*)'(::text)?$/, '$1') : value

async function readSqlite(store: Store, table: string): Promise<Shape> {
  const [definition] = await rows(store, `select sql from sqlite_master where name = '${table}'`)
  const isIdentity = String(definition?.['sql']).includes('autoincrement')
  const columns = await rows(store, `select * from pragma_table_info('${table}')`)
  const indexes = await rows(store, `select * from pragma_index_list('${table}') where origin = 'c'`)
  const on = async (index: unknown) =>
    (await rows(store, `select name from pragma_index_info('${String(index)}') order by seqno`)).map(({ name }) =>
      String(name),
    )
  const references = await rows(store, `select "from", "table", on_delete from pragma_foreign_key_list('${table}')`)
  const kinds: Readonly<Record<string, string>> = { TEXT: 'text', INTEGER: 'int' }
  return {
    columns: Object.fromEntries(
      columns.map(({ name, type, notnull, dflt_value: value, pk }) => [
        name,
        isIdentity && pk === 1
          ? 'identity'
          : columnShape(kinds[String(type)] ?? String(type), notnull === 0, unquoted(value)),
      ]),
    ),
    key: columns
      .filter(({ pk }) => Number(pk) > 0)
      .toSorted((a, b) => Number(a['pk']) - Number(b['pk']))
      .map(({ name }) => String(name)),
    indexes: Object.fromEntries(
      await Promise.all(
        indexes.map(async ({ name, unique, partial }) => [
          name,
          indexShape(await on(name), unique === 1, partial === 1),
        ]),
      ),
    ),
    references: references
      .map(({ from, table: to, on_delete: onDelete }) => `${from} ${to} ${String(onDelete).toLowerCase()}`)
      .toSorted(),
  }
}

async function readPostgres(store: Store, table: string): Promise<Shape> {
  const columns = await rows(
    store,
    `select column_name, data_type, is_nullable, column_default, is_identity from information_schema.columns
      where table_schema = 'public' and table_name = '${table}'`,
  )
  const indexes = await rows(
    store,
    `select c.relname as name, indisprimary::int as key, indisunique::int as uniq, (indpred is not null)::int as partial,
        (select string_agg(attname, ', ' order by n) from unnest(indkey) with ordinality as k (attnum, n)
          join pg_attribute a on a.attrelid = indrelid and a.attnum = k.attnum) as "on"
      from pg_index join pg_class c on c.oid = indexrelid where indrelid = '"${table}"'::regclass`,
  )
  const references = await rows(
    store,
    `select attname, confrelid::regclass::text as target, confdeltype::text as on_delete
      from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
      where contype = 'f' and conrelid = '"${table}"'::regclass`,
  )
  const kinds: Readonly<Record<string, string>> = { text: 'text', bigint: 'int' }
  return {
    columns: Object.fromEntries(
      columns.map(({ column_name: name, data_type: type, is_nullable, column_default: value, is_identity }) => [
        name,
        is_identity === 'YES'
          ? 'identity'
          : columnShape(kinds[String(type)] ?? String(type), is_nullable === 'YES', unquoted(value)),
      ]),
    ),
    key: indexes.flatMap(({ key, on }) => (key === 1 ? String(on).split(', ') : [])),
    indexes: Object.fromEntries(
      indexes
        .filter(({ key }) => key === 0)
        .map(({ name, uniq, partial, on }) => [name, indexShape([String(on)], uniq === 1, partial === 1)]),
    ),
    references: references
      .map(({ attname, target, on_delete }) => `${attname} ${target} ${on_delete === 'c' ? 'cascade' : 'no action'}`)
      .toSorted(),
  }
}

const tableNames = async (store: Store) =>
  (
    await rows(
      store,
      store.kind === 'sqlite'
        ? `select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`
        : `select tablename as name from pg_tables where schemaname = 'public'`,
    )
  ).map(({ name }) => String(name))

async function expectDefinedTables(store: Store): Promise<void> {
  expect((await tableNames(store)).toSorted()).toEqual(Object.keys(TABLES).toSorted())
  const read = store.kind === 'sqlite' ? readSqlite : readPostgres
  for (const [name, table] of Object.entries<Table>(TABLES))
    expect(await read(store, name), name).toEqual(shapeOf(name, table))
}

test('columns, types, nullability, keys, indexes and references are those of the definitions', async () => {
  await expectDefinedTables(await freshStore())
})

test('every table of SQLite checks the types of its columns', async () => {
  const store = await freshStore()
  if (store.kind !== 'sqlite') return
  expect(
    await rows(
      store,
      `select name from pragma_table_list where type = 'table' and strict = 0 and name not like 'sqlite_%'`,
    ),
  ).toEqual([])
})

describe('a later migration', () => {
  const later = {
    ...MIGRATIONS,
    '0002_made_up': ({ int, strict }: { int: string; strict: string }) => [
      `alter table event add column made_up ${int}`,
      `create table made_up (id text primary key, at ${int} not null)${strict}`,
      `insert into made_up (id, at) select kind, stored_at from event`,
    ],
  }

  test('is applied once, to a new database and to one with rows', async () => {
    const store = await openStore(await databaseUrl())
    await store.db
      .insertInto('event')
      .values({ occurred_at: 1, kind: 'note', summary: 's', reasoning: 'r', stored_at: 7 })
      .execute()
    await migrate(store, later)
    await migrate(store, later)
    expect(await rows(store, 'select * from made_up')).toEqual([{ id: 'note', at: 7 }])
    expect(await rows(store, 'select made_up from event')).toEqual([{ made_up: null }])
    expect(await rows(store, 'select name from migration order by name')).toEqual(
      Object.keys(later).map((name) => ({ name })),
    )
    await store.close()
  })

  test('that fails leaves nothing of itself', async () => {
    const store = await openStore(await databaseUrl())
    const broken = { ...later, '0003_broken': () => ['create table half (id text)', 'create table half (id text)'] }
    await expect(migrate(store, broken)).rejects.toThrow('half')
    expect(await tableNames(store)).not.toContain('made_up')
    expect(await tableNames(store)).not.toContain('half')
    expect(await store.pendingMigrations()).toEqual([])
    await store.close()
  })

  test('makes the database one of a newer version for the code without it', async () => {
    const url = await databaseUrl()
    const store = await openStore(url)
    await migrate(store, later)
    await store.close()
    await expect(openStore(url)).rejects.toThrow(
      'The database was written by a newer version of vendops (0002_made_up): install that version, or restore a backup made before the upgrade.',
    )
  })
})

describe('a database of an unreleased version', () => {
  const PROBLEM = 'was written by an unreleased version of vendops and cannot be upgraded'
  const REMEDY =
    'start with an empty database; what to export before, with the version that wrote it: docs/backup-and-restore.md'

  /** As the versions before wrote it: other tables, and the first of their migrations on record. */
  async function unreleased(name: string): Promise<string> {
    const url = await databaseUrl()
    const store = await openStore(url)
    await sql`drop table event`.execute(store.db)
    await sql`update migration set name = ${name}`.execute(store.db)
    await store.close()
    return url
  }

  test.each(['0001_foundation', '0001_schema_00000000'])('is refused in one sentence: %s', async (name) => {
    const url = await unreleased(name)
    await expect(openStore(url)).rejects.toThrow(new StoreUnusable(`The database ${PROBLEM}: ${REMEDY}.`))
    const config = readConfig({ DATABASE_URL: url }, () => true)
    if (!config.ok) throw new Error(config.problems.join())
    expect(await checkDatabase(config.config)).toEqual([
      { check: 'database', state: 'fail', found: expect.stringContaining(PROBLEM), fix: REMEDY },
    ])
  })

  test('ends the start with exit code 1 and no stack trace', async () => {
    const DATABASE_URL = await unreleased('0001_foundation')
    const main = new URL('../../src/main.ts', import.meta.url).pathname
    const env = { PATH: process.env['PATH'], DATABASE_URL, PORT: '0', OPERATOR_TOKEN: 'a-token-of-16-chars' }
    const started = await promisify(execFile)(process.execPath, [main], { env }).catch(
      (failure: { code: number; stderr: string }) => failure,
    )
    expect(started).toMatchObject({ code: 1, stderr: `database: The database ${PROBLEM}: ${REMEDY}.\n` })
  })
})

/** `RELEASE=v0.2.0` writes the database of that version; once it is tagged, its files stay as they are. */
const RELEASED = join(import.meta.dirname, 'released')

describe.runIf(process.env['RELEASE'])('a version that is about to be released', () => {
  test('leaves a database with a purchase, a price and a decision', async () => {
    const store = await deployedStore()
    const service = await startWorld(store, NOW)
    await buy(service, 'po_20260910_1')
    expect((await change(service, priceRequest(priceLine(COLA, 260)))).status).toBe(200)
    const dear = await service.post('/checkout-sessions', {
      id: 'po_20260910_2',
      line_items: [line(WATER, 20, 'BX')],
      fulfillment: SHIPPING,
    })
    expect(dear.body.status).toBe('requires_escalation')
    writeFileSync(join(RELEASED, `${process.env['RELEASE']}.${DATABASE}.sql`), await dumpDatabase(store))
  })
})

const releases = readdirSync(RELEASED).filter((file) => file.endsWith(`.${DATABASE}.sql`))

test.each(releases)('the database of a released version is opened, upgraded and used: %s', async (file) => {
  const store = await openStore(await loadedDatabase(readFileSync(join(RELEASED, file), 'utf8'))).catch(
    (cause: Error) => {
      throw new Error(`${cause.message} A table was changed without a migration: docs/changing-things.md.`, { cause })
    },
  )
  onTestFinished(() => store.close())
  await expectDefinedTables(store)
  const service = await startWorld(store, NOW + HOUR)
  expect((await service.get('/checkout-sessions/po_20260910_1')).body).toMatchObject({
    status: 'completed',
    order: { label: expect.any(String) },
  })
  // The supplier still has the order of then.
  const shipping = { method: 'shipping', contactName: '', contactPhone: '', address: '' } as const
  await service.supply.vendor.createOrder(supplyOrder('po_20260910_1', [], shipping))
  const [pending] = (await service.get('/approvals')).body.approvals
  expect((await service.post(`/approvals/${pending.id}`, { approved: true })).status).toBe(200)
  expect((await service.post('/checkout-sessions/po_20260910_2/complete', { confirm: true })).body.status).toBe(
    'completed',
  )
  await buy(service, 'po_20260910_3')
  expect((await change(service, priceRequest(priceLine(COLA, 250)))).status).toBe(200)
  expect((await auditChain(store)).problems).toEqual([])
})

/** One supplier and one machine. */
async function startWorld(store: Store, now: number): Promise<Service> {
  const machine = scriptedMachine({ [MACHINE]: slotsOfMachine() })
  const service = await startService({ store, now, supply: supplier(), machine })
  if (!(await findLocation(store.db, MACHINE))) await register(service, MACHINE)
  return service
}

async function buy(service: Service, id: string): Promise<void> {
  const body = { id, line_items: [line(CRISPS, 2)], fulfillment: SHIPPING }
  expect((await service.post('/checkout-sessions', body)).body.status).toBe('ready_for_complete')
  const completed = await service.post(`/checkout-sessions/${id}/complete`, { confirm: true })
  expect(completed.body.status).toBe('completed')
}
