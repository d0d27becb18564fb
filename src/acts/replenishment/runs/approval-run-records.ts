/** Runs as an approval shows them: with their most expensive lines, and the sums of all. */
import { sql } from 'kysely'
import { type Fen, fen } from '../../../kernel/fen.ts'
import type { Queryable } from '../../../store/store.ts'
import { fromLineRow, fromRow } from './records.ts'
import type { Run } from './run.ts'

export interface ApprovalRun {
  /** With the most expensive lines only: the rest is on the page of the run. */
  readonly run: Run
  readonly lineCount: number
  readonly linesFen: Fen
  /** Of the lines that no supplier is known for. */
  readonly unorderable: { readonly lines: number; readonly fen: Fen }
}

export async function loadApprovalRuns(
  db: Queryable,
  ids: readonly string[],
  linesMax: number,
): Promise<ReadonlyMap<string, ApprovalRun>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('replenishment_run').selectAll().where('id', 'in', ids).execute()
  const sums = await db
    .selectFrom('run_line')
    .select((eb) => [
      'run',
      eb.fn.countAll<number>().as('lines'),
      sql<number>`sum(cost_fen * quantity)`.as('total'),
      sql<number>`sum(case when source is null then 1 else 0 end)`.as('unorderable_lines'),
      sql<number>`sum(case when source is null then cost_fen * quantity else 0 end)`.as('unorderable'),
    ])
    .where('run', 'in', ids)
    .where('removed', 'is', null)
    .groupBy('run')
    .execute()
  const ranked = db
    .selectFrom('run_line')
    .selectAll()
    .select(sql<number>`row_number() over (partition by run order by cost_fen * quantity desc, n)`.as('place'))
    .where('run', 'in', ids)
    .where('removed', 'is', null)
    .as('ranked')
  const lines = await db
    .selectFrom(ranked)
    .selectAll()
    .where('place', '<=', linesMax)
    .orderBy('run')
    .orderBy('place')
    .execute()
  const sumOf = new Map(sums.map((sum) => [sum.run, sum]))
  const linesOf = Map.groupBy(lines, ({ run }) => run)
  return new Map(
    rows.map((row) => [
      row.id,
      {
        run: fromRow(row, (linesOf.get(row.id) ?? []).map(fromLineRow), []),
        lineCount: sumOf.get(row.id)?.lines ?? 0,
        linesFen: fen(sumOf.get(row.id)?.total ?? 0),
        unorderable: {
          lines: sumOf.get(row.id)?.unorderable_lines ?? 0,
          fen: fen(sumOf.get(row.id)?.unorderable ?? 0),
        },
      },
    ]),
  )
}
