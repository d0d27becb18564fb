/** The logged stock of a machine: what was reported, received and counted. */
import type { Selectable } from 'kysely'
import type { Columns } from '../../../store/schema.ts'
import type { Queryable, Tx } from '../../../store/store.ts'
import { matchColumns } from '../../../store/match-columns.ts'
import type { StoredSlot } from '../slot-records.ts'

/** The logged stock of a machine by vendor_sku, in order of time: since `since`, and the last of each slot before it. */
export async function listStockLog(
  db: Queryable,
  location: string,
  since: number,
): Promise<ReadonlyMap<string, readonly Selectable<Columns<'stock_log'>>[]>> {
  const before = await db
    .selectFrom('stock_log')
    .innerJoin(
      (eb) =>
        eb
          .selectFrom('stock_log')
          .select((own) => ['vendor_sku', own.fn.max('at').as('at')])
          .where('location', '=', location)
          .where('at', '<', since)
          .groupBy('vendor_sku')
          .as('latest'),
      (join) => join.onRef('latest.vendor_sku', '=', 'stock_log.vendor_sku').onRef('latest.at', '=', 'stock_log.at'),
    )
    .selectAll('stock_log')
    .where('stock_log.location', '=', location)
    .execute()
  const rows = await db
    .selectFrom('stock_log')
    .selectAll()
    .where('location', '=', location)
    .where('at', '>=', since)
    .orderBy('at')
    .execute()
  return Map.groupBy([...before, ...rows], ({ vendor_sku }) => vendor_sku)
}

export async function findHighestStock(tx: Tx, location: string, vendorSku: string): Promise<number> {
  const { highest } = await tx
    .selectFrom('stock_log')
    .select((eb) => eb.fn.max('stock').as('highest'))
    .where((eb) => matchColumns(eb, { location, vendor_sku: vendorSku }))
    .executeTakeFirstOrThrow()
  return highest ?? 0
}

export async function deleteStockReading(
  tx: Tx,
  { location, vendorSku }: Pick<StoredSlot, 'location' | 'vendorSku'>,
  at: number,
): Promise<void> {
  await tx
    .deleteFrom('stock_log')
    .where((eb) => matchColumns(eb, { location, vendor_sku: vendorSku, at }))
    .execute()
}

export async function deleteStockReadings(db: Queryable, before: number): Promise<void> {
  await db.deleteFrom('stock_log').where('at', '<', before).execute()
}
