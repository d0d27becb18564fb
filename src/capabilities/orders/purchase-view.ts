/** A purchase as an order (2.7, 3.4). */
import type { Adjustment, FulfillmentEvent, Order, OrderLineItem } from '../../contract/order.ts'
import { rfc3339 } from '../../kernel/clock.ts'
import type { Context } from '../context.ts'
import type { Purchase, PurchaseLine, StateChange, Tracking } from './purchase-records.ts'
import { PURCHASE } from './mapping.ts'

export function purchaseView(
  { config }: Pick<Context, 'config'>,
  purchase: Purchase,
  changes: readonly StateChange[],
): Omit<Order, 'ucp'> {
  const { id, label, lines, delivery, supplierStatus, totalFen } = purchase
  const time = (ms: number) => rfc3339(ms, config.timeZone)
  const quantities = lines.map(({ id, quantity }) => ({ id, quantity }))
  return {
    id,
    checkout_id: id,
    permalink_url: `${config.publicUrl}/purchases/${encodeURIComponent(id)}`,
    currency: config.currency,
    kind: 'purchase',
    label,
    created_at: time(purchase.placedAt),
    line_items: lines.map((line) => lineView(line, purchase)),
    fulfillment: {
      expectations: [
        {
          id: `${id}-exp-1`,
          line_items: quantities,
          method_type: delivery.type,
          destination: delivery.destination,
          description: delivery.description,
          ...(delivery.at === undefined ? {} : { fulfillable_on: time(delivery.at) }),
        },
      ],
      events: changes.map(({ n, state, occurredAt, tracking }): FulfillmentEvent => ({
        id: `${id}-event-${n}`,
        occurred_at: time(occurredAt),
        type: state === 'shipped' ? 'shipped' : PURCHASE[state].event,
        line_items: quantities,
        ...trackingView(tracking),
      })),
    },
    totals: [
      { type: 'subtotal', amount: totalFen },
      { type: 'fulfillment', amount: 0 },
      { type: 'total', amount: totalFen },
    ],
    adjustments: changes
      .filter(({ state }) => state === 'cancelled')
      .map((change) => cancellation(purchase, change, time)),
    ...(supplierStatus
      ? {
          supplier_status: {
            code: supplierStatus.rawStatus,
            description: supplierStatus.description,
            mapped: purchase.state,
          },
          logistics: supplierStatus.logistics.map(
            ({ at, text, received }) => received ?? { at: at === null ? null : time(at), text },
          ),
        }
      : {}),
  }
}

const trackingView = ({ carrier, trackingNumber, trackingUrl }: Tracking) => ({
  ...(carrier === undefined ? {} : { carrier }),
  ...(trackingNumber === undefined ? {} : { tracking_number: trackingNumber }),
  ...(trackingUrl === undefined ? {} : { tracking_url: trackingUrl }),
})

function lineView({ id, item, quantity }: PurchaseLine, { state }: Purchase): OrderLineItem {
  const { line, total, fulfilled } = PURCHASE[state]
  const amount = item.price * quantity
  return {
    id,
    item,
    quantity: { original: quantity, total: total * quantity, fulfilled: fulfilled * quantity },
    totals: [
      { type: 'subtotal', amount },
      { type: 'total', amount },
    ],
    status: line,
  }
}

/** The order itself stays as purchased; the returned money is an adjustment. */
const cancellation = (
  { id, lines, totalFen }: Purchase,
  { n, occurredAt }: StateChange,
  time: (ms: number) => string,
): Adjustment => ({
  id: `${id}-adjustment-${n}`,
  type: 'cancellation',
  occurred_at: time(occurredAt),
  status: 'completed',
  line_items: lines.map(({ id, quantity }) => ({ id, quantity: -quantity })),
  totals: [{ type: 'total', amount: 0 - totalFen }],
})
