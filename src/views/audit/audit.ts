/**
 * Checks the purchases on record against each other and, if allowed, against the suppliers: every completed session has
 * exactly one order with the same lines and total, every purchase was within the rules or approved by the owner, every
 * attempt has an event. It writes nothing (repair.ts does); a person has to look at the problems it reports.
 */
import { MINUTE } from '../../kernel/clock.ts'
import { type CurrencyCode, formatAmount } from '../../kernel/currency.ts'
import { count } from '../../kernel/text.ts'
import { findDecision } from '../../rules/approvals/index.ts'
import {
  type Attempt,
  type Session,
  listAttempts,
  listAttemptsWithoutSession,
  isSameOrder,
  orderContents,
  findSessions,
  listSessionsAfter,
  linesTotal,
} from '../../acts/checkout/index.ts'
import type { Context } from '../../context.ts'
import { type StoredEvent, findEvents } from '../../record/events/index.ts'
import { type Purchase, findPurchases, listPurchasesWithoutSession } from '../../acts/orders/index.ts'

export interface Problem {
  readonly code:
    | 'no_purchase'
    | 'stray_purchase'
    | 'stray_attempt'
    | 'not_what_was_meant'
    | 'no_accepted_attempt'
    | 'several_accepted_attempts'
    | 'no_event'
    | 'another_event'
    | 'open_attempt'
    | 'no_authority'
    | 'above_agreed'
    | 'supplier_has_no_order'
    | 'supplier_has_stray_order'
    | 'supplier_has_lost_order'
    | 'number_used_twice'
    | 'another_order'
    | 'supplier_not_asked'
  /** The checkout session, and so the purchase, it is about. */
  readonly checkout: string
  readonly text: string
}

type Deps = Pick<Context, 'store' | 'vendors'> & { readonly config: Pick<Context['config'], 'currency'> }
type Finding = Omit<Problem, 'checkout'>

const BATCH_SIZE = 200

/** `checked` is the number of sessions. */
export async function audit(ctx: Deps, { askSupplier }: { readonly askSupplier: boolean }) {
  const { db } = ctx.store
  const problems: Problem[] = []
  let checked = 0
  let after = ''
  while (true) {
    const sessions = await listSessionsAfter(db, after, BATCH_SIZE)
    problems.push(...(await checkTwice(ctx, sessions, askSupplier)))
    checked += sessions.length
    if (sessions.length < BATCH_SIZE) break
    after = sessions.at(-1)?.id ?? after
  }
  for (const id of await listPurchasesWithoutSession(db, BATCH_SIZE))
    problems.push({ code: 'stray_purchase', checkout: id, text: 'Purchase without a checkout session' })
  for (const id of await listAttemptsWithoutSession(db, BATCH_SIZE))
    problems.push({ code: 'stray_attempt', checkout: id, text: 'Attempt without a checkout session' })
  return { checked, problems }
}

/** A session that changes this often while it is checked is reported as last read. */
const READINGS_MAX = 5

/**
 * The service may buy during an audit, and records and supplier are read one after the other. A session with findings is
 * therefore read and checked again until its version did not change; findings of both readings are reported.
 */
async function checkTwice(ctx: Deps, sessions: readonly Session[], askSupplier: boolean): Promise<Problem[]> {
  const problems: Problem[] = []
  let before = await checkSessions(ctx, sessions, askSupplier)
  for (let reading = 2; before.length > 0; reading++) {
    const ids = before.map(({ session }) => session.id)
    const again = new Map(
      (await checkSessions(ctx, await findSessions(ctx.store.db, ids), askSupplier)).map((one) => [
        one.session.id,
        one,
      ]),
    )
    const changed: CheckedSession[] = []
    for (const { session, findings } of before) {
      const now = again.get(session.id)
      if (!now) continue
      if (now.session.version !== session.version && reading < READINGS_MAX) changed.push(now)
      else
        problems.push(
          ...now.findings
            .filter(
              ({ code }) =>
                isSupplierUnasked([...findings, ...now.findings]) || findings.some((earlier) => earlier.code === code),
            )
            .map((problem) => ({ ...problem, checkout: session.id })),
        )
    }
    before = changed
  }
  return problems
}

