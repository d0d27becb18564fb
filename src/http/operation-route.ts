/** One operation of the table as a route: shape of path, query and body (400), then idempotency, then the verb. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { CallContext, OperationId, RefusedCall } from '../contract/handlers.ts'
import { IDEMPOTENCY_KEY_MAX } from '../contract/limits.ts'
import { isWrite } from '../contract/operation.ts'
import type { Operation } from '../contract/operation.ts'
import { URL_PREFIX } from '../contract/version.ts'
import { runAs } from '../kernel/caller.ts'
import { error } from '../kernel/message.ts'
import type { ErrorMessage, Message } from '../kernel/message.ts'
import { holdsNul } from '../kernel/nul.ts'
import type { Outcome, Refusal } from '../kernel/outcome.ts'
import { catchRefusal, refuseAll } from '../kernel/outcome.ts'
import { agentOf } from './agent.ts'
import { chunksWithEnvelope, envelopedList, envelopeHead, envelopeText, errorReply, withEnvelope } from './response.ts'
import type { Content } from './response.ts'
import type { failureDelay } from './auth.ts'
import type { HttpDeps } from './deps.ts'
import type { WorkResult } from './idempotency.ts'
import { OPENS_DECISIONS } from './authorize.ts'
import { bodyCheck, textCheck } from './parse.ts'
import type { Check } from './parse.ts'
import type { RateLimits } from './rate-limit.ts'
import { send } from './send.ts'

export const routePath = (operation: Operation): string =>
  (operation.hostRoot ? '' : URL_PREFIX) + operation.path.replaceAll(/\{(\w+)\}/g, ':$1')

const NO_FAULTS: readonly ErrorMessage[] = []
const NO_HEADERS = {}
const isKey = (key: unknown): key is string =>
  typeof key === 'string' && key.length >= 1 && key.length <= IDEMPOTENCY_KEY_MAX
const NO_QUERY = {}
const pass: Check = () => NO_FAULTS

const needsApproval = (outcome: Outcome<RawReply>): boolean =>
  outcome.ok &&
  ((outcome.value.body as { messages?: readonly Message[] }).messages ?? []).some(
    ({ code }) => code === 'approval_required',
  )

/** What an empty body would lack says more than that there is none; without `confirm` it is the confirmation that lacks. */
function absentBody(check: Check): readonly ErrorMessage[] {
  const lacking = check({})
  return lacking.length > 0 ? lacking : [error('missing', 'a JSON body is required', '$')]
}

function contextOf(request: FastifyRequest, open = false): CallContext {
  const agent = agentOf(request)
  const key = request.headers['idempotency-key']
  return {
    requestId: request.id,
    headers: request.headers,
    ...(agent === undefined ? {} : { agent }),
    ...(typeof key === 'string' ? { idempotencyKey: key } : {}),
    ...(open && request.protocol === 'https' ? { secure: true as const } : {}),
  }
}

/** For operations whose every attempt leaves an event: what the handler never sees is recorded here. */
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

export function mount(
  server: FastifyInstance,
  deps: HttpDeps,
  id: OperationId,
  operation: Operation,
  delay: ReturnType<typeof failureDelay>,
  limits: RateLimits,
): void {
  const checkParams = operation.params ? textCheck(operation.params) : pass
  const checkQuery = operation.query ? textCheck(operation.query) : pass
  const checkBody = operation.body ? bodyCheck(operation.body) : pass
  const verb = deps.handlers[id] as unknown as (call: unknown) => Promise<Outcome<RawReply>>
  const handler = (call: { readonly context: CallContext }) => runAs(call.context, () => catchRefusal(() => verb(call)))
  const keyed = isWrite(operation)
  const mayOpenDecision = OPENS_DECISIONS.has(id)
  const usual = envelopeText('success', operation.capabilities, operation.paymentHandlers)
  const usualHead = envelopeHead(usual)

  /** The body is asked for only where there is no text: a reply may have to make it first. */
  function contentOf(reply: RawReply): Content {
    if (reply.text !== undefined) return reply.text
    if (operation.rawEnvelope) return JSON.stringify(reply.body)
    const { capabilities } = reply
    const ucp = capabilities ? envelopeText('success', capabilities, operation.paymentHandlers) : usual
    if (reply.chunks) return chunksWithEnvelope(capabilities ? envelopeHead(ucp) : usualHead, reply.chunks)
    if (reply.long) return envelopedList(ucp, reply.long.member, reply.long.chunks)
    return withEnvelope(ucp, reply.body)
  }

  function answerOf(outcome: Outcome<RawReply>): WorkResult {
    if (!outcome.ok) return errorReply(outcome.refusal, operation.capabilities)
    const { status = operation.status, headers = NO_HEADERS, unstored } = outcome.value
    const body = contentOf(outcome.value)
    return unstored ? { status, headers, body, unstored } : { status, headers, body }
  }

  /** All that is wrong with a request, at once. */
  function faults(params: object, query: object, body: unknown, key: unknown): readonly ErrorMessage[] {
    const problems: ErrorMessage[] = [...checkParams(params), ...checkQuery(query)]
    if ((operation.params && holdsNul(params)) || (operation.query && holdsNul(query)))
      problems.push(error('invalid', 'a NUL character cannot be read', '$'))
    if (operation.body) problems.push(...(body === undefined ? absentBody(checkBody) : checkBody(body)))
    if (keyed && key !== undefined && !isKey(key))
      problems.push(error('invalid', `Idempotency-Key must have 1 to ${IDEMPOTENCY_KEY_MAX} characters`, '$'))
    return problems
  }
  const bare = !operation.params && !operation.query && !operation.body && !keyed

  server.route({
    method: operation.method,
    url: routePath(operation),
    config: { operation: id, ...(operation.public ? { open: true } : {}) },
    handler: async (request, reply) => {
      const params = request.params as Record<string, unknown>
      const query = operation.query ? { ...(request.query as Record<string, unknown>) } : NO_QUERY
      const body: unknown = request.body ?? (operation.bodyOptional ? {} : request.body)
      const key = request.headers['idempotency-key']
      const problems = bare ? NO_FAULTS : faults(params, query, body, key)
      const call = { params, query, body, context: contextOf(request, operation.public) }
      const refuseAtDoor = async (refusal: Refusal) => {
        await recordRefusal(deps, request, refusal)
        return errorReply(refusal, operation.capabilities)
      }
      const work = async (): Promise<WorkResult> => {
        if (problems.length > 0) return refuseAtDoor(refuseAll(problems).refusal)
        const outcome = await handler(call)
        if (mayOpenDecision && needsApproval(outcome)) limits.charge('new', request.caller)
        return answerOf(outcome)
      }
      if (!keyed || !isKey(key)) {
        const answer = await work()
        if (operation.public && answer.status === 401) await sleep(delay.next(request.ip))
        return send(reply, answer)
      }
      const path = request.url.split('?')[0] ?? ''
      const raw = request.raw_body ?? Buffer.alloc(0)
      const result = await deps.idempotency.keyed({ method: operation.method, path, key, raw }, work)
      if (result.kind === 'refused') return send(reply, await refuseAtDoor(result.refusal))
      if (result.kind === 'replayed') reply.header('idempotent-replayed', 'true')
      return send(reply, result.answer)
    },
  })
}

/** What a handler may hand back; `Reply<K>` of the contract with the body's type worn off. */
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
