/** Sums of the daily totals over days, by day, machine, product or slot. */
import { sql } from 'kysely'
import { type SkuId, namespaceOf, vendorSkuOf } from '../../kernel/ids.ts'
import type { Queryable } from '../../store/store.ts'

export interface SalesFilter {
  readonly from: string
  readonly to: string
  /** Undefined: all machines. */
  readonly locations?: readonly string[] | undefined
  /** Of the machines, where they are known. */
  readonly namespaces?: readonly string[] | undefined
  readonly product?: SkuId | undefined
}

export type SalesGrouping = 'day' | 'machine' | 'product' | 'slot'

const COLUMNS = {
  day: ['day'],
  machine: ['location', 'namespace'],
  product: ['namespace', 'vendor_sku'],
  slot: ['location', 'namespace', 'vendor_sku'],
} as const satisfies Record<SalesGrouping, readonly string[]>

/** Empty where it is not grouped by. */
export interface SalesKey {
  readonly day: string
  readonly location: string
  readonly namespace: string
  readonly vendorSku: string
}

export interface SalesSum extends SalesKey {
  readonly units: number
  readonly revenue: number
  readonly cost: number
  readonly knownRevenue: number
  readonly commission: number
}

export interface RefundSum extends SalesKey {
  readonly refunds: number
}

type DailyTable = 'sales_daily' | 'machine_sales_daily' | 'product_sales_daily'

/** The smallest table that knows what is asked for. A long route has more machines than products. */
function tableFor(by: SalesGrouping, { locations, product }: SalesFilter): DailyTable {
  if (locations === undefined && (by === 'day' || by === 'product')) return 'product_sales_daily'
  if (product === undefined && (by === 'day' || by === 'machine')) return 'machine_sales_daily'
  return 'sales_daily'
}

export async function sumSales(db: Queryable, by: SalesGrouping, filter: SalesFilter): Promise<SalesSum[]> {
  const sum = (column: string) => sql`cast(sum(${sql.ref(column)}) as bigint)`
  const { rows } = await sql<SalesSum>`select ${keyColumns(by)}, ${sum('units')} as units, ${sum('revenue')} as revenue,
      ${sum('cost')} as cost, ${sum('known_revenue')} as "knownRevenue", ${sum('commission')} as commission
    from ${sql.table(tableFor(by, filter))} where ${conditionOf(filter)} group by ${groupColumns(by)}`.execute(db)
  return rows
}

export async function sumRefunds(db: Queryable, by: SalesGrouping, filter: SalesFilter): Promise<RefundSum[]> {
  const { rows } = await sql<RefundSum>`select ${keyColumns(by)}, cast(sum(price_fen) as bigint) as refunds
    from refund_line where ${conditionOf(filter)} group by ${groupColumns(by)}`.execute(db)
  return rows
}

const groupColumns = (by: SalesGrouping) => sql.join(COLUMNS[by].map((column) => sql.ref(column)))

const KEYS = { day: 'day', location: 'location', namespace: 'namespace', vendorSku: 'vendor_sku' } as const

const keyColumns = (by: SalesGrouping) =>
  sql.join(
    Object.entries(KEYS).map(([name, column]) =>
      (COLUMNS[by] as readonly string[]).includes(column)
        ? sql`${sql.ref(column)} as ${sql.ref(name)}`
        : sql`'' as ${sql.ref(name)}`,
    ),
  )

function conditionOf({ from, to, locations, namespaces, product }: SalesFilter) {
  const conditions = [sql`day >= ${from}`, sql`day <= ${to}`]
  if (locations) conditions.push(sql`location in (${sql.join(locations)})`)
  if (namespaces) conditions.push(sql`namespace in (${sql.join(namespaces)})`)
  if (product !== undefined)
    conditions.push(sql`namespace = ${namespaceOf(product)}`, sql`vendor_sku = ${vendorSkuOf(product)}`)
  return sql.join(conditions, sql` and `)
}

/** Machines that ever sold something, registered or not. Each is one look into the key, however long its history. */
export async function listSellingMachines(db: Queryable): Promise<string[]> {
  const { rows } = await sql<{ location: string }>`with recursive machine(location) as (
      select min(location) from machine_sales_daily
      union all
      select (select min(location) from machine_sales_daily where location > machine.location)
      from machine where machine.location is not null
    ) select location from machine where location is not null`.execute(db)
  return rows.map(({ location }) => location)
}
