/** POST /checkout-sessions: reads, prices, assesses and stores a basket, or shows it only. Nothing is bought yet. */
import type { CheckoutCreateRequest } from '../../contract/shapes/checkout.ts'
import type { Buyer } from '../../contract/common.ts'
import { CHECKOUT_LIFETIME_MS } from '../../contract/limits.ts'
import { currentCaller } from '../../kernel/caller.ts'
import { localDay } from '../../kernel/clock.ts'
import { ZERO } from '../../kernel/fen.ts'
import { isPoNumber } from '../../kernel/ids.ts'
import { type Outcome, RefusedError, accept, catchRefusal, refuse } from '../../kernel/outcome.ts'
import { copyFields } from '../../lib/objects.ts'
import { findCreated, recordCreated } from '../../store/created.ts'
import { takeOrderNumber } from '../../store/order-numbers.ts'
import type { Tx } from '../../store/store.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import { createPending } from '../../rules/approvals/index.ts'
import type { Context } from '../../context.ts'
import { readGuardrails } from '../../rules/guardrails/index.ts'
import { findSaleTransaction } from '../../route/sales/index.ts'
import { newApproval } from './basket/approval-request.ts'
import { type BasketChange, assessBasket, loadInput, prepareChange, loadRuleInput } from './basket/assess-basket.ts'
import { contentsOf, quoteRequest, requestHashOf } from './basket/basket.ts'
import { closeIfOverdue } from './close.ts'
import { withAssessment } from './basket/save-assessment.ts'
import { readLines } from './basket/lines.ts'
import { ConflictError, retryOnConflict } from '../../lib/concurrency.ts'
import { readQuote } from './basket/quote.ts'
import type { PreviewedPurchase } from './preview-complete.ts'
import { findSession, insertSession, setDecision } from './records.ts'
import { wasSent } from './numbers/taken-numbers.ts'
import type { RunApproval, Session } from './session.ts'
import { TEXTS } from './texts.ts'

/** Numbers that callers chose are skipped; after this many of one day the counter gives up. */
const NUMBERS_TRIED_MAX = 1000

/** Runs first in the transaction that stores the session; a RefusedError keeps the session from being stored. */
type BeforeInsert = (tx: Tx) => Promise<void>

/** For the session of a run. */
export interface CreateOptions {
  readonly beforeInsert?: BeforeInsert
  readonly runApproval?: RunApproval | undefined
}

export const createCheckout = (
  ctx: Context,
  body: CheckoutCreateRequest,
  options: CreateOptions = {},
): Promise<Outcome<Session>> => catchRefusal(() => retryOnConflict(() => create(ctx, body, options)))

async function create(
  ctx: Context,
  body: CheckoutCreateRequest,
  { beforeInsert, runApproval }: CreateOptions,
): Promise<Outcome<Session>> {
  const { store, config } = ctx
  const requestHash = requestHashOf(body)
  if (body.id !== undefined) {
    if (!isPoNumber(body.id)) return refuse('invalid', TEXTS.invalidNumber, '$.id')
    const known = await findSession(store.db, body.id)
    if (known) return acceptSameRequest(await closeIfOverdue(ctx, known), requestHash)
    const sale = await refuseNumberOfSale(ctx, body.id)
    if (sale) return sale
  } else {
    const earlier = await findCreated(store.db)
    const known = earlier === undefined ? undefined : await findSession(store.db, earlier)
    if (known) return accept(await closeIfOverdue(ctx, known))
  }
  const assessed = await assessRequest(ctx, body, requestHash, runApproval)
  if (!assessed.ok) return assessed
  const { draft, assessment } = assessed.value

  return store.transaction(async (tx) => {
    await beforeInsert?.(tx)
    const session = await (body.id === undefined
      ? insertWithNextNumber(ctx, tx, draft, localDay(draft.createdAt, config.timeZone))
      : insertWithChosenNumber(tx, draft))
    if (session.status !== 'requires_escalation') return accept(session)
    return accept(
      await setDecision(
        tx,
        session,
        await createPending(ctx, tx, newApproval(session, assessment.verdict, ctx.config.currency)),
      ),
    )
  })
}

/** The draft has no number where the caller chose none. */
async function assessRequest(
  ctx: Context,
  body: CheckoutCreateRequest,
  requestHash: string,
  runApproval?: RunApproval,
) {
  const read = readLines(body.line_items)
  if (!read.ok) return read
  const { vendor, lines } = read.value
  const supply = ctx.vendors.supply(vendor, '$.line_items[0].item.id')
  if (!supply.ok) return supply
  const guardrails = await readGuardrails(ctx)
  if (!guardrails.ok) return guardrails
  const catalog = await supply.value.catalog()
  if (!catalog.ok) return toRefusal(catalog)

  const input = await loadInput(ctx, catalog.value, lines)
  const { now } = input
  const empty = { ...emptySession(body.id ?? '', vendor, requestHash, now), ...(runApproval && { runApproval }) }
  const change: BasketChange = { requestedLines: lines, methods: body.fulfillment?.methods ?? [] }
  const prepared = prepareChange(empty, change, input, true)
  if (!prepared.ok) return prepared
  if (!('basket' in prepared.value)) throw new Error('A new session has no basket')
  const { basket } = prepared.value
  const quoted = await readQuote(
    ctx,
    vendor,
    supply.value,
    () => quoteRequest(basket, input.products, ctx.config.currency),
    basket.problems,
  )
  const assessment = assessBasket(empty, basket, quoted, await loadRuleInput(ctx, input, guardrails.value.rules, empty))
  const buyer = body.buyer && { buyer: copyFields(body.buyer, BUYER_FIELDS) }
  const assessed = withAssessment(empty, assessment, now)
  const approved = runApproval && { runApproval: { ...runApproval, contents: contentsOf(assessed) } }
  return accept({ draft: { ...assessed, ...approved, ...buyer, ...namedAgent() }, assessment })
}

