/** What `settle` writes in its transaction: session, attempt, purchase and event. */
import type { Fen } from '../../../kernel/fen.ts'
import { plainCode } from '../../../kernel/text.ts'
import { watchEffect } from '../../../effects/watch-records.ts'
import { ConflictError } from '../../../lib/concurrency.ts'
import type { Tx } from '../../../store/store.ts'
import type { Context } from '../../../context.ts'
import { type StoredEvent, eventId, recordEvent } from '../../../record/events/index.ts'
import { WINDOW_MS } from '../../../rules/guardrails/index.ts'
import {
  type NewPurchase,
  type PurchaseFulfillment,
  aboveAgreedWarning,
  findPurchaseByLabel,
  insertPurchase,
  purchaseAboveAgreed,
} from '../../orders/index.ts'
import { addOrderMessages } from '../../../record/outbox/index.ts'
import { type Attempt, type AttemptEnd, type Intent, listAttempts, updateAttempt } from './attempt-records.ts'
import { type Settlement, isUndecided, mayHaveReachedSupplier } from './outcomes.ts'
import { withdrawPending } from '../close.ts'
import { SHIPPING_OPTION, selectedDestination } from '../basket/fulfillment.ts'
import { titleOfSlot } from '../basket/pickup-slots.ts'
import { saveSession } from '../records.ts'
import type { Handoff, Method, Session } from '../session.ts'
import { EVENTS, TEXTS } from '../texts.ts'
import { advance } from '../transitions.ts'
import { itemView } from '../view.ts'

type Deps = Pick<Context, 'store' | 'clock' | 'config'>

export interface Settled {
  readonly session: Session
  /** True when this call wrote the event; false when another one had settled the attempt. */
  readonly hasWrittenEvent: boolean
}

type Accepted = Extract<Settlement, { kind: 'accepted' }>

export async function recordAccepted(
  ctx: Deps,
  tx: Tx,
  session: Session,
  attempt: Attempt,
  { externalRef, text, totalFen: chargedFen, recordedBy }: Accepted,
): Promise<Settled> {
  const now = ctx.clock.now()
  const { lines, methods, totalFen, totals, orderHash } = attempt.intent
  const purchase = {
    ...purchaseOf(session, attempt.intent, { externalRef, placedAt: now, chargedFen }),
    ...(recordedBy !== undefined && { recordedBy }),
  }
  if (!(await insertPurchase(tx, purchase))) {
    const recordedFor = await findPurchaseByLabel(tx, session.vendor, externalRef)
    if (recordedFor === undefined || recordedFor === session.id) throw new ConflictError()
    // That order belongs to another session; whether this one has an order is still unknown.
    return session.status === 'complete_in_progress'
      ? recordFailure(ctx, tx, session, attempt, { kind: 'unknown', text: TEXTS.otherOrder(externalRef, recordedFor) })
      : { session, hasWrittenEvent: false }
  }
  // An adapter refuses such an order. If one is placed all the same, the session shows it.
  const excess =
    chargedFen !== undefined && chargedFen > totalFen
      ? { order: externalRef, chargedFen, agreedFen: totalFen, currency: ctx.config.currency }
      : undefined
  const { outcomeUnknown: _, handoff, totals: _totals, unconfirmedUntil, ...rest } = session
  const withOrder: Session = {
    ...rest,
    // The order of an attempt that was recorded as not placed was found, so nothing is left to confirm.
    ...(unconfirmedUntil !== undefined && attempt.outcome !== 'not_placed' && { unconfirmedUntil }),
    ...(handoff && 'document' in handoff && { sentDocument: handoff.document }),
    lines,
    methods,
    totalFen,
    ...(totals && { totals }),
    orderHash,
    supplierOrderNo: externalRef,
    orderMayExist: true,
    findings: excess ? [...session.findings, aboveAgreedWarning(excess)] : session.findings,
  }
  // Canceled or expired before the order was found: the session stays closed, and the purchase is recorded.
  const status = session.status === 'canceled' ? 'canceled' : (statusWithOrder(session.status) ?? 'completed')
  await withdrawPending(ctx, tx, session, 'was bought by an earlier attempt')
  const saved = await saveSession(tx, { ...withOrder, status })
  const reasoning = `${text} ${attempt.intent.authority.evidence}`
  const event =
    status === 'canceled'
      ? EVENTS.lateOrder(session.id, externalRef, reasoning)
      : recordedBy === undefined
        ? EVENTS.completed(session.id, externalRef, reasoning)
        : EVENTS.recordedPlaced(session.id, externalRef, reasoning, recordedBy)
  const storedEvent = await closeAttempt(ctx, tx, attempt, { outcome: 'accepted' }, event)
  await addOrderMessages(ctx, tx, {
    id: session.id,
    kind: 'purchase',
    orderedAt: now,
    occurredAt: now,
    created: { agent: session.agent ?? attempt.agent },
    eventId: eventId(storedEvent),
  })
  if (excess) await recordEvent(ctx, tx, purchaseAboveAgreed(session.id, excess))
  if (session.attemptNo > 1) await supersedeOthers(ctx, tx, saved, attempt)
  return { session: saved, hasWrittenEvent: true }
}

