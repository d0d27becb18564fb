/**
 * POST /checkout-sessions/{id}/complete: the only operation that buys. It loads and assesses; `attempt.ts` claims, sends and
 * settles. Every outcome writes one event (docs/contract.md, 4.4.8). The HTTP layer has checked the guard before, unless
 * nothing would be sent (`checkoutGuardExemptions`).
 */
import { money } from '../../kernel/currency.ts'
import { type ErrorCode, type ErrorMessage, type Message, error } from '../../kernel/message.ts'
import {
  type Outcome,
  type Refusal,
  type Refused,
  RefusedError,
  accept,
  refuse,
  refuseAll,
} from '../../kernel/outcome.ts'
import { ConflictError, ConflictsPersistError, retryOnConflict } from '../../lib/concurrency.ts'
import type { Failure } from '../../vendors/contract.ts'
import { credentialsRefused, toRefusal } from '../../vendors/refusal.ts'
import { recordEvent } from '../../record/events/index.ts'
import { describeEvidence, RETRY_AFTER_SECONDS } from '../../rules/guardrails/index.ts'
import { type BasketAssessment, assessPurchase } from './basket/assess-basket.ts'
import { isSameBasket } from './basket/basket.ts'
import { withAssessment, saveAssessment } from './basket/save-assessment.ts'
import { refuseEdit } from './cancel.ts'
import { closeSession } from './close.ts'
import type { CheckoutContext } from './context.ts'
import { findTakenNumber } from './numbers/taken-numbers.ts'
import { askAndSettle, askOrderStatus, buy, settle } from './purchase/attempt.ts'
import { findAttempt, listAttempts } from './purchase/attempt-records.ts'
import { type AttemptOutcome, foundSettlement, mayHaveReachedSupplier } from './purchase/outcomes.ts'
import { claimRepriced, claimSession, findSession } from './records.ts'
import { type Session, isOverdue } from './session.ts'
import { EVENTS, TEXTS } from './texts.ts'

export interface CompleteReply {
  readonly session: Session
  /** Messages of this answer only. */
  readonly messages: readonly Message[]
}

export type CompleteOutcome = Outcome<CompleteReply>

