/**
 * POST /checkout-sessions/{id}/complete: the only operation that buys. It loads, assesses, claims, sends and settles. The
 * claim is stored before the supplier is called, no transaction is open during the call, and every outcome writes one
 * event. The HTTP layer has checked the guard before.
 */
import { money } from '../../kernel/currency.ts'
import { warning } from '../../kernel/message.ts'
import type { ErrorCode, Message } from '../../kernel/message.ts'
import { accept, refuse, RefusedError } from '../../kernel/outcome.ts'
import type { Outcome, Refusal } from '../../kernel/outcome.ts'
import type { Tx } from '../../store/store.ts'
import type { Failure, PlacedOrder, Result, SupplyOrder, SupplyVendor } from '../../vendors/contract.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import { recordRefusal, recordEvent } from '../events/index.ts'
import {
  RETRY_AFTER_SECONDS,
  describeEvidence,
  hasSpendingWindows,
  readKillSwitch,
  requireWritesAllowed,
  sendPermit,
} from '../guardrails/index.ts'
import type { Rules } from '../guardrails/index.ts'
import { assessBasket, basketVerdict, loadInput, prepareBasket, withRules } from './assess-basket.ts'
import type { BasketAssessment } from './assess-basket.ts'
import { attemptsOf, findAttempt, insertAttempt, mayHaveReachedSupplier } from './attempt-records.ts'
import type { AttemptOutcome, Intent } from './attempt-records.ts'
import { orderToSend, quoteRequest, supplierOrder } from './basket.ts'
import { notEditable } from './cancel.ts'
import { closeSession } from './close.ts'
import type { CheckoutContext } from './context.ts'
import { withAssessment, saveAssessment } from './save-assessment.ts'
import type { ProductsBySku } from './lines.ts'
import { readQuote } from './quote.ts'
import { ConflictError, ConflictsPersistError, retryOnConflict } from '../../lib/retry-on-conflict.ts'
import { askOrderStatus, checkOrderStatus } from './recover.ts'
import { claimSession, findSession } from './records.ts'
import { isOverdue } from './session.ts'
import type { Session } from './session.ts'
import { settle } from './settle.ts'
import { foundSettlement, placedSettlement, refusedSettlement, unsentSettlement } from './settlement.ts'
import type { Settlement } from './settlement.ts'
import { loadSpendingTotals, lockSpending } from './spending-records.ts'
import { EVENTS, TEXTS } from './texts.ts'

export interface Completed {
  readonly session: Session
  /** Messages of this answer only. */
  readonly messages: readonly Message[]
}

type CompleteOutcome = Outcome<Completed>
type Refused = { readonly ok: false; readonly refusal: Refusal }

export async function completeCheckout(ctx: CheckoutContext, id: string): Promise<CompleteOutcome> {
  try {
    return await retryOnConflict(() => complete(ctx, id))
  } catch (failure) {
    // The current rules require an approval, and too many decisions are pending already.
    if (failure instanceof RefusedError) return refuseWithEvent(ctx, id, { ok: false, refusal: failure.refusal })
    // The caller gets 503; the attempt still has its event (rule 8).
    if (failure instanceof ConflictsPersistError)
      await refuseWithEvent(ctx, id, refuse('service_unavailable', TEXTS.keptChanging))
    throw failure
  }
}

