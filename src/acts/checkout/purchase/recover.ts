/**
 * Asks the supplier about sessions with an attempt that may have reached it, until the outcome is known and for two days
 * more, as an order may arrive late. Recovery only asks; it never buys. An order counts as absent only once a request that
 * was sent could no longer arrive.
 */
import { SECOND } from '../../../kernel/clock.ts'
import type { Failure, Result } from '../../../vendors/contract.ts'
import type { SupplyOrderStatus, SupplyVendor } from '../../../vendors/supply-vendor.ts'
import { mapConcurrent } from '../../../lib/concurrency.ts'
import { type CheckoutContext, mayArriveForMs } from '../context.ts'
import { canBeAsked } from './outcome-rules.ts'
import {
  type PendingOrder,
  listDueOrders,
  intervalAfter,
  recordNotFound,
  recordStatusCheck,
  listUnscheduledSessions,
  listSuppliersWithDueChecks,
  endStatusChecks,
  scheduleStatusChecks,
} from './pending-order-records.ts'
import { findSession } from '../records.ts'
import type { Session } from '../session.ts'
import { type Settled, settle } from './settle.ts'
import { foundSettlement } from './settlement.ts'
import { TEXTS } from '../texts.ts'

export interface RecoveryLimits {
  /** Per supplier and round. */
  readonly statusChecks: number
  /** Status checks at the same time: half of the calls an upstream takes at once stay free for callers. */
  readonly concurrency: number
  /** After this long a round starts no further check. */
  readonly roundMs: number
}

const LIMITS: RecoveryLimits = { statusChecks: 100, concurrency: 8, roundMs: 20 * SECOND }

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

/** The job. Suppliers are asked in parallel, so that one that does not answer does not delay the others. */
export async function recoverOrders(ctx: CheckoutContext, limits: RecoveryLimits = LIMITS): Promise<void> {
  const { store, clock, config } = ctx
  for (const session of await listUnscheduledSessions(store.db, limits.statusChecks))
    await scheduleStatusChecks(store.db, session, clock.now(), config.upstreamTimeoutMs)
  const suppliers = await listSuppliersWithDueChecks(store.db, clock.now())
  await Promise.all(suppliers.map((vendor) => recoverFromSupplier(ctx, vendor, limits)))
}

async function recoverFromSupplier(ctx: CheckoutContext, vendor: string, limits: RecoveryLimits): Promise<void> {
  const { store, clock } = ctx
  const endsAt = clock.elapsed() + limits.roundMs
  const due = await listDueOrders(store.db, vendor, clock.now(), limits.statusChecks)
  await mapConcurrent(limits.concurrency, due, async (pending) => {
    if (clock.elapsed() >= endsAt) return
    try {
      await recoverOrder(ctx, pending)
    } catch (err) {
      ctx.log.error(
        { checkout: pending.checkout, err },
        'A checkout session could not be settled; the supplier is asked again',
      )
    }
  })
}

async function recoverOrder(ctx: CheckoutContext, pending: PendingOrder): Promise<void> {
  const { store, clock } = ctx
  const session = await findSession(store.db, pending.checkout)
  if (!session || session.status === 'completed' || session.supplierOrderNo !== undefined)
    return endStatusChecks(store.db, pending.checkout)
  if (session.status !== 'complete_in_progress' && !canBeAsked(ctx, session.vendor))
    return endStatusChecks(store.db, pending.checkout)
  await recordStatusCheck(store.db, pending, clock.now(), nextInterval(ctx, session, pending))
  const supply = ctx.vendors.supply(session.vendor)
  if (!supply.ok)
    return ctx.log.warn({ checkout: session.id }, 'The supplier of a checkout session is not live and cannot be asked')
  const { answer } = await askAndSettle(ctx, supply.value, session)
  if (answer === 'absent' && session.status !== 'complete_in_progress') await recordNotFound(store.db, pending)
}

/** If this process has not waited long enough to trust *absent*, the next check is when it has. */
function nextInterval(ctx: CheckoutContext, session: Session, { checksMade }: PendingOrder): number {
  const { upstreamTimeoutMs } = ctx.config
  const interval = intervalAfter(session, checksMade, upstreamTimeoutMs)
  if (session.status !== 'complete_in_progress') return interval
  const untilCertain = mayArriveForMs(ctx, session)
  return untilCertain > 0 ? Math.min(interval, Math.ceil(untilCertain)) : interval
}
