/**
 * Executes approved changes without a request, also those that were interrupted. They are safe to repeat: they set prices
 * that the owner approved, and only while the approval still applies. A change without an approval is never sent a second
 * time, only read back: its caller may have requested other prices since.
 */
import { MINUTE } from '../../kernel/clock.ts'
import { ZERO } from '../../kernel/fen.ts'
import { type Outcome, accept, refuse } from '../../kernel/outcome.ts'
import type { Context } from '../../context.ts'
import { findLocation } from '../../route/locations/index.ts'
import type { Applied } from './price-line.ts'
import { withCurrentPrices, approvalStillApplies } from './change.ts'
import { claimChange } from './change-prices.ts'
import { watchChange } from './arrival.ts'
import { executeChange, scheduleRetry, describeBasis } from './execute.ts'
import { withMachineLock, pricingVendor, readMachine } from './machine.ts'
import { readOpenChanges, settleChange, sortOpenChanges, affectsAny } from './reconcile.ts'
import { type PriceChange, listDueChanges, findChange, moveChange } from './records.ts'
import { TEXTS } from './texts.ts'

const BATCH_SIZE = 50

/** The job applies an approved change only if no price moved: the owner may have set another one. It has to be sent again then. */
const NO_TOLERANCE: Tolerance = { priceCapPerItem: ZERO }

type Tolerance = Parameters<typeof approvalStillApplies>[0]

/** Undefined when another call did it, or when it has to wait because the last request may still arrive. */
export const applyApproved = async (
  ctx: Context,
  seen: PriceChange,
  tolerance?: Tolerance,
): Promise<Outcome<Applied | undefined>> =>
  withMachineLock(ctx, seen.location, async () => {
    const change = await findChange(ctx.store.db, seen.seq)
    if (!change || (change.status !== 'approved' && change.status !== 'executing')) return accept(undefined)
    // Without an approval it is not sent again: its request is gone.
    if (change.decision === undefined) return readBack(ctx, change)
    const outcome = await executeApproved(ctx, change, tolerance)
    if (outcome.ok) return outcome
    // An attempt that was interrupted may have reached the machine.
    if (change.status === 'executing') await readBack(ctx, change)
    else await scheduleRetry(ctx, change, outcome.refusal)
    return outcome
  })

/** The machine is read until the outcome is certain, as after any change without an answer. */
async function readBack(ctx: Context, change: PriceChange): Promise<Outcome<undefined>> {
  await ctx.store.transaction(async (tx) => {
    if (await moveChange(ctx, tx, change.seq, ['executing'], { status: 'unknown' }))
      await watchChange(ctx, tx, change, 0)
  })
  return accept(undefined)
}

async function executeApproved(
  ctx: Context,
  change: PriceChange,
  tolerance: Tolerance | undefined,
): Promise<Outcome<Applied | undefined>> {
  const machine = await findLocation(ctx.store.db, change.location)
  if (machine?.namespace !== change.namespace) return refuse('not_found', TEXTS.notRegistered)
  const vendor = pricingVendor(ctx, change.namespace)
  if (!vendor.ok) return vendor
  const unsettled = await readOpenChanges(ctx, change.location)
  const reached = await readMachine(ctx, change.location, vendor.value)
  if (!reached.ok) return reached
  const { rules, slots } = reached.value
  const lines = withCurrentPrices(change.lines, slots)
  if (!lines.ok) return lines
  const { open, certain } = sortOpenChanges(unsettled, slots)
  if (open.some(({ seq }) => seq === change.seq)) {
    const later = { status: 'executing', dueAt: ctx.clock.now() + MINUTE } as const
    await ctx.store.transaction((tx) => moveChange(ctx, tx, change.seq, ['executing'], later))
    return accept(undefined)
  }
  for (const one of certain) if (one.seq !== change.seq) await settleChange(ctx, one, slots)
  if (affectsAny(open, lines.value)) return refuse('upstream_unreachable', TEXTS.earlierUnconfirmed)
  if (!approvalStillApplies(tolerance ?? rules, change.lines, lines.value))
    return refuse('approval_required', TEXTS.pricesMoved)
  const claimed = await claimChange(ctx, change)
  return accept(
    claimed && (await executeChange(ctx, vendor.value, claimed, lines.value, describeBasis(claimed.change), rules)),
  )
}

/** The job: executes all due changes one after the other; a failure does not stop the rest. */
export async function applyDueApproved(ctx: Context): Promise<void> {
  for (const change of await listDueChanges(ctx.store.db, ctx.clock.now(), BATCH_SIZE)) {
    try {
      await applyApproved(ctx, change, NO_TOLERANCE)
    } catch (failure) {
      ctx.log.error({ err: failure, price_change: change.seq }, 'An approved price change could not be executed')
    }
  }
}
