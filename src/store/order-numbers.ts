/** Purchase order numbers that the service assigns: one counter per local day. */
import { incrementCounter, readCounter } from './counter.ts'
import { type Queryable, type Tx, readAll } from './store.ts'

const PREFIX = 'po:'

/** The next number of a local day. Unique over all instances: the row is locked until the transaction ends. */
export const takeOrderNumber = (tx: Tx, day: string): Promise<number> => incrementCounter(tx, PREFIX + day)

/** The last number assigned for a day; 0 when there was none. */
export const readLastOrderNumber = (db: Queryable, day: string): Promise<number> => readCounter(db, PREFIX + day)

const ASSIGNED_NUMBER = /^po_(\d{8})_(\d{1,9})$/

/** Undefined for a number that has not the form of an assigned one. */
export function parseAssignedNumber(id: string): { readonly day: string; readonly seq: number } | undefined {
  const [, day, seq] = ASSIGNED_NUMBER.exec(id) ?? []
  return day === undefined ? undefined : { day, seq: Number(seq) }
}

/** Makes sure that a number in use is not assigned again. */
export async function raiseCounter(tx: Tx, id: string): Promise<void> {
  const assigned = parseAssignedNumber(id)
  // Read first: an update that changes nothing would still lock the row.
  if (!assigned || (await readLastOrderNumber(tx, assigned.day)) >= assigned.seq) return
  const [name, value] = [PREFIX + assigned.day, assigned.seq]
  await tx
    .insertInto('counter')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }).where('counter.value', '<', value))
    .execute()
}

/** Of so many days: the clock or the time zone may have been set back. */
const NEWEST_DAYS = 3

/** The last number of the newest days up to `until`: a number that a caller chose may be of a day far ahead. */
export const listLastNumbers = (db: Queryable, until: string): Promise<string[]> =>
  readAll(
    db
      .selectFrom('counter')
      .selectAll()
      .where('name', 'like', `${PREFIX}%`)
      .where('name', '<=', PREFIX + until)
      .orderBy('name', 'desc')
      .limit(NEWEST_DAYS),
    ({ name, value }) => `po_${name.slice(PREFIX.length)}_${value}`,
  )
