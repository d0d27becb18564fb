/**
 * One attempt to buy, from the intent on disk to a certain outcome. No order is placed twice: a session is claimed by one
 * call, which sends once. None is lost: the claim is stored before the supplier is called, and what is not certain
 * afterwards is asked about until it is. No transaction is open during a call. Step by step: docs/reliability.md.
 */
import { isTooLateToSend } from '../../../effects/arrival.ts'
import { type Questions, intervalAfter } from '../../../effects/watch.ts'
import { HOUR, MINUTE } from '../../../kernel/clock.ts'
import { ConflictError, retryOnConflict } from '../../../lib/concurrency.ts'
import type { Context } from '../../../context.ts'
import type { Tx } from '../../../store/store.ts'
import type { Failure, Result } from '../../../vendors/contract.ts'
import type { SupplyOrder, SupplyOrderStatus, SupplyVendor } from '../../../vendors/supply-vendor.ts'
import {
  type Rules,
  describeEvidence,
  hasSpendingWindows,
  readGuard,
  sendPermit,
} from '../../../rules/guardrails/index.ts'
import { type AssessedPurchase, basketVerdict, loadCovered } from '../basket/assess-basket.ts'
import { orderToSend, orderContents } from '../basket/basket.ts'
import { type CheckoutContext, mayArriveForMs } from '../context.ts'
import { type claimSession, findSession, listUnwatchedSessions } from '../records.ts'
import type { Session } from '../session.ts'
import { TEXTS } from '../texts.ts'
import {
  type Attempt,
  type Intent,
  findAttempt,
  findAttemptOfOrder,
  insertAttempt,
  listAttempts,
} from './attempt-records.ts'
import {
  type Settlement,
  canBeAsked,
  foundSettlement,
  mayHaveOrder,
  mayHaveReachedSupplier,
  placementSettlement,
  refusedSettlement,
  unsentSettlement,
} from './outcomes.ts'
import { type Settled, recordAccepted, recordFailure, recordRepeatedOrder } from './record-settlement.ts'
import { loadSpendingTotals, lockSpending } from './spending-records.ts'

/** Stores the intent, sends once, and records what came of it. `claim` fails if another call claimed the session or changed it. */
export async function buy(
  ctx: CheckoutContext,
  supply: SupplyVendor,
  session: Session,
  { assessment, products, rules }: AssessedPurchase,
  claim: typeof claimSession,
): Promise<Session> {
  const order = orderContents(session)
  if (!order) throw new Error(`${session.id} is ready to complete but has no supplier order`)
  const attemptNo = session.attemptNo + 1
  const { allowed, evidence } = assessment.verdict
  const decision = session.decision ?? session.runApproval?.decision
  const intent: Intent = {
    order,
    lines: session.lines,
    methods: session.methods,
    totalFen: session.totalFen,
    ...(session.totals && { totals: session.totals }),
    orderHash: session.orderHash,
    authority: {
      withinRules: allowed,
      ...(decision === undefined ? {} : { decision }),
      evidence: describeEvidence(evidence),
    },
  }
  const toSend: SupplyOrder = {
    ...orderToSend(session, order, products, ctx.config.currency),
    ...((await isRecordedAsNotPlaced(ctx, session)) && { isRecordedAsNotPlaced: true }),
  }
  const claimedAt = ctx.clock.elapsed()
  const claimed = await ctx.store.transaction(async (tx) => {
    // Engaged or changed since the assessment: start again; the next check goes by what holds now.
    const { killSwitch, stored } = await readGuard(tx)
    if (killSwitch || stored.revision !== rules.revision) throw new ConflictError()
    if (allowed) await requireStillAllowed(ctx, tx, session, rules)
    const claimedSession = await claim(tx, session)
    const attempt = await insertAttempt(ctx, tx, session, attemptNo, ctx.clock.now(), intent)
    return { session: claimedSession, attempt }
  })
  ctx.onCheckpoint?.('claimed')
  const settlement = await sendOrder(ctx, supply, claimed.session, toSend, claimedAt, rules)
  ctx.onCheckpoint?.('answered')
  // The event is written by this call, or by the recovery job if it found the order first.
  const { session: settled } = await settle(ctx, session.id, attemptNo, settlement, claimed)
  ctx.onCheckpoint?.('settled')
  // Starts the time after which *absent* may be believed (ADR 13).
  if (settled.status === 'complete_in_progress') mayArriveForMs(ctx, settled)
  return settled
}

