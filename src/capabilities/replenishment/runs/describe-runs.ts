/** Runs for whoever has to approve them: what is ordered for which machine, what it costs and what it sells there. */
import type { ApprovalDetails } from '../../../contract/approval.ts'
import { APPROVAL_LINES_MAX } from '../../../contract/limits.ts'
import type { Decision, DecisionId } from '../../approvals/index.ts'
import type { Context } from '../../context.ts'
import { unitsPerDay } from '../../sales/index.ts'
import { findRuns } from './records.ts'
import { activeLines, lineFen, totalFen } from './run.ts'
import type { Run, RunLine } from './run.ts'

/** The most expensive first: the rest is on the page of the run. */
const shownLines = ({ lines }: Run): readonly RunLine[] =>
  activeLines(lines)
    .toSorted((a, b) => lineFen(b) - lineFen(a))
    .slice(0, APPROVAL_LINES_MAX)

export async function describeRuns(
  ctx: Pick<Context, 'store' | 'clock' | 'config'>,
  decisions: readonly Decision[],
): Promise<ReadonlyMap<DecisionId, ApprovalDetails>> {
  const ids = decisions.map(({ subject }) => subject.id)
  const runs = new Map((await findRuns(ctx.store.db, ids)).map((run) => [run.id, run]))
  const soldOf = await unitsPerDay(ctx, [...runs.values()].flatMap(shownLines))
  const details = new Map<DecisionId, ApprovalDetails>()
  for (const { id, subject } of decisions) {
    const run = runs.get(subject.id)
    if (!run) continue
    const names = new Map(run.stops.map(({ location, name }) => [location, name]))
    details.set(id, {
      currency: ctx.config.currency,
      subject_status: run.status,
      total: totalFen(run.lines),
      line_count: activeLines(run.lines).length,
      lines: shownLines(run).map((line) => ({
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