/** A reading without the supplier's answer cannot confirm the other one; then only the later one counts. */
const isSupplierUnasked = (findings: readonly Finding[]): boolean =>
  findings.some(({ code }) => code === 'supplier_not_asked')

interface CheckedSession {
  readonly session: Session
  readonly findings: readonly Finding[]
}

/** Returns the sessions with findings. */
async function checkSessions(ctx: Deps, sessions: readonly Session[], askSupplier: boolean): Promise<CheckedSession[]> {
  const { db } = ctx.store
  const ids = sessions.map(({ id }) => id)
  const attempts = Map.groupBy(await listAttempts(db, ids), ({ checkout }) => checkout)
  const purchases = new Map((await findPurchases(db, ids)).map((purchase) => [purchase.id, purchase]))
  const eventSeqs = [...attempts.values()].flat().flatMap(({ event }) => event ?? [])
  const events = await findEvents(db, eventSeqs)
  const checked: CheckedSession[] = []
  for (const session of sessions) {
    const own = attempts.get(session.id) ?? []
    const findings = [
      ...findPurchaseProblems(session, own, purchases.get(session.id), ctx.config.currency),
      ...findEventProblems(session, own, events),
      ...(await findAuthorityProblems(ctx, session, own)),
      ...(askSupplier ? await findSupplierProblems(ctx, session, own) : []),
    ]
    if (findings.length > 0) checked.push({ session, findings })
  }
  return checked
}

/** Session, accepted attempt and purchase must agree. */
function findPurchaseProblems(
  session: Session,
  attempts: readonly Attempt[],
  purchase: Purchase | undefined,
  currency: CurrencyCode,
): readonly Finding[] {
  const accepted = attempts.filter(({ outcome }) => outcome === 'accepted')
  const [bought] = accepted
  // An order that was found after its session was closed is recorded, and the session stays closed.
  const isLate = session.status === 'canceled' && session.closed !== undefined && session.supplierOrderNo !== undefined
  if (session.status !== 'completed' && !isLate)
    return purchase || bought
      ? [
          {
            code: 'stray_purchase',
            text: `The session is ${session.status}, but order ${purchase?.label ?? '?'} was placed`,
          },
        ]
      : []
  const findings: Finding[] = []
  if (!purchase)
    findings.push({ code: 'no_purchase', text: `The session is ${session.status}, but no purchase is on record` })
  if (!bought)
    findings.push({
      code: 'no_accepted_attempt',
      text: `The session is ${session.status}, but no attempt was accepted`,
    })
  if (accepted.length > 1)
    findings.push({ code: 'several_accepted_attempts', text: `${accepted.length} attempts were accepted` })
  if (purchase && bought && !isSamePurchase(session, bought, purchase))
    findings.push({
      code: 'not_what_was_meant',
      text: 'Session, attempt and purchase have different lines or totals',
    })
  if (purchase && bought && purchase.totalFen > bought.intent.totalFen)
    findings.push({
      code: 'above_agreed',
      text: `The supplier charges ${formatAmount(purchase.totalFen, currency)}, but ${formatAmount(bought.intent.totalFen, currency)} was agreed`,
    })
  return findings
}

function isSamePurchase(session: Session, { intent }: Attempt, purchase: Purchase): boolean {
  const lines = purchase.lines.map(({ id, item, quantity }) => [id, item.id, item.price, quantity])
  const meant = intent.lines.map(({ id, skuId, priceFen, quantity }) => [id, skuId, priceFen, quantity])
  return (
    isSameOrder(intent.order, orderContents(session)) &&
    JSON.stringify(lines) === JSON.stringify(meant) &&
    (intent.totals?.total ?? linesTotal(intent.lines)) === intent.totalFen &&
    intent.totalFen === session.totalFen &&
    intent.totalFen === (purchase.agreedFen ?? purchase.totalFen) &&
    (purchase.label === session.supplierOrderNo || isOwnNumber(session))
  )
}

