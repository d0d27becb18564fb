/** A trade of the ledger as an order (2.7): each line is one unit out of a machine. */
import { ACTIVE } from '../../contract/capabilities.ts'
import type { PostalAddress, Total } from '../../contract/common.ts'
import { success } from '../../contract/envelope.ts'
import type { Adjustment, FulfillmentEvent, Order, OrderLineItem } from '../../contract/order.ts'
import { rfc3339 } from '../../kernel/clock.ts'
import { times } from '../../kernel/fen.ts'
import { skuIdOf } from '../../kernel/ids.ts'
import type { SkuId } from '../../kernel/ids.ts'
import { warning } from '../../kernel/message.ts'
import type { SaleTransaction, SaleLine } from '../sales/index.ts'
import { EACH } from '../skus/index.ts'
import { SALE } from './mapping.ts'

const ENVELOPE = success(ACTIVE.order)

/** What a ledger does not tell and an order shows. */
export interface SaleContext {
  readonly timeZone: string
  readonly publicUrl: string
  readonly titleOf: (id: SkuId) => string | undefined
  readonly addressOf: (location: string) => PostalAddress | undefined
}

interface Line {
  readonly id: string
  readonly skuId: SkuId
  readonly sold: SaleLine
}

export function saleView(trade: SaleTransaction, context: SaleContext): Order {
  const { orderNo } = trade
  const lines = trade.lines.flatMap((sold, i): Line[] => {
    const skuId = skuIdOf(trade.namespace, sold.vendorSku)
    return skuId ? [{ id: `li_${i + 1}`, skuId, sold }] : []
  })
  const adjustments = lines.flatMap((line) => adjustmentOf(line, context.timeZone))
  const undated = warning('sync_problem', `the platform's time of this sale cannot be read: "${trade.createdAtRaw}"`)
  return {
    ucp: ENVELOPE,
    id: orderNo,
    // A sale has no session before it; the official shape wants the field all the same.
    checkout_id: orderNo,
    permalink_url: `${context.publicUrl}/orders/${encodeURIComponent(orderNo)}`,
    currency: 'CNY',
    kind: 'sale',
    ...(trade.createdAt === null ? {} : { created_at: rfc3339(trade.createdAt, context.timeZone) }),
    line_items: lines.map((line) => lineItem(line, context)),
    fulfillment: fulfillmentOf(trade, lines, context),
    totals: totalsOf(trade, lines),
    ...(adjustments.length === 0 ? {} : { adjustments }),
    location: trade.locationId,
    ...(trade.locationName === undefined ? {} : { location_name: trade.locationName }),
    trade_status: trade.status,
    ...(trade.statusLabel === undefined ? {} : { trade_status_label: trade.statusLabel }),
    ...(trade.createdAt === null ? { messages: [undated] } : {}),
  }
}

function lineItem({ id, skuId, sold }: Line, { titleOf }: SaleContext): OrderLineItem {
  const { line, total, fulfilled } = SALE[sold.status]
  return {
    id,
    item: { id: skuId, title: titleOf(skuId) ?? sold.vendorSku, price: sold.priceFen, quantity_unit: EACH },
    quantity: { original: 1, total, fulfilled },
    totals: both(sold.priceFen),
    status: line,
  }
}

const both = (amount: number): Total[] => [
  { type: 'subtotal', amount },
  { type: 'total', amount },
]

/** As sold: what was given back stands in the adjustments. The platform may have taken more or less than the prices. */
function totalsOf(trade: SaleTransaction, lines: readonly Line[]): Total[] {
  const subtotal = lines.reduce((sum, { sold }) => sum + sold.priceFen, 0)
  const difference = trade.totalFen - subtotal
  const between: Total[] = difference === 0 ? [] : [{ type: difference < 0 ? 'discount' : 'fee', amount: difference }]
  return [{ type: 'subtotal', amount: subtotal }, ...between, { type: 'total', amount: trade.totalFen }]
}

function fulfillmentOf(trade: SaleTransaction, lines: readonly Line[], context: SaleContext): Order['fulfillment'] {
  const one = ({ id }: Line) => ({ id, quantity: 1 })
  const kept = lines.filter(({ sold }) => SALE[sold.status].total > 0)
  const dispensed = lines.filter(({ sold }) => SALE[sold.status].fulfilled > 0)
  const event: FulfillmentEvent = {
    id: `${trade.orderNo}:dispensed`,
    // Without a time of its own, when we first heard of it.
    occurred_at: rfc3339(trade.createdAt ?? trade.firstSeenAt, context.timeZone),
    type: 'dispensed',
    line_items: dispensed.map(one),
  }
  const expectation = {
    id: `${trade.orderNo}:dispense`,
    line_items: kept.map(one),
    method_type: 'vending_dispense',
    destination: context.addressOf(trade.locationId) ?? {},
  }
  return { expectations: kept.length === 0 ? [] : [expectation], events: dispensed.length === 0 ? [] : [event] }
}

function adjustmentOf({ id, sold }: Line, timeZone: string): Adjustment[] {
  const { adjusted, repaid } = SALE[sold.status]
  if (!adjusted) return []
  const [type, status] = adjusted
  return [
    {
      id: `${id}:${sold.status}`,
      type,
      status,
      occurred_at: rfc3339(sold.since, timeZone),
      line_items: [{ id, quantity: -1 }],
      ...(repaid ? { totals: [{ type: 'total', amount: times(sold.priceFen, -1) }] } : {}),
    },
  ]
}
