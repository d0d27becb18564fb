/**
 * Sessions whose outcome is not known are asked about until it is. Recovery asks; it never buys. That the supplier has
 * no order is believed only once a request that was sent could no longer arrive.
 */
import { HOUR, MINUTE } from '../../kernel/clock.ts'
import type { Answer, SupplyOrderStatus, SupplyVendor } from '../../vendors/contract.ts'
import type { Desk } from './desk.ts'
import { sessionsClosedAfterSending, sessionsInProgress } from './records.ts'
import type { Session } from './session.ts'
import { found, settle } from './settle.ts'
import { certainAfter } from './watch.ts'

const AT_ONCE = 100
const LATE_WATCH_MS = 24 * HOUR
const LATE_REST_MS = 10 * MINUTE

/** One question, and what follows from the answer; the session as it stands then. */
export async function ask(desk: Desk, supply: SupplyVendor, session: Session): Promise<Session> {
  // Looked at before the question: what the answer says is true of a moment after this one.
  const seenFor = desk.watch.seenFor(session)
  const status = await orderStatus(supply, session.id)
  if (status.ok) return settle(desk, session.id, session.attempt, found(status.value))
  if (status.reason === 'absent' && seenFor >= certainAfter(session, desk.config.upstreamTimeoutMs))
    return settle(desk, session.id, session.attempt, {
      kind: 'absent',
      text: 'The supplier was asked after the order could no longer arrive, and has none.',
    })
  return session
}

/** An adapter that throws has told as little as a line that broke. */
export async function orderStatus(supply: SupplyVendor, ref: string): Promise<Answer<SupplyOrderStatus>> {
  try {
    return await supply.orderStatus(ref)
  } catch (failure) {
    return { ok: false, reason: 'unknown', text: 'the supplier could not be asked', raw: String(failure) }
  }
}

/** The job. One session that cannot be settled does not hold up the others. */
export async function recover(desk: Desk): Promise<void> {
  const { store, clock, config } = desk
  const open = await sessionsInProgress(store.db, AT_ONCE)
  const late = await sessionsClosedAfterSending(store.db, clock.now() - LATE_WATCH_MS, AT_ONCE)
  desk.watch.keepOnly([...open, ...late])
  for (const session of open) {
    if (desk.watch.seenFor(session) < certainAfter(session, config.upstreamTimeoutMs)) continue
    await askWhenDue(desk, session, config.upstreamTimeoutMs)
  }
  for (const session of late) if (session.label === undefined) await askWhenDue(desk, session, LATE_REST_MS)
}

async function askWhenDue(desk: Desk, session: Session, restMs: number): Promise<void> {
  if (!desk.watch.isDue(session)) return
  desk.watch.asked(session, restMs)
  const supply = desk.vendors.supply(session.vendor)
  if (!supply.ok) return desk.log.warn({ checkout: session.id }, 'its supplier is not live and cannot be asked')
  try {
    await ask(desk, supply.value, session)
  } catch (err) {
    desk.log.error({ checkout: session.id, err }, 'a checkout could not be settled; it is asked about again')
  }
}
