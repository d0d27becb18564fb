/** Runs as the subject of decisions: what a decision does to its run. Placing stays a separate call. */
import type { Subject } from '../../../rules/approvals/index.ts'
import type { Context } from '../../../context.ts'
import { appendRunEvent, getRun, incrementRunsVersion, updateRun } from './records.ts'
import { giveUpIntent } from './place/placement-intent.ts'
import { spendFen } from './run.ts'
import { describeRuns } from './describe-runs.ts'
import { NEXT } from './transitions.ts'

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
