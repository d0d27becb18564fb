/** A session on the wire, field by field. */
import type {
  Checkout,
  FulfillmentDestination,
  FulfillmentMethod,
  FulfillmentOption,
  Item,
  LineItem,
} from '../../contract/shapes/checkout.ts'
import type { QuantityUnit } from '../../contract/shapes/catalog.ts'
import { APPROVAL_ACTION, PAYMENT_HANDLER_ID, PAYMENT_TYPE } from '../../contract/capabilities.ts'
import type { Link } from '../../contract/common.ts'
import { rfc3339 } from '../../kernel/clock.ts'
import { type Message, error, info, rejectedMessage, warning } from '../../kernel/message.ts'
import { approvalRequiredError } from '../../rules/guardrails/index.ts'
import { EACH } from '../../route/skus/index.ts'
import type { Context } from '../../context.ts'
import { SHIPPING_OPTION } from './basket/fulfillment.ts'
import { canBeAsked, supplierWaitMs } from './purchase/outcomes.ts'
import { type ClosedAs, type Destination, type Line, type Method, type Session, isClosed } from './session.ts'
import { TEXTS } from './texts.ts'
import { lineTotals, plainTotals, totalsView } from './basket/totals.ts'

type CheckoutBody = Omit<Checkout, 'ucp'>

type Deps = Pick<Context, 'config' | 'pickupSlots' | 'vendors' | 'clock'>

/** `extra` are messages of this answer only. */
export function checkoutView(ctx: Deps, session: Session, extra: readonly Message[] = []): CheckoutBody {
  const { config } = ctx
  const { id, status, supplierOrderNo, decision } = session
  // A dry run of create has no number yet, so `continue_url` is the page on which purchases are drafted.
  const hasPage = id !== ''
  const url = hasPage ? purchaseUrl(config.publicUrl, id) : `${config.publicUrl}/basket`
  const messages = [
    ...extra,
    ...stateMessages(ctx, session),
    ...((session.unconfirmedUntil ?? 0) > ctx.clock.now()
      ? [warning('outcome_unconfirmed', TEXTS.outcomeUnconfirmed)]
      : []),
    ...(status === 'canceled' ? [] : [...session.unavailableLines, ...session.findings]),
  ]
  return {
    id,
    status,
    currency: config.currency,
    vendor: session.vendor,
    line_items: session.lines.map(lineView),
    ...(session.buyer ? { buyer: session.buyer } : {}),
    ...(session.methods.length > 0
      ? { fulfillment: { methods: session.methods.map((method) => methodView(ctx, method, session)) } }
      : {}),
    totals: totalsView(session.totals ?? plainTotals(session.totalFen)),
    payment: {
      instruments: [
        {
          id: PAYMENT_HANDLER_ID,
          handler_id: PAYMENT_HANDLER_ID,
          type: PAYMENT_TYPE,
          selected: true,
          display: { name: `On account with ${session.vendor}` },
        },
      ],
    },
    messages,
    ...(status === 'requires_escalation' && decision ? { actions: { [APPROVAL_ACTION]: [{ id: decision }] } } : {}),
    links: linksOf(config, hasPage ? url : undefined),
    ...(isClosed(session) ? {} : { continue_url: pageOf(session.handoff) ?? url }),
    expires_at: rfc3339(session.expiresAt, config.timeZone),
    ...documentOf(session),
    ...(supplierOrderNo === undefined ? {} : { order: { id, permalink_url: url, label: supplierOrderNo } }),
  }
}

const pageOf = (handoff: Session['handoff']): string | undefined =>
  handoff && 'url' in handoff ? handoff.url : undefined

/** What a person sends to the supplier, or has sent. */
function documentOf({ handoff, sentDocument }: Session): Pick<Checkout, 'order_document'> {
  const document = handoff && 'document' in handoff ? handoff.document : sentDocument
  if (!document) return {}
  const { fileName, mediaType, content } = document
  return { order_document: { file_name: fileName, media_type: mediaType, content } }
}

/** The console page of a session, which is also that of its order. */
const purchaseUrl = (publicUrl: string, id: string): string => `${publicUrl}/purchases/${encodeURIComponent(id)}`

/** Only links that work: those the deployment configured, and the console page of the order. */
const linksOf = ({ links }: Context['config'], purchasePage: string | undefined): readonly Link[] => [
  ...(links.terms === undefined ? [] : [{ type: 'terms_of_service', url: links.terms }]),
  ...(links.privacy === undefined ? [] : [{ type: 'privacy_policy', url: links.privacy }]),
  ...(purchasePage === undefined ? [] : [{ type: 'order', url: purchasePage, title: 'Purchase order' }]),
]

const CLOSED_MESSAGES: Readonly<Record<ClosedAs, (session: Session) => readonly Message[]>> = {
  canceled: () => [],
  expired: () => [error('expired', TEXTS.expired)],
  approval_rejected: ({ rejectedBecause }) => [rejectedMessage(TEXTS.approvalRejected, rejectedBecause)],
}

