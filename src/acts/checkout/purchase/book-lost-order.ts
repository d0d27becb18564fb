/**
 * Books an order that only the supplier has on record, after a restore lost our attempt. The supplier reports no lines:
 * they come from the session if it is still on record; otherwise the order is booked without lines, at the total that the
 * supplier states, with a message that says so.
 */
import type { Namespace } from '../../../kernel/ids.ts'
import { type Message, warning } from '../../../kernel/message.ts'
import type { Tx } from '../../../store/store.ts'
import type { SupplyOrderStatus } from '../../../vendors/supply-vendor.ts'
import { eventId, recordEvent } from '../../../record/events/index.ts'
import type { Context } from '../../../context.ts'
import { findPurchaseByLabel, insertPurchase } from '../../orders/index.ts'
import { addOrderMessages } from '../../../record/outbox/index.ts'
import { type Intent, insertAttempt, updateAttempt } from './attempt-records.ts'
import { orderContents } from '../basket/basket.ts'
import { withdrawPending } from '../close.ts'
import { emptySession } from '../create.ts'
import { ConflictError, retryOnConflict } from '../../../lib/concurrency.ts'
import { findSession, insertSession, saveSession } from '../records.ts'
import { raiseCounter } from '../../../store/order-numbers.ts'
import type { Session } from '../session.ts'
import { purchaseOf } from './record-settlement.ts'
import { EVENTS, TEXTS } from '../texts.ts'
import { plainTotals } from '../basket/totals.ts'

type Deps = Pick<Context, 'store' | 'clock' | 'config'>

export interface LostOrder {
  readonly checkout: string
  readonly vendor: Namespace
  readonly status: SupplyOrderStatus
}

/** Undefined when it was booked, otherwise why not. */
export const bookLostOrder = (ctx: Deps, order: LostOrder, by: string): Promise<string | undefined> =>
  retryOnConflict(() => ctx.store.transaction((tx) => book(ctx, tx, order, by)))

async function book(ctx: Deps, tx: Tx, order: LostOrder, by: string): Promise<string | undefined> {
  const { checkout: id, vendor, status } = order
  const { externalRef } = status
  const now = ctx.clock.now()
  const placedAt = status.createdAt ?? now
  const recordedFor = await findPurchaseByLabel(tx, vendor, externalRef)
  if (recordedFor !== undefined) return `${externalRef} is already recorded as the order of ${recordedFor}`
  const known = await findSession(tx, id)
  const why = known && reasonNotToBook(known, order)
  if (why !== undefined) return why

  const session = known ? await saveAsBought(ctx, tx, known, externalRef) : await insertAsBought(tx, order, placedAt)
  const { lines, methods, totalFen, totals, orderHash } = session
  const orderOfSession = orderContents(session)
  const evidence = `Booked from the supplier's records by ${by}.`
  const intent: Intent = {
    ...(orderOfSession ? { order: orderOfSession } : {}),
    lines,
    methods,
    totalFen,
    ...(totals && { totals }),
    orderHash,
    authority: { withinRules: false, repairedBy: by, evidence },
  }
  await insertAttempt(ctx, tx, session, session.attemptNo, placedAt, intent)
  // Without a session nothing was agreed that a stated total could be compared with.
  const chargedFen = known ? status.totalFen : undefined
  const purchase = purchaseOf(session, intent, { externalRef, placedAt, chargedFen })
  if (!(await insertPurchase(tx, purchase))) throw new ConflictError()
  const event = await recordEvent(ctx, tx, EVENTS.booked(id, externalRef, `${evidence} ${describeContents(session)}`))
  const end = { outcome: 'accepted', text: evidence, at: now, event: event.seq } as const
  await updateAttempt(ctx, tx, id, session.attemptNo, end)
  await addOrderMessages(ctx, tx, {
    id,
    kind: 'purchase',
    orderedAt: placedAt,
    occurredAt: now,
    created: { agent: session.agent },
    eventId: eventId(event),
  })
  // A session on record has taken its number already, and its caller may have chosen one far from the counter.
  if (!known) await raiseCounter(tx, id)
  return undefined
}

function reasonNotToBook(session: Session, { vendor, status }: LostOrder): string | undefined {
  if (session.vendor !== vendor) return `The session with this number is an order to ${session.vendor}`
  if (session.attemptNo > 0 || session.supplierOrderNo !== undefined)
    return 'The session was attempted in the meantime. Run "vendops audit" again'
  // After a restore the counter assigns numbers again, so the session may be a new one with another basket.
  if (status.createdAt === null || status.createdAt < session.createdAt)
    return 'The session with this number was created after the order, or the supplier does not state when it placed the order, so it may be another purchase. Cancel the session and settle the order with the supplier'
  return undefined
}

function describeContents({ lines, totals }: Session): string {
  if (lines.length > 0) return TEXTS.contentsFromSession
  return totals === undefined ? TEXTS.contentsUnknown : TEXTS.linesUnknown
}

const restoredWarning = (session: Session): Message =>
  warning('order_restored', describeContents(session), '$.line_items')

async function saveAsBought(ctx: Deps, tx: Tx, session: Session, supplierOrderNo: string): Promise<Session> {
  await withdrawPending(ctx, tx, session, 'was bought before a backup was restored')
  const status = session.status === 'canceled' ? 'canceled' : 'completed'
  const findings = [...session.findings, restoredWarning(session)]
  return saveSession(tx, { ...session, status, attemptNo: 1, orderMayExist: true, supplierOrderNo, findings })
}

async function insertAsBought(tx: Tx, { checkout, vendor, status }: LostOrder, at: number): Promise<Session> {
  const empty: Session = {
    ...emptySession(checkout, vendor, '', at),
    status: 'completed',
    attemptNo: 1,
    orderMayExist: true,
    supplierOrderNo: status.externalRef,
    // Counts towards the limits.
    ...(status.totalFen !== undefined && { totalFen: status.totalFen, totals: plainTotals(status.totalFen) }),
  }
  const session = { ...empty, findings: [restoredWarning(empty)] }
  if (!(await insertSession(tx, session))) throw new ConflictError()
  return session
}
