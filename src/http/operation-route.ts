/** One operation of the table as a route: takes the request apart, runs the operation, sends its reply. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { CallContext, OperationId } from '../contract/handlers.ts'
import { UPLOAD_FORM_BYTES_MAX } from '../contract/limits.ts'
import type { Operation } from '../contract/operation.ts'
import { URL_PREFIX } from '../contract/version.ts'
import type { Refusal } from '../kernel/outcome.ts'
import { agentOf } from './agent.ts'
import type { failureDelay } from './access/auth.ts'
import type { Authorize } from './access/authorize.ts'
import type { HttpDeps } from './deps.ts'
import { errorReply } from './response.ts'
import { type Run, recordRefusal } from './runner.ts'
import { sendReply } from './send.ts'

export const routePath = (operation: Operation): string =>
  (operation.hostRoot ? '' : URL_PREFIX) + operation.path.replaceAll(/\{(\w+)\}/g, ':$1')

const NO_QUERY = {}

/** Filled field by field: spreading the optional ones took 4 % of the CPU time of a small request. */
function contextOf(request: FastifyRequest, isPublic = false): CallContext {
  const context: { -readonly [name in keyof CallContext]: CallContext[name] } = {
    requestId: request.id,
    headers: request.headers,
  }
  const { by } = request
  if (by !== undefined) context.by = by
  const agent = agentOf(request)
  if (agent !== undefined) context.agent = agent
  const key = request.headers['idempotency-key']
  if (typeof key === 'string') context.idempotencyKey = key
  if (isPublic) {
    context.address = request.ip
    if (request.protocol === 'https') context.secure = true
  }
  return context
}

/** For a request that cannot be read, so that it never reaches the operation. */
export const recordUnreadable = (deps: HttpDeps, request: FastifyRequest, refusal: Refusal): Promise<void> =>
  recordRefusal(
    deps,
    request.routeOptions.config.operation,
    { params: request.params as Record<string, unknown>, context: contextOf(request) },
    refusal,
  )

export function mountOperation(
  server: FastifyInstance,
  id: OperationId,
  operation: Operation,
  run: Run,
  delay: ReturnType<typeof failureDelay>,
  checkAddress: Authorize['checkAddress'],
): void {
  server.route({
    // As one route: of its own the one for HEAD would take as long to mount.
    method: operation.method === 'GET' ? ['GET', 'HEAD'] : operation.method,
    url: routePath(operation),
    config: {
      operation: id,
      ...(operation.public ? { public: true } : {}),
      ...(operation.upload ? { upload: true } : {}),
    },
    ...(operation.upload ? { bodyLimit: UPLOAD_FORM_BYTES_MAX } : {}),
    handler: async (request, reply) => {
      // Signing in: wrong keys and links are tried without a token, so the address is limited.
      const denied = operation.public && operation.method === 'POST' ? checkAddress(request) : undefined
      if (denied) return sendReply(reply, errorReply(denied.refusal))
      const result = await run({
        params: request.params as Record<string, unknown>,
        query: operation.query ? { ...(request.query as Record<string, unknown>) } : NO_QUERY,
        body: request.body,
        context: contextOf(request, operation.public),
        caller: request.caller,
        perMinute: request.key?.rateLimitPerMinute,
        key: request.headers['idempotency-key'],
        keyScope: () => ({
          method: operation.method,
          path: request.url.split('?')[0] ?? '',
          raw: request.raw_body,
        }),
      })
      if (operation.public && result.status === 401) await sleep(delay.nextMs(request.ip))
      if (result.isReplayed) reply.header('idempotent-replayed', 'true')
      return sendReply(reply, result, operation.write === undefined && request.method === operation.method)
    },
  })
}