async function complete(ctx: CheckoutContext, id: string): Promise<CompleteOutcome> {
  const session = await findSession(ctx.store.db, id)
  if (!session) return refuseWithEvent(ctx, id, refuse('not_found', TEXTS.notFound(id)))
  if (session.status === 'completed') return reportAlreadyCompleted(ctx, session)
  if (session.status === 'complete_in_progress') return awaitOtherAttempt(ctx, session)
  if (session.status === 'canceled')
    return session.closed?.as === 'expired' || session.closed?.as === 'approval_rejected'
      ? answerAsIs(ctx, session)
      : refuseWithEvent(ctx, id, notEditable(session))
  // Closing writes the event of this call. If another call closed it first, this one starts again.
  if (isOverdue(session, ctx.clock.now()))
    return replyWith(await ctx.store.transaction((tx) => closeSession(ctx, tx, session, 'expired')))

  if (session.status !== 'ready_for_complete') return answerAsIs(ctx, session)

  const supply = ctx.vendors.supply(session.vendor)
  if (!supply.ok) return refuseWithEvent(ctx, id, supply)
  const status = await askOrderStatus(ctx, supply.value, session)
  if (status.ok && session.attemptNo === 0) return refuseTakenNumber(ctx, session, status.value.externalRef)
  // An earlier attempt was refused or thought absent, but its order exists, and it is the order of this session.
  if (status.ok) {
    const { session: after, recorded } = await settle(ctx, id, session.attemptNo, foundSettlement(status.value))
    return recorded ? replyWith(after) : reportAlreadyCompleted(ctx, after)
  }
  if (!maySendAfter(status) && (await mayHaveBeenSent(ctx, session))) return refuseWithEvent(ctx, id, toRefusal(status))
  const checked = await assessPurchase(ctx, session, supply.value)
  if (!checked.ok) return refuseWithEvent(ctx, id, checked)
  const { assessment } = checked.value
  ctx.onCheckpoint?.('assessed')
  if (assessment.status !== 'ready_for_complete' || assessment.orderHash !== session.orderHash)
    return saveAndReport(ctx, session, assessment)
  return buy(ctx, supply.value, session, checked.value)
}

/**
 * A number that may have been sent is sent again only if the supplier reports no order. A supplier that cannot be asked is
 * safe here: without a refusal or a person's word the session would still be in progress. Where only a person can know, the
 * adapter sends nothing without that word, and the session waits for it.
 */
export const maySendAfter = ({ reason, onlyPersonKnows }: Failure): boolean =>
  reason === 'absent' || reason === 'unsupported' || onlyPersonKnows === true

export interface AssessedPurchase {
  readonly assessment: BasketAssessment
  readonly products: ProductsBySku
  readonly rules: Rules
}

/** Checks the session once more, at the supplier's current prices and with the current rules. Writes nothing. */
export async function assessPurchase(
  ctx: CheckoutContext,
  session: Session,
  supply: SupplyVendor,
): Promise<Outcome<AssessedPurchase>> {
  const catalog = await supply.catalog({ live: true })
  if (!catalog.ok) return toRefusal(catalog)
  const input = await loadInput(ctx, catalog.value, session.lines)
  const basket = prepareBasket(session, input)
  const request = () => quoteRequest(basket, input.products, ctx.config.currency)
  const quoted = await readQuote(ctx, session.vendor, supply, request, basket.problems)
  // Nothing is bought at a total that the supplier does not confirm now.
  if (quoted.kind === 'failed') return toRefusal(quoted.failure)
  // Checked again: the supplier's answers may have taken seconds.
  const allowed = await requireWritesAllowed(ctx)
  if (!allowed.ok) return allowed
  const { rules } = allowed.value
  const assessment = assessBasket(session, basket, quoted, await withRules(ctx, input, rules))
  return accept({ assessment, products: input.products, rules })
}

const replyWith = (session: Session, messages: readonly Message[] = []): CompleteOutcome =>
  accept({ session, messages })

/** Refused before anything was claimed; the attempt still writes an event (rule 8). */
async function refuseWithEvent(ctx: CheckoutContext, id: string, refused: Refused): Promise<Refused> {
  await recordRefusedComplete(ctx, id, refused.refusal)
  return refused
}

/** Also for requests that are refused before the handler runs. */
export const recordRefusedComplete = (
  ctx: Pick<CheckoutContext, 'store' | 'clock'>,
  id: string,
  refusal: Refusal,
): Promise<void> => recordRefusal(ctx, EVENTS.refused(id, refusal))

/** An earlier or a concurrent call bought it: returns the same order, with an event for this call. */
async function reportAlreadyCompleted(ctx: CheckoutContext, session: Session): Promise<CompleteOutcome> {
  const { id, supplierOrderNo } = session
  await ctx.store.transaction((tx) => recordEvent(ctx, tx, EVENTS.alreadyCompleted(id, supplierOrderNo ?? '')))
  return replyWith(session)
}

export const mayHaveBeenSent = async (
  { store }: CheckoutContext,
  { id, attemptNo, orderMayExist }: Session,
): Promise<boolean> =>
  orderMayExist || (attemptNo > 0 && (await attemptsOf(store.db, [id])).some(mayHaveReachedSupplier))