export async function completeCheckout(ctx: CheckoutContext, id: string): Promise<CompleteOutcome> {
  try {
    return await retryOnConflict(() => complete(ctx, id))
  } catch (failure) {
    // The current rules require an approval, and too many decisions are pending already.
    if (failure instanceof RefusedError) return refuseWithEvent(ctx, id, { ok: false, refusal: failure.refusal })
    // The caller gets 503; the attempt still has its event (docs/contract.md, 4.4.8).
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
      : refuseWithEvent(ctx, id, refuseEdit(session))
  // Closing writes the event of this call. If another call closed it first, this one starts again.
  if (isOverdue(session, ctx.clock.now()))
    return replyWith(await ctx.store.transaction((tx) => closeSession(ctx, tx, session, 'expired')))

  if (session.status !== 'ready_for_complete') return answerAsIs(ctx, session)

  const supply = ctx.vendors.supply(session.vendor)
  if (!supply.ok) return refuseWithEvent(ctx, id, supply)
  const [status, taken] = await Promise.all([
    askOrderStatus(ctx, supply.value, session),
    session.attemptNo === 0 ? findTakenNumber(ctx, session) : undefined,
  ])
  if (status.ok && session.attemptNo === 0)
    return refuseTakenNumber(ctx, session, refuse('supplier_rejected', TEXTS.numberTaken(id, status.value.externalRef)))
  if (taken !== undefined) return refuseTakenNumber(ctx, session, taken)
  // An earlier attempt was refused or thought absent, but its order exists, and it is the order of this session.
  if (status.ok) {
    const { session: after, hasWrittenEvent } = await settle(ctx, id, session.attemptNo, foundSettlement(status.value))
    return hasWrittenEvent ? replyWith(after) : reportAlreadyCompleted(ctx, after)
  }
  if (!maySendAfter(status) && (await mayHaveAttemptAtSupplier(ctx, session)))
    return refuseWithEvent(ctx, id, withMayExist(id, toRefusal(status), true))
  const checked = await assessPurchase(ctx, session, supply.value)
  if (!checked.ok) return refuseWithEvent(ctx, id, withMayExist(id, checked))
  const { assessment } = checked.value
  ctx.onCheckpoint?.('assessed')
  if (assessment.status !== 'ready_for_complete' || !isConfirmed(session, assessment))
    return saveAndReport(ctx, session, assessment)
  const settled =
    assessment.orderHash === session.orderHash
      ? await buy(ctx, supply.value, session, checked.value, claimSession)
      : await buy(ctx, supply.value, withAssessment(session, assessment, ctx.clock.now()), checked.value, claimRepriced)
  return settled.status === 'completed' ? replyWith(settled) : attemptReply(ctx, settled, session.attemptNo + 1)
}

/** The caller confirmed the order that it was shown, at its total. A total that fell since needs no second confirmation. */
const isConfirmed = (session: Session, assessment: BasketAssessment): boolean =>
  assessment.totalFen <= session.totalFen && isSameBasket(session, { ...assessment, vendor: session.vendor })

/**
 * A number that may have been sent is sent again only if the supplier reports no order. A supplier that cannot be asked is
 * safe here: without a refusal or a person's word the session would still be in progress. Where only a person can know, the
 * adapter sends nothing without that word, and the session waits for it.
 */
export const maySendAfter = ({ reason, onlyPersonKnows }: Failure): boolean =>
  reason === 'absent' || reason === 'unsupported' || onlyPersonKnows === true

export const mayHaveAttemptAtSupplier = async (
  { store }: CheckoutContext,
  { id, attemptNo, orderMayExist }: Session,
): Promise<boolean> =>
  orderMayExist || (attemptNo > 0 && (await listAttempts(store.db, [id])).some(mayHaveReachedSupplier))

/**
 * The supplier answers a number that it knows with its first order and places nothing. A number that another database or
 * a person used before would therefore complete this session with an order that is not its own.
 */
async function refuseTakenNumber(ctx: CheckoutContext, session: Session, why: Refused): Promise<CompleteOutcome> {
  const { id, version } = session
  // Unless another call claimed and bought this session while we asked.
  if ((await findSession(ctx.store.db, id))?.version !== version) throw new ConflictError()
  return refuseWithEvent(ctx, id, why)
}

/** Prices, stock or rules changed since the caller saw the session: it is shown the current state, and nothing is bought. */
async function saveAndReport(
  ctx: CheckoutContext,
  session: Session,
  assessment: BasketAssessment,
): Promise<CompleteOutcome> {
  const after = withAssessment(session, assessment, ctx.clock.now())
  const repriced = priceChangedErrors(ctx, session, assessment)
  const saved = await ctx.store.transaction(async (tx) => {
    const written = await saveAssessment(ctx, tx, session, after, assessment.verdict)
    const problems = [...repriced, ...problemsOf(after)].map(({ content }) => `${content}.`)
    const reasoning = [...problems, describeEvidence(assessment.verdict.evidence)].join(' ')
    await recordEvent(ctx, tx, EVENTS.reassessed(session.id, written.status, reasoning))
    return written
  })
  return replyWith(saved, repriced)
}

/** Not where the price fell: that stops no purchase. */
export function priceChangedErrors(
  { config: { currency } }: Pick<CheckoutContext, 'config'>,
  session: Session,
  assessment: BasketAssessment,
): readonly ErrorMessage[] {
  const { status, totalFen, totals, lines } = assessment
  // A basket that cannot be bought is not quoted, and the sum of its lines is no new total.
  if (status === 'incomplete' && totals === undefined && session.totals !== undefined) return []
  const hasOtherBoxes = lines.some(({ contains }, index) => contains !== session.lines[index]?.contains)
  if (totalFen <= session.totalFen && !hasOtherBoxes) return []
  const params = { before: money(session.totalFen, currency), now: money(totalFen, currency) }
  return [error('price_changed', TEXTS.pricesChanged(session.totalFen, totalFen, currency), '$.totals', params)]
}

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
  const { session: asked, hasWrittenEvent } = await askAndSettle(ctx, supply.value, session)
  if (asked.status === 'completed') return hasWrittenEvent ? replyWith(asked) : reportAlreadyCompleted(ctx, asked)
  // It is certain now that there is no order, so this confirmed call starts again.
  if (asked.status !== 'complete_in_progress') throw new ConflictError(performance.now() - startedAt)
  const text = session.outcomeUnknown?.text ?? TEXTS.outcomeNotRecorded
  return refuseWithEvent(ctx, id, refuseUnreachable(id, text, true, retryAfterOf(ctx, 'unknown', session)))
}

