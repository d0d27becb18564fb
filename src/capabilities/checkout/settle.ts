/**
 * What came of an attempt goes on record: session, attempt, order and event in one transaction. The request that called
 * the supplier and the job that asked it later come through here, in any order, and one of them is enough.
 */
import type { Failure, SendDenial, SupplyOrderStatus } from '../../vendors/contract.ts'
import type { Tx } from '../../store/store.ts'
import { withdrawDecision } from '../approvals/index.ts'
import { recordEvent } from '../events/index.ts'
import type { Context } from '../context.ts'
import { findPurchaseByLabel, insertPurchase } from '../orders/index.ts'
import type { PurchaseDelivery } from '../orders/index.ts'
import { attemptOfOrder, attemptsOf, findAttempt, mayExist, mayHaveArrived, settleAttempt } from './attempts.ts'
import type { Attempt, AttemptOutcome } from './attempts.ts'
import { DELIVERY, selectedDestination } from './fulfillment.ts'
import { ConflictError, retryOnConflict } from '../../lib/retry-on-conflict.ts'
import { watchOrder } from './pending-orders.ts'
import { findSession, saveSession } from './records.ts'
import type { Method, Session } from './session.ts'
import { pickupSlots } from './pickup-slots.ts'
import { advance } from './transitions.ts'
import { itemView } from './view.ts'

type Needs = Pick<Context, 'store' | 'clock' | 'config'>

export type Settlement =
  /** The supplier has the order. */
  | { readonly kind: 'accepted'; readonly externalRef: string; readonly how: string }
  /** It certainly has not: it said no, or nothing reached it. */
  | {
      readonly kind: 'declined'
      readonly outcome: 'rejected' | 'unauthorized' | 'unsent' | 'unsupported'
      readonly text: string
      /** Our own guard called it off before anything was sent. */
      readonly denied?: SendDenial['code']
    }
  /** Sent, and still not there when it could no longer arrive. */
  | { readonly kind: 'absent'; readonly text: string }
  /** Nobody can tell yet. */
  | { readonly kind: 'unknown'; readonly text: string }

/** A session and the attempt under way, as one look saw them. */
export interface Claimed {
  readonly session: Session
  readonly attempt: Attempt
}

export interface Settled {
  readonly session: Session
  /** Whether this call wrote the event, or found the matter settled by somebody else. */
  readonly recorded: boolean
}

/** The session as it stands afterwards, whoever settled it. With `claimed` it is read again only after a version conflict. */
export function settle(ctx: Needs, id: string, n: number, settlement: Settlement, claimed?: Claimed): Promise<Settled> {
  let known = claimed
  return retryOnConflict(() =>
    ctx.store.transaction(async (tx) => {
      const { session, attempt } = known ?? (await loadAttempt(tx, id, n))
      known = undefined
      if (settlement.kind === 'accepted') {
        const bought = mayExist(attempt) ? attempt : ((await attemptOfOrder(tx, id)) ?? attempt)
        return session.supplierOrderNo === undefined
          ? recordAccepted(ctx, tx, session, bought, settlement)
          : alreadyBought(ctx, tx, session, attempt, settlement)
      }
      // Only the attempt that is out can be declined: somebody else's word was first, or a newer attempt is under way.
      if (session.status !== 'complete_in_progress' || session.attempt !== n) return { session, recorded: false }
      return recordFailure(ctx, tx, session, attempt, settlement)
    }),
  )
}

async function loadAttempt(tx: Tx, id: string, n: number): Promise<Claimed> {
  const session = await findSession(tx, id)
  const attempt = await findAttempt(tx, id, n)
  if (!session || !attempt) throw new Error(`attempt ${n} of ${id} is not on record`)
  return { session, attempt }
}

type Accepted = Extract<Settlement, { kind: 'accepted' }>

async function recordAccepted(
  ctx: Needs,
  tx: Tx,
  session: Session,
  attempt: Attempt,
  { externalRef, how }: Accepted,
): Promise<Settled> {
  const now = ctx.clock.now()
  const { lines, methods, totalFen, basket: orderHash } = attempt.intent
  const recorded = await insertPurchase(tx, {
    id: session.id,
    vendor: session.vendor,
    label: externalRef,
    placedAt: now,
    totalFen,
    lines: lines.map((line) => ({ id: line.id, item: itemView(line), quantity: line.quantity })),
    delivery: deliveryOf(methods[0], attempt.claimedAt, ctx.config),
  })
  if (!recorded) {
    const holder = await findPurchaseByLabel(tx, session.vendor, externalRef)
    if (holder === undefined || holder === session.id) throw new ConflictError()
    // Another session's order cannot be this one's; whether there is one for this is still to be told.
    const text = `the supplier answered with ${externalRef}, the order of ${holder}`
    return session.status === 'complete_in_progress'
      ? recordFailure(ctx, tx, session, attempt, { kind: 'unknown', text })
      : { session, recorded: false }
  }
  const bought: Partial<Session> = {
    lines,
    methods,
    totalFen,
    orderHash,
    supplierOrderNo: externalRef,
    orderMayExist: true,
  }
  const { unresolved: _, ...known } = { ...session, ...bought }
  // Called off or out of time before the order turned up: the session stays closed, the purchase is on record all the same.
  const status = session.status === 'canceled' ? 'canceled' : (surfaced(session.status) ?? 'completed')
  if (session.status === 'requires_escalation' && session.decision)
    if (!(await withdrawDecision(ctx, tx, session.decision, `${session.id} was bought by an earlier attempt`)))
      throw new ConflictError()
  const saved = await saveSession(tx, { ...known, status })
  if (!saved) throw new ConflictError()
  const late = status === 'canceled'
  await closeAttempt(ctx, tx, attempt, 'accepted', {
    summary: late
      ? `${session.id} was canceled, yet the supplier has order ${externalRef}`
      : `${session.id} completed: order ${externalRef}`,
    text: `${how} ${attempt.intent.authority.evidence}`,
  })
  if (session.attempt > 1) await supersedeOthers(ctx, tx, saved, attempt)
  return { session: saved, recorded: true }
}

