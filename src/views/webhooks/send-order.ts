/** Sends an order to a webhook target: the order as it is now, signed, with the same id on every attempt. */
import type { WebhookTarget } from '../../config.ts'
import { SECOND } from '../../kernel/clock.ts'
import { contentDigest, requestComponents, signMessage } from '../../kernel/message-signature.ts'
import type { Component, MessageKey } from '../../kernel/message-signature.ts'
import { type OutboundFailure, type OutboundReply, postMessage } from '../../lib/outbound/post-message.ts'
import type { Context } from '../../context.ts'
import { loadOrderSnapshot } from '../../acts/orders/index.ts'
import { type OutboxMessage, type SendResult, parseRetryAfter } from '../../record/outbox/index.ts'

const LIMITS = { timeoutMs: 10 * SECOND, replyBytes: 64 * 1024 }
const CONTENT_TYPE = 'application/json'
const GONE = 410

/** Covered in this order; a verifier must find all of them. */
export function signedRequest(
  given: { readonly url: string; readonly publicUrl: string; readonly body: Uint8Array } & Pick<
    OutboxMessage,
    'id' | 'occurredAt'
  >,
  key: MessageKey,
  now: number,
) {
  const { url, publicUrl, body, id, occurredAt } = given
  const headers: readonly Component[] = [
    ['ucp-agent', `profile="${publicUrl}/.well-known/ucp"`],
    ['webhook-id', id],
    ['webhook-timestamp', String(Math.floor(occurredAt / SECOND))],
    ['content-digest', contentDigest(body)],
    ['content-type', CONTENT_TYPE],
  ]
  const components = [...requestComponents('POST', new URL(url)), ...headers]
  return {
    url,
    headers: {
      ...Object.fromEntries(headers),
      ...signMessage(components, key, Math.floor(now / SECOND)),
      'user-agent': 'vendops',
    },
    body,
  }
}

/** What the reply of a receiver means. Its body is ignored. */
export function resultOf(reply: OutboundReply | OutboundFailure, now: number): SendResult {
  if ('failure' in reply) return { outcome: 'retry', error: reply.failure }
  const { status } = reply
  if (status >= 200 && status < 300) return { outcome: 'delivered', status }
  const error = `HTTP ${status}`
  if (status === GONE) return { outcome: 'dead', status, error }
  const retryAfterMs = parseRetryAfter(reply.retryAfter, now)
  return { outcome: 'retry', status, error, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

type Needs = Pick<Context, 'store' | 'clock' | 'config' | 'signingKeys'>

export async function sendOrder(ctx: Needs, target: WebhookTarget, message: OutboxMessage): Promise<SendResult> {
  const { clock, config, signingKeys } = ctx
  const key = signingKeys.currentKey()
  if (!key) return { outcome: 'retry', error: 'there is no signing key' }
  const order = await loadOrderSnapshot(ctx, message.topic)
  if (!order) return { outcome: 'dead', error: 'the order is no longer on record' }
  const body = Buffer.from(JSON.stringify(order))
  const request = signedRequest({ ...message, url: target.url, publicUrl: config.publicUrl, body }, key, clock.now())
  const reply = await postMessage(request, { ...LIMITS, mayBeLocal: config.env === 'staging' })
  return resultOf(reply, clock.now())
}
