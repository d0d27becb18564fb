/** A sale transaction as an order: each line is one unit out of a machine. */
import { ACTIVE } from '../../contract/capabilities.ts'
import type { PostalAddress, Total } from '../../contract/common.ts'
import { success } from '../../contract/envelope.ts'
import type { Adjustment, FulfillmentEvent, Order, OrderLineItem } from '../../contract/shapes/order.ts'
import { rfc3339 } from '../../kernel/clock.ts'
import { times } from '../../kernel/fen.ts'
import { type SkuId, skuIdOf } from '../../kernel/ids.ts'
import type { CurrencyCode } from '../../kernel/currency.ts'
import { warning } from '../../kernel/message.ts'
import type { SaleTransaction, TransactionLine } from '../../route/sales/index.ts'
import { EACH } from '../../route/skus/index.ts'
import { SALE_MAPPING } from './mapping.ts'

const ENVELOPE = success(ACTIVE.order)

/** What an order shows and the ledger does not contain. */
export interface SaleViewContext {
  readonly timeZone: string
  readonly currency: CurrencyCode
  readonly publicUrl: string
  readonly titleOf: (id: SkuId) => string | undefined
  readonly addressOf: (location: string) => PostalAddress | undefined
}

interface Line {
  readonly id: string
  readonly skuId: SkuId
  readonly sold: TransactionLine
}

export function saleView(sale: SaleTransaction, context: SaleViewContext): Order {
  const { orderNo } = sale
  const lines = sale.lines.flatMap((sold, i): Line[] => {
    const skuId = skuIdOf(sale.namespace, sold.vendorSku)
    return skuId ? [{ id: `li_${i + 1}`, skuId, sold }] : []
  })
  const adjustments = lines.flatMap((line) => adjustmentOf(line, context.timeZone))
  const undated = warning(
    'sync_problem',
    `The platform reported an invalid time for this sale: "${sale.createdAtRaw}"`,
    undefined,
    { time: sale.createdAtRaw },
  )
  return {
    ucp: ENVELOPE,
    id: orderNo,
    // A sale has no checkout session, but the official shape requires the field.
    checkout_id: orderNo,
    permalink_url: `${context.publicUrl}/orders/${encodeURIComponent(orderNo)}`,
    currency: context.currency,
    kind: 'sale',
    ...(sale.createdAt === null ? {} : { created_at: rfc3339(sale.createdAt, context.timeZone) }),
    ...soldBetween(sale, context.timeZone),
    line_items: lines.map((line) => lineItem(line, context)),
    fulfillment: fulfillmentOf(sale, lines, context),
    totals: totalsOf(sale, lines),
    ...(adjustments.length === 0 ? {} : { adjustments }),
    location: sale.locationId,
    ...(sale.locationName === undefined ? {} : { location_name: sale.locationName }),
    trade_status: sale.status,
    ...(sale.statusLabel === undefined ? {} : { trade_status_label: sale.statusLabel }),
    ...(sale.createdAt === null ? { messages: [undated] } : {}),
  }
}

const INTERVAL = /^([^/]+)\/([^/]+)$/

/** Of counters that are read now and then only that is known; `created_at` is some time in between. */
function soldBetween({ createdAtRaw }: SaleTransaction, timeZone: string): Pick<Order, 'sold_between'> {
  const [from = Number.NaN, to = Number.NaN] = (INTERVAL.exec(createdAtRaw) ?? [])
    .slice(1)
    .map((text) => Date.parse(text))
  return from <= to ? { sold_between: { from: rfc3339(from, timeZone), to: rfc3339(to, timeZone) } } : {}
}

function lineItem({ id, skuId, sold }: Line, { titleOf }: SaleViewContext): OrderLineItem {
  const { line, total, fulfilled } = SALE_MAPPING[sold.status]
  return {
    id,
    item: { id: skuId, title: titleOf(skuId) ?? sold.vendorSku, price: sold.priceFen, quantity_unit: EACH },
    quantity: { original: 1, total, fulfilled },
    totals: totalsOfLine(sold.priceFen),
    status: line,
  }
}

const totalsOfLine = (amount: number): Total[] => [
  { type: 'subtotal', amount },
  { type: 'total', amount },
]

/** As sold; refunds are adjustments. The platform may have charged more or less than the prices. */
function totalsOf(sale: SaleTransaction, lines: readonly Line[]): Total[] {
  const subtotal = lines.reduce((sum, { sold }) => sum + sold.priceFen, 0)
  const difference = sale.totalFen - subtotal
  const between: Total[] = difference === 0 ? [] : [{ type: difference < 0 ? 'discount' : 'fee', amount: difference }]
  return [{ type: 'subtotal', amount: subtotal }, ...between, { type: 'total', amount: sale.totalFen }]
}

function fulfillmentOf(sale: SaleTransaction, lines: readonly Line[], context: SaleViewContext): Order['fulfillment'] {
  const one = ({ id }: Line) => ({ id, quantity: 1 })
  const remaining = lines.filter(({ sold }) => SALE_MAPPING[sold.status].total > 0)
  const dispensed = lines.filter(({ sold }) => SALE_MAPPING[sold.status].fulfilled > 0)
  const event: FulfillmentEvent = {
    id: `${sale.orderNo}:dispensed`,
    // Without a time of its own: when it was first read.
    occurred_at: rfc3339(sale.createdAt ?? sale.firstSeenAt, context.timeZone),
    type: 'dispensed',
    line_items: dispensed.map(one),
  }
  const expectation = {
    id: `${sale.orderNo}:dispense`,
    line_items: remaining.map(one),
    method_type: 'vending_dispense',
    destination: context.addressOf(sale.locationId) ?? {},
  }
  return { expectations: remaining.length === 0 ? [] : [expectation], events: dispensed.length === 0 ? [] : [event] }
}

function adjustmentOf({ id, sold }: Line, timeZone: string): Adjustment[] {
  const { adjusted, isRepaid } = SALE_MAPPING[sold.status]
  if (!adjusted) return []
  const [type, status] = adjusted
  return [
    {
      id: `${id}:${sold.status}`,
      type,
      status,
      occurred_at: rfc3339(sold.since, timeZone),
      line_items: [{ id, quantity: -1 }],
      ...(isRepaid ? { totals: [{ type: 'total', amount: times(sold.priceFen, -1) }] } : {}),
    },
  ]
}
