/** Order webhooks: targets and deliveries. Beyond the contract. */
import { type Static, Type } from 'typebox'
import { Count, Timestamp, UcpEnvelope, Url } from '../common.ts'
import { PAGE_DEFAULT, PAGE_MAX, WORD_MAX } from '../limits.ts'
import { answer, list, oneOf, request, text } from '../schema-helpers.ts'

const OrderKind = oneOf(['purchase', 'sale'])
const DeliveryState = oneOf(['waiting', 'delivered', 'superseded', 'dead'], {
  title: 'WebhookDeliveryState',
  description: 'superseded: a later delivery of the same order has said it all. dead: given up.',
})

const DELIVERY = {
  id: Type.String({ format: 'uuid', description: 'The `Webhook-Id`; the same on every attempt.' }),
  target: Type.String(),
  order_id: Type.String(),
  kind: OrderKind,
  state: DeliveryState,
  attempts: Count,
  occurred_at: Timestamp,
  due_at: Type.Optional(Timestamp),
  finished_at: Type.Optional(Timestamp),
  last_status: Type.Optional(Type.Integer()),
  last_error: Type.Optional(Type.String()),
}

export const WebhookDelivery = answer('WebhookDelivery', DELIVERY)
export type WebhookDelivery = Static<typeof WebhookDelivery>

export const WebhookDeliveryAnswer = answer('WebhookDeliveryAnswer', { ucp: UcpEnvelope, ...DELIVERY })

const WebhookTarget = answer('WebhookTarget', {
  id: Type.String(),
  url: Type.String({ format: 'uri', description: 'Without its query.' }),
  kinds: list(OrderKind),
  agent: Type.Optional(Url),
  from: Type.Optional(Timestamp),
  waiting: Count,
  oldest_waiting_at: Type.Optional(Timestamp),
  last_delivery: Type.Optional(WebhookDelivery),
})

export const WebhookList = answer('WebhookList', {
  ucp: UcpEnvelope,
  targets: list(WebhookTarget),
  deliveries: list(WebhookDelivery),
})
export type WebhookList = Static<typeof WebhookList>

export const WebhookListQuery = request('WebhookListQuery', {
  target: Type.Optional(text(WORD_MAX)),
  state: Type.Optional(DeliveryState),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT })),
})
