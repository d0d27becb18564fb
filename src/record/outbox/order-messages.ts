/** Order webhooks: which targets get a message about an order, written in the transaction that changes it. */
import type { WebhookTarget } from '../../config.ts'
import type { Tx } from '../../store/store.ts'
import type { Context } from '../../context.ts'
import { listChannelsOfTopic, insertMessages } from './records.ts'

export const ORDER_CHANNEL = 'order:'
export const orderChannel = ({ id }: Pick<WebhookTarget, 'id'>): string => `${ORDER_CHANNEL}${id}`

export interface OrderChange {
  readonly id: string
  readonly kind: 'purchase' | 'sale'
  /** When the order came into being. */
  readonly orderedAt: number
  readonly occurredAt: number
  /** The first message of a purchase names the agent of its checkout; later ones follow it. */
  readonly created?: { readonly agent: string | undefined }
  readonly eventId?: string | undefined
}

export const hasOrderTargets = ({ config }: Pick<Context, 'config'>, kind: OrderChange['kind']): boolean =>
  config.webhookTargets.some(({ kinds }) => kinds.includes(kind))

/**
 * A target that is limited to an agent gets the changes of exactly the orders whose first message it got. Without such a
 * limit an order that is older than the target's configuration begins with its next change.
 */
export async function addOrderMessages(
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  tx: Tx,
  { id, kind, orderedAt, occurredAt, created, eventId }: OrderChange,
): Promise<void> {
  const targets = config.webhookTargets.filter(
    ({ kinds, from }) => kinds.includes(kind) && (from === undefined || orderedAt >= from),
  )
  if (targets.length === 0) return
  const known = await listChannelsOfTopic(tx, targets.map(orderChannel), id)
  const messages = targets.flatMap((target) => {
    const channel = orderChannel(target)
    const isFirst = !known.has(channel)
    if (target.agent !== undefined && isFirst && target.agent !== created?.agent) return []
    return [{ channel, topic: id, kind, isFirst, occurredAt, eventId }]
  })
  await insertMessages(tx, messages, clock.now())
}
