/** What a write with an Idempotency-Key created or decided: the write finds it when it runs again because its process died. */
import { currentCaller } from '../kernel/caller.ts'
import { compiledQuery, hasAffectedRows } from './compiled-query.ts'
import type { Queryable, Tx } from './store.ts'

const select = compiledQuery((db, { writeId }: { writeId: string }) =>
  db.selectFrom('created').select('id').where('write_id', '=', writeId),
)

const insert = compiledQuery((db, row: { write_id: string; id: string; created_at: number }) =>
  db
    .insertInto('created')
    .values(row)
    .onConflict((conflict) => conflict.column('write_id').doNothing()),
)

export async function findCreated(db: Queryable): Promise<string | undefined> {
  const writeId = currentCaller()?.writeId
  if (writeId === undefined) return undefined
  const [row] = (await select(db, { writeId })).rows
  return row?.id
}

/** In the transaction that creates it. False when an earlier run of the same write has committed since `findCreated`. */
export async function recordCreated(tx: Tx, id: string, now: number): Promise<boolean> {
  const writeId = currentCaller()?.writeId
  return writeId === undefined || hasAffectedRows(await insert(tx, { write_id: writeId, id, created_at: now }))
}

export const deleteCreatedBefore = (db: Queryable, before: number): Promise<unknown> =>
  db.deleteFrom('created').where('created_at', '<', before).execute()
