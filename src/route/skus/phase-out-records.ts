/** Rows of products that are phased out. */
import type { PhaseOut } from '../../contract/shapes/catalog.ts'
import type { SkuId } from '../../kernel/ids.ts'
import { type Queryable, type Tx, changeRows } from '../../store/store.ts'

/** The location of a phase-out that holds for the whole route. */
export const ROUTE = ''

/** Whether nothing more is to be ordered of a product for a machine. */
export type IsPhasedOut = (skuId: string, location: string) => boolean

/** There are few, so all are read at once. */
export async function loadPhaseOuts(db: Queryable): Promise<IsPhasedOut> {
  const rows = await db.selectFrom('phase_out').select(['sku_id', 'location']).execute()
  if (rows.length === 0) return () => false
  const known = new Set(rows.map(({ sku_id, location }) => `${sku_id} ${location}`))
  return (skuId, location) => known.has(`${skuId} ${ROUTE}`) || known.has(`${skuId} ${location}`)
}

/** Undefined: the product is ordered everywhere. */
export async function findPhaseOut(db: Queryable, skuId: SkuId): Promise<PhaseOut | undefined> {
  const rows = await db.selectFrom('phase_out').select('location').where('sku_id', '=', skuId).execute()
  if (rows.length === 0) return undefined
  const locations = rows.flatMap(({ location }) => (location === ROUTE ? [] : [location])).toSorted()
  return { route: rows.length > locations.length, locations }
}

export const insertPhaseOut = (tx: Tx, skuId: SkuId, location: string, at: number): Promise<boolean> =>
  changeRows(
    tx
      .insertInto('phase_out')
      .values({ sku_id: skuId, location, at })
      .onConflict((conflict) => conflict.columns(['sku_id', 'location']).doNothing()),
  )

export const deletePhaseOut = (tx: Tx, skuId: SkuId, location: string): Promise<boolean> =>
  changeRows(tx.deleteFrom('phase_out').where('sku_id', '=', skuId).where('location', '=', location))

/** For a machine that is removed. */
export async function deletePhaseOutsOf(tx: Tx, location: string): Promise<void> {
  await tx.deleteFrom('phase_out').where('location', '=', location).execute()
}

export interface PhaseOutChange {
  readonly skuId: SkuId
  /** Undefined: the whole route. */
  readonly location: string | undefined
  readonly isPhasedOut: boolean
}
