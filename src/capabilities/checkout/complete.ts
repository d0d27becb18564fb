/**
 * POST /checkout-sessions/{id}/complete: the one place that spends. Load, judge, claim, call, settle. The claim is on
 * disk before the supplier is called, no transaction is open meanwhile, and every way out writes one event.
 */
import { yuan } from '../../kernel/fen.ts'
import { warning } from '../../kernel/message.ts'
import type { ErrorCode, Message } from '../../kernel/message.ts'
import { accept, refuse, RefusedError } from '../../kernel/outcome.ts'
import type { Outcome, Refusal } from '../../kernel/outcome.ts'
import type { Result, SupplyVendor } from '../../vendors/contract.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import { recordRefusal, recordEvent } from '../events/index.ts'
import {
  readGuardrails,
  RETRY_AFTER_SECONDS,
  killSwitchRefusal,
  describeEvidence,
  sendPermit,
  readKillSwitch,
} from '../guardrails/index.ts'
import { findIdentities } from '../skus/index.ts'
import { reassess } from './assess-basket.ts'
import type { BasketAssessment } from './assess-basket.ts'
import { attemptsOf, findAttempt, insertAttempt, mayHaveArrived } from './attempts.ts'
import type { AttemptOutcome, Intent } from './attempts.ts'
import { supplierOrder } from './basket.ts'
import type { SupplierOrder } from './basket.ts'
import { notEditable } from './cancel.ts'
import { checkpoint } from './checkpoint.ts'
import { close } from './close.ts'
import type { CheckoutContext } from './context.ts'
import { withAssessment, saveAssessment } from './save-assessment.ts'
import { ConflictError, retryOnConflict } from '../../lib/retry-on-conflict.ts'
import { ask, orderStatus } from './recover.ts'
import { claimSession, findSession } from './records.ts'
import { isOverdue } from './session.ts'
import type { Session } from './session.ts'
import { found, refusedSettlement, settle, unsentSettlement } from './settle.ts'
import type { Settlement } from './settle.ts'

export interface Completed {
  readonly session: Session
  /** What only this answer has to tell. */
  readonly messages: readonly Message[]
}

type CompleteOutcome = Outcome<Completed>
type Refused = { readonly ok: false; readonly refusal: Refusal }

export async function completeCheckout(ctx: CheckoutContext, id: string): Promise<CompleteOutcome> {
  try {
    return await retryOnConflict(() => complete(ctx, id))
  } catch (failure) {
    // By the rules of now the owner would have to decide, and too many decisions wait already.
    if (failure instanceof RefusedError) return refuseWithEvent(ctx, id, { ok: false, refusal: failure.refusal })
    throw failure
  }
}

async function complete(ctx: CheckoutContext, id: string): Promise<CompleteOutcome> {
  const session = await findSession(ctx.store.db, id)
  if (!session) return refuseWithEvent(ctx, id, refuse('not_found', `there is no checkout ${id}`))
  if (session.status === 'completed') return repeated(ctx, session)
  if (session.status === 'complete_in_progress') return awaitOtherAttempt(ctx, session)
  if (session.status === 'canceled')
    return session.closed?.as === 'expired' || session.closed?.as === 'approval_rejected'
      ? answerAsIs(ctx, session)
      : refuseWithEvent(ctx, id, notEditable(session))
  // Its event is this call's; whoever closed it first throws this call back to look again.
  if (isOverdue(session, ctx.clock.now()))
    return done(await ctx.store.transaction((tx) => close(ctx, tx, session, 'expired')))

  const guard = await readGuardrails(ctx)
  if (!guard.ok) return refuseWithEvent(ctx, id, guard)
  const stopped = killSwitchRefusal(guard.value)
  if (stopped) return refuseWithEvent(ctx, id, stopped)
  if (session.status !== 'ready_for_complete') return answerAsIs(ctx, session)

  const supply = ctx.vendors.supply(session.vendor)
  if (!supply.ok) return refuseWithEvent(ctx, id, supply)
  const status = await orderStatus(supply.value, id)
  if (status.ok && session.attempt === 0) return numberTaken(ctx, session, status.value.externalRef)
  // An earlier attempt was refused, or taken for absent. Its order is there after all, and it is this session's.
  if (status.ok) {
    const { session: after, recorded } = await settle(ctx, id, session.attempt, found(status.value))
    return recorded ? done(after) : repeated(ctx, after)
  }
  // A fresh number is free as far as anyone knows; one that was sent may only be sent again when it is known to be.
  if (status.reason !== 'absent' && (await wasSent(ctx, session))) return refuseWithEvent(ctx, id, toRefusal(status))
  const catalog = await supply.value.catalog({ live: true })
  if (!catalog.ok) return refuseWithEvent(ctx, id, toRefusal(catalog))

  const lineIds = session.lines.map(({ skuId }) => skuId)
  const identities = await findIdentities(ctx.store.db, lineIds)
  // The supplier may have taken its time: the rules that count are those of now.
  const again = await readGuardrails(ctx)
  if (!again.ok) return refuseWithEvent(ctx, id, again)
  const stoppedSince = killSwitchRefusal(again.value)
  if (stoppedSince) return refuseWithEvent(ctx, id, stoppedSince)
  const { timeZone, pickupHours } = ctx.config
  const now = ctx.clock.now()
  const moment = { catalog: catalog.value, identities, rules: again.value.rules, now, timeZone, pickupHours }
  const assessment = reassess(session, moment)
  checkpoint('judged')
  if (assessment.status !== 'ready_for_complete' || assessment.orderHash !== session.orderHash)
    return saveAndReport(ctx, session, assessment)
  return buy(ctx, supply.value, session, assessment)
}

