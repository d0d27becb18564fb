/** Operations of the contract: the event log and its webhooks. */
import { ACTIVE } from '../capabilities.ts'
import { WebhookDeliveryAnswer, WebhookList, WebhookListQuery } from '../shapes/webhook.ts'
import { EventAnswer, EventList, EventListQuery, EventRequest } from '../shapes/event.ts'
import { type OperationRows, operationRows } from '../operation.ts'
import { ROLES } from '../roles.ts'
import { IdParams } from './params.ts'

const COMMON = { section: '4.9', tag: 'Events', capabilities: ACTIVE.events } as const

export const eventsOperations = operationRows(COMMON, {
  listEvents: {
    method: 'GET',
    path: '/events',
    summary: 'Lists events, newest first.',
    roles: ROLES.readers,
    query: EventListQuery,
    returns: EventList,
  },
  appendEvent: {
    method: 'POST',
    path: '/events',
    summary: 'Appends your own event.',
    roles: ROLES.routeWriters,
    write: { guard: 'none', limit: 'new' },
    body: EventRequest,
    status: 201,
    returns: EventAnswer,
  },
  listWebhooks: {
    method: 'GET',
    path: '/webhooks',
    section: '6.6',
    summary: 'Lists the targets of order webhooks, what waits, and the latest deliveries.',
    roles: ROLES.readers,
    query: WebhookListQuery,
    returns: WebhookList,
    capabilities: ACTIVE.order,
  },
  redeliverWebhook: {
    method: 'POST',
    path: '/webhooks/{id}/redeliver',
    section: '6.6',
    summary: 'Sends the order of a delivery once more, as it is now, under the same `Webhook-Id`.',
    roles: ROLES.writers,
    write: { guard: 'none' },
    params: IdParams,
    returns: WebhookDeliveryAnswer,
    capabilities: ACTIVE.order,
    codes: ['not_found', 'not_editable'],
  },
} as const satisfies OperationRows)
