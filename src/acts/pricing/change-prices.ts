/** PUT /locations/{id}/prices: applied at once within the rules, otherwise after the owner approved exactly this change. */
import type { PriceChangeRequest } from '../../contract/shapes/pricing.ts'
import type { Namespace } from '../../kernel/ids.ts'
import { type Outcome, type Refusal, accept, catchRefusal, refuse } from '../../kernel/outcome.ts'
import type { MachineVendor } from '../../vendors/machine-vendor.ts'
import { type DecisionId, createPending, withdrawDecision } from '../../rules/approvals/index.ts'
import { recordEvent } from '../../record/events/index.ts'
import type { Context } from '../../context.ts'
import type { ApprovalNeed, Evidence, Rules } from '../../rules/guardrails/index.ts'
import { findLocation, machineNotFound } from '../../route/locations/index.ts'
import { unconfirmedRefusal } from './apply.ts'
import type { Applied, RequestedPrice, PriceLine } from './price-line.ts'
import { withCurrentPrices, readPrices, requestHashOf, approvalStillApplies } from './change.ts'
import { lineVerdict, linesOverRules, needOf } from './line-rules.ts'
import { mayStillArrive } from './arrival.ts'
import { type ClaimedChange, executeChange, EXECUTING_MS, describeBasis } from './execute.ts'
import { withMachineLock, pricingVendor, readMachine } from './machine.ts'
import { loadPriceHistory } from './price-history.ts'
import { readOpenChanges, settleChange, sortOpenChanges, affectsAny } from './reconcile.ts'
import {
  type PriceChange,
  bindDecision,
  findChange,
  insertChange,
  moveChange,
  findOpenApprovalRequest,
  subjectIdOf,
} from './records.ts'
import { findMachine, newApproval, priceEvent, refusedEvent, TEXTS } from './texts.ts'

export type ChangeResult =
  | { readonly kind: 'asked'; readonly decision: DecisionId; readonly need: ApprovalNeed | undefined }
  | { readonly kind: 'applied'; readonly lines: readonly PriceLine[]; readonly applied: Applied }

interface Attempt {
  readonly location: string
  readonly namespace: Namespace
  readonly prices: readonly RequestedPrice[]
  readonly requestHash: string
  readonly vendor: MachineVendor
  /** The owner decides, also where the rules would allow it. */
  readonly ask: boolean
}

type ApprovalRequest = Pick<PriceChange, 'location' | 'namespace' | 'requestHash' | 'lines'>

export async function changePrices(
  ctx: Context,
  location: string,
  request: PriceChangeRequest,
): Promise<Outcome<ChangeResult>> {
  const outcome = await catchRefusal(() => change(ctx, location, request))
  if (!outcome.ok) await recordRefusedChange(ctx, location, outcome.refusal)
  return outcome
}

/** `?dry_run=true`: what the change would find now. Reads the machine, but writes, sends and records nothing. */
export async function previewChange(
  ctx: Context,
  location: string,
  request: PriceChangeRequest,
): Promise<Outcome<PreviewedChange>> {
  const read = await readAttempt(ctx, location, request)
  if (!read.ok) return read
  const { prices, requestHash, vendor, ask } = read.value
  const unsettled = await readOpenChanges(ctx, location)
  const reached = await readMachine(ctx, location, vendor)
  if (!reached.ok) return reached
  const { rules, slots } = reached.value
  const held = withCurrentPrices(prices, slots)
  if (!held.ok) return held
  const lines = await loadPriceHistory(ctx, location, held.value, rules)
  if (affectsAny(sortOpenChanges(unsettled, slots).open, lines)) return refuseUnconfirmed(ctx)
  const earlier = await findOpenApprovalRequest(ctx.store.db, requestHash)
  const isApproved =
    earlier !== undefined && earlier.status !== 'waiting' && approvalStillApplies(rules, earlier.lines, lines)
  const verdicts = lines.map((line) => lineVerdict(rules, line))
  return accept({
    lines,
    isAllowed: isApproved || (!ask && verdicts.every(({ allowed }) => allowed)),
    evidence: verdicts.flatMap(({ evidence }) => evidence),
  })
}

