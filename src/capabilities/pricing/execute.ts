/** Carries a change out whose intent is on disk: calls the machine, then settles the record together with its event. */
import { MINUTE } from '../../kernel/clock.ts'
import type { ErrorMessage } from '../../kernel/message.ts'
import type { Refusal } from '../../kernel/outcome.ts'
import type { MachineVendor } from '../../vendors/contract.ts'
import { recordEvent } from '../events/index.ts'
import type { Context } from '../context.ts'
import { sendPermit } from '../guardrails/index.ts'
import { applyPrices } from './apply.ts'
import type { Applied } from './apply.ts'
import type { PriceLine } from './change.ts'
import type { PricingContext } from './context.ts'
import { moveChange } from './records.ts'
import type { Move, PriceChange } from './records.ts'
import { asReasoning, asSummary, describeLines } from './texts.ts'

/** An execution that is silent for this long was interrupted. */
export const EXECUTING_MS = 2 * MINUTE
const ATTEMPTS_MAX = 8

/** `lines` are those of the change with the prices that stand now; `basis` says why it is allowed. */
export async function executeChange(
  ctx: PricingContext,
  vendor: MachineVendor,
  change: PriceChange,
  lines: readonly PriceLine[],
  basis: string,
): Promise<Applied> {
  const { upstreamTimeoutMs } = ctx.config
  const applied = await applyPrices(vendor, change.location, lines, upstreamTimeoutMs, sendPermit(ctx))
  if (applied.doubt === 'open') ctx.doubts.giveUp(change)
  await ctx.store.transaction(async (tx) => {
    // Someone may have taken it over while we were away: theirs is the record. The request still has its event.
    await moveChange(tx, change.seq, ['executing'], nextMove(ctx, change, applied))
    await recordEvent(ctx, tx, {
      kind: 'price_change',
      summary: asSummary(describeApplied(change.location, applied)),
      reasoning: asReasoning([basis, ...reasons(applied)].join(' ')),
      location: change.location,
    })
  })
  return applied
}

function nextMove(ctx: PricingContext, change: PriceChange, applied: Applied): Move {
  const inEffect = change.lines.length - applied.unchanged.length
  if (applied.unchanged.length === 0) return { status: 'done', applied: inEffect }
  // The first reading is due once the grace is over.
  const checkAt = ctx.clock.now() + ctx.config.upstreamTimeoutMs
  if (applied.doubt === 'open') return { status: 'unresolved', checkAt, applied: inEffect }
  const next = nextAfterAttempt(ctx, change, applied.mayRetry)
  return applied.doubt === 'refused' ? { ...next, checkAt, applied: inEffect } : next
}

/** An approved change that could not even be begun. What waiting may mend, the job tries again; the rest needs a resend. */
export async function scheduleRetry(ctx: Context, change: PriceChange, refusal: Refusal): Promise<void> {
  const [first] = refusal.messages
  const mayRetry = first?.code === 'upstream_unreachable' || first?.code === 'guard_unverifiable'
  await ctx.store.transaction(async (tx) => {
    const next = nextAfterAttempt(ctx, change, mayRetry)
    if (!(await moveChange(tx, change.seq, ['approved', 'executing'], { ...next, attempt: true }))) return
    await recordEvent(ctx, tx, {
      kind: 'price_change',
      summary: asSummary(`Approved price change on ${change.location} not carried out: ${describeLines(change.lines)}`),
      reasoning: asReasoning([describeBasis(change), ...refusal.messages.map(contentOf)].join(' ')),
      location: change.location,
    })
  })
}

/** Only what the owner approved is tried again unasked, a bounded number of times and ever more rarely. */
export function nextAfterAttempt(
  { clock }: Pick<Context, 'clock'>,
  change: PriceChange,
  mayRetry: boolean,
): Pick<Move, 'status' | 'dueAt'> {
  if (change.decision === undefined || !mayRetry || change.attempts >= ATTEMPTS_MAX) return { status: 'failed' }
  return { status: 'approved', dueAt: clock.now() + MINUTE * 2 ** change.attempts }
}

export const describeBasis = (change: Pick<PriceChange, 'decision'>): string =>
  change.decision === undefined ? 'Within rules.priceCapPerItem.' : `Approved as ${change.decision}.`

const contentOf = (message: ErrorMessage): string => message.content

/** Each reason once: the lines of one refused batch all have the same. */
const reasons = (applied: Applied): readonly string[] => [
  ...new Set([...(applied.refusal?.messages ?? []), ...applied.unchanged.map((one) => one.why)].map(contentOf)),
]

function describeApplied(location: string, { changed, unchanged, refusal, inEffect, doubt }: Applied): string {
  if (doubt === 'open')
    return `Price change on ${location} not confirmed: ${describeLines(unchanged.map((one) => one.line))}`
  const denial = refusal?.messages.find(({ code }) => code === 'kill_switch_engaged' || code === 'guard_unverifiable')
  if (denial)
    return `Price change on ${location} refused: ${denial.code}: ${describeLines(unchanged.map((one) => one.line))}`
  if (refusal) return `Price change on ${location} failed: ${describeLines(unchanged.map((one) => one.line))}`
  if (changed.length === 0) return `Prices on ${location} already stood as asked: ${describeLines(inEffect)}`
  if (unchanged.length === 0) return `Prices changed on ${location}: ${describeLines(changed)}`
  return `Prices on ${location} changed in part: ${describeLines(changed)}. Not changed: ${describeLines(unchanged.map((one) => one.line))}`
}
