/** What was fetched from mailboxes and folders, what could not be used of it, and how the last round went. */
import type { Namespace } from '../../../kernel/ids.ts'
import type { Queryable, Tx } from '../../../store/store.ts'
import { readAll } from '../../../store/store.ts'

export interface FetchedRow {
  readonly namespace: Namespace
  /** Of the mail or file, or of a part of it that cannot be used. */
  readonly id: string
  readonly at: number
  readonly name: string
  readonly sender?: string
  /** Absent: all of it is stored. */
  readonly problem?: string
}

/** False: it was there already. */
export async function insertFetched(
  tx: Tx,
  { namespace, id, at, name, sender, problem }: FetchedRow,
): Promise<boolean> {
  const result = await tx
    .insertInto('fetched_item')
    .values({ namespace, id, at, name, sender: sender ?? null, problem: problem ?? null })
    .onConflict((conflict) => conflict.columns(['namespace', 'id']).doNothing())
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}

export async function listFetchedIds(db: Queryable, namespace: Namespace): Promise<readonly string[]> {
  return readAll(db.selectFrom('fetched_item').select('id').where('namespace', '=', namespace), ({ id }) => id)
}

/** What cannot be used, newest first. */
export const listFetchProblems = (db: Queryable, since: number, limit: number) =>
  readAll(
    db
      .selectFrom('fetched_item')
      .select(['namespace', 'name', 'sender', 'problem', 'at'])
      .where('problem', 'is not', null)
      .where('at', '>', since)
      .orderBy('at', 'desc')
      .orderBy('id')
      .limit(limit),
    ({ namespace, name, sender, problem, at }) => ({
      namespace: namespace as Namespace,
      name,
      sender: sender ?? undefined,
      problem: problem ?? '',
      at,
    }),
  )

export async function removeOldFetched(db: Queryable, namespace: Namespace, before: number): Promise<void> {
  await db.deleteFrom('fetched_item').where('namespace', '=', namespace).where('at', '<', before).execute()
}

export interface FetchRound {
  readonly namespace: Namespace
  readonly at: number
  /** Since when; absent: the last round went well. */
  readonly failure?: { readonly problem: string; readonly since: number }
}

const fromRow = (row: {
  readonly namespace: string
  readonly at: number
  readonly problem: string | null
  readonly failed_since: number | null
}): FetchRound => ({
  namespace: row.namespace as Namespace,
  at: row.at,
  ...(row.problem !== null && { failure: { problem: row.problem, since: row.failed_since ?? row.at } }),
})

export const listRounds = (db: Queryable): Promise<FetchRound[]> =>
  readAll(db.selectFrom('fetch_round').selectAll(), fromRow)

export async function findRound(db: Queryable, namespace: Namespace): Promise<FetchRound | undefined> {
  const row = await db.selectFrom('fetch_round').selectAll().where('namespace', '=', namespace).executeTakeFirst()
  return row && fromRow(row)
}

export async function saveRound(tx: Tx, { namespace, at, failure }: FetchRound): Promise<void> {
  const values = { at, problem: failure?.problem ?? null, failed_since: failure?.since ?? null }
  await tx
    .insertInto('fetch_round')
    .values({ namespace, ...values })
    .onConflict((conflict) => conflict.column('namespace').doUpdateSet(values))
    .execute()
}