const done = (session: Session, messages: readonly Message[] = []): CompleteOutcome => accept({ session, messages })

/** Refused before anything was claimed; the attempt is told as an event all the same (rule 8). */
async function refuseWithEvent(ctx: CheckoutContext, id: string, refused: Refused): Promise<Refused> {
  await recordRefusedComplete(ctx, id, refused.refusal)
  return refused
}

/** Also for what is refused before the verb runs: a body without `confirm`, or one that cannot be read. */
export const recordRefusedComplete = (
  ctx: Pick<CheckoutContext, 'store' | 'clock'>,
  id: string,
  { messages }: Refusal,
): Promise<void> =>
  recordRefusal(ctx, {
    kind: 'checkout',
    summary: `${id} not completed: ${messages[0]?.code ?? 'refused'}`,
    reasoning: messages.map(({ content }) => content).join(' '),
  })

/** Bought by an earlier call, or by one at the same time: the same order, and an event for this call. */
async function repeated(ctx: CheckoutContext, session: Session): Promise<CompleteOutcome> {
  const { id, supplierOrderNo } = session
  await ctx.store.transaction((tx) =>
    recordEvent(ctx, tx, {
      kind: 'checkout',
      summary: `${id} is already completed: order ${supplierOrderNo}`,
      reasoning: 'Another call completed it; this one sent nothing.',
    }),
  )
  return done(session)
}

const wasSent = async ({ store }: CheckoutContext, { id, attempt, orderMayExist }: Session): Promise<boolean> =>
  orderMayExist || (attempt > 0 && (await attemptsOf(store.db, [id])).some(mayHaveArrived))

/**
 * The supplier answers a known number with its first order and places nothing, so a number that another database or a
 * person used before would complete this session with somebody else's goods.
 */
async function numberTaken(ctx: CheckoutContext, session: Session, externalRef: string): Promise<CompleteOutcome> {
  const { id, version } = session
  // Unless it is ours: another call claimed and bought while this one asked.
  if ((await findSession(ctx.store.db, id))?.version !== version) throw new ConflictError()
  const text = `the supplier has order ${externalRef} under the number ${id}, and no attempt of this session is on record`
  const advice =
    'After a restore from a backup, "vendops audit --repair" on the host books it; otherwise open another session'
  return refuseWithEvent(ctx, id, refuse('supplier_rejected', `${text}. ${advice}`))
}

/** Something is missing, forbidden, out of time, or waits for the owner: the session says what. */
async function answerAsIs(ctx: CheckoutContext, session: Session): Promise<CompleteOutcome> {
  const [why, reasoning] = incompleteReason(session)
  const summary = `${session.id} not completed: ${why}`
  await recordRefusal(ctx, { kind: 'checkout', summary, reasoning })
  return done(session)
}