/** The order was recorded under our own number because the supplier had not stated its own yet. */
const isOwnNumber = ({ id, supplierOrderNo }: Session): boolean => supplierOrderNo === id

/** Every attempt must have an event, unless it is still in progress. */
function findEventProblems(
  session: Session,
  attempts: readonly Attempt[],
  events: ReadonlyMap<number, StoredEvent>,
): readonly Finding[] {
  const findings: Finding[] = []
  const inProgress = session.status === 'complete_in_progress'
  for (const { attemptNo, outcome, event } of attempts) {
    const isOut = inProgress && attemptNo === session.attemptNo
    const stored = event === undefined ? undefined : events.get(event)
    if (outcome === undefined ? !isOut : stored === undefined)
      findings.push({ code: 'no_event', text: `Attempt ${attemptNo} has no event` })
    else if (stored && !(stored.kind === 'checkout' && stored.summary.startsWith(`${session.id} `)))
      findings.push({ code: 'another_event', text: `Event ${event} of attempt ${attemptNo} is about something else` })
    if ((outcome === 'unknown' || outcome === 'handed_off') && !isOut)
      findings.push({
        code: 'open_attempt',
        text: `The outcome of attempt ${attemptNo} is unknown, and the supplier is no longer asked`,
      })
  }
  if (attempts.length !== session.attemptNo)
    findings.push({
      code: 'open_attempt',
      text: `${count(attempts.length, 'attempt')} on record, but the session counts ${session.attemptNo}`,
    })
  return findings
}

/** The rules allowed the attempt when it was claimed, or the owner approved the session. */
async function findAuthorityProblems(
  { store }: Deps,
  session: Session,
  attempts: readonly Attempt[],
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const { attemptNo, intent } of attempts) {
    const { withinRules, decision, repairedBy } = intent.authority
    if (withinRules || repairedBy !== undefined) continue
    const decided = decision === undefined ? undefined : await findDecision(store.db, decision)
    const { status, subject } = decided ?? {}
    if (status !== 'approved' || subject?.type !== 'checkout' || subject.id !== session.id)
      findings.push({
        code: 'no_authority',
        text: `Attempt ${attemptNo} was not within the rules, and no decision allowed it`,
      })
  }
  return findings
}

/** The supplier's clock and ours may differ by this much. */
const SKEW_MS = 10 * MINUTE

/** Asks about every session with an attempt, whatever the supplier answered before. */
async function findSupplierProblems(
  ctx: Deps,
  session: Session,
  attempts: readonly Attempt[],
): Promise<readonly Finding[]> {
  if (session.status !== 'completed' && attempts.length === 0) return []
  const supply = ctx.vendors.supply(session.vendor)
  if (!supply.ok) return [{ code: 'supplier_not_asked', text: `${session.vendor} is not live` }]
  if (!ctx.vendors.supports(session.vendor, 'orderStatus')) return []
  const status = await supply.value.orderStatus(session.id)
  // Like a supplier that cannot be asked: a person has said what came of it, or is still to say it.
  if (!status.ok && status.onlyPersonKnows) return []
  if (!status.ok && status.reason !== 'absent') return [{ code: 'supplier_not_asked', text: status.message }]
  if (session.status === 'complete_in_progress') return []
  if (session.supplierOrderNo === undefined && session.status !== 'completed')
    return status.ok
      ? [{ code: 'supplier_has_stray_order', text: `The supplier has order ${status.value.externalRef}` }]
      : []
  if (!status.ok) return [{ code: 'supplier_has_no_order', text: 'The supplier has no such order' }]
  const { externalRef, createdAt } = status.value
  if (externalRef !== session.supplierOrderNo && !isOwnNumber(session))
    return [
      { code: 'another_order', text: `The supplier has order ${externalRef}, the session ${session.supplierOrderNo}` },
    ]
  const began = Math.min(...attempts.map(({ claimedAt }) => claimedAt))
  return createdAt !== null && createdAt < began - SKEW_MS
    ? [{ code: 'another_order', text: 'The supplier had an order with this number before the first attempt' }]
    : []
}
