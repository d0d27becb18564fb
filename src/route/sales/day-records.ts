/** Daily totals of the sale lines: by slot, and from those by machine and by product. */
import { type RawBuilder, sql } from 'kysely'
import type { Namespace } from '../../kernel/ids.ts'
import { chunk } from '../../lib/concurrency.ts'
import { matchColumns } from '../../store/match-columns.ts'
import type { Columns } from '../../store/schema.ts'
import { type Tx, readAll } from '../../store/store.ts'

const ROWS_AT_ONCE = 500

export interface SlotDay {
  readonly location: string
  readonly vendorSku: string
  readonly day: string
}

/** Counts these days again from the sale lines instead of adding to them, so that refunds and repeats stay correct. */
export async function recountDays(tx: Tx, namespace: string, days: readonly SlotDay[]): Promise<void> {
  for (const part of chunk(days, ROWS_AT_ONCE)) {
    const changed = sql.join(part.map(({ location, vendorSku, day }) => sql`(${location}, ${vendorSku}, ${day})`))
    await recount(tx, sql<boolean>`(location, vendor_sku, day) in (values ${changed}) and namespace = ${namespace}`)
  }
}

/** Counts the days of one machine again, from a day on or all. */
export const recountMachine = (tx: Tx, namespace: string, location: string, fromDay = ''): Promise<void> =>
  recount(tx, sql<boolean>`location = ${location} and namespace = ${namespace} and day >= ${fromDay}`)

/** Moves the lines of one machine to other days, and counts its days again. */
/** Machines with sales or refunds that are counted by days. */
export const listMachinesWithDays = (tx: Tx): Promise<{ namespace: Namespace; location: string }[]> =>
  readAll(
    tx
      .selectFrom('sale_line')
      .select(['namespace', 'location'])
      .union(tx.selectFrom('refund_line').select(['namespace', 'location'])),
    ({ namespace, location }) => ({ namespace: namespace as Namespace, location }),
  )

export async function moveMachineDays(
  tx: Tx,
  namespace: string,
  location: string,
  dayOf: (at: number) => string,
): Promise<void> {
  for (const table of ['sale_line', 'refund_line'] as const) await moveLines(tx, table, namespace, location, dayOf)
  await recountMachine(tx, namespace, location)
}

async function moveLines(
  tx: Tx,
  table: 'sale_line' | 'refund_line',
  namespace: string,
  location: string,
  dayOf: (at: number) => string,
): Promise<void> {
  const lines = await tx
    .selectFrom(table)
    .select(['order_no', 'line', 'at', 'day'])
    .where((eb) => matchColumns(eb, { location, namespace }))
    .execute()
  const moved = lines.flatMap(({ order_no, line, at, day }) => {
    const next = dayOf(at)
    return next === day ? [] : [{ order_no, line, next }]
  })
  for (const part of chunk(moved, ROWS_AT_ONCE)) {
    const days = sql.join(part.map(({ order_no, line, next }) => sql`(${order_no}, cast(${line} as bigint), ${next})`))
    await sql`update ${sql.table(table)} set day = moved.column3 from (values ${days}) as moved
      where ${sql.ref(`${table}.order_no`)} = moved.column1 and ${sql.ref(`${table}.line`)} = moved.column2
        and ${sql.ref(`${table}.namespace`)} = ${namespace}`.execute(tx)
  }
}

type Day = Columns<'sales_daily'>