function incompleteReason({
  status,
  closed,
  decision,
  unavailableLines,
  findings,
}: Session): readonly [why: string, reasoning: string] {
  if (status === 'requires_escalation') return ['approval_required', `It waits for ${decision}.`]
  if (closed?.as === 'approval_rejected') return ['approval_rejected', 'The owner rejected it.']
  if (status === 'canceled') return ['expired', 'Its 24 hours were over.']
  const reasons = [...unavailableLines, ...findings].filter(({ type }) => type === 'error')
  return ['incomplete', reasons.map(({ code, path }) => `${code} at ${path ?? '$'}`).join(', ')]
}

/** Prices, stock or rules moved since the caller last saw the session: it is shown what is true now, and nothing is bought. */
async function saveAndReport(
  ctx: CheckoutContext,
  session: Session,
  assessment: BasketAssessment,
): Promise<CompleteOutcome> {
  const after = withAssessment(session, assessment, ctx.clock.now())
  const moved = after.totalFen !== session.totalFen
  const sums = `${yuan(session.totalFen)} before, ${yuan(after.totalFen)} now`
  const saved = await ctx.store.transaction(async (tx) => {
    const written = await saveAssessment(ctx, tx, session, after, assessment.verdict)
    await recordEvent(ctx, tx, {
      kind: 'checkout',
      summary: `${session.id} not completed: it is ${written.status} after it was judged again`,
      reasoning: `${moved ? `The supplier changed its prices: ${sums}. ` : ''}${describeEvidence(assessment.verdict.evidence)}`,
    })
    return written
  })
  const repriced = assessment.lines.some((line, index) => line.priceFen !== session.lines[index]?.priceFen)
  const notice = warning('price_changed', `the supplier changed its prices (${sums}); confirm the new sum`, '$.totals')
  return done(saved, repriced ? [notice] : [])
}

async function buy(
  ctx: CheckoutContext,
  supply: SupplyVendor,
  session: Session,
  assessment: BasketAssessment,
): Promise<CompleteOutcome> {
  const order = supplierOrder(session)
  if (!order) throw new Error(`${session.id} is ready, yet nothing can be ordered from it`)
  const n = session.attempt + 1
  const { allowed, evidence } = assessment.verdict
  const intent: Intent = {
    order,
    lines: session.lines,
    methods: session.methods,
    totalFen: session.totalFen,
    basket: session.orderHash,
    authority: {
      withinRules: allowed,
      ...(session.decision === undefined ? {} : { decision: session.decision }),
      evidence: describeEvidence(evidence),
    },
  }
  const claimedAt = ctx.clock.elapsed()
  const claimed = await ctx.store.transaction(async (tx) => {
    // Once pulling the stop was answered nothing is claimed any more, however far this call had come.
    if (await readKillSwitch(tx)) throw new ConflictError()
    const held = await claimSession(tx, session)
    if (!held) throw new ConflictError()
    return { session: held, attempt: await insertAttempt(tx, session.id, n, ctx.clock.now(), intent) }
  })
  checkpoint('claimed')
  const settlement = await call(ctx, supply, session.id, order, claimedAt)
  checkpoint('answered')
  // Whoever settles the attempt writes its event: this call, or recovery that found its order meanwhile.
  const { session: settled } = await settle(ctx, session.id, n, settlement, claimed)
  checkpoint('settled')
  // Starts the grace period before *absent* may be believed (ADR 13).
  if (settled.status === 'complete_in_progress') ctx.pending.elapsedSince(settled)
  return settled.status === 'completed' ? done(settled) : attemptReply(ctx, settled, n)
}

