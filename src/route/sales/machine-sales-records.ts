/** The sales of machines in the mirrored ledger: the last one, units sold, undated ones. */
import { sql } from 'kysely'
import { type Namespace, type SkuId, namespaceOf, vendorSkuOf } from '../../kernel/ids.ts'
import { chunk, yieldToEventLoop } from '../../lib/concurrency.ts'
import type { Queryable } from '../../store/store.ts'
import { NO_TIME } from './sale-transaction.ts'
import { blockOf } from './slot-series.ts'

const LOCATIONS_PER_QUERY = 100
const LOCATIONS_PER_DELETE = 25

export interface LastSale {
  /** Epoch ms, or NO_TIME. */
  readonly at: number
  /** The platform's name of the venue. */
  readonly locationName: string | null
}

/** A machine as its platform's ledger names it. */
export interface LedgerMachineId {
  readonly namespace: Namespace
  readonly id: string
}

/** The newest sale of each machine that has one, by machine id. */
export async function findLastSales(
  db: Queryable,
  machines: readonly LedgerMachineId[],
): Promise<Map<string, LastSale>> {
  const found = new Map<string, LastSale>()
  for (const part of chunk(machines, LOCATIONS_PER_QUERY)) {
    const wanted = sql.join(part.map(({ id, namespace }) => sql`(${id}, ${namespace})`))
    const newestOf = (column: string) => sql`(select ${sql.ref(column)} from sale_transaction
      where location = wanted.column1 and namespace = wanted.column2 order by created_at desc limit 1)`
    const { rows } = await sql<{ id: string; at: number | null; location_name: string | null }>`select
        wanted.column1 as id, ${newestOf('created_at')} as at, ${newestOf('location_name')} as location_name
      from (values ${wanted}) as wanted`.execute(db)
    for (const { id, at, location_name } of rows) if (at !== null) found.set(id, { at, locationName: location_name })
  }
  return found
}

export async function hasSales(db: Queryable): Promise<boolean> {
  return (await db.selectFrom('sale_transaction').select('order_no').limit(1).executeTakeFirst()) !== undefined
}

/** Sales first mirrored since then whose time cannot be read. */
export async function countUndatedSales(db: Queryable, firstSeenFrom: number): Promise<number> {
  const { count } = await db
    .selectFrom('sale_transaction')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('created_at', '=', NO_TIME)
    .where('first_seen_at', '>=', firstSeenFrom)
    .executeTakeFirstOrThrow()
  return count
}

/** Paid units since a local day. In batches: SQLite counts on our own thread. */
export async function countUnitsSold(
  db: Queryable,
  machines: readonly LedgerMachineId[],
  fromDay: string,
): Promise<number> {
  let total = 0
  for (const part of chunk(machines, LOCATIONS_PER_QUERY)) {
    const wanted = sql.join(part.map(({ id, namespace }) => sql`(${id}, ${namespace})`))
    const { units } = await db
      .selectFrom('sales_daily')
      .select(sql<number>`coalesce(sum(units), 0)`.as('units'))
      .where(sql<boolean>`(location, namespace) in (values ${wanted})`)
      .where('day', '>=', fromDay)
      .executeTakeFirstOrThrow()
    total += units
  }
  return total
}

const SLOTS_PER_QUERY = 200

interface SlotUnits {
  readonly location: string
  readonly skuId: SkuId
  readonly units: number
  /** Of these days, the first with a sale. */
  readonly firstDay: string
}

/** Paid units since a local day of each product in its machine; those without a sale are left out. */
export async function loadUnitsSoldBySlot(
  db: Queryable,
  slots: readonly { readonly location: string; readonly skuId: SkuId }[],
  fromDay: string,
): Promise<SlotUnits[]> {
  const sold: SlotUnits[] = []
  for (const part of chunk(slots, SLOTS_PER_QUERY)) {
    const wanted = sql.join(
      part.map(({ location, skuId }) => sql`(${location}, ${namespaceOf(skuId)}, ${vendorSkuOf(skuId)}, ${skuId})`),
    )
    const { rows } = await sql<SlotUnits>`select wanted.column1 as location, wanted.column4 as "skuId",
        cast(sum(sold.units) as bigint) as units, min(sold.day) as "firstDay"
      from (values ${wanted}) as wanted join sales_daily as sold on sold.location = wanted.column1
        and sold.namespace = wanted.column2 and sold.vendor_sku = wanted.column3 and sold.day >= ${fromDay}
      group by wanted.column1, wanted.column4`.execute(db)
    sold.push(...rows)
    await yieldToEventLoop()
  }
  return sold
}

/** In batches: once in 32 days this removes a row of every slot. */
export async function removeOldLevelSeries(db: Queryable, locations: readonly string[], before: number): Promise<void> {
  for (const part of chunk(locations, LOCATIONS_PER_DELETE)) {
    await db.deleteFrom('slot_levels').where('location', 'in', part).where('block', '<', blockOf(before)).execute()
    await yieldToEventLoop()
  }
}
