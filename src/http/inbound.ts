/** Messages of vendors, at the root of the host. They carry no token: each adapter verifies the signature of its own. */
import type { FastifyInstance } from 'fastify'
import { success } from '../contract/envelope.ts'
import type { Context } from '../context.ts'
import { refuse } from '../kernel/outcome.ts'
import { receiveInbound } from '../route/connections/index.ts'
import { limitAddresses } from './access/limit-addresses.ts'
import { errorReply } from './response.ts'
import { sendReply } from './send.ts'

const BODY_BYTES = 256 * 1024

export function mountInbound(server: FastifyInstance, ctx: Context): void {
  // A scope of its own: the signature covers the bytes as they came.
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES }, (_request, raw, done) =>
      done(null, raw),
    )
    limitAddresses(scope, ctx)
    scope.post<{ Params: { namespace: string } }>(
      '/inbound/:namespace',
      { config: { public: true } },
      async (request, reply) => {
        const status = await receiveInbound(ctx, request.params.namespace, {
          method: request.method,
          path: new URL(request.url, 'http://localhost').pathname,
          host: request.host,
          headers: request.headers,
          body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
        })
        if (status === 200)
          return reply
            .code(200)
            .header('cache-control', 'no-store')
            .send({ ucp: success([]) })
        return sendReply(reply, errorReply(REFUSALS[status]))
      },
    )
  })
}

const REFUSALS = {
  400: refuse('invalid', 'The message cannot be read').refusal,
  401: refuse('unauthorized', 'The signature of the message is not right').refusal,
  404: refuse('not_found', 'No connection takes messages here').refusal,
  503: refuse('service_unavailable', 'The message cannot be taken now. Send it again').refusal,
}