/** An order that was found after its session was closed. */
const lateOrderWarning = (order: string): Message => warning('late_order', TEXTS.lateOrder(order), '$.order', { order })

function stateMessages(ctx: Deps, session: Session): readonly Message[] {
  const { status, closed, supplierOrderNo } = session
  if (closed)
    return [
      ...CLOSED_MESSAGES[closed.as](session),
      ...(supplierOrderNo === undefined ? [] : [lateOrderWarning(supplierOrderNo)]),
    ]
  if (status === 'requires_escalation')
    return [approvalRequiredError(TEXTS.approvalRequired, session.approvalNeed, `$.actions['${APPROVAL_ACTION}'][0]`)]
  return status === 'complete_in_progress' ? progressMessages(ctx, session) : []
}

/** `handoff` and `outcome_needed` say that a person may record the outcome now. */
function progressMessages(ctx: Deps, session: Session): readonly Message[] {
  const { handoff, outcomeUnknown, vendor } = session
  if (handoff && 'document' in handoff)
    return [info('handoff', TEXTS.toSendByHand, '$.order_document', { document: handoff.document.fileName })]
  if (handoff) return [info('handoff', TEXTS.handoff, '$.continue_url')]
  if (!outcomeUnknown) return [info('outcome_pending', TEXTS.awaitingSupplier)]
  const { text, onlyPersonKnows } = outcomeUnknown
  const isAsked = canBeAsked(ctx, vendor)
  return [
    ...(isAsked && !onlyPersonKnows ? [info('outcome_pending', TEXTS.outcomeUnknown(text))] : []),
    ...(supplierWaitMs(session, ctx.clock.now(), isAsked) === 0
      ? [warning('outcome_needed', TEXTS.outcomeNeeded(text))]
      : []),
  ]
}

function unitOf({ unit, contains, increment = 1, minimum = 1 }: Line): QuantityUnit {
  const known = unit === 'EA' || contains === undefined ? EACH : { unit, display_text: 'box', increment: 1, contains }
  if (increment <= 1 && minimum <= 1) return known
  return { ...known, increment, ...(minimum > 1 && { minimum }) }
}

export const itemView = (line: Line): Item => ({
  id: line.skuId,
  title: line.title,
  price: line.priceFen,
  quantity_unit: unitOf(line),
  ...(line.imageUrl === undefined ? {} : { image_url: line.imageUrl }),
})

const lineView = (line: Line): LineItem => ({
  id: line.id,
  item: itemView(line),
  quantity: line.quantity,
  totals: lineTotals(line),
  quantity_unit: unitOf(line),
})

function methodView(ctx: Deps, method: Method, session: Session): FulfillmentMethod {
  const lineItemIds = method.lineItemIds === 'all' ? session.lines.map(({ id }) => id) : method.lineItemIds
  const options = optionsOf(ctx, method, session)
  return {
    id: method.id,
    type: method.type,
    line_item_ids: lineItemIds,
    destinations: method.destinations.map(destinationView),
    selected_destination_id: method.selectedDestinationId,
    groups: [
      {
        id: method.groupId,
        line_item_ids: lineItemIds,
        // A closed session shows only what was selected.
        options: isClosed(session) ? options.filter(({ id }) => id === method.selectedOptionId) : options,
        selected_option_id: method.selectedOptionId,
      },
    ],
  }
}

/** Flat as in the contract, and nested as in UCP for a business location. */
const destinationView = ({ id, type, name, address }: Destination): FulfillmentDestination => ({
  ...address,
  type,
  id,
  ...(name === undefined ? {} : { name }),
  ...(type === 'business_location' ? { address } : {}),
})

const NO_CHARGE = [{ type: 'total', amount: 0 }]

const SHIPPING_OPTIONS: readonly FulfillmentOption[] = [{ ...SHIPPING_OPTION, totals: NO_CHARGE }]

/** What a supplier quoted for delivery is the price of the selected option. */
function optionsOf(ctx: Deps, method: Method, { assessedAt, totals }: Session): readonly FulfillmentOption[] {
  const offered = optionsOfType(ctx, method, assessedAt)
  if (!totals || totals.fulfillment === 0) return offered
  const quoted = [{ type: 'total', amount: totals.fulfillment }]
  return offered.map((option) => (option.id === method.selectedOptionId ? { ...option, totals: quoted } : option))
}

const optionsOfType = ({ pickupSlots }: Deps, { type }: Method, assessedAt: number): readonly FulfillmentOption[] =>
  type === 'shipping'
    ? SHIPPING_OPTIONS
    : pickupSlots(assessedAt).map(({ id, title, time }) => ({
        id,
        title,
        totals: NO_CHARGE,
        fulfillable_on: time,
        earliest_fulfillment_time: time,
      }))
