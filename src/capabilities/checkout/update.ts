/** PUT /checkout-sessions/{id} (4.4): what is sent replaces, what is left out stays; priced and judged anew. */
import type { CheckoutUpdateRequest } from '../../contract/checkout.ts'
import type { Message } from '../../kernel/message.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import type { Context } from '../context.ts'
import { readGuardrails } from '../guardrails/index.ts'
import { findIdentities } from '../skus/index.ts'
import { assessChange } from './assess-basket.ts'
import { findAttempt } from './attempts.ts'
import { sameOrder, supplierOrder } from './basket.ts'
import { notEditable } from './cancel.ts'
import { closeIfOverdue } from './close.ts'
import { buyerOf } from './create.ts'
import { withAssessment, saveAssessment } from './save-assessment.ts'
import { readLines } from './lines.ts'
import type { Wanted } from './lines.ts'
import { retryOnConflict } from '../../lib/retry-on-conflict.ts'
import { findSession } from './records.ts'
import type { Session } from './session.ts'
import { allows } from './transitions.ts'

export interface Updated {
  readonly session: Session
  /** Selections that are not on offer: the session stays as it was. */
  readonly messages: readonly Message[]
}

export function updateCheckout(ctx: Context, id: string, body: CheckoutUpdateRequest): Promise<Outcome<Updated>> {
  return retryOnConflict(() => update(ctx, id, body))
}

async function update(ctx: Context, id: string, body: CheckoutUpdateRequest): Promise<Outcome<Updated>> {
  const { store, clock, config, vendors } = ctx
  const found = await findSession(store.db, id)
  if (!found) return refuse('not_found', `there is no checkout ${id}`)
  const session = await closeIfOverdue(ctx, found)
  if (!allows(session.status, 'edit')) return notEditable(session)

  const lines = body.line_items && wantedBy(body.line_items, session)
  if (lines && !lines.ok) return lines
  const guard = await readGuardrails(ctx)
  if (!guard.ok) return guard
  const supply = vendors.supply(session.vendor)
  if (!supply.ok) return supply
  const catalog = await supply.value.catalog()
  if (!catalog.ok) return toRefusal(catalog)

  const now = clock.now()
  const { timeZone, pickupHours } = config
  const identities = await findIdentities(
    store.db,
    (lines?.value ?? session.lines).map(({ skuId }) => skuId),
  )
  const moment = { catalog: catalog.value, identities, rules: guard.value.rules, now, timeZone, pickupHours }
  const change = {
    ...(lines ? { wanted: lines.value } : {}),
    ...(body.fulfillment ? { methods: body.fulfillment.methods } : {}),
  }
  const made = assessChange(session, change, moment, false)
  if (!made.ok) return made
  if ('unknown' in made.value) return accept({ session, messages: made.value.unknown })
  const { assessment } = made.value
  const after: Session = {
    ...withAssessment(session, assessment, now),
    ...(body.buyer ? { buyer: buyerOf(body.buyer) } : {}),
  }
  if (session.orderMayExist && !(await isOrderOf(ctx, session, after)))
    return refuse(
      'not_editable',
      `an order for ${id} may have reached the supplier, so what it holds stays; cancel it and open another`,
    )
  const saved = await store.transaction((tx) => saveAssessment(ctx, tx, session, after, assessment.verdict))
  return accept({ session: saved, messages: [] })
}

/** The supplier of a session is set by its first line, once. */
function wantedBy(
  requested: NonNullable<CheckoutUpdateRequest['line_items']>,
  session: Session,
): Outcome<readonly Wanted[]> {
  const read = readLines(requested)
  if (!read.ok) return read
  const { vendor, wanted } = read.value
  if (vendor === session.vendor) return accept(wanted)
  return refuse('namespace_mismatch', `${session.id} is an order to ${session.vendor}`, '$.line_items[0].item.id')
}

/**
 * The supplier answers a known reference with its first order, whatever the lines say. Once a request may be under way,
 * another basket under the same reference could be paid for and never come.
 */
async function isOrderOf({ store }: Context, { id, attempt }: Session, after: Session): Promise<boolean> {
  const last = await findAttempt(store.db, id, attempt)
  return sameOrder(last?.intent.order, supplierOrder(after))
}