const statusWithOrder = (status: Session['status']) => advance(status, 'accept') ?? advance(status, 'find')

/** Ends attempts that are still in progress when the order of another one is found. */
async function supersedeOthers(ctx: Deps, tx: Tx, { id, supplierOrderNo }: Session, bought: Attempt): Promise<void> {
  for (const attempt of await listAttempts(tx, [id]))
    if (attempt.attemptNo !== bought.attemptNo && isUndecided(attempt))
      await closeAttempt(
        ctx,
        tx,
        attempt,
        { outcome: 'superseded' },
        EVENTS.superseded(id, supplierOrderNo ?? '', attempt.attemptNo, bought.attemptNo),
      )
}

/** The supplier repeats the order on record, as expected. A second order under the same number is reported for a person. */
export async function recordRepeatedOrder(
  ctx: Deps,
  tx: Tx,
  session: Session,
  attempt: Attempt,
  { externalRef }: Accepted,
): Promise<Settled> {
  // An order recorded under our own number may be named by the supplier's number later.
  const isNamed = session.supplierOrderNo !== session.id
  const isOther = isNamed && externalRef !== session.supplierOrderNo && attempt.outcome !== 'accepted'
  if (!isOther || (await findPurchaseByLabel(tx, session.vendor, externalRef)) !== undefined)
    return { session, hasWrittenEvent: false }
  const event = EVENTS.secondOrder(session.id, externalRef, session.supplierOrderNo ?? '', attempt.attemptNo)
  await closeAttempt(ctx, tx, attempt, { outcome: 'accepted' }, event)
  return { session, hasWrittenEvent: true }
}

const documentName = (handoff: Handoff): string | undefined =>
  'document' in handoff ? handoff.document.fileName : undefined

