/** One database, one currency: the first start stores it, and every later start compares. Amounts are never converted. */
import { type Queryable, type Store, type Tx, readFirst } from './store.ts'
import { StoreUnusable } from './unavailable.ts'

/** Of several instances that start at once with different currencies, the first one decides. */
export async function claimCurrency({ db }: Pick<Store, 'db'>, currency: string): Promise<void> {
  await db
    .insertInto('deployment')
    .values({ name: 'currency', value: currency })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const stored = await readStoredCurrency(db)
  if (stored !== currency)
    throw new StoreUnusable(
      `The amounts in this database are in ${stored}, but CURRENCY is ${currency}. Amounts are never converted: set CURRENCY=${stored}, or use a new database for ${currency}.`,
    )
}

/** Undefined until the first start. */
export const readStoredCurrency = (db: Queryable): Promise<string | undefined> =>
  readFirst(db.selectFrom('deployment').select('value').where('name', '=', 'currency'), ({ value }) => value)

/** Only while nothing is stored in another one: the caller has made sure. */
export async function changeCurrency(tx: Tx, currency: string): Promise<void> {
  const row = { name: 'currency', value: currency }
  await tx
    .insertInto('deployment')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: currency }))
    .execute()
}
