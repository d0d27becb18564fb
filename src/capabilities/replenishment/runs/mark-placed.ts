/** A run becomes `placed`: lines, decision, run and event in one transaction, for one caller only. */
import type { Message } from '../../../kernel/message.ts'
import { accept, refuse } from '../../../kernel/outcome.ts'
import type { Outcome } from '../../../kernel/outcome.ts'
import type { Tx } from '../../../store/store.ts'
import { recordApproved } from '../../approvals/index.ts'
import { recordEvent } from '../../events/index.ts'
import type { Context } from '../../context.ts'
import { describeEvidence } from '../../guardrails/index.ts'
import type { Verdict } from '../../guardrails/index.ts'
import type { CheckedLine, CheckedLines, PlacementContext } from './check-lines.ts'
import { appendRunEvent, findRun, moveRun, writePlacedLines } from './records.ts'
import { MESSAGES_MAX } from './run.ts'
import type { Run, RunCheckout, RunLine } from './run.ts'
import { NEXT } from './transitions.ts'
import { asReasoning, decisionAbout, describeSize } from './texts.ts'

/** The run is no longer where it was read: the transaction is rolled back. */
export class RunChangedError extends Error {}

export interface PlacingNeeds extends Pick<PlacementContext, 'sources' | 'rules'> {
  readonly verdict: Verdict
}

export interface Placed {
  readonly run: Run
  /** What only this answer has to tell: a run none of whose lines could be ordered stays as it was. */
  readonly messages: readonly Message[]
}

/** Nothing of it may be ordered any more: the run stays as it was, and says why. */
export function nothingLeft(run: Run, { lines, messages }: CheckedLines): Outcome<Placed> {
  if (lines.every(({ removed }) => removed === 'already_placed'))
    return refuse('already_placed', 'another run has ordered for every slot of this one since it was made')
  return accept({ run, messages })
}

export interface Placement {
  readonly supplier: string
  readonly checkouts: readonly RunCheckout[]
  readonly lines: readonly (CheckedLine & { readonly checkout?: string })[]
  readonly messages: readonly Message[]
}

/** After `countRunChange` in the same transaction. */
export async function markPlaced(ctx: Context, tx: Tx, run: Run, as: Placement, verdict: Verdict): Promise<Run> {
  const now = ctx.clock.now()
  const lines = run.lines.map((line, i): RunLine => ({ ...line, ...as.lines[i] }))
  const decision = run.decision ?? (await recordApproved(ctx, tx, decisionAbout({ id: run.id, lines }, verdict)))
  const moved = await moveRun(tx, run.id, 'approved', {
    status: NEXT.approved.place,
    placedAt: now,
    supplier: as.supplier,
    decision,
    body: {
      stops: run.stops,
      checkouts: as.checkouts,
      messages: [...run.messages, ...as.messages].slice(0, MESSAGES_MAX),
    },
  })
  if (!moved) throw new RunChangedError()
  await writePlacedLines(tx, run.id, as.lines)
  await appendRunEvent(tx, run.id, 'ordered', now)
  if (as.lines.some(({ removed }) => removed !== undefined)) await appendRunEvent(tx, run.id, 'canceled', now)
  const [stop, ...others] = run.stops
  await recordEvent(ctx, tx, {
    kind: 'replenishment',
    summary: `${run.id} placed (${as.supplier}): ${describeSize(lines)}`,
    reasoning: asReasoning(`Decided by ${decision}. ${describeEvidence(verdict.evidence)}`),
    ...(stop && others.length === 0 ? { location: stop.location } : {}),
  })
  const placed = await findRun(tx, run.id)
  if (!placed) throw new Error(`${run.id} vanished inside its own transaction`)
  return placed
}