/** `?dry_run=true`: the session as it would be created, without a number. Reads and asks, but stores nothing. */
export async function previewCreate(ctx: Context, body: CheckoutCreateRequest): Promise<Outcome<PreviewedPurchase>> {
  const requestHash = requestHashOf(body)
  if (body.id !== undefined) {
    if (!isPoNumber(body.id)) return refuse('invalid', TEXTS.invalidNumber, '$.id')
    const known = await findSession(ctx.store.db, body.id)
    const found = known && acceptSameRequest(known, requestHash)
    if (found) return found.ok ? accept({ session: found.value, messages: [], evidence: [] }) : found
    const sale = await refuseNumberOfSale(ctx, body.id)
    if (sale) return sale
  }
  const assessed = await catchRefusal(() => assessRequest(ctx, body, requestHash))
  if (!assessed.ok) return assessed
  const { draft, assessment } = assessed.value
  return accept({ session: draft, messages: [], evidence: assessment.verdict.evidence })
}

/** Purchases and sales are read under one address, so the purchase would hide the sale. */
const refuseNumberOfSale = async ({ store }: Pick<Context, 'store'>, id: string) =>
  (await findSaleTransaction(store.db, id)) && refuse('conflict', TEXTS.numberOfSale(id), '$.id')

/** A number chosen by the caller acts as an idempotency key: the same body means the same session. */
const acceptSameRequest = (known: Session, requestHash: string): Outcome<Session> =>
  known.createRequestHash === requestHash
    ? accept(known)
    : refuse('idempotency_mismatch', TEXTS.differentBody(known.id), '$.id')

export const emptySession = (
  id: string,
  vendor: Session['vendor'],
  createRequestHash: string,
  now: number,
): Session => ({
  id,
  version: 1,
  status: 'incomplete',
  vendor,
  createdAt: now,
  expiresAt: now + CHECKOUT_LIFETIME_MS,
  assessedAt: now,
  createRequestHash,
  lines: [],
  methods: [],
  totalFen: ZERO,
  unavailableLines: [],
  findings: [],
  orderHash: '',
  attemptNo: 0,
  orderMayExist: false,
})

async function insertWithChosenNumber(tx: Tx, session: Session): Promise<Session> {
  if (!(await insertSession(tx, session))) throw new ConflictError()
  return session
}

async function insertWithNextNumber(
  ctx: Pick<Context, 'sentNumbers' | 'log'>,
  tx: Tx,
  draft: Session,
  day: string,
): Promise<Session> {
  const id = await takeNextNumber(ctx, tx, day, (number) => insertSession(tx, { ...draft, id: number }))
  if (!(await recordCreated(tx, id, draft.createdAt))) throw new ConflictError()
  return { ...draft, id }
}

type NumberDeps = Pick<Context, 'clock' | 'config' | 'sentNumbers' | 'log'>

/** For a session that is opened later under this number; the service gives it to no other. */
export const reserveNumber = (ctx: NumberDeps, tx: Tx): Promise<string> =>
  takeNextNumber(
    ctx,
    tx,
    localDay(ctx.clock.now(), ctx.config.timeZone),
    async (id) => (await findSession(tx, id)) === undefined,
  )

/**
 * `po_<yyyymmdd>_<seq>`, skipping numbers that callers chose and those that a restored database lost. `use` is false for
 * the former.
 */
async function takeNextNumber(
  ctx: Pick<Context, 'sentNumbers' | 'log'>,
  tx: Tx,
  day: string,
  use: (id: string) => Promise<boolean>,
): Promise<string> {
  const dayDigits = day.replaceAll('-', '')
  for (let tried = 0; tried < NUMBERS_TRIED_MAX; tried++) {
    const id = `po_${dayDigits}_${await takeOrderNumber(tx, dayDigits)}`
    const isSent = wasSent(ctx, id)
    if (!isSent.ok) throw new RefusedError(isSent.refusal)
    if (!isSent.value && (await use(id))) return id
  }
  throw new Error(`no free purchase order number on ${day}`)
}

/** Nothing where the caller names no agent, so that a change made in the console keeps the one before. */
export const namedAgent = (): Pick<Session, 'agent'> => {
  const agent = currentCaller()?.agent
  return agent === undefined ? {} : { agent }
}

/** Echoed to the caller and used for nothing else. */
export const BUYER_FIELDS: Readonly<Record<keyof Buyer, true>> = {
  first_name: true,
  last_name: true,
  email: true,
  phone_number: true,
}
