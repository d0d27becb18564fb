/** PUT /locations/{id}/prices: within the cap at once, above it when the owner said yes to exactly this change. */
import type { PriceChangeRequest } from '../../contract/pricing.ts'
import type { Namespace } from '../../kernel/ids.ts'
import { accept, catchRefusal, refuse } from '../../kernel/outcome.ts'
import type { Outcome, Refusal } from '../../kernel/outcome.ts'
import type { MachineVendor } from '../../vendors/contract.ts'
import { createPending, withdrawDecision } from '../approvals/index.ts'
import type { DecisionId } from '../approvals/index.ts'
import { recordRefusal, recordEvent } from '../events/index.ts'
import type { Context } from '../context.ts'
import type { Rules } from '../guardrails/index.ts'
import { findLocation } from '../locations/index.ts'
import { unconfirmedRefusal } from './apply.ts'
import type { Applied } from './apply.ts'
import { withCurrentPrices, readPrices, requestHashOf, linesOverCap, approvalStillApplies } from './change.ts'
import type { RequestedPrice, PriceLine } from './change.ts'
import type { PricingContext } from './context.ts'
import { executeChange, EXECUTING_MS, describeBasis } from './execute.ts'
import { withMachineLock, pricingVendor, readMachine } from './machine.ts'
import { readDoubts, settleChange, sortDoubts, affectsAny } from './reconcile.ts'
import { bindDecision, findChange, insertChange, moveChange, openApprovalRequest, subjectIdOf } from './records.ts'
import type { PriceChange } from './records.ts'
import { asReasoning, asSummary, describeLines, describeOverCap } from './texts.ts'

export type ChangeResult =
  | { readonly kind: 'asked'; readonly decision: DecisionId }
  | { readonly kind: 'applied'; readonly lines: readonly PriceLine[]; readonly applied: Applied }

interface Attempt {
  readonly location: string
  readonly namespace: Namespace
  readonly prices: readonly RequestedPrice[]
  readonly requestHash: string
  readonly vendor: MachineVendor
}

type ApprovalRequest = Pick<PriceChange, 'location' | 'namespace' | 'requestHash' | 'lines'>

export async function changePrices(
  ctx: PricingContext,
  location: string,
  request: PriceChangeRequest,
): Promise<Outcome<ChangeResult>> {
  const outcome = await catchRefusal(() => change(ctx, location, request))
  if (!outcome.ok) await recordRefusedChange(ctx, location, outcome.refusal)
  return outcome
}

async function change(
  ctx: PricingContext,
  location: string,
  request: PriceChangeRequest,
): Promise<Outcome<ChangeResult>> {
  const machine = await findLocation(ctx.store.db, location)
  if (!machine) return refuse('not_found', 'no such machine is registered')
  const { namespace } = machine
  const prices = readPrices(request, namespace)
  if (!prices.ok) return prices
  const vendor = pricingVendor(ctx, namespace)
  if (!vendor.ok) return vendor

  const requestHash = requestHashOf(location, prices.value)
  const attempt = { location, namespace, prices: prices.value, requestHash, vendor: vendor.value }
  return withMachineLock(ctx, location, () => assessAndApply(ctx, attempt))
}

async function assessAndApply(ctx: PricingContext, attempt: Attempt): Promise<Outcome<ChangeResult>> {
  const { location, namespace, requestHash, vendor } = attempt
  const doubts = await readDoubts(ctx, location)
  const reached = await readMachine(ctx, location, vendor)
  if (!reached.ok) return reached
  const { rules, slots } = reached.value
  const held = withCurrentPrices(attempt.prices, slots)
  if (!held.ok) return held
  const lines = held.value
  const { open, certain } = sortDoubts(doubts, slots)
  // A change that arrives late would overwrite this one, so nothing is sent before its outcome is certain.
  if (affectsAny(open, lines))
    return { ok: false, refusal: unconfirmedRefusal(EARLIER_UNCONFIRMED, ctx.config.upstreamTimeoutMs) }

  const over = linesOverCap(rules, lines)
  const earlier = await openApprovalRequest(ctx.store.db, requestHash)
  const fits = earlier !== undefined && approvalStillApplies(rules, earlier.lines, lines)
  const begun = certain.filter((one) => one.requestHash === requestHash)
  const approved = fits && earlier.status !== 'waiting' ? earlier : undefined
  const resumed = approved ?? (over.length === 0 ? begun.findLast(({ decision }) => decision === undefined) : undefined)
  for (const one of certain) if (one.seq !== resumed?.seq) await settleChange(ctx, one, slots)

  if (earlier?.status === 'waiting' && earlier.decision !== undefined) {
    if (fits && over.length > 0) return reportStillWaiting(ctx, earlier, earlier.decision)
    const why = fits ? 'The change is within the cap by now.' : 'The prices on the machine moved since it was asked.'
    // Lost to the owner, who decided this very moment: then the decision counts.
    if (!(await withdrawChange(ctx, earlier, earlier.decision, why))) return assessAndApply(ctx, attempt)
  } else if (earlier && !approved) {
    await moveChange(ctx.store.db, earlier.seq, ['approved', 'executing', 'unresolved', 'failed'], { status: 'closed' })
  }

  if (resumed) {
    const claimed = await claimChange(ctx, resumed)
    // Settled by the job a moment ago, or taken over after our lease ran out: judged by where it now stands.
    if (!claimed) return assessAndApply(ctx, attempt)
    const again = begun.some(({ seq }) => seq === resumed.seq)
    return executeAndReport(ctx, vendor, claimed, lines, again ? EARLIER_ATTEMPT : '')
  }
  const asking = { location, namespace, requestHash, lines }
  if (over.length > 0) return accept({ kind: 'asked', decision: await requestApproval(ctx, asking, rules, over) })
  return executeAndReport(ctx, vendor, await insertIntent(ctx, asking), lines)
}