/** What was counted before is taken from the sums of machines and products, what is counted now is added. */
async function recount(tx: Tx, condition: RawBuilder<boolean>): Promise<void> {
  const before = await sql<Day>`delete from sales_daily where ${condition} returning *`.execute(tx)
  const after = await sql<Day>`insert into sales_daily
      (namespace, location, vendor_sku, day, units, revenue, last_at, cost, known_revenue, commission)
    select namespace, location, vendor_sku, day, units, revenue, last_at, (cost_e4 + 5000) / 10000, known_revenue,
      (revenue * coalesce((select commission_e2 from machine_terms
        where machine_terms.namespace = counted.namespace and machine_terms.location = counted.location
          and from_day <= counted.day order by from_day desc limit 1), 0) + 5000) / 10000
    from (
      select namespace, location, vendor_sku, day, count(*) as units, cast(sum(price_fen) as bigint) as revenue,
        max(at) as last_at, cast(sum(unit_cost_e4) as bigint) as cost_e4,
        cast(sum(case when cost_estimated = 1 then 0 else price_fen end) as bigint) as known_revenue
      from sale_line where ${condition} group by namespace, location, vendor_sku, day
    ) as counted returning *`.execute(tx)
  const sums = (keyOf: (row: Day) => string) => changesBy(keyOf, before.rows, after.rows)
  for (const part of chunk(
    sums(({ day, location, namespace }) => `${location} ${namespace} ${day}`),
    ROWS_AT_ONCE,
  ))
    await tx
      .insertInto('machine_sales_daily')
      .values(part.map(({ row: { namespace, location, day }, change }) => ({ namespace, location, day, ...change })))
      .onConflict((conflict) =>
        conflict.columns(['location', 'namespace', 'day']).doUpdateSet(addedTo('machine_sales_daily')),
      )
      .execute()
  for (const part of chunk(
    sums(({ day, vendor_sku, namespace }) => `${day} ${vendor_sku} ${namespace}`),
    ROWS_AT_ONCE,
  ))
    await tx
      .insertInto('product_sales_daily')
      .values(
        part.map(({ row: { namespace, vendor_sku, day }, change }) => ({ namespace, vendor_sku, day, ...change })),
      )
      .onConflict((conflict) =>
        conflict.columns(['day', 'vendor_sku', 'namespace']).doUpdateSet(addedTo('product_sales_daily')),
      )
      .execute()
}

const SUMS = ['units', 'revenue', 'cost', 'known_revenue', 'commission'] as const
type Sums = Record<(typeof SUMS)[number], number>

const addedTo = (table: 'machine_sales_daily' | 'product_sales_daily') =>
  Object.fromEntries(
    SUMS.map((name) => [name, sql<number>`${sql.ref(`${table}.${name}`)} + ${sql.ref(`excluded.${name}`)}`]),
  ) as Record<keyof Sums, RawBuilder<number>>

function changesBy(keyOf: (row: Day) => string, before: readonly Day[], after: readonly Day[]) {
  const changes = new Map<string, { readonly row: Day; readonly change: Sums }>()
  const add = (row: Day, sign: 1 | -1) => {
    const key = keyOf(row)
    const known = changes.get(key) ?? {
      row,
      change: { units: 0, revenue: 0, cost: 0, known_revenue: 0, commission: 0 },
    }
    for (const name of SUMS) known.change[name] += sign * row[name]
    changes.set(key, known)
  }
  for (const row of before) add(row, -1)
  for (const row of after) add(row, 1)
  return [...changes.values()].filter(({ change }) => SUMS.some((name) => change[name] !== 0))
}

/** Sums of machines and products from nothing; every other writer of the namespace must be locked out. */
export async function rebuildSums(tx: Tx, namespace: string): Promise<void> {
  const sums = sql.raw(SUMS.map((name) => `cast(sum(${name}) as bigint)`).join(', '))
  const names = sql.raw(SUMS.join(', '))
  await sql`delete from machine_sales_daily where namespace = ${namespace}`.execute(tx)
  await sql`insert into machine_sales_daily (namespace, location, day, ${names})
    select namespace, location, day, ${sums} from sales_daily where namespace = ${namespace}
    group by namespace, location, day`.execute(tx)
  await sql`delete from product_sales_daily where namespace = ${namespace}`.execute(tx)
  await sql`insert into product_sales_daily (namespace, vendor_sku, day, ${names})
    select namespace, vendor_sku, day, ${sums} from sales_daily where namespace = ${namespace}
    group by namespace, vendor_sku, day`.execute(tx)
}