/** Every settlement without an order, also one that leaves the outcome open. */
export async function recordFailure(
  ctx: Deps,
  tx: Tx,
  session: Session,
  attempt: Attempt,
  settlement: Exclude<Settlement, { kind: 'accepted' }>,
): Promise<Settled> {
  const { outcomeUnknown: _, handoff: _handoff, ...withoutOutcome } = session
  const statusAfterFailure = advance(session.status, 'fail')
  if (!statusAfterFailure) throw new Error(`${session.id} is ${session.status} and has no attempt that could fail`)
  const { kind, text } = settlement
  const now = ctx.clock.now()
  const next: Session =
    kind === 'unknown'
      ? { ...session, orderMayExist: true, outcomeUnknown: mergeOutcomeUnknown(session, settlement, now) }
      : kind === 'handed_off'
        ? { ...withoutOutcome, orderMayExist: true, handoff: settlement.handoff }
        : {
            ...withoutOutcome,
            status: statusAfterFailure,
            orderMayExist: session.orderMayExist || kind !== 'no_order',
            ...(kind === 'not_placed' &&
              !settlement.freesBudget && { unconfirmedUntil: attempt.claimedAt + WINDOW_MS.week }),
          }
  const saved = await saveSession(tx, next)
  const denied = kind === 'no_order' ? settlement.denied : undefined
  const outcome = kind === 'no_order' ? settlement.outcome : kind
  // Also after the supplier refused: an order that exists nevertheless has to be found.
  if (mayHaveReachedSupplier({ outcome })) {
    const watched = { kind: 'purchase', subject: session.id, receiver: session.vendor } as const
    await watchEffect(tx, watched, now, ctx.config.upstreamTimeoutMs)
  }
  const event =
    kind === 'handed_off'
      ? EVENTS.handedOff(session.id, text, documentName(settlement.handoff))
      : kind === 'not_placed'
        ? EVENTS.recordedNotPlaced(session.id, text, settlement.recordedBy)
        : EVENTS.failed(session.id, denied ?? outcome, denied ? plainCode(denied) : FAILURE_SUMMARIES[kind], text)
  const freesBudget = kind === 'not_placed' && settlement.freesBudget
  await closeAttempt(ctx, tx, attempt, { outcome, denied, freesBudget }, event)
  return { session: saved, hasWrittenEvent: true }
}

/** The first time counts: a person may decide once the supplier has not known for long enough. */
const mergeOutcomeUnknown = (
  { outcomeUnknown }: Session,
  { text, onlyPersonKnows }: Extract<Settlement, { kind: 'unknown' }>,
  now: number,
): NonNullable<Session['outcomeUnknown']> => ({
  ...(outcomeUnknown ?? { since: now, text }),
  ...(onlyPersonKnows && { onlyPersonKnows }),
})

const FAILURE_SUMMARIES = {
  no_order: 'the supplier has no order',
  absent: 'the supplier never received the order',
  unknown: 'it is not known yet whether the supplier has the order',
} as const

/** Writes what came of an attempt, with its event. What is unknown may be written again. */
export async function closeAttempt(
  ctx: Deps,
  tx: Tx,
  { checkout, attemptNo }: Pick<Attempt, 'checkout' | 'attemptNo'>,
  end: AttemptEnd,
  event: ReturnType<typeof EVENTS.completed>,
): Promise<StoredEvent> {
  const storedEvent = await recordEvent(ctx, tx, event)
  const { reasoning: text } = event
  await updateAttempt(ctx, tx, checkout, attemptNo, { ...end, text, at: ctx.clock.now(), event: storedEvent.seq })
  return storedEvent
}

/** What is recorded of an accepted order: as it was agreed, at the total that the supplier asks. */
export const purchaseOf = (
  { id, vendor }: Pick<Session, 'id' | 'vendor'>,
  { lines, methods, totalFen, totals }: Pick<Intent, 'lines' | 'methods' | 'totalFen' | 'totals'>,
  order: { readonly externalRef: string; readonly placedAt: number; readonly chargedFen: Fen | undefined },
): NewPurchase => ({
  id,
  vendor,
  label: order.externalRef,
  placedAt: order.placedAt,
  totalFen: order.chargedFen ?? totalFen,
  ...(totals && { totals }),
  ...(order.chargedFen !== undefined && order.chargedFen !== totalFen && { agreedFen: totalFen }),
  lines: lines.map((line) => ({ id: line.id, item: itemView(line), quantity: line.quantity })),
  delivery: fulfillmentOf(methods[0]),
})

/** An order booked from the supplier's records has no method. */
function fulfillmentOf(method: Method | undefined): PurchaseFulfillment {
  if (!method) return { type: 'shipping', destination: {}, description: 'Not on record' }
  const destination = selectedDestination(method)?.address ?? {}
  if (method.type === 'shipping') return { type: 'shipping', destination, description: SHIPPING_OPTION.title }
  return {
    type: 'pickup',
    destination,
    description: titleOfSlot(method.selectedOptionId),
    ...(method.pickupAt === undefined ? {} : { at: method.pickupAt }),
  }
}
