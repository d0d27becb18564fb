/** Signed order webhooks: the channels that deliver them, and the operations to look at them. */
import type { HandlersOf } from '../../contract/handlers.ts'
import type { WebhookTarget } from '../../config.ts'
import type { Job } from '../../jobs/runner.ts'
import { accept } from '../../kernel/outcome.ts'
import type { Context } from '../../context.ts'
import { deliveryJobs, endRemovedJob, ORDER_CHANNEL, orderBatches, orderChannel } from '../../record/outbox/index.ts'
import type { Channel } from '../../record/outbox/index.ts'
import { listWebhooks } from './list-webhooks.ts'
import { redeliverWebhook } from './redeliver-webhook.ts'
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

export const webhooksJobs = (ctx: Context): readonly Job[] => {
  const { webhookTargets: targets } = ctx.config
  return [
    ...deliveryJobs(
      ctx,
      targets.map((target) => channelOf(ctx, target)),
    ),
    endRemovedJob(ctx, {
      name: 'end-removed-webhooks',
      prefix: ORDER_CHANNEL,
      channels: targets.map(orderChannel),
    }),
  ]
}

export const webhooksHandlers = (ctx: Context): HandlersOf<'listWebhooks' | 'redeliverWebhook'> => ({
  listWebhooks: async ({ query }) => accept({ body: await listWebhooks(ctx, query) }),
  redeliverWebhook: ({ params }) => redeliverWebhook(ctx, params.id),
})

export { resultOf, signedRequest } from './send-order.ts'
