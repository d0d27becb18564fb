/** Runs as the subject of decisions: what a decision does to its run. Placing stays a separate call. */
import type { Subject, Decision, DecisionId } from '../../../rules/approvals/index.ts'
import type { Context } from '../../../context.ts'
import { appendRunEvent, getRun, incrementRunsVersion, updateRun } from './records.ts'
import { giveUpIntent } from './place/placement-intent.ts'
import { spendFen, lineFen } from './run.ts'
import { NEXT } from './transitions.ts'
import type { ApprovalDetails } from '../../../contract/shapes/approval.ts'
import { add, ZERO } from '../../../kernel/fen.ts'
import { loadUnitsPerDay } from '../../../route/sales/index.ts'
import { loadApprovalRuns } from './approval-run-records.ts'

/** Runs for whoever has to approve them: what is ordered for which machine, what it costs and what it sells there. */
async function describeRuns(
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

export const runSubject = (ctx: Pick<Context, 'store' | 'clock' | 'config'>): Subject => ({
  describe: (decisions, linesMax) => describeRuns(ctx, decisions, linesMax),

  async applyDecision(tx, { id: decision, subject, comment }, approved) {
    await incrementRunsVersion(tx)
    const status = NEXT.pending_approval[approved ? 'approve' : 'reject']
    const run = await getRun(tx, subject.id)
    const body = approved
      ? { ...run, approval: { fen: spendFen(run), at: ctx.clock.now() } }
      : { ...run, ...(comment === undefined ? {} : { rejectedBecause: comment }) }
    if (!(await updateRun(tx, subject.id, 'pending_approval', { status, body })))
      throw new Error(`${decision} was pending, but ${subject.id} is not waiting for it`)
    // Only a run of an earlier version can wait with an interrupted placement. What was sent stays on record.
    if (!approved) await giveUpIntent(ctx, tx, subject.id)
    await appendRunEvent(tx, subject.id, approved ? 'approved' : 'canceled', ctx.clock.now())
  },
})