/** The order itself, and unless it was accepted or never left, one question right away: no refusal is believed unasked. */
async function call(
  ctx: CheckoutContext,
  supply: SupplyVendor,
  id: string,
  { lines, fulfillment }: SupplierOrder,
  claimedAt: number,
): Promise<Settlement> {
  // A process that was held up for long must not act on an old claim: others may by now believe that nothing comes.
  if (ctx.clock.elapsed() - claimedAt > ctx.config.upstreamTimeoutMs)
    return { kind: 'declined', outcome: 'unsent', text: 'it took too long to begin; nothing was sent' }
  const answer = await createOrder(supply, id, lines, fulfillment, sendPermit(ctx))
  if (answer.ok)
    return { kind: 'accepted', externalRef: answer.value.externalRef, how: 'The supplier accepted the order.' }
  const unsent = unsentSettlement(answer)
  if (unsent) return unsent
  const status = await orderStatus(supply, id)
  if (status.ok) return found(status.value)
  return status.reason === 'absent' ? refusedSettlement(answer) : { kind: 'unknown', text: answer.message }
}

/** An adapter that throws leaves the same doubt as a line that broke. */
async function createOrder(
  supply: SupplyVendor,
  ...args: Parameters<SupplyVendor['createOrder']>
): Promise<Result<{ readonly externalRef: string }>> {
  try {
    return await supply.createOrder(...args)
  } catch (failure) {
    return { ok: false, reason: 'unknown', message: 'the supplier gave no answer', raw: String(failure) }
  }
}

const CODES = {
  rejected: 'supplier_rejected',
  unauthorized: 'unauthorized',
  unsupported: 'namespace_unsupported',
  unsent: 'upstream_unreachable',
  absent: 'upstream_unreachable',
  unknown: 'upstream_unreachable',
} as const satisfies Record<Exclude<AttemptOutcome, 'accepted' | 'superseded'>, ErrorCode>

/** What the caller of an attempt hears when it ended without an order, or without an end. */
async function attemptReply(ctx: CheckoutContext, session: Session, n: number): Promise<CompleteOutcome> {
  const attempt = await findAttempt(ctx.store.db, session.id, n)
  const outcome = attempt?.outcome ?? 'unknown'
  if (outcome === 'accepted' || outcome === 'superseded') return done(session)
  const denied = attempt?.denied
  const wait = denied === 'guard_unverifiable' ? { retryAfter: RETRY_AFTER_SECONDS } : waitFor(ctx, outcome)
  return refuse(denied ?? CODES[outcome], attempt?.text ?? 'the outcome is not known yet', undefined, wait)
}

const waitFor = ({ config }: CheckoutContext, outcome: AttemptOutcome): { readonly retryAfter?: number } =>
  outcome === 'unknown' ? { retryAfter: Math.ceil((2 * config.upstreamTimeoutMs) / 1000) } : {}

const POLL_MS = 50

/** Somebody else's attempt is out: this caller waits for it, and when nobody waits for it any more, asks. */
async function awaitOtherAttempt(ctx: CheckoutContext, waiting: Session): Promise<CompleteOutcome> {
  const { id, attempt: n } = waiting
  let session = waiting
  // The call, its place in the line, and the question after it.
  for (let left = Math.ceil((3 * ctx.config.upstreamTimeoutMs) / POLL_MS); left > 0; left--) {
    if (session.unresolved || session.status !== 'complete_in_progress' || session.attempt !== n) break
    await ctx.sleep(POLL_MS)
    session = (await findSession(ctx.store.db, id)) ?? session
  }
  if (session.status === 'completed') return repeated(ctx, session)
  // Over, or given up on, while this caller was waiting: its answer is that of the attempt it waited for.
  const isOver = session.status !== 'complete_in_progress' || session.attempt !== n
  if (isOver || (session.unresolved && !waiting.unresolved)) {
    const outcome = await attemptReply(ctx, session, n)
    return outcome.ok ? repeated(ctx, outcome.value.session) : refuseWithEvent(ctx, id, outcome)
  }

  const supply = ctx.vendors.supply(session.vendor)
  if (!supply.ok) return refuseWithEvent(ctx, id, supply)
  const { session: asked, recorded } = await ask(ctx, supply.value, session)
  if (asked.status === 'completed') return recorded ? done(asked) : repeated(ctx, asked)
  // Now it is certain that there is no order: this caller confirmed one, and may try from the start.
  if (asked.status !== 'complete_in_progress') throw new ConflictError()
  const text = session.unresolved?.text ?? 'the attempt under way was not heard of again'
  return refuseWithEvent(ctx, id, refuse('upstream_unreachable', text, undefined, waitFor(ctx, 'unknown')))
}
