/**
 * What came of an attempt goes on record: session, attempt, order and event in one transaction. The request that called
 * the supplier and the job that asked it later come through here, in any order, and one of them is enough.
 */
import type { Failure, SendDenial, SupplyOrderStatus } from '../../vendors/contract.ts'
import type { Tx } from '../../store/db.ts'
import { withdrawDecision } from '../approvals/records.ts'
import { recordEvent } from '../events/records.ts'
import type { Floor } from '../floor.ts'
import { holderOf, insertPurchase } from '../orders/purchase-records.ts'
import type { PurchaseDelivery } from '../orders/purchase-records.ts'
import { findAttempt, lastSentAttempt, settleAttempt } from './attempts.ts'
import type { Attempt, AttemptOutcome } from './attempts.ts'
import { DELIVERY, selectedDestination } from './fulfillment.ts'
import { LostRace, untilWon } from './lost.ts'
import { findSession, saveSession } from './records.ts'
import type { Method, Session } from './session.ts'
import { pickupSlots } from './slots.ts'
import { advance } from './transitions.ts'
import { itemView } from './view.ts'

type Needs = Pick<Floor, 'store' | 'clock' | 'config'>

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

/**
 * The session as it stands afterwards, whoever settled it. The one who claimed it knows what is on record, and looks only
 * when it turns out that somebody was there in between.
 */
export function settle(
  floor: Needs,
  id: string,
  n: number,
  settlement: Settlement,
  claimed?: Claimed,
): Promise<Session> {
  let known = claimed
  return untilWon(() =>
    floor.store.transaction(async (tx) => {
      const { session, attempt } = known ?? (await onRecord(tx, id, n))
      known = undefined
      if (settlement.kind === 'accepted') {
        const declined = attempt.outcome !== undefined && attempt.outcome !== 'absent' && attempt.outcome !== 'unknown'
        const bought = declined ? ((await lastSentAttempt(tx, id)) ?? attempt) : attempt
        return accepted(floor, tx, session, bought, settlement)
      }
      // Only the attempt that is out can be declined: somebody else's word was first, or a newer attempt is under way.
      if (session.status !== 'complete_in_progress' || session.attempt !== n) return session
      return undecided(floor, tx, session, attempt, settlement)
    }),
  )
}

async function onRecord(tx: Tx, id: string, n: number): Promise<Claimed> {
  const session = await findSession(tx, id)
  const attempt = await findAttempt(tx, id, n)
  if (!session || !attempt) throw new Error(`attempt ${n} of ${id} is not on record`)
  return { session, attempt }
}

async function accepted(
  floor: Needs,
  tx: Tx,
  session: Session,
  attempt: Attempt,
  { externalRef, how }: Extract<Settlement, { kind: 'accepted' }>,
): Promise<Session> {
  if (session.status === 'completed' || session.label !== undefined) return session
  const now = floor.clock.now()
  const { lines, methods, totalFen, basket } = attempt.intent
  const recorded = await insertPurchase(tx, {
    id: session.id,
    vendor: session.vendor,
    label: externalRef,
    placedAt: now,
    totalFen,
    lines: lines.map((line) => ({ id: line.id, item: itemView(line), quantity: line.quantity })),
    delivery: deliveryOf(methods[0], attempt.claimedAt, floor.config),
  })
  if (!recorded) {
    const holder = await holderOf(tx, session.vendor, externalRef)
    if (holder === undefined || holder === session.id) throw new LostRace()
    // Another session's order cannot be this one's; whether there is one for this is still to be told.
    const text = `the supplier answered with ${externalRef}, the order of ${holder}`
    return session.status === 'complete_in_progress'
      ? undecided(floor, tx, session, attempt, { kind: 'unknown', text })
      : session
  }
  const bought = { ...session, lines, methods, totalFen, basket, label: externalRef, sent: true }
  const { unknown: _, ...known } = bought
  // Called off or out of time before the order turned up: the session stays closed, the purchase is on record all the same.
  const status = session.status === 'canceled' ? 'canceled' : (surfaced(session.status) ?? 'completed')
  if (session.status === 'requires_escalation' && session.decision)
    if (!(await withdrawDecision(floor, tx, session.decision, `${session.id} was bought by an earlier attempt`)))
      throw new LostRace()
  const saved = await saveSession(tx, { ...known, status })
  if (!saved) throw new LostRace()
  const late = status === 'canceled'
  await conclude(floor, tx, saved, attempt, 'accepted', {
    summary: late
      ? `${session.id} was canceled, yet the supplier has order ${externalRef}`
      : `${session.id} completed: order ${externalRef}`,
    text: `${how} ${attempt.intent.authority.evidence}`,
  })
  return saved
}

const surfaced = (status: Session['status']) => advance(status, 'accept') ?? advance(status, 'surface')

async function undecided(
  floor: Needs,
  tx: Tx,
  session: Session,
  attempt: Attempt,
  settlement: Exclude<Settlement, { kind: 'accepted' }>,
): Promise<Session> {
  const { unknown: _, ...known } = session
  const back = advance(session.status, 'decline')
  if (!back) throw new Error(`${session.id} is ${session.status} and cannot be declined`)
  const { kind, text } = settlement
  const next: Session =
    kind === 'unknown'
      ? { ...session, sent: true, unknown: session.unknown ?? { since: floor.clock.now(), text } }
      : { ...known, status: back, sent: session.sent || kind === 'absent' }
  const saved = await saveSession(tx, next)
  if (!saved) throw new LostRace()
  const denied = kind === 'declined' ? settlement.denied : undefined
  await conclude(floor, tx, saved, attempt, kind === 'declined' ? settlement.outcome : kind, {
    summary: `${session.id} not completed: ${denied ?? SUMMARY[kind]}`,
    text,
    denied,
  })
  return saved
}

const SUMMARY = {
  declined: 'the supplier has no order',
  absent: 'the supplier never got the order',
  unknown: 'the supplier has not told whether it has the order',
} as const

async function conclude(
  floor: Needs,
  tx: Tx,
  session: Session,
  attempt: Attempt,
  outcome: AttemptOutcome,
  { summary, text, denied }: { readonly summary: string; readonly text: string } & Partial<Pick<Attempt, 'denied'>>,
): Promise<void> {
  const event = await recordEvent(floor, tx, { kind: 'checkout', summary, reasoning: text })
  await settleAttempt(tx, session.id, attempt.n, { outcome, text, denied, at: floor.clock.now(), event: event.seq })
}

function deliveryOf(method: Method | undefined, at: number, config: Floor['config']): PurchaseDelivery {
  if (!method) throw new Error('an attempt was claimed without fulfillment')
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

/** What the supplier's own answer to the order means. Undefined: it means nothing, the supplier has to be asked. */
export function settlementOf(failure: Failure): Settlement | undefined {
  switch (failure.reason) {
    case 'rejected':
    case 'unauthorized':
    case 'unsent':
    case 'unsupported':
      return {
        kind: 'declined',
        outcome: failure.reason,
        text: failure.text,
        ...(failure.denied && { denied: failure.denied }),
      }
    case 'absent':
    case 'limited':
    case 'unknown':
      return undefined
  }
}

export const found = ({ externalRef, description }: SupplyOrderStatus): Settlement => ({
  kind: 'accepted',
  externalRef,
  how: `The supplier was asked and has the order (${description}).`,
})
