/** Callbacks of chat applications. They carry no token: each is verified by its own signature. */
import type { FastifyInstance } from 'fastify'
import { hasButtons, receiveFeishu, receiveSlack } from '../views/notifications/index.ts'
import type { HookNeeds, HookReply } from '../views/notifications/index.ts'
import { refuse } from '../kernel/outcome.ts'
import { rateLimits } from './access/rate-limit.ts'
import { errorReply } from './response.ts'
import { sendReply } from './send.ts'

const BODY_BYTES = 64 * 1024
const TOO_MANY = 'Too many requests'
const JSON_TYPE = 'application/json; charset=utf-8'

type Receive = (
  call: { readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>; readonly raw: Buffer },
  requestId: string,
) => Promise<HookReply>

/** Only for channels with buttons; without one the path does not exist. */
export function mountHooks(server: FastifyInstance, needs: HookNeeds): void {
  const routes: [string, Receive][] = (needs.ctx.notify?.channels ?? []).filter(hasButtons).flatMap((channel) => {
    if (channel.type === 'feishu')
      return [['/hooks/feishu', (call, id) => receiveFeishu(needs, channel, call, id)] as [string, Receive]]
    if (channel.type === 'slack')
      return [['/hooks/slack', (call, id) => receiveSlack(needs, channel, call, id)] as [string, Receive]]
    return []
  })
  if (routes.length === 0) return
  const limits = rateLimits(needs.ctx.config.rateLimitPerMinute, needs.ctx.clock)
  // A scope of its own: the signature covers the bytes as they came, and Slack sends a form.
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES }, (_request, raw, done) =>
      done(null, raw),
    )
    // Before the body is read. Their signature is all that they prove, so the address is limited, as without credentials.
    scope.addHook('onRequest', async ({ ip }, reply) => {
      const wait = limits.waitSeconds('request', ip)
      if (wait > 0)
        return sendReply(reply, errorReply(refuse('rate_limited', TOO_MANY, undefined, { retryAfter: wait }).refusal))
      limits.charge('request', ip)
      return undefined
    })
    for (const [url, receive] of routes)
      scope.post(url, { config: { public: true } }, async (request, reply) => {
        const raw = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        const { status, body } = await receive({ headers: request.headers, raw }, request.id)
        return reply
          .code(status)
          .header('cache-control', 'no-store')
          .type(JSON_TYPE)
          .send(JSON.stringify(body ?? {}))
      })
  })
}
