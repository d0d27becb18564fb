/** Named counters. Their rows also serve as locks: whoever increments one holds it until the transaction ends. */
import { compiledQuery } from './compiled-query.ts'
import type { Tx } from './store.ts'

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
