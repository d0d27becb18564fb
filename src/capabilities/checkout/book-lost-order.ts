/**
 * Books an order that only the supplier has on record, after a restore lost our attempt. It says neither what it holds
 * nor what it cost: a session that is still on record tells, otherwise the order is booked without lines, and says so.
 */
import { CHECKOUT_LIFETIME_MS } from '../../contract/limits.ts'
import { ZERO } from '../../kernel/fen.ts'
import type { Namespace } from '../../kernel/ids.ts'
import { warning } from '../../kernel/message.ts'
import type { Message } from '../../kernel/message.ts'
import type { Tx } from '../../store/store.ts'
import type { SupplyOrderStatus } from '../../vendors/contract.ts'
import { withdrawDecision } from '../approvals/index.ts'
import { recordEvent } from '../events/index.ts'
import type { Context } from '../context.ts'
import { findPurchaseByLabel, insertPurchase } from '../orders/index.ts'
import { insertAttempt, settleAttempt } from './attempts.ts'
import type { Intent } from './attempts.ts'
import { supplierOrder } from './basket.ts'
import { ConflictError, retryOnConflict } from '../../lib/retry-on-conflict.ts'
import { findSession, insertSession, raiseCounter, saveSession } from './records.ts'
import type { Session } from './session.ts'
import { deliveryOf } from './settle.ts'
import { itemView } from './view.ts'

type Needs = Pick<Context, 'store' | 'clock' | 'config'>

export interface OrderOnlyThere {
  readonly checkout: string
  readonly vendor: Namespace
  readonly status: SupplyOrderStatus
}

/** Undefined when it is booked now; else why it could not be. */
export const bookLostOrder = (ctx: Needs, order: OrderOnlyThere, by: string): Promise<string | undefined> =>
  retryOnConflict(() => ctx.store.transaction((tx) => book(ctx, tx, order, by)))

async function book(ctx: Needs, tx: Tx, order: OrderOnlyThere, by: string): Promise<string | undefined> {
  const { checkout: id, vendor, status } = order
  const { externalRef } = status
  const now = ctx.clock.now()
  const placedAt = status.createdAt ?? now
  const holder = await findPurchaseByLabel(tx, vendor, externalRef)
  if (holder !== undefined) return `${externalRef} is on record as the order of ${holder}`
  const known = await findSession(tx, id)
  const why = known && reasonNotToBook(known, order)
  if (why !== undefined) return why

  const session = known ? await saveBought(ctx, tx, known, externalRef) : await insertBought(tx, order, placedAt)
  const { lines, methods, totalFen, orderHash } = session
  const meant = supplierOrder(session)
  const evidence = `Booked from the supplier's records by ${by}.`
  const intent: Intent = {
    ...(meant ? { order: meant } : {}),
    lines,
    methods,
    totalFen,
    basket: orderHash,
    authority: { withinRules: false, repairedBy: by, evidence },
  }
  await insertAttempt(tx, id, session.attempt, placedAt, intent)
  const purchase = {
    id,
    vendor,
    label: externalRef,
    placedAt,
    totalFen,
    lines: lines.map((line) => ({ id: line.id, item: itemView(line), quantity: line.quantity })),
    delivery: deliveryOf(methods[0], placedAt, ctx.config),
  }
  if (!(await insertPurchase(tx, purchase))) throw new ConflictError()
  const event = await recordEvent(ctx, tx, {
    kind: 'checkout',
    summary: `${id} booked from the supplier's records: order ${externalRef}`,
    reasoning: `${evidence} ${contentOf(session)}`,
  })
  await settleAttempt(tx, id, session.attempt, { outcome: 'accepted', text: evidence, at: now, event: event.seq })
  // A session on record holds its number already, and its caller may have chosen one far from those handed out.
  if (!known) await raiseCounter(tx, id)
  return undefined
}

function reasonNotToBook(session: Session, { vendor, status }: OrderOnlyThere): string | undefined {
  if (session.vendor !== vendor) return `the session of this number is an order to ${session.vendor}`
  if (session.attempt > 0 || session.supplierOrderNo !== undefined)
    return 'the session was attempted meanwhile; run the audit again'
  // After a restore numbers are handed out again: then the session of this number is a new one, with another basket.
  if (status.createdAt === null || status.createdAt < session.createdAt)
    return 'the session of this number is younger than the order, so it is another purchase; cancel the session, and settle the order with the supplier'
  return undefined
}

const contentOf = ({ lines }: Session): string =>
  lines.length > 0
    ? 'Its lines and sum are those of the session as last on record.'
    : 'What it holds and what it cost is not on record here; the supplier’s statement says so.'

const restoredNotice = (session: Session): Message => warning('order_restored', contentOf(session), '$.line_items')

async function saveBought(ctx: Needs, tx: Tx, session: Session, supplierOrderNo: string): Promise<Session> {
  if (session.status === 'requires_escalation' && session.decision)
    if (!(await withdrawDecision(ctx, tx, session.decision, `${session.id} was bought before a restore`)))
      throw new ConflictError()
  const status = session.status === 'canceled' ? 'canceled' : 'completed'
  const findings = [...session.findings, restoredNotice(session)]
  const saved = await saveSession(tx, {
    ...session,
    status,
    attempt: 1,
    orderMayExist: true,
    supplierOrderNo,
    findings,
  })
  if (!saved) throw new ConflictError()
  return saved
}

async function insertBought(tx: Tx, { checkout, vendor, status }: OrderOnlyThere, at: number): Promise<Session> {
  const empty: Session = {
    id: checkout,
    version: 1,
    status: 'completed',
    vendor,
    createdAt: at,
    expiresAt: at + CHECKOUT_LIFETIME_MS,
    assessedAt: at,
    createRequestHash: '',
    lines: [],
    methods: [],
    totalFen: ZERO,
    unavailableLines: [],
    findings: [],
    orderHash: '',
    attempt: 1,
    orderMayExist: true,
    supplierOrderNo: status.externalRef,
  }
  const session = { ...empty, findings: [restoredNotice(empty)] }
  if (!(await insertSession(tx, session))) throw new ConflictError()
  return session
}
