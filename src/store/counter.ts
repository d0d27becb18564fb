/** Named counters. Their rows also serve as locks: whoever increments one holds it until the transaction ends. */
import { compiledQuery } from './compiled-query.ts'
import type { Queryable, Tx } from './store.ts'

const increment = compiledQuery((db, { name }: { name: string }) =>
  db
    .insertInto('counter')
    .values({ name, value: 1 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet((eb) => ({ value: eb('counter.value', '+', 1) })))
    .returning('value'),
)

/** Returns the new value, 1 the first time. Unique over all instances. */
export async function incrementCounter(tx: Tx, name: string): Promise<number> {
  const [counted] = (await increment(tx, { name })).rows
  if (!counted) throw new Error('The counter returned no number')
  return counted.value
}

/** 0 before the first increment. */
export async function readCounter(db: Queryable, name: string): Promise<number> {
  const row = await db.selectFrom('counter').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value ?? 0
}
