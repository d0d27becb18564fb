/** One operation of the table as a route: shape of path, query and body (400), then idempotency, guard and handler. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { CallContext, OperationId, RefusedCall } from '../contract/handlers.ts'
import { withCurrency } from '../contract/deployment-currency.ts'
import { IDEMPOTENCY_KEY_MAX } from '../contract/limits.ts'
import { guardOf } from '../contract/operation.ts'
import type { Operation } from '../contract/operation.ts'
import { URL_PREFIX } from '../contract/version.ts'
import { runAs } from '../kernel/caller.ts'
import { error } from '../kernel/message.ts'
import type { ErrorMessage } from '../kernel/message.ts'
import { holdsNul } from '../kernel/nul.ts'
import type { Outcome, Refusal } from '../kernel/outcome.ts'
import { catchRefusal, refuseAll } from '../kernel/outcome.ts'
import { agentOf } from './agent.ts'
import {
  chunksWithEnvelope,
  envelopeHead,
  envelopeText,
  errorReply,
  listWithEnvelope,
  withEnvelope,
} from './response.ts'
import type { Content } from './response.ts'
import type { failureDelay } from './auth.ts'
import type { HttpDeps } from './deps.ts'
import type { WorkResult } from './idempotency.ts'
import { approvalLimit } from './authorize.ts'
import { bodyValidator, textValidator } from './parse.ts'
import type { Validator } from './parse.ts'
import type { RateLimits } from './rate-limit.ts'
import { sendReply } from './send.ts'

export const routePath = (operation: Operation): string =>
  (operation.hostRoot ? '' : URL_PREFIX) + operation.path.replaceAll(/\{(\w+)\}/g, ':$1')

const NO_PROBLEMS: readonly ErrorMessage[] = []
const NO_HEADERS = {}
const isKey = (key: unknown): key is string =>
  typeof key === 'string' && key.length >= 1 && key.length <= IDEMPOTENCY_KEY_MAX
const NO_QUERY = {}
const acceptAny: Validator = () => NO_PROBLEMS

/** Names the fields that an empty body would lack, such as `confirm`, rather than only the body. */
function missingBody(validate: Validator): readonly ErrorMessage[] {
  const problems = validate({})
  return problems.length > 0 ? problems : [error('missing', 'A JSON body is required', '$')]
}

function contextOf(request: FastifyRequest, isPublic = false): CallContext {
  const agent = agentOf(request)
  const key = request.headers['idempotency-key']
  return {
    requestId: request.id,
    headers: request.headers,
    ...(request.by === undefined ? {} : { by: request.by }),
    ...(agent === undefined ? {} : { agent }),
    ...(typeof key === 'string' ? { idempotencyKey: key } : {}),
    ...(isPublic && request.protocol === 'https' ? { secure: true as const } : {}),
  }
}

/** Operations with `recordsRefusals` write an event for every attempt, also for one refused before the handler runs. */
export async function recordRefusal(
  { refusalRecorders }: HttpDeps,
  request: FastifyRequest,
  refusal: Refusal,
): Promise<void> {
  const { operation } = request.routeOptions.config
  const recorders: Partial<Record<OperationId, (call: RefusedCall) => Promise<void>>> = refusalRecorders
  const record = operation && recorders[operation]
  if (!record) return
  const given = Object.entries(request.params as Record<string, unknown>)
  // PostgreSQL stores no NUL, and a path may hold one.
  const params = Object.fromEntries(given.map(([name, value]) => [name, String(value).replaceAll('\0', '')]))
  const context = contextOf(request)
  await runAs(context, () => record({ params, refusal, context }))
}