/** A person said that the last attempt which may have reached the supplier placed nothing. */
const isRecordedAsNotPlaced = async ({ store }: CheckoutContext, { id, attemptNo }: Session): Promise<boolean> =>
  attemptNo > 0 && (await attemptsOf(store.db, [id])).findLast(mayHaveReachedSupplier)?.outcome === 'not_placed'

/**
 * The supplier answers a number that it knows with its first order and places nothing. A number that another database or
 * a person used before would therefore complete this session with an order that is not its own.
 */
async function refuseTakenNumber(ctx: CheckoutContext, session: Session, order: string): Promise<CompleteOutcome> {
  const { id, version } = session
  // Unless another call claimed and bought this session while we asked.
  if ((await findSession(ctx.store.db, id))?.version !== version) throw new ConflictError()
  return refuseWithEvent(ctx, id, refuse('supplier_rejected', TEXTS.numberTaken(id, order)))
}

/** The session is incomplete, expired, rejected or waiting for the owner; it says which. */
async function answerAsIs(ctx: CheckoutContext, session: Session): Promise<CompleteOutcome> {
  await recordRefusal(ctx, EVENTS.notReady(session.id, ...incompleteReason(session)))
  return replyWith(session)
}

function incompleteReason({
  status,
  closed,
  decision,
  unavailableLines,
  findings,
}: Session): readonly [reason: ErrorCode | 'incomplete', reasoning: string] {
  if (status === 'requires_escalation') return ['approval_required', `It is waiting for ${decision}.`]
  if (closed?.as === 'approval_rejected') return ['approval_rejected', `${TEXTS.approvalRejected}.`]
  if (status === 'canceled') return ['expired', `${TEXTS.expired}.`]
  const problems = [...unavailableLines, ...findings].filter(({ type }) => type === 'error')
  return ['incomplete', problems.map(({ code, path }) => `${code} at ${path ?? '$'}`).join(', ')]
}

/** Prices, stock or rules changed since the caller saw the session: it is shown the current state, and nothing is bought. */
async function saveAndReport(
  ctx: CheckoutContext,
  session: Session,
  assessment: BasketAssessment,
): Promise<CompleteOutcome> {
  const { currency } = ctx.config
  const after = withAssessment(session, assessment, ctx.clock.now())
  const totals = [session.totalFen, after.totalFen] as const
  const saved = await ctx.store.transaction(async (tx) => {
    const written = await saveAssessment(ctx, tx, session, after, assessment.verdict)
    const changed = totals[0] === totals[1] ? '' : `${TEXTS.pricesChanged(...totals, currency)}. `
    const reasoning = `${changed}${describeEvidence(assessment.verdict.evidence)}`
    await recordEvent(ctx, tx, EVENTS.reassessed(session.id, written.status, reasoning))
    return written
  })
  return replyWith(saved, repricedWarning(ctx, session, assessment))
}

export function repricedWarning(
  { config: { currency } }: Pick<CheckoutContext, 'config'>,
  session: Session,
  { totalFen, lines }: BasketAssessment,
): readonly Message[] {
  const isRepriced =
    totalFen !== session.totalFen ||
    lines.some(
      ({ priceFen, contains }, index) =>
        priceFen !== session.lines[index]?.priceFen || contains !== session.lines[index]?.contains,
    )
  if (!isRepriced) return []
  const params = { before: money(session.totalFen, currency), now: money(totalFen, currency) }
  return [warning('price_changed', TEXTS.pricesChanged(session.totalFen, totalFen, currency), '$.totals', params)]
}

