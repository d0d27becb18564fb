/**
 * Claims a session that may be completed, sends its order once, and settles the outcome. The claim is stored before the
 * supplier is called, and no transaction is open during the call.
 */
import type { Tx } from '../../../store/store.ts'
import type { SupplyOrder, SupplyVendor } from '../../../vendors/supply-vendor.ts'
import {
  type Rules,
  describeEvidence,
  hasSpendingWindows,
  readGuard,
  sendPermit,
} from '../../../rules/guardrails/index.ts'
import { basketVerdict, loadCovered } from '../basket/assess-basket.ts'
import { type Intent, listAttempts, insertAttempt, mayHaveReachedSupplier } from './attempt-records.ts'
import { orderToSend, orderContents } from '../basket/basket.ts'
import { type CheckoutContext, mayArriveForMs } from '../context.ts'
import { ConflictError } from '../../../lib/concurrency.ts'
import { askOrderStatus } from './recover.ts'
import type { claimSession } from '../records.ts'
import type { Session } from '../session.ts'
import { settle } from './settle.ts'
import {
  type Settlement,
  foundSettlement,
  placementSettlement,
  refusedSettlement,
  unsentSettlement,
} from './settlement.ts'
import { loadSpendingTotals, lockSpending } from './spending-records.ts'
import { TEXTS } from '../texts.ts'
import { type CompleteOutcome, attemptReply, replyWith } from '../complete-reply.ts'
import type { AssessedPurchase } from '../basket/assess-purchase.ts'

/** A person said that the last attempt which may have reached the supplier placed nothing. */
const isRecordedAsNotPlaced = async ({ store }: CheckoutContext, { id, attemptNo }: Session): Promise<boolean> =>
  attemptNo > 0 && (await listAttempts(store.db, [id])).findLast(mayHaveReachedSupplier)?.outcome === 'not_placed'

export async function buy(
  ctx: CheckoutContext,
  supply: SupplyVendor,
  session: Session,
  { assessment, products, rules }: AssessedPurchase,
  claim: typeof claimSession,
): Promise<CompleteOutcome> {
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
  return settled.status === 'completed' ? replyWith(settled) : attemptReply(ctx, settled, attemptNo)
}

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
  // A process that was suspended must not act on an old claim: recovery may have concluded that nothing was sent.
  if (ctx.clock.elapsed() - claimedAt > ctx.config.upstreamTimeoutMs)
    return { kind: 'no_order', outcome: 'unsent', text: TEXTS.tooLateToSend }
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