export function mountOperation(
  server: FastifyInstance,
  deps: HttpDeps,
  id: OperationId,
  operation: Operation,
  delay: ReturnType<typeof failureDelay>,
  limits: RateLimits,
): void {
  const checkParams = operation.params ? textValidator(operation.params) : acceptAny
  const checkQuery = operation.query ? textValidator(operation.query) : acceptAny
  const checkBody = operation.body ? bodyValidator(withCurrency(operation.body, deps.currency)) : acceptAny
  const verb = deps.handlers[id] as unknown as (call: unknown) => Promise<Outcome<RawReply>>
  const handle = (call: { readonly context: CallContext }, caller: string) =>
    runAs({ ...call.context, approvalLimit: approvalLimit(limits, caller) }, () => catchRefusal(() => verb(call)))
  const guard = guardOf(operation)
  const isExempt = (deps.guardExemptions as Partial<Record<OperationId, (call: unknown) => Promise<boolean>>>)[id]
  const takesKey = operation.write !== undefined
  const usual = envelopeText('success', operation.capabilities, operation.paymentHandlers)
  const usualHead = envelopeHead(usual)

  /** The body is asked for only where there is no text: a reply may have to make it first. */
  function contentOf(reply: RawReply): Content {
    if (reply.text !== undefined) return reply.text
    if (operation.rawEnvelope) return JSON.stringify(reply.body)
    const { capabilities } = reply
    const ucp = capabilities ? envelopeText('success', capabilities, operation.paymentHandlers) : usual
    if (reply.chunks) return chunksWithEnvelope(capabilities ? envelopeHead(ucp) : usualHead, reply.chunks)
    if (reply.long) return listWithEnvelope(ucp, reply.long.member, reply.long.chunks)
    return withEnvelope(ucp, reply.body)
  }

  function toResult(outcome: Outcome<RawReply>): WorkResult {
    if (!outcome.ok) return errorReply(outcome.refusal, operation.capabilities)
    const { status = operation.status, headers = NO_HEADERS, unstored } = outcome.value
    const body = contentOf(outcome.value)
    return unstored ? { status, headers, body, unstored } : { status, headers, body }
  }

  function findProblems(params: object, query: object, body: unknown, key: unknown): readonly ErrorMessage[] {
    const problems: ErrorMessage[] = [...checkParams(params), ...checkQuery(query)]
    if ((operation.params && holdsNul(params)) || (operation.query && holdsNul(query)))
      problems.push(error('invalid', 'NUL characters are not allowed', '$'))
    if (operation.body) problems.push(...(body === undefined ? missingBody(checkBody) : checkBody(body)))
    if (takesKey && key !== undefined && !isKey(key))
      problems.push(error('invalid', `Idempotency-Key must have 1 to ${IDEMPOTENCY_KEY_MAX} characters`, '$'))
    return problems
  }
  const hasNothingToCheck = !operation.params && !operation.query && !operation.body && !takesKey

  server.route({
    method: operation.method,
    url: routePath(operation),
    config: { operation: id, ...(operation.public ? { public: true } : {}) },
    handler: async (request, reply) => {
      const params = request.params as Record<string, unknown>
      const query = operation.query ? { ...(request.query as Record<string, unknown>) } : NO_QUERY
      const body: unknown = request.body ?? (operation.bodyOptional ? {} : request.body)
      const key = request.headers['idempotency-key']
      const problems = hasNothingToCheck ? NO_PROBLEMS : findProblems(params, query, body, key)
      const call = { params, query, body, context: contextOf(request, operation.public) }
      const refuseEarly = async (refusal: Refusal) => {
        await recordRefusal(deps, request, refusal)
        return errorReply(refusal, operation.capabilities)
      }
      const work = async (): Promise<WorkResult> => {
        if (problems.length > 0) return refuseEarly(refuseAll(problems).refusal)
        const denied = guard && (await deps.checkGuard(guard))
        if (denied && !(await isExempt?.(call))) return refuseEarly(denied)
        return toResult(await handle(call, request.caller))
      }
      if (!takesKey || !isKey(key)) {
        const result = await work()
        if (operation.public && result.status === 401) await sleep(delay.nextMs(request.ip))
        return sendReply(reply, result)
      }
      const path = request.url.split('?')[0] ?? ''
      const raw = request.raw_body ?? Buffer.alloc(0)
      const result = await deps.idempotency.runOnce({ method: operation.method, path, key, raw }, work)
      if (result.kind === 'refused') return sendReply(reply, await refuseEarly(result.refusal))
      if (result.kind === 'replayed') reply.header('idempotent-replayed', 'true')
      return sendReply(reply, result.reply)
    },
  })
}

/** `Reply<K>` of the contract, without the type of its body. */
interface RawReply {
  readonly body: object
  readonly text?: string
  readonly chunks?: readonly Uint8Array[]
  readonly long?: { readonly member: string; readonly chunks: AsyncIterable<readonly unknown[]> }
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly capabilities?: Operation['capabilities']
  readonly unstored?: boolean
}
