/** Rows of accepted lane changes. A lane has one: a later change replaces one that ended. */
import type { SkuId } from '../../../kernel/ids.ts'
import type { Columns } from '../../../store/schema.ts'
import { type Queryable, type Tx, readAll } from '../../../store/store.ts'

export type StoredLaneChange = Readonly<ReturnType<typeof fromRow>>

const fromRow = (row: Columns<'lane_change'>) => ({
  location: row.location,
  lane: row.lane,
  capacity: row.capacity,
  from: row.from_sku as SkuId,
  to: row.to_sku as SkuId,
  status: row.status,
  weeklyGainFen: row.weekly_gain_fen,
  changedAt: row.changed_at,
})

/** The largest gain first. */
export async function listLaneChanges(db: Queryable, locations: readonly string[]): Promise<StoredLaneChange[]> {
  if (locations.length === 0) return []
  const rows = db.selectFrom('lane_change').selectAll().where('location', 'in', locations)
  return readAll(rows.orderBy('weekly_gain_fen', 'desc').orderBy('lane'), fromRow)
}

export const listOpenLaneChanges = (db: Queryable): Promise<StoredLaneChange[]> =>
  readAll(db.selectFrom('lane_change').selectAll().where('status', '=', 'accepted'), fromRow)

export async function saveLaneChange(tx: Tx, change: StoredLaneChange): Promise<void> {
  const values = {
    capacity: change.capacity,
    from_sku: change.from,
    to_sku: change.to,
    status: change.status,
    weekly_gain_fen: change.weeklyGainFen,
    changed_at: change.changedAt,
  }
  await tx
    .insertInto('lane_change')
    .values({ location: change.location, lane: change.lane, ...values })
    .onConflict((conflict) => conflict.columns(['location', 'lane']).doUpdateSet(values))
    .execute()
}
