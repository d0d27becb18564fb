/**
 * Asks the supplier about sessions with an attempt that may have reached it, until the outcome is known and for two days
 * more, as an order may arrive late. Recovery only asks; it never buys. An order counts as absent only once a request that
 * was sent could no longer arrive.
 */
import { type Questions, intervalAfter } from '../../../effects/watch.ts'
import { HOUR, MINUTE } from '../../../kernel/clock.ts'
import type { Failure, Result } from '../../../vendors/contract.ts'
import type { SupplyOrderStatus, SupplyVendor } from '../../../vendors/supply-vendor.ts'
import { type CheckoutContext, mayArriveForMs } from '../context.ts'
import { canBeAsked } from './outcome-rules.ts'
import { findSession, listUnwatchedSessions } from '../records.ts'
import type { Session } from '../session.ts'
import { type Settled, settle } from './settle.ts'
import { foundSettlement } from './settlement.ts'
import { TEXTS } from '../texts.ts'

export interface StatusCheck extends Settled {
  readonly answer: 'found' | 'absent' | 'undecided'
}

/** Asks once and settles the attempt if the answer decides it. Returns the session afterwards. */
export async function askAndSettle(ctx: CheckoutContext, supply: SupplyVendor, session: Session): Promise<StatusCheck> {
  // Read before the supplier is asked, so that the answer is newer than this.
  const isSettledOrRunning = session.status !== 'complete_in_progress' || mayArriveForMs(ctx, session) > 0
  const status = await askOrderStatus(ctx, supply, session)
  if (status.ok)
    return { answer: 'found', ...(await settle(ctx, session.id, session.attemptNo, foundSettlement(status.value))) }
  if (status.reason !== 'absent') {
    const { outcomeUnknown } = session
    const isStored = outcomeUnknown && (outcomeUnknown.onlyPersonKnows || !status.onlyPersonKnows)
    if (isSettledOrRunning || isStored || session.handoff)
      return { answer: 'undecided', session, hasWrittenEvent: false }
    // The call is over without an outcome on record, or it turns out that only a person can know it: from now on a person
    // can see it and decide it, at once or later.
    const unknown = {
      kind: 'unknown',
      text: TEXTS.outcomeNotRecorded,
      ...(needsPerson(status) && ONLY_PERSON),
    } as const
    return { answer: 'undecided', ...(await settle(ctx, session.id, session.attemptNo, unknown)) }
  }
  // A supplier that handed the purchase over, or sends e-mails, does not know of an order that exists.
  if (isSettledOrRunning || session.handoff || session.outcomeUnknown?.onlyPersonKnows)
    return { answer: 'absent', session, hasWrittenEvent: false }
  const text = TEXTS.absent
  return { answer: 'absent', ...(await settle(ctx, session.id, session.attemptNo, { kind: 'absent', text })) }
}

const ONLY_PERSON = { onlyPersonKnows: true } as const

const needsPerson = ({ reason, onlyPersonKnows }: Failure): boolean =>
  reason === 'unsupported' || onlyPersonKnows === true

/** A supplier without the capability is not asked, whatever its adapter would answer. */
export const askOrderStatus = (
  ctx: Pick<CheckoutContext, 'vendors'>,
  supply: SupplyVendor,
  { id, vendor }: Pick<Session, 'id' | 'vendor'>,
): Promise<Result<SupplyOrderStatus>> =>
  canBeAsked(ctx, vendor)
    ? supply.orderStatus(id)
    : Promise.resolve({ ok: false, reason: 'unsupported', message: TEXTS.statusNotRead })

/** A purchase in progress is asked about more often. */
const LONGEST_INTERVAL_IN_PROGRESS_MS = 5 * MINUTE
const LONGEST_INTERVAL_MS = HOUR

export const purchaseQuestions = (ctx: CheckoutContext): Questions<Session> => ({
  kind: 'purchase',
  asksTogether: false,
  async findUnwatched(limit) {
    const found = await listUnwatchedSessions(ctx.store.db, limit)
    return found.map(({ id, vendor }) => ({ subject: id, receiver: vendor }))
  },
  async load({ subject, timesAsked }) {
    const session = await findSession(ctx.store.db, subject)
    if (!session || session.status === 'completed' || session.supplierOrderNo !== undefined) return undefined
    if (session.status !== 'complete_in_progress' && !canBeAsked(ctx, session.vendor)) return undefined
    return { effect: session, nextMs: nextInterval(ctx, session, timesAsked) }
  },
  async ask([session]) {
    if (!session) return []
    const supply = ctx.vendors.supply(session.vendor)
    if (!supply.ok) {
      ctx.log.warn({ checkout: session.id }, 'The supplier of a checkout session is not live and cannot be asked')
      return ['open']
    }
    const { answer } = await askAndSettle(ctx, supply.value, session)
    return [answer === 'absent' && session.status !== 'complete_in_progress' ? 'absent' : 'open']
  },
})

/** If this process has not waited long enough to trust *absent*, the next question is when it has. */
function nextInterval(ctx: CheckoutContext, session: Session, timesAsked: number): number {
  const { upstreamTimeoutMs } = ctx.config
  if (session.status !== 'complete_in_progress')
    return intervalAfter(timesAsked, upstreamTimeoutMs, LONGEST_INTERVAL_MS)
  const interval = intervalAfter(timesAsked, upstreamTimeoutMs, LONGEST_INTERVAL_IN_PROGRESS_MS)
  const untilCertain = mayArriveForMs(ctx, session)
  return untilCertain > 0 ? Math.min(interval, Math.ceil(untilCertain)) : interval
}
