/** Stored rows of upstreams that could not be read, so that each problem is reported once. */
import type { Namespace } from '../../kernel/ids.ts'
import { chunk } from '../../lib/concurrency.ts'
import type { Queryable, Tx } from '../../store/store.ts'
import { matchColumns } from '../../store/match-columns.ts'
import type { UnreadableRow } from '../../vendors/contract.ts'
import { type RowProblem, rowName } from './texts.ts'

const LEDGER = 'ledger'
/** Rows loaded at the first read of a process; far above any route. */
const LOADED_MAX = 20_000
const SALES_MAX = 1_000

export interface RowKey {
  readonly namespace: Namespace
  readonly source: string
}

export const listUnreadableRows = (db: Queryable) =>
  db.selectFrom('unreadable_row').select(['namespace', 'source', 'id', 'problem']).limit(LOADED_MAX).execute()

export async function deleteUnreadableRows(
  tx: Tx,
  { namespace, source }: RowKey,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  await tx
    .deleteFrom('unreadable_row')
    .where((eb) => matchColumns(eb, { namespace, source }))
    .where('id', 'in', ids)
    .execute()
}

/** Rows that one statement writes. */
const ROWS_AT_ONCE = 200

/** Problems by row. Returns the rows whose problem was not stored already. */
export async function insertUnreadableRows(
  tx: Tx,
  { namespace, source }: RowKey,
  problems: ReadonlyMap<string, string>,
  now: number,
): Promise<ReadonlySet<string>> {
  const added = new Set<string>()
  for (const part of chunk([...problems], ROWS_AT_ONCE)) {
    const written = await tx
      .insertInto('unreadable_row')
      .values(part.map(([id, problem]) => ({ namespace, source, id, problem, first_seen_at: now })))
      .onConflict((conflict) =>
        conflict
          .columns(['namespace', 'source', 'id'])
          .doUpdateSet((eb) => ({ problem: eb.ref('excluded.problem') }))
          .whereRef('unreadable_row.problem', '<>', 'excluded.problem'),
      )
      .returning('id')
      .execute()
    for (const { id } of written) added.add(id)
  }
  return added
}

/** Sales of the ledgers that cannot be read, first seen since then. */
export async function listUnreadableSales(
  db: Queryable,
  since = 0,
): Promise<ReadonlyMap<Namespace, readonly RowProblem[]>> {
  const rows = await db
    .selectFrom('unreadable_row')
    .select(['namespace', 'id', 'problem'])
    .where('source', '=', LEDGER)
    .where('first_seen_at', '>=', since)
    .orderBy('first_seen_at', 'desc')
    .orderBy('id')
    .limit(SALES_MAX)
    .execute()
  const sales = rows.map(({ namespace, id, problem }) => {
    const sale = { id: undefined, kind: 'sale', problem } as const
    return { ...sale, namespace: namespace as Namespace, id: id === rowName(sale) ? undefined : id }
  })
  return Map.groupBy(sales, ({ namespace }) => namespace)
}

type RowSource = 'catalog' | 'inventory' | 'ledger' | 'files' | 'replies'

/** The newest rows of each namespace, and how many there are. */
export async function listUnreadableRowsByNamespace(db: Queryable, rowsMax: number) {
  const counts = await db
    .selectFrom('unreadable_row')
    .select((at) => ['namespace', at.fn.countAll<number>().as('count')])
    .groupBy('namespace')
    .execute()
  const entries = counts.map(async ({ namespace, count }) => {
    const rows = await db
      .selectFrom('unreadable_row')
      .select(['source', 'id', 'problem', 'first_seen_at'])
      .where('namespace', '=', namespace)
      .orderBy('first_seen_at', 'desc')
      .orderBy('source')
      .orderBy('id')
      .limit(rowsMax)
      .execute()
    return [namespace, { count, rows: rows.map(toNote) }] as const
  })
  return new Map(await Promise.all(entries))
}

/** Whether the row is stored without a code of its own. */
const isUnnamed = ({ id, problem }: { readonly id: string; readonly problem: string }): boolean =>
  (['product', 'site', 'slot', 'sale', 'file', 'reply'] as const).some(
    (kind) => rowName({ id: undefined, kind, problem }) === id,
  )

/** With its place in the file, which the table has no column for. */
export const storedProblem = ({ row, problem }: Pick<UnreadableRow, 'row' | 'problem'>): string =>
  row === undefined ? problem : `row ${row}: ${problem}`

export function rowOf(stored: string): { readonly row?: number; readonly problem: string } {
  const [, row, problem] = /^row (\d+): (.+)$/s.exec(stored) ?? []
  return row === undefined || problem === undefined ? { problem: stored } : { row: Number(row), problem }
}

function toNote(row: { source: string; id: string; problem: string; first_seen_at: number }) {
  const [source = '', location] = row.source.split(' ')
  return {
    source: source as RowSource,
    ...(location !== undefined && { location }),
    ...(isUnnamed({ ...row, ...rowOf(row.problem) }) ? {} : { id: row.id }),
    ...rowOf(row.problem),
    firstSeenAt: row.first_seen_at,
  }
}

/** Old sales that never became readable; all other rows are deleted when they are resolved. */
export async function deleteOldUnreadableSales(db: Queryable, before: number): Promise<void> {
  await db.deleteFrom('unreadable_row').where('source', '=', LEDGER).where('first_seen_at', '<', before).execute()
}

export const inventorySource = (location: string): string => `inventory ${location}`

export async function deleteUnreadableSlots(tx: Tx, location: string): Promise<void> {
  await tx.deleteFrom('unreadable_row').where('source', '=', inventorySource(location)).execute()
}
