/** Rows of accepted swaps, from the request on. A slot has at most one that is open; those that ended stay on record. */
import { type SkuId, type LocationId, namespaceOf, roleOf, slotIdOf, vendorSkuOf } from '../../../kernel/ids.ts'
import { type Queryable, type Tx, readAll, readFirst } from '../../../store/store.ts'
import type { Columns } from '../../../store/schema.ts'
import type { DecisionId } from '../../../rules/approvals/index.ts'
import { findLinked } from '../../../route/skus/index.ts'

export type SlotSwap = Readonly<ReturnType<typeof fromRow>>

/** Waits for the owner or for the driver. */
export const isOpenSwap = ({ status }: Pick<SlotSwap, 'status'>): boolean =>
  status === 'pending' || status === 'approved'

const fromRow = (row: Columns<'slot_swap'>) => ({
  location: row.location,
  vendorSku: row.vendor_sku,
  slotId: row.slot_id,
  fromSku: row.from_sku as SkuId,
  /** Of a product that no machine held, the supplier's. */
  toSku: row.to_sku as SkuId,
  toTitle: row.to_title,
  /** Of such a product. */
  priceFen: row.price_fen ?? undefined,
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
    from_sku: swap.fromSku,
    to_title: swap.toTitle,
    price_fen: swap.priceFen ?? null,
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

/** What a machine may call the product of a swap: its id, and of a supplier's product those that are linked to it. */
export type MachineIdsOf = (swap: Pick<SlotSwap, 'fromSku' | 'toSku'>) => readonly SkuId[]

const isOfSupplier = (sku: SkuId): boolean => roleOf(namespaceOf(sku)) === 'supply'

export async function loadMachineIds(db: Queryable, swaps: readonly Pick<SlotSwap, 'toSku'>[]): Promise<MachineIdsOf> {
  const linked = await findLinked(
    db,
    swaps.map(({ toSku }) => toSku).filter((sku) => isOfSupplier(sku)),
    'machine',
  )
  return ({ fromSku, toSku }) =>
    isOfSupplier(toSku) ? (linked.get(toSku) ?? []).filter((sku) => namespaceOf(sku) === namespaceOf(fromSku)) : [toSku]
}

/** What the machine calls the product that it got; undefined while it does not report it. */
export const madeAs = (
  swap: Pick<SlotSwap, 'location' | 'fromSku' | 'toSku'>,
  slots: { has(slotId: string): boolean },
  idsOf: MachineIdsOf,
): SkuId | undefined => idsOf(swap).find((sku) => slots.has(slotIdOf(swap.location as LocationId, vendorSkuOf(sku))))

/** The machine holds the product that was approved. */
export const isMade = (swap: SlotSwap, slots: { has(slotId: string): boolean }, idsOf: MachineIdsOf): boolean =>
  swap.status === 'approved' && madeAs(swap, slots, idsOf) !== undefined
