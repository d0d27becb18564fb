/** A database of before migration 0016 is upgraded: slots stay, and sales are added up per platform. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { MIGRATIONS } from '../../src/store/migrations/index.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { databaseUrl } from '../support/database.ts'

const NAME = '0016_machine_platforms'

/** The tables as the migrations before left them. */
async function undo(store: Store): Promise<void> {
  const isFile = store.kind === 'sqlite'
  const ddl = { int: isFile ? 'integer' : 'bigint', identity: '', strict: isFile ? ' strict' : '' }
  const before = ['0003_locations', '0007_slot_traces'].flatMap((name) => MIGRATIONS[name]!(ddl))
  const again = ['create table slot (', 'create index slot_by', 'create table sales_daily', 'create table slot_sales']
  for (const statement of [
    ...['slot', 'slot_book', 'sales_daily', 'slot_sales', 'ledger_machine'].map((table) => `drop table ${table}`),
    ...['platform_time_zone', 'health', 'health_at'].map((column) => `alter table location drop column ${column}`),
    ...before.filter((statement) => again.some((start) => statement.startsWith(start))),
    `delete from migration where name = '${NAME}'`,
  ])
    await sql.raw(statement).execute(store.db)
}

test('slots are kept with their stock, and the totals of two platforms are taken apart', async () => {
  const url = await databaseUrl()
  const old = await openStore(url)
  await undo(old)
  await sql`insert into location (id, name, namespace, profile, registered_at, updated_at, awaits_first_sync)
    values ('m1', 'Hall', 'a-machine', '{}', 1, 1, 0)`.execute(old.db)
  await sql`insert into slot (location, vendor_sku, slot_id, sku_id, title, price, stock, capacity, capacity_source,
      first_seen_at, updated_at)
    values ('m1', 'k', 'm1-k', 'a-machine:k', 'Cola', 300, 7, 12, 'counted', 1, 2)`.execute(old.db)
  for (const [namespace, price] of [
    ['a-machine', 250],
    ['b-machine', 900],
  ] as const)
    await sql`insert into sale_line (namespace, order_no, line, location, vendor_sku, at, day, price)
      values (${namespace}, 'T1', 0, 'm1', 'k', 1000, '2026-09-10', ${price})`.execute(old.db)
  await sql`insert into sales_daily (location, vendor_sku, day, units, revenue, last_at)
    values ('m1', 'k', '2026-09-10', 2, 1150, 1000)`.execute(old.db)
  await sql`insert into slot_sales (location, vendor_sku, block, sold) values ('m1', 'k', 0, '1000,1000')`.execute(
    old.db,
  )
  await old.close()

  const store = await openStore(url)
  const { db } = store
  expect(await db.selectFrom('slot').selectAll().execute()).toMatchObject([
    { slot_id: 'm1-k', stock: 7, capacity: 12, capacity_source: 'counted', lanes: null, updated_at: 2 },
  ])
  const daily = await db
    .selectFrom('sales_daily')
    .select(['namespace', 'units', 'revenue'])
    .orderBy('namespace')
    .execute()
  expect(daily).toEqual([
    { namespace: 'a-machine', units: 1, revenue: 250 },
    { namespace: 'b-machine', units: 1, revenue: 900 },
  ])
  const packed = await db.selectFrom('slot_sales').select(['namespace', 'sold']).orderBy('namespace').execute()
  expect(packed).toEqual([
    { namespace: 'a-machine', sold: '1000' },
    { namespace: 'b-machine', sold: '1000' },
  ])
  await store.close()
})