/** A person has the purchase in hand. If the supplier knows by now that it was completed, so is the session. */
async function reportHandoff(ctx: CheckoutContext, session: Session): Promise<CompleteOutcome> {
  const supply = ctx.vendors.supply(session.vendor)
  const asked = supply.ok ? await askAndSettle(ctx, supply.value, session) : { session, hasWrittenEvent: false }
  if (asked.session.status === 'completed')
    return asked.hasWrittenEvent ? replyWith(asked.session) : reportAlreadyCompleted(ctx, asked.session)
  await ctx.store.transaction((tx) => recordEvent(ctx, tx, EVENTS.notReady(session.id, 'handoff', TEXTS.handoff)))
  return replyWith(asked.session)
}

const replyWith = (session: Session, messages: readonly Message[] = []): CompleteOutcome =>
  accept({ session, messages })

/** Refused before anything was claimed; the attempt still writes an event (docs/contract.md, 4.4.8). */
async function refuseWithEvent(ctx: CheckoutContext, id: string, refused: Refused): Promise<Refused> {
  await recordRefusedComplete(ctx, id, refused.refusal)
  return refused
}

/** Also for requests that are refused before the handler runs. */
export const recordRefusedComplete = async (
  ctx: Pick<CheckoutContext, 'store' | 'clock'>,
  id: string,
  refusal: Refusal,
): Promise<void> => {
  await ctx.store.transaction((tx) => recordEvent(ctx, tx, EVENTS.refused(id, refusal)))
}

/** An earlier or a concurrent call bought it: returns the same order, with an event for this call. */
async function reportAlreadyCompleted(ctx: CheckoutContext, session: Session): Promise<CompleteOutcome> {
  const { id, supplierOrderNo } = session
  await ctx.store.transaction((tx) => recordEvent(ctx, tx, EVENTS.alreadyCompleted(id, supplierOrderNo ?? '')))
  return replyWith(session)
}

/** The session is incomplete, expired, rejected or waiting for the owner; it says which. */
async function answerAsIs(ctx: CheckoutContext, session: Session): Promise<CompleteOutcome> {
  await ctx.store.transaction((tx) => recordEvent(ctx, tx, EVENTS.notReady(session.id, ...incompleteReason(session))))
  return replyWith(session)
}

function incompleteReason(session: Session): readonly [reason: ErrorCode | 'incomplete', reasoning: string] {
  const { status, closed, decision } = session
  if (status === 'requires_escalation') return ['approval_required', `It is waiting for approval (${decision}).`]
  if (closed?.as === 'approval_rejected') return ['approval_rejected', `${TEXTS.approvalRejected}.`]
  if (status === 'canceled') return ['expired', `${TEXTS.expired}.`]
  return [
    'incomplete',
    problemsOf(session)
      .map(({ content }) => `${content}.`)
      .join(' '),
  ]
}

/** What keeps a session from being completed. */
const problemsOf = ({ unavailableLines, findings }: Session): readonly Message[] =>
  [...unavailableLines, ...findings].filter(({ type }) => type === 'error')

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
  const text = attempt?.text ?? TEXTS.outcomeNotRecorded
  if (denied === undefined && outcome === 'unauthorized') return credentialsRefused(text, session.vendor)
  const code = denied ?? REPLY_CODES[outcome]
  return code === 'upstream_unreachable'
    ? refuseUnreachable(session.id, text, outcome === 'unknown', retry)
    : refuse(code, text, undefined, retry)
}

/** Says whether the order may exist: a second session would then buy twice. */
const refuseUnreachable = (
  id: string,
  text: string,
  mayExist: boolean,
  extra: Omit<Refusal, 'messages'> = {},
): Refused =>
  refuseAll(
    [
      mayExist
        ? error('upstream_unreachable', TEXTS.mayExist(id, text), undefined, { may_exist: true, checkout: id })
        : error('upstream_unreachable', text, undefined, { may_exist: false }),
    ],
    extra,
  )

/** Of a call that has sent nothing. `mayExist`: an earlier one may have. */
const withMayExist = (id: string, refused: Refused, mayExist = false): Refused => {
  const {
    messages: [first, ...others],
    ...extra
  } = refused.refusal
  return first?.code === 'upstream_unreachable' && others.length === 0
    ? refuseUnreachable(id, first.content, mayExist, extra)
    : refused
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
