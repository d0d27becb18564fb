/** A purchase as an order. */
import type { Total } from '../../contract/common.ts'
import type { Adjustment, FulfillmentEvent, Order, OrderLineItem } from '../../contract/shapes/order.ts'
import { rfc3339 } from '../../kernel/clock.ts'
import type { CurrencyCode } from '../../kernel/currency.ts'
import { ZERO } from '../../kernel/fen.ts'
import { omitUndefined } from '../../lib/objects.ts'
import type { Context } from '../../context.ts'
import { agreedFenOf } from './charge.ts'
import type { Purchase, PurchaseLine, StateChange, Tracking } from './purchase-record.ts'
import { PURCHASE_MAPPING } from './mapping.ts'
import { type LineProgress, progressOfLines, shortFenOf } from './short-lines.ts'
import { aboveAgreedWarning, invoiceWarnings } from './texts.ts'

export function purchaseView(
  { config }: Pick<Context, 'config'>,
  purchase: Purchase,
  changes: readonly StateChange[],
  run: string | undefined,
  arrivedAt: number | undefined,
): Omit<Order, 'ucp'> {
  const { id, label, lines, delivery, supplierStatus, receivedAt = arrivedAt } = purchase
  const progress = progressOfLines(lines, supplierStatus?.lines ?? [])
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
    ...(run !== undefined && { run }),
    ...(receivedAt !== undefined && { received_at: time(receivedAt) }),
    line_items: lines.map((line) => lineView(line, purchase, progress.get(line.id))),
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
        type: state === 'shipped' ? 'shipped' : PURCHASE_MAPPING[state].event,
        line_items: quantities,
        ...trackingView(tracking),
      })),
    },
    totals: totalsOf(purchase),
    adjustments: [
      ...shortageAdjustments(purchase, progress, time),
      ...changes.filter(({ state }) => state === 'cancelled').map((change) => cancellation(purchase, change, time)),
    ],
    ...messagesOf(purchase, config.currency),
    ...(supplierStatus
      ? {
          supplier_status: {
            code: supplierStatus.rawStatus,
            description: supplierStatus.description,
            mapped: purchase.state,
            ...(supplierStatus.raw !== undefined && { raw: supplierStatus.raw }),
          },
          logistics: supplierStatus.logistics.map(
            ({ at, text, received }) => received ?? { at: at === null ? null : time(at), text },
          ),
        }
      : {}),
  }
}

/** What the owner has to know: the confirmed total or the invoice differs from what was agreed. */
function messagesOf(purchase: Purchase, currency: CurrencyCode): Pick<Order, 'messages'> {
  const { label: order, totalFen: chargedFen } = purchase
  const agreedFen = agreedFenOf(purchase)
  const messages = [
    ...(chargedFen > agreedFen ? [aboveAgreedWarning({ order, chargedFen, agreedFen, currency })] : []),
    ...invoiceWarnings(purchase, currency),
  ]
  return messages.length === 0 ? {} : { messages }
}

const trackingView = ({ carrier, trackingNumber, trackingUrl }: Tracking) =>
  omitUndefined({ carrier, tracking_number: trackingNumber, tracking_url: trackingUrl })

/** The totals as quoted, less what will not come; a supplier that asks another total in the end is shown with the difference. */
function totalsOf(purchase: Purchase): readonly Total[] {
  const { totals, totalFen, agreedFen = totalFen } = purchase
  const shortFen = shortFenOf(purchase)
  const difference = totalFen - agreedFen
  const parts = totals ?? { subtotal: agreedFen, fulfillment: ZERO, tax: ZERO, fee: ZERO }
  return [
    { type: 'subtotal', amount: parts.subtotal },
    { type: 'fulfillment', amount: parts.fulfillment },
    ...(parts.tax > 0 ? [{ type: 'tax', amount: parts.tax }] : []),
    ...(parts.fee > 0 ? [{ type: 'fee', amount: parts.fee }] : []),
    ...(difference === 0
      ? []
      : [{ type: difference > 0 ? 'fee' : 'discount', amount: difference, display_text: 'Difference from the quote' }]),
    ...(shortFen === 0 ? [] : [{ type: 'discount', amount: -shortFen, display_text: 'Not delivered' }]),
    { type: 'total', amount: totalFen - shortFen },
  ]
}

function lineView(
  { id, item, quantity: original }: PurchaseLine,
  { state }: Purchase,
  progress: LineProgress | undefined,
): OrderLineItem {
  const { line, total: perUnit, fulfilled: isFulfilled } = PURCHASE_MAPPING[state]
  const total = perUnit * (original - (progress?.cancelled ?? 0))
  const fulfilled = isFulfilled ? total : Math.min(total, progress?.shipped ?? 0)
  // A canceled order stays as purchased; the returned money is an adjustment.
  const amount = item.price * (state === 'cancelled' ? original : total)
  return {
    id,
    item,
    quantity: { original, total, fulfilled },
    totals: [
      { type: 'subtotal', amount },
      { type: 'total', amount },
    ],
    status: progress ? statusOf(total, fulfilled) : line,
  }
}

/** As the protocol derives it; a line that came short is fulfilled with a total below what was ordered. */
function statusOf(total: number, fulfilled: number): OrderLineItem['status'] {
  if (total === 0) return 'removed'
  if (fulfilled === 0) return 'processing'
  return fulfilled === total ? 'fulfilled' : 'partial'
}

/** What the supplier will not deliver, at the price of the line. */
function shortageAdjustments(
  { id, lines, state, supplierStatus }: Purchase,
  progress: ReadonlyMap<string, LineProgress>,
  time: (ms: number) => string,
): readonly Adjustment[] {
  const shortSince = supplierStatus?.shortSince
  // The cancellation of the whole order covers all lines.
  if (shortSince === undefined || state === 'cancelled') return []
  const short = lines.flatMap((line) => {
    const cancelled = progress.get(line.id)?.cancelled ?? 0
    return cancelled > 0 ? [{ id: line.id, quantity: -cancelled, amount: -cancelled * line.item.price }] : []
  })
  return [
    {
      id: `${id}-adjustment-short`,
      type: 'cancellation',
      occurred_at: time(shortSince),
      status: 'completed',
      line_items: short.map(({ id, quantity }) => ({ id, quantity })),
      totals: [{ type: 'total', amount: short.reduce((sum, { amount }) => sum + amount, 0) }],
    },
  ]
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
