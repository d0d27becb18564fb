/** POST /webhooks/{id}/redeliver: sends the order of a delivery once more, as it is now. */
import type { WebhookDelivery } from '../../contract/shapes/webhook.ts'
import { callerName } from '../../kernel/caller.ts'
import { type Outcome, accept, refuse } from '../../kernel/outcome.ts'
import type { Context } from '../../context.ts'
import { recordEvent } from '../../record/events/index.ts'
import { findMessage, ORDER_CHANNEL, orderChannel, requeueMessage } from '../../record/outbox/index.ts'
import { deliveryView } from './list-webhooks.ts'

export async function redeliverWebhook(
  ctx: Pick<Context, 'store' | 'clock' | 'config'>,
  id: string,
): Promise<Outcome<{ readonly body: WebhookDelivery }>> {
  const { store, clock, config } = ctx
  const notFound = refuse('not_found', `No webhook delivery "${id}"`)
  return store.transaction(async (tx) => {
    const found = await findMessage(tx, ORDER_CHANNEL, id)
    if (!found) return notFound
    const target = found.channel.slice(ORDER_CHANNEL.length)
    if (!config.webhookTargets.some((each) => orderChannel(each) === found.channel))
      return refuse('not_editable', `The target ${target} is no longer configured, so nothing can be sent to it`)
    const message = await requeueMessage(tx, found.seq, clock.now())
    if (!message) return notFound
    await recordEvent(ctx, tx, {
      kind: 'webhook',
      code: 'webhook_redelivered',
      params: { order: found.topic, target },
      summary: `Order ${found.topic} is sent to ${target} once more`,
      reasoning: `Asked for by ${callerName()}. Before: ${found.state} after ${found.attempts} attempts.`,
    })
    return accept({ body: deliveryView(message, config.timeZone) })
  })
}
