/**
 * POST /checkout-sessions/{id}/complete: the only operation that buys. It loads and assesses; `buy.ts` claims, sends and
 * settles. Every outcome writes one event. The HTTP layer has checked the guard
 * before, unless nothing would be sent (`checkoutGuardExemptions`).
 */
import { money } from '../../kernel/currency.ts'
import { type ErrorMessage, error } from '../../kernel/message.ts'
import { refuse, RefusedError } from '../../kernel/outcome.ts'
import type { Failure } from '../../vendors/contract.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import { recordEvent } from '../../record/events/index.ts'
import { describeEvidence } from '../../rules/guardrails/index.ts'
import type { BasketAssessment } from './basket/assess-basket.ts'
import { isSameBasket } from './basket/basket.ts'
import { listAttempts, mayHaveReachedSupplier } from './purchase/attempt-records.ts'
import { refuseEdit } from './cancel.ts'
import { closeSession } from './close.ts'
import type { CheckoutContext } from './context.ts'
import { withAssessment, saveAssessment } from './basket/save-assessment.ts'
import { ConflictError, ConflictsPersistError, retryOnConflict } from '../../lib/concurrency.ts'
import { askOrderStatus, askAndSettle } from './purchase/recover.ts'
import { claimRepriced, claimSession, findSession } from './records.ts'
import { type Session, isOverdue } from './session.ts'
import { settle } from './purchase/settle.ts'
import { findTakenNumber } from './numbers/taken-numbers.ts'
import { foundSettlement } from './purchase/settlement.ts'
import { EVENTS, TEXTS } from './texts.ts'
import {
  type CompleteOutcome,
  type Refused,
  answerAsIs,
  attemptReply,
  problemsOf,
  refuseWithEvent,
  refuseUnreachable,
  replyWith,
  reportAlreadyCompleted,
  retryAfterOf,
  withMayExist,
} from './complete-reply.ts'
import { buy } from './purchase/buy.ts'
import { assessPurchase } from './basket/assess-purchase.ts'

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
  return assessment.orderHash === session.orderHash
    ? buy(ctx, supply.value, session, checked.value, claimSession)
    : buy(ctx, supply.value, withAssessment(session, assessment, ctx.clock.now()), checked.value, claimRepriced)
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
