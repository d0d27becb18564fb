/** Rows of accepted swaps, from the request on. A slot has at most one that is open; those that ended stay on record. */
import { type SkuId, type LocationId, slotIdOf, vendorSkuOf } from '../../../kernel/ids.ts'
import { type Queryable, type Tx, readAll, readFirst } from '../../../store/store.ts'
import type { Columns } from '../../../store/schema.ts'
import type { DecisionId } from '../../../rules/approvals/index.ts'

export type SlotSwap = Readonly<ReturnType<typeof fromRow>>

/** Waits for the owner or for the driver. */
export const isOpenSwap = ({ status }: Pick<SlotSwap, 'status'>): boolean =>
  status === 'pending' || status === 'approved'

const fromRow = (row: Columns<'slot_swap'>) => ({
  location: row.location,
  vendorSku: row.vendor_sku,
  slotId: row.slot_id,
  toSku: row.to_sku as SkuId,
  decision: row.decision as DecisionId,
  status: row.status,
  weeklyGainFen: row.weekly_gain_fen,
  changedAt: row.changed_at,
})

export const listSwaps = (db: Queryable): Promise<SlotSwap[]> =>
  readAll(db.selectFrom('slot_swap').selectAll().orderBy('slot_id').orderBy('to_sku'), fromRow)

export async function findOpenSwap(db: Queryable, slotId: string): Promise<SlotSwap | undefined> {
  const rows = await db.selectFrom('slot_swap').selectAll().where('slot_id', '=', slotId).execute()
  return rows.map(fromRow).find(isOpenSwap)
}

export const findSwapOf = (db: Queryable, decision: string): Promise<SlotSwap | undefined> =>
  readFirst(db.selectFrom('slot_swap').selectAll().where('decision', '=', decision), fromRow)

/** A product that was accepted for the slot before is asked about again. */
export async function saveSwap(tx: Tx, swap: Omit<SlotSwap, 'changedAt'>, at: number): Promise<void> {
  const values = {
    slot_id: swap.slotId,
    decision: swap.decision,
    status: swap.status,
    weekly_gain_fen: swap.weeklyGainFen,
    at,
    changed_at: at,
  }
  await tx
    .insertInto('slot_swap')
    .values({ location: swap.location, vendor_sku: swap.vendorSku, to_sku: swap.toSku, ...values })
    .onConflict((conflict) => conflict.columns(['location', 'vendor_sku', 'to_sku']).doUpdateSet(values))
    .execute()
}

/** The swap that a decision is about; undefined when it is not in one of the statuses `from` any more, or gone. */
export const moveSwap = (
  tx: Tx,
  decision: string,
  from: readonly SlotSwap['status'][],
  status: SlotSwap['status'],
  at: number,
): Promise<SlotSwap | undefined> =>
  readFirst(
    tx
      .updateTable('slot_swap')
      .set({ status, changed_at: at })
      .where('decision', '=', decision)
      .where('status', 'in', from)
      .returningAll(),
    fromRow,
  )

/** The machine holds the product that was approved. */
export const isMade = ({ status, location, toSku }: SlotSwap, slots: { has(slotId: string): boolean }): boolean =>
  status === 'approved' && slots.has(slotIdOf(location as LocationId, vendorSkuOf(toSku)))