/** A person said that the last attempt which may have reached the supplier placed nothing. */
const isRecordedAsNotPlaced = async ({ store }: CheckoutContext, { id, attemptNo }: Session): Promise<boolean> =>
  attemptNo > 0 && (await listAttempts(store.db, [id])).findLast(mayHaveReachedSupplier)?.outcome === 'not_placed'

/**
 * Other purchases may have used up the budget since the assessment. The call then starts again and is assessed with what
 * counts by now. What the owner approved is not compared again.
 */
async function requireStillAllowed({ clock }: CheckoutContext, tx: Tx, session: Session, rules: Rules): Promise<void> {
  if (!hasSpendingWindows(rules)) return
  await lockSpending(tx)
  const now = clock.now()
  const spent = await loadSpendingTotals(tx, rules, now)
  const { runApproval } = session
  if (
    !basketVerdict({ ...session, runApproval }, { rules, now, spent, ...(await loadCovered(tx, session, now)) }).allowed
  )
    throw new ConflictError()
}

/** Sends the order. Unless it was accepted or certainly not sent, asks once whether it exists: no refusal is trusted alone. */
async function sendOrder(
  ctx: CheckoutContext,
  supply: SupplyVendor,
  session: Session,
  order: SupplyOrder,
  claimedAt: number,
  rules: Rules,
): Promise<Settlement> {
  if (isTooLateToSend(ctx, claimedAt)) return { kind: 'no_order', outcome: 'unsent', text: TEXTS.tooLateToSend }
  try {
    ctx.sentNumbers.add(session.id)
  } catch (err) {
    ctx.log.error({ err }, 'The number of an order could not be recorded')
    return { kind: 'no_order', outcome: 'unsent', text: TEXTS.numberNotRecorded }
  }
  const answer = await supply.createOrder(order, sendPermit(ctx, rules))
  if (answer.ok) return placementSettlement(answer.value)
  const unsent = unsentSettlement(answer)
  if (unsent) return unsent
  const status = await askOrderStatus(ctx, supply, session)
  if (status.ok) return foundSettlement(status.value)
  if (status.reason === 'absent' || status.reason === 'unsupported')
    return refusedSettlement(answer, status.reason === 'absent')
  return { kind: 'unknown', text: answer.message, ...(answer.onlyPersonKnows && { onlyPersonKnows: true }) }
}

/** A session with its attempt in progress, of the same version. */
export interface Claimed {
  readonly session: Session
  readonly attempt: Attempt
}

/**
 * Records what came of an attempt. The call that sent it, the recovery job and a person settle it, in any order; the first one
 * counts. Returns the session afterwards, also when another one settled it. With `claimed` it is read again only after a
 * conflict.
 */
export function settle(
  ctx: Pick<Context, 'store' | 'clock' | 'config'>,
  id: string,
  attemptNo: number,
  settlement: Settlement,
  claimed?: Claimed,
): Promise<Settled> {
  let claim = claimed
  return retryOnConflict(() =>
    ctx.store.transaction(async (tx) => {
      const { session, attempt } = claim ?? (await loadAttempt(tx, id, attemptNo))
      claim = undefined
      if (settlement.kind === 'accepted') {
        const acceptedAttempt = mayHaveOrder(attempt) ? attempt : ((await findAttemptOfOrder(tx, id)) ?? attempt)
        return session.supplierOrderNo === undefined
          ? recordAccepted(ctx, tx, session, acceptedAttempt, settlement)
          : recordRepeatedOrder(ctx, tx, session, attempt, settlement)
      }
      // Only the attempt in progress can fail: otherwise another call settled it first, or a newer attempt is running.
      if (session.status !== 'complete_in_progress' || session.attemptNo !== attemptNo)
        return { session, hasWrittenEvent: false }
      return recordFailure(ctx, tx, session, attempt, settlement)
    }),
  )
}

async function loadAttempt(tx: Tx, id: string, attemptNo: number): Promise<Claimed> {
  const session = await findSession(tx, id)
  const attempt = await findAttempt(tx, id, attemptNo)
  if (!session || !attempt) throw new Error(`Attempt ${attemptNo} of ${id} is not on record`)
  return { session, attempt }
}

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
