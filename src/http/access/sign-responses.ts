/** Signs the responses of completed purchases (UCP recommends it), with the key that signs webhooks, where there is one. */
import type { FastifyInstance } from 'fastify'
import type { OperationId } from '../../contract/handlers.ts'
import type { SigningKeys } from '../../record/outbox/index.ts'
import { type Clock, SECOND } from '../../kernel/clock.ts'
import { type MessageKey, type SignatureHeaders, contentDigest, signMessage } from '../../kernel/message-signature.ts'

function responseSignature(
  { status, contentType, body }: { readonly status: number; readonly contentType: string; readonly body: Uint8Array },
  key: MessageKey,
  now: number,
): SignatureHeaders & { readonly 'content-digest': string } {
  const digest = contentDigest(body)
  const components = [
    ['@status', String(status)],
    ['content-digest', digest],
    ['content-type', contentType],
  ] as const
  return { 'content-digest': digest, ...signMessage(components, key, Math.floor(now / SECOND)) }
}

const SIGNED: OperationId = 'completeCheckout'

/** Over REST and MCP. A replayed response has the same bytes and gets a new signature. */
export function signResponses(server: FastifyInstance, signingKeys: SigningKeys, clock: Clock): void {
  server.addHook('onRoute', (route) => {
    if (route.config?.operation !== SIGNED && !route.config?.mcp) return
    route.onSend = (request, reply, payload, done) => {
      // A tool call names its operation while it runs.
      const isSigned = route.config?.operation === SIGNED || request.route_name === SIGNED
      const key =
        isSigned && reply.statusCode === 200 && typeof payload === 'string' ? signingKeys.currentKey() : undefined
      if (key && typeof payload === 'string')
        reply.headers({
          ...responseSignature(
            {
              status: reply.statusCode,
              contentType: String(reply.getHeader('content-type')),
              body: Buffer.from(payload),
            },
            key,
            clock.now(),
          ),
        })
      done(null, payload)
    }
  })
}
