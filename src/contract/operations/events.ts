/** Operations of the contract: the event log and its webhooks. */
import { ACTIVE } from '../capabilities.ts'
import { WebhookDeliveryAnswer, WebhookList, WebhookListQuery } from '../webhook.ts'
import { EventAnswer, EventList, EventListQuery, EventRequest } from '../event.ts'
import type { Operation } from '../operation.ts'
import { ROLES } from '../roles.ts'
import { IdParams } from './params.ts'

export const eventsOperations = {
  listEvents: {
    method: 'GET',
    path: '/events',
    section: '4.9',
    summary: 'Lists events, newest first, and names the live stream.',
    tag: 'Events',
    roles: ROLES.readers,
    query: EventListQuery,
    status: 200,
    returns: EventList,
    capabilities: ACTIVE.events,
    codes: [],
  },
  appendEvent: {
    method: 'POST',
    path: '/events',
    section: '4.9',
    summary: 'Appends an event of the caller.',
    tag: 'Events',
    roles: ROLES.routeWriters,
    write: { guard: 'none', limit: 'new' },
    body: EventRequest,
    status: 201,
    returns: EventAnswer,
    capabilities: ACTIVE.events,
    codes: [],
  },
  listWebhooks: {
    method: 'GET',
    path: '/webhooks',
    section: '6.6',
    summary: 'Lists the targets of order webhooks with what waits, and the latest deliveries.',
    tag: 'Events',
    roles: ROLES.readers,
    query: WebhookListQuery,
    status: 200,
    returns: WebhookList,
    capabilities: ACTIVE.order,
    codes: [],
  },
  redeliverWebhook: {
    method: 'POST',
    path: '/webhooks/{id}/redeliver',
    section: '6.6',
    summary: 'Sends the order of a delivery once more, as it is now, under the same `Webhook-Id`.',
    tag: 'Events',
    roles: ROLES.writers,
    write: { guard: 'none' },
    params: IdParams,
    status: 200,
    returns: WebhookDeliveryAnswer,
    capabilities: ACTIVE.order,
    codes: ['not_found', 'not_editable'],
  },
} as const satisfies Record<string, Operation>
