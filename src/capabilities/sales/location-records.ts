/** What the mirrored ledger knows of machines, for the roster and its sync. */
import { sql } from 'kysely'
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

/** The newest sale of each machine that has one. */
export async function findLastSales(db: Queryable, locations: readonly string[]): Promise<Map<string, LastSale>> {
  const found = new Map<string, LastSale>()
  for (const part of chunk(locations, LOCATIONS_PER_QUERY)) {
    const wanted = sql.join(part.map((location) => sql`(${location})`))
    const { rows } = await sql<{ id: string; at: number | null; location_name: string | null }>`select
        wanted.column1 as id,
        (select at from trade where location = wanted.column1 order by at desc limit 1) as at,
        (select location_name from trade where location = wanted.column1 order by at desc limit 1) as location_name
      from (values ${wanted}) as wanted`.execute(db)
    for (const { id, at, location_name } of rows) if (at !== null) found.set(id, { at, locationName: location_name })
  }
  return found
}

/** Sales first mirrored since then whose time cannot be read. */
export async function countUndatedSales(db: Queryable, firstSeenFrom: number): Promise<number> {
  const { count } = await db
    .selectFrom('trade')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('at', '=', NO_TIME)
    .where('first_seen_at', '>=', firstSeenFrom)
    .executeTakeFirstOrThrow()
  return count
}

/** Paid units since a local day. In batches: SQLite counts on our own thread. */
export async function countUnitsSold(db: Queryable, locations: readonly string[], fromDay: string): Promise<number> {
  let total = 0
  for (const part of chunk(locations, LOCATIONS_PER_QUERY)) {
    const { units } = await db
      .selectFrom('sales_daily')
      .select(sql<number>`coalesce(sum(units), 0)`.as('units'))
      .where('location', 'in', part)
      .where('day', '>=', fromDay)
      .executeTakeFirstOrThrow()
    total += units
  }
  return total
}

/** In batches: once in 32 days this removes a row of every slot. */
export async function removeOldLevelSeries(db: Queryable, locations: readonly string[], before: number): Promise<void> {
  for (const part of chunk(locations, LOCATIONS_PER_DELETE)) {
    await db.deleteFrom('slot_levels').where('location', 'in', part).where('block', '<', blockOf(before)).execute()
    await yieldToEventLoop()
  }
}
