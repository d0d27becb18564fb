/** Marks a run as placed: lines, decision, run and event in one transaction, which only one caller can commit. */
import { PROBLEMS_MAX } from '../../../../contract/limits.ts'
import { type Message, error } from '../../../../kernel/message.ts'
import type { SkuId } from '../../../../kernel/ids.ts'
import { refuseAll } from '../../../../kernel/outcome.ts'
import { ConflictError } from '../../../../lib/concurrency.ts'
import type { Tx } from '../../../../store/store.ts'
import { recordApproved } from '../../../../rules/approvals/index.ts'
import { recordEvent } from '../../../../record/events/index.ts'
import { setReservations } from '../../../../route/storeroom/index.ts'
import type { Context, WriteContext } from '../../../../context.ts'
import type { Verdict } from '../../../../rules/guardrails/index.ts'
import type { CheckedLine, CheckedLines, PlacementContext } from './check-lines.ts'
import { atCurrentPrices, boxedProducts, roundingOf } from '../create/order-quantities.ts'
import { appendRunEvent, getRun, updateRun, writePlacedLines } from '../records.ts'
import { type Run, type RunCheckout, type RunLine, MESSAGES_MAX, reservedUnits } from '../run.ts'
import type { OrderUnit } from '../../../../route/skus/index.ts'
import { NEXT } from '../transitions.ts'
import { decisionAbout, notPlacedEvent, placedEvent } from '../texts.ts'

export interface PlacementInput extends Pick<PlacementContext, 'sources' | 'rules'> {
  readonly verdict: Verdict
}

/** No line may be ordered any more: the run stays as it was, and the answer and an event say why. */
export async function refuseNothingToPlace(ctx: WriteContext, run: Run, { messages }: CheckedLines) {
  const refused = nothingToPlace(messages)
  await ctx.store.transaction((tx) => recordEvent(ctx, tx, notPlacedEvent(run, refused.refusal.messages)))
  return refused
}

/** The same request may place the run later. The lines that the paths of the messages point to are not in the answer. */
export const nothingToPlace = (messages: readonly Message[]) =>
  refuseAll(
    [
      error('not_placeable', 'No line of this run can be ordered now'),
      ...messages.flatMap((message) => {
        if (message.type !== 'error') return []
        const { path: _, ...rest } = message
        return [rest]
      }),
    ].slice(0, PROBLEMS_MAX),
    { unstored: true },
  )

export interface Placement {
  /** Absent where everything comes from the store room. */
  readonly supplier: string | undefined
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
  const { extraFen, roundedTo } = roundingOf(atCurrentPrices(lines, sources), sources.values())
  const { currency } = ctx.config
  const decision =
    run.decision ?? (await recordApproved(ctx, tx, decisionAbout({ ...run, lines, extraFen }, verdict, currency)))
  const moved = await updateRun(tx, run.id, 'approved', {
    status: NEXT.approved.place,
    placedAt: now,
    ...(placement.supplier !== undefined && { supplier: placement.supplier }),
    decision,
    body: {
      stops: run.stops,
      checkouts: placement.checkouts,
      ...boxedProducts(placement.units),
      ...(roundedTo && { roundedTo }),
      ...(extraFen > 0 ? { extraFen } : {}),
      ...(run.chargesFen === undefined ? {} : { chargesFen: run.chargesFen }),
      ...(run.approval === undefined ? {} : { approval: run.approval }),
      messages: [...run.messages, ...placement.messages].slice(0, MESSAGES_MAX),
    },
  })
  if (!moved) throw new ConflictError()
  await writePlacedLines(tx, run.id, placement.lines)
  await setReservations(tx, run.id, reservedUnits(placement.lines))
  await appendRunEvent(tx, run.id, 'ordered', now)
  if (placement.lines.some(({ removed }) => removed !== undefined)) await appendRunEvent(tx, run.id, 'canceled', now)
  await recordEvent(
    ctx,
    tx,
    placedEvent({ ...run, lines, extraFen }, placement.supplier ?? 'store room', decision, verdict, currency),
  )
  return getRun(tx, run.id)
}
