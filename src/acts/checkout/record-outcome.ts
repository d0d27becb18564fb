/**
 * POST /checkout-sessions/{id}/outcome: a person says whether the supplier has the order, where only a person can know, or
 * where the supplier has not known it for an hour. It records a fact and sends nothing, so it works while the kill switch is
 * engaged.
 */
import type { CheckoutOutcomeRequest } from '../../contract/shapes/checkout.ts'
import { MINUTE } from '../../kernel/clock.ts'
import { type Outcome, accept, refuse } from '../../kernel/outcome.ts'
import { ConflictError, retryOnConflict } from '../../lib/concurrency.ts'
import { mayDecideFor } from '../../rules/approvals/index.ts'
import { findArrivedOrders } from '../../route/storeroom/index.ts'
import { findPurchaseByLabel, findPurchases, refreshPurchase } from '../orders/index.ts'
import { type Attempt, listAttempts, findAttempt, freeBudget } from './purchase/attempt-records.ts'
import { refuseEdit } from './cancel.ts'
import { type CheckoutContext, mayArriveForMs } from './context.ts'
import { findSession, saveSession } from './records.ts'
import type { Session } from './session.ts'
import { settle } from './purchase/attempt.ts'
import { type Settlement, canBeAsked, supplierWaitMs } from './purchase/outcomes.ts'
import { closeAttempt } from './purchase/record-settlement.ts'
import { EVENTS, TEXTS } from './texts.ts'

export const recordOutcome = (
  ctx: CheckoutContext,
  id: string,
  request: CheckoutOutcomeRequest,
  by: string,
): Promise<Outcome<Session>> => retryOnConflict(() => record(ctx, id, request, by))

async function record(
  ctx: CheckoutContext,
  id: string,
  request: CheckoutOutcomeRequest,
  by: string,
): Promise<Outcome<Session>> {
  const { db } = ctx.store
  const session = await findSession(db, id)
  if (!session) return refuse('not_found', TEXTS.notFound(id))
  if (request.canceled) return recordCanceled(ctx, session, request)
  if (session.status !== 'complete_in_progress') return answerSettled(ctx, session, request, by)
  // While the call runs, only its answer decides.
  if (!session.handoff && !session.outcomeUnknown && mayArriveForMs(ctx, session) > 0)
    return refuse('not_editable', TEXTS.attemptRunning)
  const leftMs = supplierWaitMs(session, ctx.clock.now(), canBeAsked(ctx, session.vendor))
  if (leftMs > 0)
    return refuse('not_editable', TEXTS.outcomeTooEarly(Math.ceil(leftMs / MINUTE)), undefined, {
      retryAfter: Math.ceil(leftMs / 1000),
    })
  const { placed, label } = request
  if (!placed) {
    const attempt = await findAttempt(db, id, session.attemptNo)
    const freesBudget = await mayDecideFor(ctx, db, attempt?.by)
    const text = TEXTS.recordedNotPlaced(by, freesBudget)
    return settleAs(ctx, session, { kind: 'not_placed', text, recordedBy: by, freesBudget }, by)
  }
  const externalRef = label ?? id
  const recordedFor = await findPurchaseByLabel(db, session.vendor, externalRef)
  if (recordedFor !== undefined && recordedFor !== id)
    return refuse('invalid', TEXTS.labelTaken(externalRef, recordedFor), '$.label')
  const text = TEXTS.recordedPlaced(by)
  return settleAs(ctx, session, { kind: 'accepted', externalRef, text, recordedBy: by }, by)
}

/**
 * The supplier canceled an order that it had. Only of suppliers whose word reaches us through people: the adapter keeps it, and
 * the order is then read as if the supplier had said so.
 */
async function recordCanceled(
  ctx: CheckoutContext,
  session: Session,
  { placed }: CheckoutOutcomeRequest,
): Promise<Outcome<Session>> {
  const { id, vendor } = session
  if (!placed) return refuse('invalid', TEXTS.canceledUnplaced, '$.placed')
  const [purchase] = await findPurchases(ctx.store.db, [id])
  if (!purchase) return refuse('not_editable', TEXTS.notOrdered(id))
  if (purchase.state === 'cancelled') return accept(session)
  if ((await findArrivedOrders(ctx.store.db, [id])).has(id)) return refuse('not_editable', TEXTS.alreadyCame(id))
  const supply = ctx.vendors.supply(vendor)
  if (!supply.ok) return supply
  if (!supply.value.recordCanceled) return refuse('not_editable', TEXTS.supplierSaysItself(vendor))
  if (!(await supply.value.recordCanceled(id))) return refuse('not_editable', TEXTS.notOrdered(id))
  const read = await refreshPurchase(ctx, purchase, { isLive: true })
  return read.ok ? accept(session) : read
}

/** Starts again when the supplier's answer was recorded first. */
async function settleAs(
  ctx: CheckoutContext,
  { id, attemptNo }: Session,
  settlement: Settlement,
  by: string,
): Promise<Outcome<Session>> {
  const { session, hasWrittenEvent } = await settle(ctx, id, attemptNo, settlement)
  if (!hasWrittenEvent) throw new ConflictError()
  return accept(await confirmNotPlaced(ctx, session, by))
}

/**
 * The same outcome again changes nothing, unless somebody who may approve confirms what was recorded; a different
 * outcome is refused.
 */
async function answerSettled(
  ctx: CheckoutContext,
  session: Session,
  { placed, label }: CheckoutOutcomeRequest,
  by: string,
): Promise<Outcome<Session>> {
  const { id, supplierOrderNo } = session
  if (supplierOrderNo !== undefined)
    return placed && (label === undefined || label === supplierOrderNo)
      ? accept(await confirmNotPlaced(ctx, session, by))
      : refuse('not_editable', TEXTS.differentOutcome(session))
  const attempts = await listAttempts(ctx.store.db, [id])
  if (placed || !attempts.some(({ outcome }) => outcome === 'not_placed')) return refuseEdit(session)
  return accept(await confirmNotPlaced(ctx, session, by))
}

/**
 * Whoever may approve and records the outcome of a purchase confirms all its attempts that were recorded as not placed: they
 * stop counting towards the limits, also when a later attempt was bought.
 */
async function confirmNotPlaced(ctx: CheckoutContext, session: Session, by: string): Promise<Session> {
  const { db } = ctx.store
  const confirmable: Attempt[] = []
  let hasUnconfirmable = false
  for (const attempt of await listAttempts(db, [session.id])) {
    if (attempt.outcome !== 'not_placed' || attempt.freesBudget) continue
    if (await mayDecideFor(ctx, db, attempt.by)) confirmable.push(attempt)
    else hasUnconfirmable = true
  }
  if (confirmable.length === 0 && (hasUnconfirmable || session.unconfirmedUntil === undefined)) return session
  return ctx.store.transaction(async (tx) => {
    for (const attempt of confirmable) {
      // Recovery may have found the order since; what the supplier says stands.
      if (!(await freeBudget(tx, session.id, attempt.attemptNo))) continue
      const event = EVENTS.confirmedNotPlaced(session.id, attempt.attemptNo, by)
      await closeAttempt(ctx, tx, attempt, { outcome: 'not_placed', freesBudget: true }, event)
    }
    if (hasUnconfirmable) return session
    const { unconfirmedUntil: _, ...confirmed } = session
    return saveSession(tx, confirmed)
  })
}