async function buy(
  ctx: CheckoutContext,
  supply: SupplyVendor,
  session: Session,
  { assessment, products, rules }: AssessedPurchase,
): Promise<CompleteOutcome> {
  const order = supplierOrder(session)
  if (!order) throw new Error(`${session.id} is ready to complete but has no supplier order`)
  const attemptNo = session.attemptNo + 1
  const { allowed, evidence } = assessment.verdict
  const intent: Intent = {
    order,
    lines: session.lines,
    methods: session.methods,
    totalFen: session.totalFen,
    ...(session.totals && { totals: session.totals }),
    basket: session.orderHash,
    authority: {
      withinRules: allowed,
      ...(session.decision === undefined ? {} : { decision: session.decision }),
      evidence: describeEvidence(evidence),
    },
  }
  const toSend: SupplyOrder = {
    ...orderToSend(session, order, products, ctx.config.currency),
    ...((await isRecordedAsNotPlaced(ctx, session)) && { isRecordedAsNotPlaced: true }),
  }
  const claimedAt = ctx.clock.elapsed()
  const claimed = await ctx.store.transaction(async (tx) => {
    // Engaged since the assessment: start again; the next check refuses.
    if (await readKillSwitch(tx)) throw new ConflictError()
    if (allowed) await requireStillAllowed(ctx, tx, session, rules)
    const claimedSession = await claimSession(tx, session)
    if (!claimedSession) throw new ConflictError()
    const attempt = await insertAttempt(ctx, tx, session, attemptNo, ctx.clock.now(), intent)
    return { session: claimedSession, attempt }
  })
  ctx.onCheckpoint?.('claimed')
  const settlement = await sendOrder(ctx, supply, claimed.session, toSend, claimedAt)
  ctx.onCheckpoint?.('answered')
  // The event is written by this call, or by the recovery job if it found the order first.
  const { session: settled } = await settle(ctx, session.id, attemptNo, settlement, claimed)
  ctx.onCheckpoint?.('settled')
  // Starts the grace period before *absent* may be believed (ADR 13).
  if (settled.status === 'complete_in_progress') ctx.pendingTimers.start(settled)
  return settled.status === 'completed' ? replyWith(settled) : attemptReply(ctx, settled, attemptNo)
}

/**
 * Other purchases may have used up the budget since the assessment. The call then starts again and is assessed with what
 * counts by now. What the owner approved is not compared again.
 */
async function requireStillAllowed({ clock }: CheckoutContext, tx: Tx, session: Session, rules: Rules): Promise<void> {
  if (!hasSpendingWindows(rules)) return
  await lockSpending(tx)
  const now = clock.now()
  if (!basketVerdict(session, { rules, now, spent: await loadSpendingTotals(tx, rules, now) }).allowed)
    throw new ConflictError()
}

/** Sends the order. Unless it was accepted or certainly not sent, asks once whether it exists: no refusal is trusted alone. */
async function sendOrder(
  ctx: CheckoutContext,
  supply: SupplyVendor,
  session: Session,
  order: SupplyOrder,
  claimedAt: number,
): Promise<Settlement> {
  // A process that was suspended must not act on an old claim: recovery may have concluded that nothing was sent.
  if (ctx.clock.elapsed() - claimedAt > ctx.config.upstreamTimeoutMs)
    return { kind: 'no_order', outcome: 'unsent', text: TEXTS.tooLateToSend }
  const answer = await createOrder(supply, order, sendPermit(ctx))
  if (answer.ok) return placedSettlement(answer.value)
  const unsent = unsentSettlement(answer)
  if (unsent) return unsent
  const status = await askOrderStatus(ctx, supply, session)
  if (status.ok) return foundSettlement(status.value)
  if (status.reason === 'absent' || status.reason === 'unsupported')
    return refusedSettlement(answer, status.reason === 'absent')
  return { kind: 'unknown', text: answer.message, ...(answer.onlyPersonKnows && { onlyPersonKnows: true }) }
}

/** An adapter that throws leaves the outcome as unknown as a lost connection. */
async function createOrder(
  supply: SupplyVendor,
  ...args: Parameters<SupplyVendor['createOrder']>
): Promise<Result<PlacedOrder>> {
  try {
    return await supply.createOrder(...args)
  } catch (failure) {
    return { ok: false, reason: 'unknown', message: TEXTS.noAnswer, raw: String(failure) }
  }
}

const REPLY_CODES = {
  rejected: 'supplier_rejected',
  unauthorized: 'unauthorized',
  unsupported: 'namespace_unsupported',
  unsent: 'upstream_unreachable',
  absent: 'upstream_unreachable',
  unknown: 'upstream_unreachable',
  not_placed: 'upstream_unreachable',
} as const satisfies Record<Exclude<AttemptOutcome, 'accepted' | 'superseded' | 'handed_off'>, ErrorCode>

