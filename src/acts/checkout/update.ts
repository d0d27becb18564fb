/** PUT /checkout-sessions/{id}: what is sent replaces, what is left out stays; the session is priced and assessed again. */
import type { CheckoutUpdateRequest } from '../../contract/shapes/checkout.ts'
import type { Message } from '../../kernel/message.ts'
import { type Outcome, accept, refuse } from '../../kernel/outcome.ts'
import { copyFields } from '../../lib/objects.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import type { Context } from '../../context.ts'
import { recordEvent } from '../../record/events/index.ts'
import { readGuardrails } from '../../rules/guardrails/index.ts'
import { type BasketChange, assessBasket, loadInput, prepareChange, loadRuleInput } from './basket/assess-basket.ts'
import { findAttempt } from './purchase/attempt-records.ts'
import { destinationText, isSameOrder, quoteRequest, orderContents } from './basket/basket.ts'
import { refuseEdit } from './cancel.ts'
import { closeIfOverdue } from './close.ts'
import { BUYER_FIELDS, namedAgent } from './create.ts'
import { withAssessment, saveAssessment } from './basket/save-assessment.ts'
import { type RequestedLine, readLines } from './basket/lines.ts'
import { retryOnConflict } from '../../lib/concurrency.ts'
import { readQuote } from './basket/quote.ts'
import { findSession } from './records.ts'
import type { Session } from './session.ts'
import { EVENTS, TEXTS } from './texts.ts'
import { mayTrigger } from './transitions.ts'

export interface Updated {
  readonly session: Session
  /** For selections that are not offered: the session stays as it was. */
  readonly messages: readonly Message[]
}

export const updateCheckout = (ctx: Context, id: string, body: CheckoutUpdateRequest): Promise<Outcome<Updated>> =>
  retryOnConflict(() => update(ctx, id, body))

async function update(ctx: Context, id: string, body: CheckoutUpdateRequest): Promise<Outcome<Updated>> {
  const { store, vendors } = ctx
  const found = await findSession(store.db, id)
  if (!found) return refuse('not_found', TEXTS.notFound(id))
  const session = await closeIfOverdue(ctx, found)
  if (!mayTrigger(session.status, 'edit')) return refuseEdit(session)

  const lines = body.line_items && readSupplierLines(body.line_items, session)
  if (lines && !lines.ok) return lines
  const guardrails = await readGuardrails(ctx)
  if (!guardrails.ok) return guardrails
  const supply = vendors.supply(session.vendor)
  if (!supply.ok) return supply
  const catalog = await supply.value.catalog()
  if (!catalog.ok) return toRefusal(catalog)

  const input = await loadInput(ctx, catalog.value, lines?.value ?? session.lines)
  const change: BasketChange = {
    ...(lines ? { requestedLines: lines.value } : {}),
    ...(body.fulfillment ? { methods: body.fulfillment.methods } : {}),
  }
  const prepared = prepareChange(session, change, input, false)
  if (!prepared.ok) return prepared
  if ('notOffered' in prepared.value) return accept({ session, messages: prepared.value.notOffered })
  const { basket } = prepared.value
  const request = () => quoteRequest(basket, input.products, ctx.config.currency)
  const quoted = await readQuote(ctx, session.vendor, supply.value, request, basket.problems)
  const assessment = assessBasket(
    session,
    basket,
    quoted,
    await loadRuleInput(ctx, input, guardrails.value.rules, session),
  )
  const after: Session = {
    ...withAssessment(session, assessment, input.now),
    ...(body.buyer ? { buyer: copyFields(body.buyer, BUYER_FIELDS) } : {}),
    ...namedAgent(),
  }
  if (session.orderMayExist && !(await isOrderAsSent(ctx, session, after)))
    return refuse('not_editable', TEXTS.orderMayExist(id))
  const destinations = [destinationText(session), destinationText(after)] as const
  const saved = await store.transaction(async (tx) => {
    const written = await saveAssessment(ctx, tx, session, after, assessment.verdict)
    if (destinations[0] !== destinations[1]) await recordEvent(ctx, tx, EVENTS.destinationChanged(id, ...destinations))
    return written
  })
  return accept({ session: saved, messages: [] })
}

/** The first line of a new session sets its supplier, which never changes. */
function readSupplierLines(
  requested: NonNullable<CheckoutUpdateRequest['line_items']>,
  session: Session,
): Outcome<readonly RequestedLine[]> {
  const read = readLines(requested)
  if (!read.ok) return read
  const { vendor, lines } = read.value
  if (vendor === session.vendor) return accept(lines)
  return refuse('namespace_mismatch', TEXTS.otherSupplier(session), '$.line_items[0].item.id')
}

/**
 * The supplier answers a number that it knows with its first order, whatever the lines are. Once a request may have been
 * sent, another basket under the same number could be paid for and never arrive.
 */
async function isOrderAsSent({ store }: Context, { id, attemptNo }: Session, after: Session): Promise<boolean> {
  const last = await findAttempt(store.db, id, attemptNo)
  return isSameOrder(last?.intent.order, orderContents(after))
}
