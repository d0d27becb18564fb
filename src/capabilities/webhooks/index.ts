/** Signed order webhooks (4.9, 6.6): the channels that deliver them, and the operations to look at them. */
import type { HandlersOf } from '../../contract/handlers.ts'
import type { WebhookTarget } from '../../config.ts'
import type { Job } from '../../jobs/runner.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Context } from '../context.ts'
import { deliveryJobs, ORDER_CHANNEL, orderBatches, orderChannel, requeueMessage } from '../outbox/index.ts'
import type { Channel } from '../outbox/index.ts'
import { deliveryView, listWebhooks } from './list-webhooks.ts'
import { sendOrder } from './send-order.ts'

const channelOf = (ctx: Context, target: WebhookTarget): Channel => ({
  name: orderChannel(target),
  batches: orderBatches,
  send: ({ message }) => sendOrder(ctx, target, message),
  deadEvent: ({ topic, attempts }, error) => ({
    kind: 'webhook',
    code: 'webhook_given_up',
    params: { order: topic, target: target.id, error },
    summary: `Order ${topic} could not be delivered to ${target.id}`,
    reasoning: `${error}, after ${attempts + 1} attempts. Redeliver it once the receiver works again.`,
  }),
})

export const webhooksJobs = (ctx: Context): readonly Job[] =>
  deliveryJobs(
    ctx,
    ctx.config.webhookTargets.map((target) => channelOf(ctx, target)),
  )

export const webhooksHandlers = (ctx: Context): HandlersOf<'listWebhooks' | 'redeliverWebhook'> => ({
  listWebhooks: async ({ query }) => accept({ body: await listWebhooks(ctx, query) }),
  redeliverWebhook: async ({ params }) => {
    const { store, clock, config } = ctx
    const message = await store.transaction((tx) => requeueMessage(tx, ORDER_CHANNEL, params.id, clock.now()))
    if (!message) return refuse('not_found', `No webhook delivery "${params.id}"`)
    return accept({ body: deliveryView(message, config.timeZone) })
  },
})

export { resultOf, signedRequest } from './send-order.ts'
