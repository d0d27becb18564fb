/** Ends a session without an order: canceled or expired. The supplier is not called. */
import { error } from '../../kernel/message.ts'
import type { Tx } from '../../store/store.ts'
import { withdrawDecision } from '../../rules/approvals/index.ts'
import { recordEvent } from '../../record/events/index.ts'
import type { WriteContext } from '../../context.ts'
import { ConflictError, retryOnConflict } from '../../lib/concurrency.ts'
import { orderHashOf } from './basket/basket.ts'
import { OPTION_PATH } from './basket/fulfillment.ts'
import { findSession, listOpenPickups, listOverdueSessions, saveSession } from './records.ts'
import { type Method, type Session, isOverdue } from './session.ts'
import { EVENTS, TEXTS } from './texts.ts'
import { advance } from './transitions.ts'

type Deps = WriteContext

/** Withdraws the decision that a session waits for; `what` happened to the session. */
export async function withdrawPending(ctx: Deps, tx: Tx, session: Session, what: string): Promise<void> {
  if (session.status === 'requires_escalation' && session.decision)
    if (!(await withdrawDecision(ctx, tx, session.decision, `${session.id} ${what}.`))) throw new ConflictError()
}

/** In the caller's transaction. Locks the pending decision first, then the session. */
export async function closeSession(ctx: Deps, tx: Tx, session: Session, as: 'canceled' | 'expired'): Promise<Session> {
  const status = advance(session.status, as === 'expired' ? 'expire' : 'cancel')
  if (!status) throw new Error(`A checkout session that is ${session.status} cannot be closed`)
  await withdrawPending(ctx, tx, session, as)
  const saved = await saveSession(tx, { ...session, status, closed: { as, at: ctx.clock.now() } })
  await recordEvent(ctx, tx, EVENTS.closed(session.id, as))
  return saved
}

/**
 * A pickup hour that has passed cannot be had any more: the session is incomplete until another one is chosen. What the
 * owner approved stays approved; a decision that waits is withdrawn, as the session waits for its caller again.
 */
async function clearPassedPickup(ctx: Deps, session: Session): Promise<Session> {
  if (!hasPassedPickup(session, ctx.clock.now())) return session
  return retryOnConflict(async () => {
    const current = (await findSession(ctx.store.db, session.id)) ?? session
    if (!hasPassedPickup(current, ctx.clock.now())) return current
    return ctx.store.transaction(async (tx) => {
      await withdrawPending(ctx, tx, current, 'has no pickup time any more')
      return saveSession(tx, withoutPickup(current))
    })
  })
}

/** Not where an order may exist: completing asks the supplier about it first. */
const hasPassedPickup = ({ status, methods: [method], orderMayExist }: Session, now: number): boolean =>
  (status === 'ready_for_complete' || status === 'requires_escalation') &&
  !orderMayExist &&
  method?.pickupAt !== undefined &&
  method.pickupAt <= now

function withoutPickup(session: Session): Session {
  const { decision, ...rest } = session
  const methods = session.methods.map((method): Method => {
    const { pickupAt: _, ...chosen } = method
    return { ...chosen, selectedOptionId: null }
  })
  return {
    ...rest,
    ...(session.status === 'ready_for_complete' && decision !== undefined ? { decision } : {}),
    status: 'incomplete',
    methods,
    findings: [error('missing', TEXTS.chooseAgain, OPTION_PATH), ...session.findings],
    orderHash: orderHashOf({ ...session, methods }),
  }
}

/** As it is now: every read checks the expiry and the pickup time. */
export const refreshSession = async (ctx: Deps, session: Session): Promise<Session> =>
  clearPassedPickup(ctx, await closeIfOverdue(ctx, session))

/** Checks expiry on every read; returns the session as it is then. */
export async function closeIfOverdue(ctx: Deps, session: Session): Promise<Session> {
  if (!isOverdue(session, ctx.clock.now())) return session
  return retryOnConflict(async () => {
    const current = (await findSession(ctx.store.db, session.id)) ?? session
    if (!isOverdue(current, ctx.clock.now())) return current
    return ctx.store.transaction((tx) => closeSession(ctx, tx, current, 'expired'))
  })
}

const BATCH_SIZE = 200

/** The job, for sessions that are not read any more; and before they are listed. */
export async function expireOverdue(ctx: Deps): Promise<void> {
  for (const session of await listOpenPickups(ctx.store.db)) await clearPassedPickup(ctx, session)
  while (true) {
    const overdue = await listOverdueSessions(ctx.store.db, ctx.clock.now(), BATCH_SIZE)
    for (const session of overdue) await closeIfOverdue(ctx, session)
    if (overdue.length < BATCH_SIZE) return
  }
}
