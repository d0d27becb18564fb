/** POST /checkout-sessions (4.4): a basket is read, priced, judged and kept. Nothing is bought yet. */
import type { CheckoutCreateRequest } from '../../contract/checkout.ts'
import { CHECKOUT_LIFETIME_MS } from '../../contract/limits.ts'
import { localDay } from '../../kernel/clock.ts'
import { ZERO } from '../../kernel/fen.ts'
import { isPoNumber } from '../../kernel/ids.ts'
import { accept, catchRefusal, refuse } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import type { Tx } from '../../store/store.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import { createPending } from '../approvals/index.ts'
import type { Context } from '../context.ts'
import { readGuardrails } from '../guardrails/index.ts'
import { findIdentities } from '../skus/index.ts'
import { assessChange } from './assess-basket.ts'
import { requestHashOf } from './basket.ts'
import { closeIfOverdue } from './close.ts'
import { approvalFor, withAssessment } from './save-assessment.ts'
import { readLines } from './lines.ts'
import { ConflictError, retryOnConflict } from '../../lib/retry-on-conflict.ts'
import { findSession, insertSession, nextOfDay, setDecision } from './records.ts'
import type { Session } from './session.ts'

/** Numbers of one day that callers may have taken for themselves before the counter gives up. */
const NUMBERS_TRIED = 1000

export function createCheckout(ctx: Context, body: CheckoutCreateRequest): Promise<Outcome<Session>> {
  return catchRefusal(() => retryOnConflict(() => create(ctx, body)))
}

async function create(ctx: Context, body: CheckoutCreateRequest): Promise<Outcome<Session>> {
  const { store, clock, config, vendors } = ctx
  const fingerprint = requestHashOf(body)
  if (body.id !== undefined) {
    if (!isPoNumber(body.id)) return refuse('invalid', 'no address could lead to a session of this id', '$.id')
    const known = await findSession(store.db, body.id)
    if (known) return again(await closeIfOverdue(ctx, known), fingerprint)
  }
  const read = readLines(body.line_items)
  if (!read.ok) return read
  const { vendor, wanted } = read.value
  const supply = vendors.supply(vendor, '$.line_items[0].item.id')
  if (!supply.ok) return supply
  const guard = await readGuardrails(ctx)
  if (!guard.ok) return guard
  const catalog = await supply.value.catalog()
  if (!catalog.ok) return toRefusal(catalog)

  const now = clock.now()
  const { timeZone, pickupHours } = config
  const identities = await findIdentities(
    store.db,
    wanted.map(({ skuId }) => skuId),
  )
  const moment = { catalog: catalog.value, identities, rules: guard.value.rules, now, timeZone, pickupHours }
  const empty = emptySession(body.id ?? '', vendor, fingerprint, now)
  const change = { wanted, methods: body.fulfillment?.methods ?? [] }
  const made = assessChange(empty, change, moment, true)
  if (!made.ok) return made
  if (!('assessment' in made.value)) throw new Error('a new session has nothing to keep')
  const { assessment } = made.value
  const buyer = body.buyer && { buyer: buyerOf(body.buyer) }

  return store.transaction(async (tx) => {
    const nameless: Session = { ...withAssessment(empty, assessment, now), ...buyer }
    const session = await (body.id === undefined
      ? numbered(tx, nameless, localDay(now, timeZone))
      : named(tx, nameless))
    if (session.status !== 'requires_escalation') return accept(session)
    return accept(
      await setDecision(tx, session, await createPending(ctx, tx, approvalFor(session, assessment.verdict))),
    )
  })
}

/** The caller's number is a key of its own: the same body means the same session (decisions on idempotency). */
const again = (known: Session, fingerprint: string): Outcome<Session> =>
  known.createRequestHash === fingerprint
    ? accept(known)
    : refuse('idempotency_mismatch', `${known.id} exists and was created with another body`, '$.id')

const emptySession = (id: string, vendor: Session['vendor'], createRequestHash: string, now: number): Session => ({
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
  attempt: 0,
  orderMayExist: false,
})

async function named(tx: Tx, session: Session): Promise<Session> {
  if (!(await insertSession(tx, session))) throw new ConflictError()
  return session
}

/** `po_<yyyymmdd>_<seq>`, passing over numbers that callers gave themselves. */
async function numbered(tx: Tx, nameless: Session, day: string): Promise<Session> {
  const compact = day.replaceAll('-', '')
  for (let tried = 0; tried < NUMBERS_TRIED; tried++) {
    const session = { ...nameless, id: `po_${compact}_${await nextOfDay(tx, compact)}` }
    if (await insertSession(tx, session)) return session
  }
  throw new Error(`no free purchase order number on ${day}`)
}

/** Echoed and used for nothing, so only the fields we know are kept. */
export const buyerOf = ({
  first_name,
  last_name,
  email,
  phone_number,
}: NonNullable<CheckoutCreateRequest['buyer']>) => ({
  ...(first_name === undefined ? {} : { first_name }),
  ...(last_name === undefined ? {} : { last_name }),
  ...(email === undefined ? {} : { email }),
  ...(phone_number === undefined ? {} : { phone_number }),
})
