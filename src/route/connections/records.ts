/** The memory of the adapters, and the last reads of the connections. Memory is never purged: an order may be asked about years later. */
import { sql } from 'kysely'
import type { Namespace } from '../../kernel/ids.ts'
import { type Queryable, changeRows } from '../../store/store.ts'
import { matchColumns } from '../../store/match-columns.ts'
import type { Columns } from '../../store/schema.ts'
import type { Failure } from '../../vendors/contract.ts'

export type MemoryRow = Readonly<Pick<Columns<'vendor_memory'>, 'key' | 'value' | 'version'>>

const COLUMNS = ['key', 'value', 'version'] as const

export const findMemory = (db: Queryable, namespace: Namespace, key: string): Promise<MemoryRow | undefined> =>
  db
    .selectFrom('vendor_memory')
    .select(COLUMNS)
    .where((eb) => matchColumns(eb, { namespace, key }))
    .executeTakeFirst()

/** The databases compare texts differently, so the order is left to the caller. */
export const listMemory = (db: Queryable, namespace: Namespace, prefix: string): Promise<MemoryRow[]> =>
  db
    .selectFrom('vendor_memory')
    .select(COLUMNS)
    .where('namespace', '=', namespace)
    .where(sql<boolean>`substr(key, 1, length(cast(${prefix} as text))) = ${prefix}`)
    .execute()

/** Whether its adapter remembers anything: an order, a list, counters. */
export async function hasMemory(db: Queryable, namespace: Namespace): Promise<boolean> {
  const row = await db.selectFrom('vendor_memory').select('key').where('namespace', '=', namespace).executeTakeFirst()
  return row !== undefined
}

/** False: there is an entry already. */
export const insertMemory = (
  db: Queryable,
  namespace: Namespace,
  { key, value, version }: MemoryRow,
): Promise<boolean> =>
  changeRows(
    db
      .insertInto('vendor_memory')
      .values({ namespace, key, value, version })
      .onConflict((conflict) => conflict.columns(['namespace', 'key']).doNothing()),
  )

/** False: the entry no longer has the version before this one. */
export const updateMemory = (
  db: Queryable,
  namespace: Namespace,
  { key, value, version }: MemoryRow,
): Promise<boolean> =>
  changeRows(
    db
      .updateTable('vendor_memory')
      .set({ value, version })
      .where((eb) => matchColumns(eb, { namespace, key }))
      .where('version', '=', version - 1),
  )

export type ConnectionState = Columns<'connection_state'>

export const listStates = (db: Queryable): Promise<ConnectionState[]> =>
  db.selectFrom('connection_state').selectAll().execute()

export async function saveRead(db: Queryable, namespace: Namespace, now: number): Promise<void> {
  await db
    .insertInto('connection_state')
    .values({ namespace, read_at: now, failed_at: null, failure_reason: null, failure: null })
    .onConflict((conflict) => conflict.column('namespace').doUpdateSet({ read_at: now }))
    .execute()
}

export async function saveFailure(
  db: Queryable,
  namespace: Namespace,
  now: number,
  { reason, message }: Failure,
): Promise<void> {
  const failure = { failed_at: now, failure_reason: reason, failure: message }
  await db
    .insertInto('connection_state')
    .values({ namespace, read_at: null, ...failure })
    .onConflict((conflict) => conflict.column('namespace').doUpdateSet(failure))
    .execute()
}