const surfaced = (status: Session['status']) => advance(status, 'accept') ?? advance(status, 'surface')

/** An attempt that is still out when the order of another is found has its end here: its call finds the session bought. */
async function supersedeOthers(ctx: Needs, tx: Tx, { id, supplierOrderNo }: Session, bought: Attempt): Promise<void> {
  for (const attempt of await attemptsOf(tx, [id]))
    if (attempt.n !== bought.n && (attempt.outcome === undefined || attempt.outcome === 'unknown'))
      await closeAttempt(ctx, tx, attempt, 'superseded', {
        summary: `${id} was completed by attempt ${bought.n} while attempt ${attempt.n} was out: order ${supplierOrderNo}`,
        text: `The supplier answers a known number with its first order, so attempt ${attempt.n} places nothing.`,
      })
}

/** The supplier repeats the order on record, as it should. A second one under the same number is for a person to look at. */
async function alreadyBought(
  ctx: Needs,
  tx: Tx,
  session: Session,
  attempt: Attempt,
  { externalRef }: Accepted,
): Promise<Settled> {
  const isOther = externalRef !== session.supplierOrderNo && attempt.outcome !== 'accepted'
  if (!isOther || (await findPurchaseByLabel(tx, session.vendor, externalRef)) !== undefined)
    return { session, recorded: false }
  await closeAttempt(ctx, tx, attempt, 'accepted', {
    summary: `${session.id} has a second order: ${externalRef} beside ${session.supplierOrderNo}`,
    text: `The supplier answered attempt ${attempt.n} with ${externalRef}. One of the two has to be called off with it.`,
  })
  return { session, recorded: true }
}

async function recordFailure(
  ctx: Needs,
  tx: Tx,
  session: Session,
  attempt: Attempt,
  settlement: Exclude<Settlement, { kind: 'accepted' }>,
): Promise<Settled> {
  const { unresolved: _, ...known } = session
  const back = advance(session.status, 'decline')
  if (!back) throw new Error(`${session.id} is ${session.status} and cannot be declined`)
  const { kind, text } = settlement
  const now = ctx.clock.now()
  const next: Session =
    kind === 'unknown'
      ? { ...session, orderMayExist: true, unresolved: session.unresolved ?? { since: now, text } }
      : { ...known, status: back, orderMayExist: session.orderMayExist || kind === 'absent' }
  const saved = await saveSession(tx, next)
  if (!saved) throw new ConflictError()
  const denied = kind === 'declined' ? settlement.denied : undefined
  const outcome = kind === 'declined' ? settlement.outcome : kind
  // Also after the supplier's own no: an order that lands all the same has to be found.
  if (mayHaveArrived({ outcome })) await watchOrder(tx, session, now, ctx.config.upstreamTimeoutMs)
  await closeAttempt(ctx, tx, attempt, outcome, {
    summary: `${session.id} not completed: ${denied ?? SUMMARY[kind]}`,
    text,
    denied,
  })
  return { session: saved, recorded: true }
}

const SUMMARY = {
  declined: 'the supplier has no order',
  absent: 'the supplier never got the order',
  unknown: 'the supplier has not told whether it has the order',
} as const

async function closeAttempt(
  ctx: Needs,
  tx: Tx,
  { checkout, n }: Attempt,
  outcome: AttemptOutcome,
  { summary, text, denied }: { readonly summary: string; readonly text: string } & Partial<Pick<Attempt, 'denied'>>,
): Promise<void> {
  const event = await recordEvent(ctx, tx, { kind: 'checkout', summary, reasoning: text })
  await settleAttempt(tx, checkout, n, { outcome, text, denied, at: ctx.clock.now(), event: event.seq })
}

/** Without a method it is not known: only an order booked from the supplier's records has none. */
export function deliveryOf(method: Method | undefined, at: number, config: Context['config']): PurchaseDelivery {
  if (!method) return { type: 'shipping', destination: {}, description: 'Not on record' }
  const destination = selectedDestination(method)?.address ?? {}
  if (method.type === 'shipping') return { type: 'shipping', destination, description: DELIVERY.title }
  const slot = pickupSlots(at, config.timeZone, config.pickupHours).find(({ id }) => id === method.selectedOptionId)
  return {
    type: 'pickup',
    destination,
    description: slot?.title ?? 'Pickup',
    ...(method.pickupAt === undefined ? {} : { at: method.pickupAt }),
  }
}

/** The order certainly did not reach the supplier: nobody has to be asked. */
export function unsentSettlement({ reason, message, denied }: Failure): Settlement | undefined {
  if (reason !== 'unsent' && reason !== 'unsupported') return undefined
  return { kind: 'declined', outcome: reason, text: message, ...(denied && { denied }) }
}

/**
 * The supplier was asked and has no order. Its own no, in its documented form, is then final. Anything else, also a
 * gateway's 401 or 403, tells nothing about a request that was written: it may still arrive.
 */
export function refusedSettlement({ reason, message, documented }: Failure): Settlement {
  const isFinal = reason === 'rejected' || (reason === 'unauthorized' && documented)
  return isFinal ? { kind: 'declined', outcome: reason, text: message } : { kind: 'unknown', text: message }
}

export const found = ({ externalRef, description }: SupplyOrderStatus): Settlement => ({
  kind: 'accepted',
  externalRef,
  how: `The supplier was asked and has the order (${description}).`,
})