const EARLIER_UNCONFIRMED = { message: 'an earlier change of these prices was not confirmed by the machine' }
const EARLIER_ATTEMPT = ' The machine had given no clear answer to an earlier attempt at the same change.'

async function executeAndReport(
  ctx: PricingContext,
  vendor: MachineVendor,
  change: PriceChange,
  lines: readonly PriceLine[],
  history = '',
): Promise<Outcome<ChangeResult>> {
  const applied = await executeChange(ctx, vendor, change, lines, describeBasis(change) + history)
  return accept({ kind: 'applied', lines, applied })
}

/** The intent is on disk before the machine is called. */
async function insertIntent({ store, clock, doubts }: PricingContext, asking: ApprovalRequest): Promise<PriceChange> {
  const at = clock.now()
  const change = await insertChange(store.db, { ...asking, status: 'executing', at, dueAt: at + EXECUTING_MS })
  doubts.start(change)
  return change
}

/** Takes up what was approved, also when an earlier try failed or broke off; undefined when somebody else just did. */
export async function claimChange(
  { store, clock, doubts }: PricingContext,
  change: PriceChange,
): Promise<PriceChange | undefined> {
  const moved = await moveChange(store.db, change.seq, ['approved', 'executing', 'unresolved', 'failed'], {
    status: 'executing',
    attempt: true,
    dueAt: clock.now() + EXECUTING_MS,
  })
  const claimed = moved ? await findChange(store.db, change.seq) : undefined
  if (claimed) doubts.start(claimed)
  return claimed
}

function requestApproval(
  ctx: Context,
  asking: ApprovalRequest,
  rules: Rules,
  over: readonly PriceLine[],
): Promise<DecisionId> {
  const at = ctx.clock.now()
  const summary = asSummary(`Change prices on ${asking.location}: ${describeLines(asking.lines)}`)
  const reasoning = asReasoning(describeOverCap(rules, over))
  return ctx.store.transaction(async (tx) => {
    const { seq } = await insertChange(tx, { ...asking, status: 'waiting', at, dueAt: at })
    const subject = { type: 'price_change', id: subjectIdOf(seq) } as const
    const decision = await createPending(ctx, tx, { kind: 'price_change', summary, reasoning, subject })
    await bindDecision(tx, seq, decision)
    await recordEvent(ctx, tx, {
      kind: 'price_change',
      summary: asSummary(`Price change on ${asking.location} is waiting for approval: ${describeLines(asking.lines)}`),
      reasoning: asReasoning(`${decision}: ${reasoning}`),
      location: asking.location,
    })
    return decision
  })
}

/** False when the decision was taken meanwhile. */
export const withdrawChange = (
  ctx: Context,
  change: PriceChange,
  decision: DecisionId,
  why: string,
): Promise<boolean> =>
  ctx.store.transaction(async (tx) => {
    if (!(await withdrawDecision(ctx, tx, decision, why))) return false
    await moveChange(tx, change.seq, ['waiting'], { status: 'closed' })
    return true
  })

/** The same request again while the owner has not decided. */
async function reportStillWaiting(
  ctx: PricingContext,
  { location, lines }: PriceChange,
  decision: DecisionId,
): Promise<Outcome<ChangeResult>> {
  await recordRefusal(ctx, {
    kind: 'price_change',
    summary: asSummary(`Price change on ${location} is still waiting for approval: ${describeLines(lines)}`),
    reasoning: `The owner has not resolved ${decision} yet.`,
    location,
  })
  return accept({ kind: 'asked', decision })
}

/** Also for what is refused before the handler runs: a body without `confirm`, or one that cannot be read. */
export const recordRefusedChange = (
  ctx: Pick<PricingContext, 'store' | 'clock'>,
  location: string,
  { messages }: Refusal,
): Promise<void> =>
  recordRefusal(ctx, {
    kind: 'price_change',
    summary: asSummary(`Price change on ${location} refused: ${messages[0]?.code ?? 'internal'}`),
    reasoning: asReasoning(messages.map(({ content }) => content).join(' ')),
    location,
  })
