/** Rows a sync reads and marks, beside the shelves. */
import { sql } from 'kysely'
import type { Queryable, Tx } from '../../../store/store.ts'
import type { Failure } from '../../../vendors/contract.ts'
import { chunk } from '../../../lib/concurrency.ts'
import { findLocations, listLocationIds, provesMachine } from '../records.ts'
import type { LocationRecord } from '../records.ts'

const IDS_AT_ONCE = 100

export async function locationsAwaitingSync(db: Queryable): Promise<LocationRecord[]> {
  const rows = await db.selectFrom('location').select('id').where('awaits_first_sync', '=', 1).execute()
  return findLocations(
    db,
    rows.map(({ id }) => id),
  )
}

/** Machines the ledger has seen since, with what it calls their site now. */
export type Sightings = ReadonlyMap<string, string | null>

export async function sightings(db: Queryable, roster: readonly LocationRecord[], fromMs: number): Promise<Sightings> {
  const seen = new Map<string, string | null>()
  for (const part of chunk(roster, IDS_AT_ONCE)) {
    const ids = part.map(({ id }) => id)
    const rows = await db
      .selectFrom('location')
      .select((at) => {
        const last = at
          .selectFrom('trade')
          .whereRef('trade.location', '=', 'location.id')
          .orderBy('trade.at', 'desc')
          .limit(1)
        return [
          'location.id',
          last.select('trade.at').as('last_at'),
          last.select('trade.location_name').as('venue_name'),
        ]
      })
      .where('location.id', 'in', ids)
      .execute()
    for (const { id, last_at, venue_name } of rows)
      if (last_at !== null && provesMachine(last_at, fromMs)) seen.set(id, venue_name)
  }
  return seen
}

/** Sites are rarely renamed, so mostly this writes nothing. */
export async function renameVenues(tx: Tx, roster: readonly LocationRecord[], seen: Sightings): Promise<void> {
  for (const { id, venueName } of roster) {
    const name = seen.get(id)
    if (name && name !== venueName)
      await tx.updateTable('location').set({ venue_name: name }).where('id', '=', id).execute()
  }
}

/** The platform speaking for a machine that does not answer says it is offline; a platform out of reach says nothing. */
export async function markFailed(tx: Tx, id: string, { reason, message }: Failure): Promise<void> {
  await tx
    .updateTable('location')
    .set({ sync_problem: message, awaits_first_sync: 0, ...(reason === 'rejected' ? { online: 0 } : {}) })
    .where('id', '=', id)
    .execute()
}

export interface SyncCounts {
  readonly locations: number
  readonly products: number
  readonly slots: number
  readonly sales: number
}

/** What stands now, over the whole roster; sales are paid units since the given local day. */
export async function countSynced(db: Queryable, fromDay: string): Promise<SyncCounts> {
  const ids = await listLocationIds(db)
  const { slots, products } = await db
    .selectFrom('slot')
    .select((at) => [at.fn.countAll<number>().as('slots'), at.fn.count<number>('sku_id').distinct().as('products')])
    .executeTakeFirstOrThrow()
  let sales = 0
  // In bites: the roll-up of a large route is long, and SQLite counts on our own thread.
  for (const part of chunk(ids, IDS_AT_ONCE)) {
    const { units } = await db
      .selectFrom('sales_daily')
      .select(sql<number>`coalesce(sum(units), 0)`.as('units'))
      .where('location', 'in', part)
      .where('day', '>=', fromDay)
      .executeTakeFirstOrThrow()
    sales += units
  }
  return { locations: ids.length, products, slots, sales }
}