/** The answer to the caller of an attempt that ended without an order, or has not ended. */
async function attemptReply(ctx: CheckoutContext, session: Session, attemptNo: number): Promise<CompleteOutcome> {
  const attempt = await findAttempt(ctx.store.db, session.id, attemptNo)
  const outcome = attempt?.outcome ?? 'unknown'
  if (outcome === 'accepted' || outcome === 'superseded' || outcome === 'handed_off') return replyWith(session)
  const denied = attempt?.denied
  const retry =
    denied === 'guard_unverifiable' ? { retryAfter: RETRY_AFTER_SECONDS } : retryAfterOf(ctx, outcome, session)
  return refuse(denied ?? REPLY_CODES[outcome], attempt?.text ?? TEXTS.stillUnknown, undefined, retry)
}

/** Asking again later helps, unless only a person can learn the outcome. */
const retryAfterOf = (
  { config }: CheckoutContext,
  outcome: AttemptOutcome,
  { outcomeUnknown }: Session,
): { readonly retryAfter?: number } =>
  outcome === 'unknown' && !outcomeUnknown?.onlyPersonKnows
    ? { retryAfter: Math.ceil((2 * config.upstreamTimeoutMs) / 1000) }
    : {}

const POLL_MS = 50

/** Waits for the attempt of another call; when that call has given up, asks the supplier. */
async function awaitOtherAttempt(ctx: CheckoutContext, inProgress: Session): Promise<CompleteOutcome> {
  const { id, attemptNo } = inProgress
  const startedAt = performance.now()
  let session = inProgress
  // One time-out each for the queue, the call, and the status check after it.
  for (let left = Math.ceil((3 * ctx.config.upstreamTimeoutMs) / POLL_MS); left > 0; left--) {
    if (session.outcomeUnknown || session.handoff) break
    if (session.status !== 'complete_in_progress' || session.attemptNo !== attemptNo) break
    await ctx.sleep(POLL_MS)
    session = (await findSession(ctx.store.db, id)) ?? session
  }
  if (session.status === 'completed') return reportAlreadyCompleted(ctx, session)
  if (session.handoff) return reportHandoff(ctx, session)
  // The attempt ended, or its caller gave up, during the wait: this caller gets the same answer.
  const isOver = session.status !== 'complete_in_progress' || session.attemptNo !== attemptNo
  if (isOver || (session.outcomeUnknown && !inProgress.outcomeUnknown)) {
    const outcome = await attemptReply(ctx, session, attemptNo)
    return outcome.ok ? reportAlreadyCompleted(ctx, outcome.value.session) : refuseWithEvent(ctx, id, outcome)
  }

  const supply = ctx.vendors.supply(session.vendor)
  if (!supply.ok) return refuseWithEvent(ctx, id, supply)
  const { session: asked, recorded } = await checkOrderStatus(ctx, supply.value, session)
  if (asked.status === 'completed') return recorded ? replyWith(asked) : reportAlreadyCompleted(ctx, asked)
  // It is certain now that there is no order, so this confirmed call starts again.
  if (asked.status !== 'complete_in_progress') throw new ConflictError(performance.now() - startedAt)
  const text = session.outcomeUnknown?.text ?? TEXTS.outcomeNotRecorded
  return refuseWithEvent(
    ctx,
    id,
    refuse('upstream_unreachable', text, undefined, retryAfterOf(ctx, 'unknown', session)),
  )
}

/** A person has the purchase in hand. If the supplier knows by now that it was completed, so is the session. */
async function reportHandoff(ctx: CheckoutContext, session: Session): Promise<CompleteOutcome> {
  const supply = ctx.vendors.supply(session.vendor)
  const asked = supply.ok ? await checkOrderStatus(ctx, supply.value, session) : { session, recorded: false }
  if (asked.session.status === 'completed')
    return asked.recorded ? replyWith(asked.session) : reportAlreadyCompleted(ctx, asked.session)
  await recordRefusal(ctx, EVENTS.notReady(session.id, 'handoff', TEXTS.handoff))
  return replyWith(asked.session)
}
