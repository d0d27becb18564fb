/** Callbacks of chat applications. They carry no token: each is verified by its own signature. */
import type { FastifyInstance } from 'fastify'
import { hasButtons, receiveFeishu, receiveSlack } from '../views/notifications/index.ts'
import type { HookNeeds, HookReply } from '../views/notifications/index.ts'
import { limitAddresses } from './access/limit-addresses.ts'

const BODY_BYTES = 64 * 1024
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
  // A scope of its own: the signature covers the bytes as they came, and Slack sends a form.
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES }, (_request, raw, done) =>
      done(null, raw),
    )
    // Their signature is all that they prove.
    limitAddresses(scope, needs.ctx)
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
