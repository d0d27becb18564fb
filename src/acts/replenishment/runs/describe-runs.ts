/** Runs for whoever has to approve them: what is ordered for which machine, what it costs and what it sells there. */
import type { ApprovalDetails } from '../../../contract/shapes/approval.ts'
import { add, ZERO } from '../../../kernel/fen.ts'
import type { Decision, DecisionId } from '../../../rules/approvals/index.ts'
import type { Context } from '../../../context.ts'
import { loadUnitsPerDay } from '../../../route/sales/index.ts'
import { lineFen } from './run.ts'
import { loadApprovalRuns } from './approval-run-records.ts'

export async function describeRuns(
  ctx: Pick<Context, 'store' | 'clock' | 'config'>,
  decisions: readonly Decision[],
  linesMax: number,
): Promise<ReadonlyMap<DecisionId, ApprovalDetails>> {
  const ids = decisions.map(({ subject }) => subject.id)
  const shown = await loadApprovalRuns(ctx.store.db, ids, linesMax)
  const soldOf = await loadUnitsPerDay(
    ctx,
    [...shown.values()].flatMap(({ run }) => run.lines),
  )
  const details = new Map<DecisionId, ApprovalDetails>()
  for (const { id, subject } of decisions) {
    const found = shown.get(subject.id)
    if (!found) continue
    const { run, lineCount, linesFen, unorderable } = found
    const names = new Map(run.stops.map(({ location, name }) => [location, name]))
    details.set(id, {
      currency: ctx.config.currency,
      subject_status: run.status,
      total: add(linesFen, run.extraFen ?? ZERO, run.chargesFen ?? ZERO),
      ...(unorderable.lines === 0 ? {} : { unorderable: { lines: unorderable.lines, total: unorderable.fen } }),
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
        // The rate that the quantity follows from. Runs from before did not store it.
        sales_per_day: line.plan?.dailyRate ?? soldOf(line),
        ...(line.plan ? { stock: line.plan.stock, days_left: line.plan.daysOfCover } : {}),
        orderable: line.source !== undefined,
      })),
    })
  }
  return details
}