export interface PreviewedChange {
  readonly lines: readonly PriceLine[]
  /** Within the rules, or approved. */
  readonly isAllowed: boolean
  readonly evidence: readonly Evidence[]
}

async function change(ctx: Context, location: string, request: PriceChangeRequest): Promise<Outcome<ChangeResult>> {
  const attempt = await readAttempt(ctx, location, request)
  return attempt.ok ? withMachineLock(ctx, location, () => assessAndApply(ctx, attempt.value)) : attempt
}

async function readAttempt(ctx: Context, location: string, request: PriceChangeRequest): Promise<Outcome<Attempt>> {
  const machine = await findLocation(ctx.store.db, location)
  if (!machine) return refuse('not_found', machineNotFound(location))
  const { namespace } = machine
  const prices = readPrices(request, namespace)
  if (!prices.ok) return prices
  const vendor = pricingVendor(ctx, namespace)
  if (!vendor.ok) return vendor

  const requestHash = requestHashOf(location, prices.value)
  return accept({
    location,
    namespace,
    prices: prices.value,
    requestHash,
    vendor: vendor.value,
    ask: request.ask ?? false,
  })
}

const refuseUnconfirmed = ({ config }: Context): Outcome<never> => ({
  ok: false,
  refusal: unconfirmedRefusal(EARLIER_UNCONFIRMED, config.upstreamTimeoutMs),
})

async function assessAndApply(ctx: Context, attempt: Attempt): Promise<Outcome<ChangeResult>> {
  const { location, namespace, requestHash, vendor } = attempt
  const unsettled = await readOpenChanges(ctx, location)
  const reached = await readMachine(ctx, location, vendor)
  if (!reached.ok) return reached
  const { rules, slots } = reached.value
  const held = withCurrentPrices(attempt.prices, slots)
  if (!held.ok) return held
  const lines = await loadPriceHistory(ctx, location, held.value, rules)
  const { open, certain } = sortOpenChanges(unsettled, slots)
  // An earlier change that arrives late would overwrite this one, so nothing is sent until its outcome is certain.
  if (affectsAny(open, lines)) return refuseUnconfirmed(ctx)

  const over = attempt.ask ? lines : linesOverRules(rules, lines)
  const earlier = await findOpenApprovalRequest(ctx.store.db, requestHash)
  const fits = earlier !== undefined && approvalStillApplies(rules, earlier.lines, lines)
  const begun = certain.filter((one) => one.requestHash === requestHash)
  const approved = fits && earlier.status !== 'waiting' ? earlier : undefined
  const resumed = approved ?? (over.length === 0 ? begun.findLast(({ decision }) => decision === undefined) : undefined)
  for (const one of certain) if (one.seq !== resumed?.seq) await settleChange(ctx, one, slots)

  if (earlier?.status === 'waiting' && earlier.decision !== undefined) {
    if (fits && over.length > 0) return reportStillWaiting(ctx, earlier, earlier.decision, needOf(rules, over))
    const why = fits
      ? 'The change is within the rules now.'
      : 'The prices on the machine changed since it was requested.'
    // The owner decided in the meantime: then the decision counts.
    if (!(await withdrawChange(ctx, earlier, earlier.decision, why))) return assessAndApply(ctx, attempt)
  } else if (earlier && !approved) {
    await ctx.store.transaction((tx) => moveChange(ctx, tx, earlier.seq, STARTED, { status: 'closed' }))
  }

  if (resumed) {
    const claimed = await claimChange(ctx, resumed)
    // The job settled it, or another instance took over after our lease ran out: start again from its current status.
    if (!claimed) return assessAndApply(ctx, attempt)
    const again = begun.some(({ seq }) => seq === resumed.seq)
    return executeAndReport(ctx, vendor, claimed, lines, rules, again ? EARLIER_ATTEMPT : '')
  }
  const request = { location, namespace, requestHash, lines }
  if (over.length > 0) {
    const decision = await requestApproval(ctx, request, rules, over)
    return accept({ kind: 'asked', decision, need: needOf(rules, over) })
  }
  return executeAndReport(ctx, vendor, await insertIntent(ctx, request), lines, rules)
}

/** Statuses of a change that was approved or begun and is neither done nor closed. */
const STARTED = ['approved', 'executing', 'unknown', 'failed'] as const

