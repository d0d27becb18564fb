/** Marks a run as placed: lines, decision, run and event in one transaction, which only one caller can commit. */
import type { Message } from '../../../kernel/message.ts'
import type { SkuId } from '../../../kernel/ids.ts'
import { type Outcome, accept, refuse } from '../../../kernel/outcome.ts'
import { ConflictError } from '../../../lib/retry-on-conflict.ts'
import type { Tx } from '../../../store/store.ts'
import { recordApproved } from '../../approvals/index.ts'
import { recordEvent } from '../../events/index.ts'
import type { Context } from '../../context.ts'
import type { Verdict } from '../../guardrails/index.ts'
import type { CheckedLine, CheckedLines, PlacementContext } from './check-lines.ts'
import { boxedProducts, roundingOf } from './order-quantities.ts'
import { appendRunEvent, getRun, updateRun, writePlacedLines } from './records.ts'
import { type Run, type RunCheckout, type RunLine, MESSAGES_MAX } from './run.ts'
import type { OrderUnit } from '../../skus/index.ts'
import { NEXT } from './transitions.ts'
import { decisionAbout, placedEvent } from './texts.ts'

export interface PlacementInput extends Pick<PlacementContext, 'sources' | 'rules'> {
  readonly verdict: Verdict
}

export interface PlacedRun {
  readonly run: Run
  /** Messages of this answer only, when no line could be ordered and the run stays as it was. */
  readonly messages: readonly Message[]
}

/** No line may be ordered any more: the run stays as it was, and the answer says why. */
export function answerNothingToPlace(run: Run, { lines, messages }: CheckedLines): Outcome<PlacedRun> {
  if (lines.every(({ removed }) => removed === 'already_placed'))
    return refuse('already_placed', 'All slots of this run have already been ordered by another run')
  return accept({ run, messages })
}

export interface Placement {
  readonly supplier: string
  readonly checkouts: readonly RunCheckout[]
  /** The unit that each product is bought in. */
  readonly units: ReadonlyMap<SkuId, Pick<OrderUnit, 'unit'>>
  readonly lines: readonly (CheckedLine & { readonly checkout?: string })[]
  readonly messages: readonly Message[]
}

/** Call `incrementRunsVersion` first, in the same transaction. */
export async function markPlaced(
  ctx: Context,
  tx: Tx,
  run: Run,
  placement: Placement,
  { sources, verdict }: Pick<PlacementInput, 'sources' | 'verdict'>,
): Promise<Run> {
  const now = ctx.clock.now()
  const lines = run.lines.map((line, i): RunLine => ({ ...line, ...placement.lines[i] }))
  // Lines that were left out need no boxes any more.
  const { extraFen } = roundingOf(lines, sources.values())
  const { currency } = ctx.config
  const decision =
    run.decision ?? (await recordApproved(ctx, tx, decisionAbout({ id: run.id, lines, extraFen }, verdict, currency)))
  const moved = await updateRun(tx, run.id, 'approved', {
    status: NEXT.approved.place,
    placedAt: now,
    supplier: placement.supplier,
    decision,
    body: {
      stops: run.stops,
      checkouts: placement.checkouts,
      ...boxedProducts(placement.units),
      ...(extraFen > 0 ? { extraFen } : {}),
      messages: [...run.messages, ...placement.messages].slice(0, MESSAGES_MAX),
    },
  })
  if (!moved) throw new ConflictError()
  await writePlacedLines(tx, run.id, placement.lines)
  await appendRunEvent(tx, run.id, 'ordered', now)
  if (placement.lines.some(({ removed }) => removed !== undefined)) await appendRunEvent(tx, run.id, 'canceled', now)
  await recordEvent(ctx, tx, placedEvent({ ...run, lines, extraFen }, placement.supplier, decision, verdict, currency))
  return getRun(tx, run.id)
}
