/** The intent of a placement in the column `placing` of its run. It stays there once the run is placed. */
import { type Queryable, type Tx, changeRows } from '../../../../store/store.ts'
import { matchColumns } from '../../../../store/match-columns.ts'

/** What a placement is about to order, stored in the column `placing` before anything is sent. */
export async function readPlacementIntent<T>(db: Queryable, id: string): Promise<T | undefined> {
  const row = await db.selectFrom('replenishment_run').select('placing').where('id', '=', id).executeTakeFirst()
  return row?.placing ? (JSON.parse(row.placing) as T) : undefined
}

/** Stores the intent unless there is one; returns the one that is stored then. */
export async function writePlacementIntent<T>(tx: Tx, id: string, intent: T): Promise<T | undefined> {
  await tx
    .updateTable('replenishment_run')
    .set({ placing: JSON.stringify(intent) })
    .where((eb) => matchColumns(eb, { id, status: 'approved' }))
    .where('placing', 'is', null)
    .execute()
  return readPlacementIntent<T>(tx, id)
}

/** Whether the run may still be placed and this is its intent. */
export async function hasPlacementIntent(tx: Tx, id: string, intent: object): Promise<boolean> {
  const row = await tx
    .selectFrom('replenishment_run')
    .select('id')
    .where((eb) => matchColumns(eb, { id, status: 'approved', placing: JSON.stringify(intent) }))
    .executeTakeFirst()
  return row !== undefined
}

/** False when `known` is no longer the stored intent. Null: the next placement stores a new one. */
export const replacePlacementIntent = async <T>(tx: Tx, id: string, known: T, next: T | null): Promise<boolean> =>
  changeRows(
    tx
      .updateTable('replenishment_run')
      .set({ placing: next === null ? null : JSON.stringify(next) })
      .where('id', '=', id)
      .where('status', 'in', ['approved', 'pending_approval', 'rejected'])
      .where('placing', '=', JSON.stringify(known)),
  )
