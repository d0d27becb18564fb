/** Executes a change whose intent is stored: calls the machine, then writes the outcome together with its event. */
import { isTooLateToSend } from '../../effects/arrival.ts'
import { MINUTE } from '../../kernel/clock.ts'
import type { ErrorCode } from '../../kernel/message.ts'
import type { Refusal } from '../../kernel/outcome.ts'
import type { MachineVendor } from '../../vendors/machine-vendor.ts'
import { recordEvent } from '../../record/events/index.ts'
import type { Context } from '../../context.ts'
import { type Rules, sendPermit } from '../../rules/guardrails/index.ts'
import { lockLocation, setSlotPrice } from '../../route/locations/index.ts'
import { applyPrices, answerTooLate } from './apply.ts'
import type { Applied, PriceLine } from './price-line.ts'
import { mayStillArrive, watchChange } from './arrival.ts'
import { type Move, type PriceChange, moveChange, withChanged } from './records.ts'
import { appliedEvent, toSentence, findMachine, priceEvent } from './texts.ts'

/** An execution without a result for this long was interrupted. */
export const EXECUTING_MS = 2 * MINUTE
const ATTEMPTS_MAX = 8
/** Refusals after which waiting may help. */
const RETRIED: ReadonlySet<ErrorCode> = new Set(['upstream_unreachable', 'guard_unverifiable', 'service_unavailable'])

/** A change that this process may send. */
export interface ClaimedChange {
  readonly change: PriceChange
  /** On the monotonic clock, from before the claim was stored. */
  readonly claimedAt: number
}

/** `lines` are those of the change with the current prices; `basis` says why it is allowed. */
export async function executeChange(
  ctx: Context,
  vendor: MachineVendor,
  { change, claimedAt }: ClaimedChange,
  lines: readonly PriceLine[],
  basis: string,
  rules: Rules,
): Promise<Applied> {
  const { upstreamTimeoutMs } = ctx.config
  const applied = isTooLateToSend(ctx, claimedAt)
    ? answerTooLate(lines)
    : await applyPrices(vendor, change.location, lines, upstreamTimeoutMs, sendPermit(ctx, rules))
  if (applied.outcome === 'unknown') mayStillArrive(ctx, change, true)
  await ctx.store.transaction(async (tx) => {
    // First, as wherever slots of a machine are written.
    await lockLocation(tx, change.location, ctx.clock.now())
    // Another instance may have taken the change over, which then keeps its own status. This call still writes its event.
    const isOurs = await moveChange(ctx, tx, change.seq, ['executing'], nextMove(ctx, change, applied), change.attempts)
    if (isOurs && applied.outcome !== 'known') await watchChange(ctx, tx, change)
    // What this call only found on the machine may be older than what the other one wrote.
    const inEffect = isOurs ? applied.inEffect : applied.changed
    for (const { skuId, priceFen } of inEffect)
      await setSlotPrice(tx, change.location, skuId, priceFen, ctx.clock.now())
    await recordEvent(ctx, tx, appliedEvent(await findMachine(ctx, tx, change.location), applied, basis))
  })
  return applied
}

function nextMove(ctx: Context, change: PriceChange, { unchanged, changed, outcome, mayRetry }: Applied): Move {
  const now = ctx.clock.now()
  const inEffect = change.lines.length - unchanged.length
  const added = withChanged(change, changed, now)
  const report = { applied: inEffect, ...(added && { changed: added }) }
  if (unchanged.length === 0) return { status: 'done', ...report }
  if (outcome === 'unknown') return { status: 'unknown', ...report }
  return { ...nextAfterAttempt(ctx, change, mayRetry), ...report }
}

/** For an approved change that could not be started. The job tries again if waiting may help; otherwise it has to be sent again. */
export async function scheduleRetry(ctx: Context, change: PriceChange, refusal: Refusal): Promise<void> {
  const mayRetry = RETRIED.has(refusal.messages[0]?.code ?? 'internal')
  await ctx.store.transaction(async (tx) => {
    const next = nextAfterAttempt(ctx, change, mayRetry)
    if (!(await moveChange(ctx, tx, change.seq, ['approved', 'executing'], { ...next, attempt: true }))) return
    const reasons = [describeBasis(change), ...refusal.messages.map(toSentence)]
    const machine = await findMachine(ctx, tx, change.location)
    await recordEvent(ctx, tx, priceEvent('price_change_not_executed', machine, change.lines, reasons))
  })
}

/** Only approved changes are retried without a request, a bounded number of times with doubling intervals. */
export function nextAfterAttempt(
  { clock }: Pick<Context, 'clock'>,
  change: PriceChange,
  mayRetry: boolean,
): Pick<Move, 'status' | 'dueAt'> {
  if (change.decision === undefined || !mayRetry || change.attempts >= ATTEMPTS_MAX) return { status: 'failed' }
  return { status: 'approved', dueAt: clock.now() + MINUTE * 2 ** change.attempts }
}

export const describeBasis = (change: Pick<PriceChange, 'decision'>): string =>
  change.decision === undefined ? 'Within the rules.' : `Approved as ${change.decision}.`
