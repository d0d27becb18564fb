/** Purchases and machine sales in one shape, and the query that lists them. */
import { type Static, Type } from 'typebox'
import { Item } from './checkout.ts'
import {
  Currency,
  Cursor,
  LocationId,
  Messages,
  PaginationResponse,
  PostalAddress,
  SkuId,
  Timestamp,
  Total,
  UcpEnvelope,
  Url,
} from '../common.ts'
import { DELIVERED_LINES_MAX, ORDERS_DEFAULT, ORDERS_MAX, QUANTITY_MAX, WORD_MAX } from '../limits.ts'
import { By } from './people.ts'
import { answer, anything, list, oneOf, request, text } from '../schema-helpers.ts'

const OrderLineStatus = oneOf(['processing', 'partial', 'fulfilled', 'removed'])

export const ORDER_LINE_ITEM = {
  id: Type.String(),
  item: Item,
  quantity: answer('OrderQuantity', {
    original: Type.Optional(Type.Integer({ minimum: 0 })),
    total: Type.Integer({ minimum: 0 }),
    fulfilled: Type.Integer({ minimum: 0 }),
  }),
  totals: list(Total),
  status: OrderLineStatus,
}

export const OrderLineItem = answer('OrderLineItem', ORDER_LINE_ITEM)
export type OrderLineItem = Static<typeof OrderLineItem>

const LineQuantity = answer('LineQuantity', { id: Type.String(), quantity: Type.Integer({ minimum: 1 }) })

export const Expectation = answer('Expectation', {
  id: Type.String(),
  line_items: list(LineQuantity),
  method_type: Type.String({ description: 'shipping, pickup, vending_dispense, operator_visit, or another value.' }),
  destination: PostalAddress,
  description: Type.Optional(Type.String()),
  fulfillable_on: Type.Optional(Timestamp),
  sequence: Type.Optional(Type.Integer({ minimum: 1, description: 'Position of the stop in the tour of a run.' })),
})
export type Expectation = Static<typeof Expectation>

export const FulfillmentEvent = answer('FulfillmentEvent', {
  id: Type.String(),
  occurred_at: Timestamp,
  type: Type.String({
    description: 'processing, shipped, delivered, canceled, dispensed, planned, approved, ordered, or another value.',
  }),
  line_items: list(LineQuantity),
  tracking_number: Type.Optional(Type.String()),
  tracking_url: Type.Optional(Url),
  carrier: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  by: Type.Optional(By),
})
export type FulfillmentEvent = Static<typeof FulfillmentEvent>

export const Adjustment = answer('Adjustment', {
  id: Type.String(),
  type: Type.String({ description: 'refund, cancellation, price_adjustment, or another value.' }),
  occurred_at: Timestamp,
  status: oneOf(['pending', 'completed', 'failed']),
  line_items: Type.Optional(list(answer('SignedLineQuantity', { id: Type.String(), quantity: Type.Integer() }))),
  totals: Type.Optional(list(Total)),
  description: Type.Optional(Type.String()),
})
export type Adjustment = Static<typeof Adjustment>

/** Members of every order-shaped resource, including replenishment runs. */
export const ORDER = {
  ucp: UcpEnvelope,
  id: Type.String(),
  checkout_id: Type.String(),
  permalink_url: Url,
  currency: Currency,
  fulfillment: answer('OrderFulfillment', {
    expectations: Type.Optional(list(Expectation)),
    events: Type.Optional(list(FulfillmentEvent)),
  }),
  totals: list(Total),
  adjustments: Type.Optional(list(Adjustment)),
  messages: Type.Optional(Messages),
}

/** What came of a purchase, as a person counted it. */
export const OrderDelivered = Type.Array(
  request('OrderDeliveredLine', {
    item: request('OrderDeliveredItem', { id: SkuId }),
    quantity: Type.Integer({ minimum: 0, maximum: QUANTITY_MAX, description: 'Single units.' }),
  }),
  {
    maxItems: DELIVERED_LINES_MAX,
    description: 'Products left out count 0. Without it: as the supplier confirmed.',
  },
)
export type OrderDelivered = Static<typeof OrderDelivered>

const OrderKind = oneOf(['purchase', 'sale'])

export const Order = answer('Order', {
  ...ORDER,
  line_items: list(OrderLineItem),
  label: Type.Optional(Type.String({ description: "The supplier's own order number." })),
  kind: Type.Optional(OrderKind),
  created_at: Type.Optional(Timestamp),
  sold_between: Type.Optional(answer('SoldBetween', { from: Timestamp, to: Timestamp })),
  received_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'When a purchase was booked into the store room, alone or with its run.',
    }),
  ),
  run: Type.Optional(
    Type.String({ description: 'The run that a purchase was made for. It is received with that run.' }),
  ),
  location: Type.Optional(Type.String()),
  location_name: Type.Optional(Type.String()),
  trade_status: Type.Optional(Type.String()),
  trade_status_label: Type.Optional(Type.String()),
  supplier_status: Type.Optional(
    answer('SupplierStatus', {
      code: Type.Integer(),
      description: Type.String(),
      mapped: oneOf(['ordered', 'arrived', 'cancelled']),
      raw: Type.Optional(Type.String({ description: "The supplier's own word, where it is not a number." })),
    }),
  ),
  logistics: Type.Optional(list(anything('As the supplier sent it.'))),
})
export type Order = Static<typeof Order>

export const OrderList = answer('OrderList', {
  ucp: UcpEnvelope,
  orders: list(Order),
  pagination: Type.Optional(PaginationResponse),
  messages: Type.Optional(Messages),
})
export type OrderList = Static<typeof OrderList>

export const OrderListQuery = request('OrderListQuery', {
  kind: Type.Optional(oneOf(['sale', 'purchase'], { default: 'sale' })),
  location: Type.Optional(LocationId),
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
  trade_status: Type.Optional(text(WORD_MAX, '`all`: sales of every status; otherwise only paid ones.')),
  cursor: Type.Optional(Cursor),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: ORDERS_MAX, default: ORDERS_DEFAULT })),
})
export type OrderListQuery = Static<typeof OrderListQuery>
