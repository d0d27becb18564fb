/** Purchase order numbers that the service assigns: one counter per local day. */
import { incrementCounter, readCounter } from '../../../store/counter.ts'
import type { Queryable, Tx } from '../../../store/store.ts'

/** The next number of a local day. Unique over all instances: the row is locked until the transaction ends. */
export const takeOrderNumber = (tx: Tx, day: string): Promise<number> => incrementCounter(tx, `po:${day}`)

/** The last number assigned for a day; 0 when there was none. */
export const readLastOrderNumber = (db: Queryable, day: string): Promise<number> => readCounter(db, `po:${day}`)

const ASSIGNED_NUMBER = /^po_(\d{8})_(\d{1,9})$/

/** Undefined for a number that has not the form of an assigned one. */
export function parseAssignedNumber(id: string): { readonly day: string; readonly seq: number } | undefined {
  const [, day, seq] = ASSIGNED_NUMBER.exec(id) ?? []
  return day === undefined ? undefined : { day, seq: Number(seq) }
}

/** Makes sure that a number in use is not assigned again. */
export async function raiseCounter(tx: Tx, id: string): Promise<void> {
  const assigned = parseAssignedNumber(id)
  if (!assigned) return
  const [name, value] = [`po:${assigned.day}`, assigned.seq]
  await tx
    .insertInto('counter')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }).where('counter.value', '<', value))
    .execute()
}