const EARLIER_UNCONFIRMED = { message: TEXTS.earlierUnconfirmed }
const EARLIER_ATTEMPT = ' The machine gave no clear answer to an earlier attempt at the same change.'

async function executeAndReport(
  ctx: Context,
  vendor: MachineVendor,
  claimed: ClaimedChange,
  lines: readonly PriceLine[],
  rules: Rules,
  history = '',
): Promise<Outcome<ChangeResult>> {
  const applied = await executeChange(ctx, vendor, claimed, lines, describeBasis(claimed.change) + history, rules)
  return accept({ kind: 'applied', lines, applied })
}

/** Stores the intent before the machine is called. */
async function insertIntent(ctx: Context, request: ApprovalRequest): Promise<ClaimedChange> {
  const claimedAt = ctx.clock.elapsed()
  const at = ctx.clock.now()
  const intent = { ...request, status: 'executing', at, dueAt: at + EXECUTING_MS } as const
  const change = await ctx.store.transaction((tx) => insertChange(ctx, tx, intent))
  // From now on the time is measured after which what the machine shows is believed.
  mayStillArrive(ctx, change)
  return { change, claimedAt }
}

/** Claims an approved change, also after a failed or interrupted attempt; undefined when another call did. */
export async function claimChange(ctx: Context, change: PriceChange): Promise<ClaimedChange | undefined> {
  const { store, clock } = ctx
  const claimedAt = clock.elapsed()
  const executing = { status: 'executing', attempt: true, dueAt: clock.now() + EXECUTING_MS } as const
  const moved = await store.transaction((tx) => moveChange(ctx, tx, change.seq, STARTED, executing))
  const claimed = moved ? await findChange(store.db, change.seq) : undefined
  if (claimed) mayStillArrive(ctx, claimed)
  return claimed && { change: claimed, claimedAt }
}

function requestApproval(
  ctx: Context,
  request: ApprovalRequest,
  rules: Rules,
  over: readonly PriceLine[],
): Promise<DecisionId> {
  const at = ctx.clock.now()
  return ctx.store.transaction(async (tx) => {
    const machine = await findMachine(ctx, tx, request.location)
    const { seq } = await insertChange(ctx, tx, { ...request, status: 'waiting', at, dueAt: at })
    const approval = newApproval(machine, request.lines, rules, over)
    const subject = { type: 'price_change', id: subjectIdOf(seq) } as const
    const decision = await createPending(ctx, tx, { ...approval, subject })
    await bindDecision(tx, seq, decision)
    const reasons = [`${decision}:`, approval.reasoning]
    await recordEvent(ctx, tx, priceEvent('price_change_waiting', machine, request.lines, reasons))
    return decision
  })
}

/** False when the decision was resolved in the meantime. */
export const withdrawChange = (
  ctx: Context,
  change: PriceChange,
  decision: DecisionId,
  why: string,
): Promise<boolean> =>
  ctx.store.transaction(async (tx) => {
    if (!(await withdrawDecision(ctx, tx, decision, why))) return false
    await moveChange(ctx, tx, change.seq, ['waiting'], { status: 'closed' })
    return true
  })

/** The same request again while the owner has not decided. */
async function reportStillWaiting(
  ctx: Context,
  { location, lines }: PriceChange,
  decision: DecisionId,
  need: ApprovalNeed | undefined,
): Promise<Outcome<ChangeResult>> {
  const reasons = [`The owner has not resolved ${decision} yet.`]
  const machine = await findMachine(ctx, ctx.store.db, location)
  await ctx.store.transaction((tx) =>
    recordEvent(ctx, tx, priceEvent('price_change_still_waiting', machine, lines, reasons)),
  )
  return accept({ kind: 'asked', decision, need })
}

/** Also for requests that are refused before the handler runs. */
export const recordRefusedChange = async (
  ctx: Pick<Context, 'store' | 'clock' | 'config'>,
  location: string,
  refusal: Refusal,
): Promise<void> => {
  const event = refusedEvent(await findMachine(ctx, ctx.store.db, location), refusal)
  await ctx.store.transaction((tx) => recordEvent(ctx, tx, event))
}
