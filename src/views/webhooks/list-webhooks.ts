/** GET /webhooks: each target with what waits and its last outcome, and the latest deliveries. */
import type { Query } from '../../contract/handlers.ts'
import { PAGE_DEFAULT, PAGE_MAX } from '../../contract/limits.ts'
import type { WebhookDelivery, WebhookList } from '../../contract/shapes/webhook.ts'
import { rfc3339 } from '../../kernel/clock.ts'
import type { Context } from '../../context.ts'
import {
  listChannelStates,
  findLastTried,
  listMessages,
  ORDER_CHANNEL,
  orderChannel,
} from '../../record/outbox/index.ts'
import type { OutboxMessage } from '../../record/outbox/index.ts'

export function deliveryView(message: OutboxMessage, timeZone: string): WebhookDelivery {
  const time = (ms: number) => rfc3339(ms, timeZone)
  return {
    id: message.id,
    target: message.channel.slice(ORDER_CHANNEL.length),
    order_id: message.topic,
    kind: message.kind as WebhookDelivery['kind'],
    state: message.state,
    attempts: message.attempts,
    occurred_at: time(message.occurredAt),
    ...(message.state === 'waiting' ? { due_at: time(message.dueAt) } : {}),
    ...(message.finishedAt === undefined ? {} : { finished_at: time(message.finishedAt) }),
    ...(message.lastStatus === undefined ? {} : { last_status: message.lastStatus }),
    ...(message.lastError === undefined ? {} : { last_error: message.lastError }),
  }
}

export async function listWebhooks(
  { store, config }: Pick<Context, 'store' | 'config'>,
  { target, state, limit = PAGE_DEFAULT }: Query<'listWebhooks'>,
): Promise<Omit<WebhookList, 'ucp'>> {
  const time = (ms: number) => rfc3339(ms, config.timeZone)
  const states = new Map((await listChannelStates(store.db, ORDER_CHANNEL)).map((each) => [each.channel, each]))
  const chosen = config.webhookTargets.filter(({ id }) => target === undefined || id === target)
  const targets = await Promise.all(
    chosen.map(async ({ id, url, kinds, agent, from }) => {
      const waiting = states.get(orderChannel({ id }))
      const last = await findLastTried(store.db, orderChannel({ id }))
      return {
        id,
        // Without its query, which may hold a key of the receiver.
        url: url.split('?')[0] ?? url,
        kinds: [...kinds],
        ...(agent === undefined ? {} : { agent }),
        ...(from === undefined ? {} : { from: time(from) }),
        waiting: waiting?.waiting ?? 0,
        ...(waiting?.oldestAt === undefined ? {} : { oldest_waiting_at: time(waiting.oldestAt) }),
        ...(last ? { last_delivery: deliveryView(last, config.timeZone) } : {}),
      }
    }),
  )
  const messages = await listMessages(store.db, {
    channels: chosen.map(orderChannel),
    state,
    limit: Math.min(limit, PAGE_MAX),
  })
  return { targets, deliveries: messages.map((message) => deliveryView(message, config.timeZone)) }
}
