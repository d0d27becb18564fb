/** Runs for whoever has to approve them: what is ordered for which machine, what it costs and what it sells there. */
import { sql } from 'kysely'
import type { ApprovalDetails } from '../../../contract/approval.ts'
import { APPROVAL_LINES_MAX } from '../../../contract/limits.ts'
import { add, fen, ZERO } from '../../../kernel/fen.ts'
import type { Fen } from '../../../kernel/fen.ts'
import type { Queryable } from '../../../store/store.ts'
import type { Decision, DecisionId } from '../../approvals/index.ts'
import type { Context } from '../../context.ts'
import { unitsPerDay } from '../../sales/index.ts'
import { fromLineRow, fromRow } from './records.ts'
import { lineFen } from './run.ts'
import type { Run } from './run.ts'

export async function describeRuns(
  ctx: Pick<Context, 'store' | 'clock' | 'config'>,
  decisions: readonly Decision[],
): Promise<ReadonlyMap<DecisionId, ApprovalDetails>> {
  const ids = decisions.map(({ subject }) => subject.id)
  const shown = await loadShownRuns(ctx.store.db, ids)
  const soldOf = await unitsPerDay(
    ctx,
    [...shown.values()].flatMap(({ run }) => run.lines),
  )
  const details = new Map<DecisionId, ApprovalDetails>()
  for (const { id, subject } of decisions) {
    const found = shown.get(subject.id)
    if (!found) continue
    const { run, lineCount, linesFen } = found
    const names = new Map(run.stops.map(({ location, name }) => [location, name]))
    details.set(id, {
      currency: ctx.config.currency,
      subject_status: run.status,
      total: add(linesFen, run.extraFen ?? ZERO),
      line_count: lineCount,
      lines: run.lines.map((line) => ({
        sku_id: line.skuId,
        title: line.title,
        location: line.location,
        location_name: names.get(line.location) ?? line.location,
        quantity: line.quantity,
        unit: 'EA',
        price: line.costFen,
        total: lineFen(line),
        sales_per_day: soldOf(line),
      })),
    })
  }
  return details
}

interface ShownRun {
  /** With the most expensive lines only: the rest is on the page of the run. */
  readonly run: Run
  readonly lineCount: number
  readonly linesFen: Fen
}

async function loadShownRuns(db: Queryable, ids: readonly string[]): Promise<ReadonlyMap<string, ShownRun>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('replenishment_run').selectAll().where('id', 'in', ids).execute()
  const sums = await db
    .selectFrom('run_line')
    .select((eb) => ['run', eb.fn.countAll<number>().as('lines'), sql<number>`sum(cost * quantity)`.as('total')])
    .where('run', 'in', ids)
    .where('removed', 'is', null)
    .groupBy('run')
    .execute()
  const ranked = db
    .selectFrom('run_line')
    .selectAll()
    .select(sql<number>`row_number() over (partition by run order by cost * quantity desc, n)`.as('place'))
    .where('run', 'in', ids)
    .where('removed', 'is', null)
    .as('ranked')
  const lines = await db
    .selectFrom(ranked)
    .selectAll()
    .where('place', '<=', APPROVAL_LINES_MAX)
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
        lineCount: Number(sumOf.get(row.id)?.lines ?? 0),
        linesFen: fen(Number(sumOf.get(row.id)?.total ?? 0)),
      },
    ]),
  )
}
