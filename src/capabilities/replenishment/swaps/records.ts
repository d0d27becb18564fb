/** Rows of accepted swaps: one per slot, from the request on. */
import type { SkuId } from '../../../kernel/ids.ts'
import type { Queryable, Tx } from '../../../store/store.ts'
import type { SlotSwapTable } from '../../../store/tables/replenishment.ts'

export interface SlotSwap {
  readonly location: string
  readonly vendorSku: string
  readonly slotId: string
  readonly toSku: SkuId
  readonly decision: string
  readonly status: SlotSwapTable['status']
  readonly weeklyGainFen: number
}

const fromRow = (row: SlotSwapTable): SlotSwap => ({
  location: row.location,
  vendorSku: row.vendor_sku,
  slotId: row.slot_id,
  toSku: row.to_sku as SkuId,
  decision: row.decision,
  status: row.status,
  weeklyGainFen: row.weekly_gain,
})

export async function listSwaps(db: Queryable): Promise<SlotSwap[]> {
  return (await db.selectFrom('slot_swap').selectAll().orderBy('slot_id').execute()).map(fromRow)
}

export async function findSwap(db: Queryable, slotId: string): Promise<SlotSwap | undefined> {
  const row = await db.selectFrom('slot_swap').selectAll().where('slot_id', '=', slotId).executeTakeFirst()
  return row && fromRow(row)
}

/** A slot has one swap: a new one replaces a rejected one. */
export async function saveSwap(tx: Tx, swap: SlotSwap, at: number): Promise<void> {
  const values = {
    slot_id: swap.slotId,
    to_sku: swap.toSku,
    decision: swap.decision,
    status: swap.status,
    weekly_gain: swap.weeklyGainFen,
    at,
  }
  await tx
    .insertInto('slot_swap')
    .values({ location: swap.location, vendor_sku: swap.vendorSku, ...values })
    .onConflict((conflict) => conflict.columns(['location', 'vendor_sku']).doUpdateSet(values))
    .execute()
}

/** The swap that a decision is about; undefined when its machine was removed meanwhile. */
export async function resolveSwap(
  tx: Tx,
  decision: string,
  status: 'approved' | 'rejected',
): Promise<SlotSwap | undefined> {
  const row = await tx
    .updateTable('slot_swap')
    .set({ status })
    .where('decision', '=', decision)
    .returningAll()
    .executeTakeFirst()
  return row && fromRow(row)
}
