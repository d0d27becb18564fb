/**
 * Mounts the operations table on Fastify, the only place that knows it. Order of checks for every request:
 * token (401), shape of path, query and body (400), then the verb.
 */
import { randomUUID } from 'node:crypto'
import { METHODS } from 'node:http'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CallContext, Handlers, OperationId } from '../contract/handlers.ts'
import { BODY_BYTES_MAX, IDEMPOTENCY_KEY_MAX, REQUEST_ID_MAX } from '../contract/limits.ts'
import { isWrite } from '../contract/operation.ts'
import type { Operation } from '../contract/operation.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { URL_PREFIX } from '../contract/version.ts'
import { SECOND, systemClock } from '../kernel/clock.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'
import { error } from '../kernel/message.ts'
import type { ErrorMessage } from '../kernel/message.ts'
import { holdsNul } from '../kernel/nul.ts'
import type { Outcome, Refusal } from '../kernel/outcome.ts'
import { refuse, refuseAll } from '../kernel/outcome.ts'
import { agentProfile } from './agent.ts'
import { enveloped, envelopeText, refusalAnswer } from './answer.ts'
import type { Answer, Content } from './answer.ts'
import { failureDelay, isForeign } from './auth.ts'
import type { Authenticator, Proof } from './auth.ts'
import type { Idempotency, WorkResult } from './idempotency.ts'
import type { Metrics } from './metrics.ts'
import { onTheWay } from './on-the-way.ts'
import { bodyCheck, parseJson, textCheck } from './parse.ts'
import type { Check } from './parse.ts'
import { rateLimit } from './rate-limit.ts'

const PARAM_LENGTH_MAX = 512
const REQUEST_ID = new RegExp(`^[\\x20-\\x7e]{1,${REQUEST_ID_MAX}}$`)
const KEEP_ALIVE_MS = 72_000
const REQUEST_TIMEOUT_MS = 120_000

export interface Door {
  readonly handlers: Handlers
  readonly auth: Authenticator
  readonly idempotency: Idempotency
  readonly metrics: Metrics
  readonly clock: Clock
  readonly log: Log
  readonly publicUrl: string
  readonly rateLimitPerMinute: number
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Readable without the token. */
    open?: boolean
    operation?: OperationId
  }
  interface FastifyRequest {
    raw_body: Buffer | undefined
    proof: Proof | undefined
    /** The operation, or the path of a page, as logs and metrics call it. */
    route_name: string
  }
}

const JSON_TYPE = 'application/json; charset=utf-8'

export const routePath = (operation: Operation): string =>
  (operation.root ? '' : URL_PREFIX) + operation.path.replaceAll(/\{(\w+)\}/g, ':$1')

export function send(reply: FastifyReply, answer: Answer): FastifyReply {
  reply.code(answer.status)
  reply.header('cache-control', 'no-store')
  for (const name in answer.headers) reply.header(name, answer.headers[name])
  // What the caller has already is described by the answer that brought it.
  if (answer.status === 304) return reply.send()
  reply.header('content-type', JSON_TYPE)
  return typeof answer.body === 'string' ? reply.send(answer.body) : sendPieces(reply, answer.body)
}

/** Above this the pieces go out one by one: handing over tens of megabytes at once keeps everybody waiting. */
const AT_ONCE_BYTES = 2 ** 20

function sendPieces(reply: FastifyReply, pieces: readonly Uint8Array[]): FastifyReply {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  reply.header('content-length', length)
  return length <= AT_ONCE_BYTES
    ? sendTogether(reply, pieces)
    : reply.send(Readable.from(pieces, { objectMode: false }))
}

/**
 * Handed to the system in one go, each from where it lies. Joining them first would cost more, and leave a copy of every
 * answer outside the heap until the next full cleaning.
 */
function sendTogether(reply: FastifyReply, pieces: readonly Uint8Array[]): FastifyReply {
  const { raw } = reply.hijack()
  raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
  raw.cork()
  for (const piece of pieces) raw.write(piece)
  raw.end()
  return reply
}

const isRead = (method: string) => method === 'GET' || method === 'HEAD'

export async function buildServer(door: Door): Promise<FastifyInstance> {
  const delay = failureDelay(door.clock)
  const judge = doorkeeper(door, delay)
  const ownTime = door.clock === systemClock ? undefined : timeHeader(door.clock)

  const server = Fastify({
    logger: false,
    bodyLimit: BODY_BYTES_MAX,
    // Told in our own words below.
    http: { requireHostHeader: false },
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    // What still comes in over an open connection while the service stops is answered like anything that runs.
    return503OnClosing: false,
    genReqId: (raw) => {
      const given = raw.headers['request-id']
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
    },
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX },
    // A path that cannot even be decoded never reaches a hook; it gets the same treatment here.
    frameworkErrors: (_failure, request, reply) => {
      mark(request, reply, ownTime?.())
      turnAway(reply, judge(request) ?? { refusal: refuse('invalid', 'the path cannot be read', '$').refusal })
    },
    clientErrorHandler: (_failure, socket) => {
      if (!socket.writable) return
      const { body } = refusalAnswer(refuse('invalid', 'the request is not readable as HTTP', '$').refusal)
      socket.end(
        `HTTP/1.1 400 Bad Request\r\ncontent-type: ${JSON_TYPE}\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      )
    },
  })

  server.decorateRequest('raw_body', undefined)
  server.decorateRequest('proof', undefined)
  server.decorateRequest('route_name', 'unknown')

  const way = onTheWay(server.server)

  function tell(request: FastifyRequest, reply: FastifyReply, began: number): void {
    const operation = request.route_name
    const status = reply.statusCode
    const ms = Math.round((performance.now() - began) * 10) / 10
    // An answer that was sent has let go of its connection by now.
    const aborted = reply.raw.socket?.destroyed || undefined
    door.metrics.observe(operation, request.method, status, ms)
    door.log.info({ request_id: request.id, operation, status, ms, agent: agentOf(request), aborted }, 'answered')
  }

  /** Until the last byte left, or the caller did. One listener of our own costs half of the framework's hook. */
  function watch(request: FastifyRequest, reply: FastifyReply): void {
    const began = performance.now()
    if (request.headers.upgrade === undefined) {
      way.enter()
      reply.raw.on('close', () => {
        way.leave()
        tell(request, reply, began)
      })
    } else {
      // A refused upgrade leaves a socket that nobody would ever close; an accepted one has no answer.
      reply.raw.on('finish', () => {
        request.raw.socket.destroySoon()
        tell(request, reply, began)
      })
    }
  }

  // Hooks with a callback: on the way of every request an async one costs more than all of its work.
  server.addHook('onRequest', (request, reply, done) => {
    mark(request, reply, ownTime?.())
    watch(request, reply)
    // Read once: the framework makes these options anew at every asking.
    const { config, url } = request.routeOptions
    request.route_name = config.operation ?? url ?? 'unknown'
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') return turnAway(reply, NO_HOST)
    if (config.open) return done()
    const turned = judge(request)
    return turned ? turnAway(reply, turned) : done()
  })

  server.addHook('preClose', (done) => {
    way.stop()
    done()
  })

  readBodies(server)

  server.setErrorHandler((failure: Error & { code?: string; statusCode?: number }, request, reply) => {
    if (failure.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
      return send(
        reply,
        refusalAnswer(
          refuse('request_too_large', `the body is above ${BODY_BYTES_MAX} bytes`, '$', { status: 413 }).refusal,
        ),
      )
    if (failure instanceof UnreadableBody)
      return send(reply, refusalAnswer(refuse('invalid', failure.message, '$').refusal))
    // What the framework itself finds wrong with a request is the caller's to mend; the rest is ours.
    if (failure.statusCode !== undefined && failure.statusCode < 500)
      return send(reply, refusalAnswer(refuse('invalid', 'the request cannot be read', '$').refusal))
    door.log.error({ request_id: request.id, err: failure }, 'unexpected failure')
    return send(reply, refusalAnswer(refuse('internal', 'something went wrong on our side').refusal))
  })

  const paths: { readonly method: string; readonly pattern: RegExp }[] = []
  server.addHook('onRoute', ({ method, url }) => {
    const pattern = new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`)
    for (const one of [method].flat()) if (one !== 'HEAD') paths.push({ method: one, pattern })
  })
  server.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? ''
    const allowed = paths.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    if (allowed.length === 0)
      return send(reply, refusalAnswer(refuse('not_found', 'there is nothing at this path').refusal))
    const allow = [...new Set(allowed)].join(', ')
    const refusal = refuse('invalid', `this path takes ${allow}`, '$', { status: 405 }).refusal
    return send(reply.header('allow', allow), refusalAnswer(refusal))
  })

  // Every method that can be written is known, so that one no path takes is told as such.
  for (const method of METHODS) if (!server.supportedMethods.includes(method)) server.addHttpMethod(method)
  server.server.on('checkExpectation', (_incoming, outgoing: ServerResponse) => {
    const { status, body } = refusalAnswer(
      refuse('invalid', 'this expectation cannot be met', '$', { status: 417 }).refusal,
    )
    const length = Buffer.byteLength(body)
    outgoing.writeHead(status, { 'content-type': JSON_TYPE, 'content-length': length, connection: 'close' }).end(body)
  })

  for (const [id, operation] of Object.entries<Operation>(OPERATIONS))
    mount(server, door, id as OperationId, operation, delay)
  return server
}

/** Why a request may not go on, and how long its caller waits to hear so. */
interface Turned {
  readonly refusal: Refusal
  readonly waitMs?: number
}

/** Who may go on (section 5): the token first; then the pace; then, for a browser's cookie, the page it comes from. */
function doorkeeper(
  door: Door,
  delay: ReturnType<typeof failureDelay>,
): (request: FastifyRequest) => Turned | undefined {
  const limit = rateLimit(door.rateLimitPerMinute, door.clock)
  return (request) => {
    request.proof = door.auth.prove(request.headers)
    // There is one token, so whoever bears it draws on one allowance, however the header is written.
    const wait = limit.take(request.proof ? 'token' : request.ip)
    if (wait > 0) return refuse('rate_limited', 'too many requests', undefined, { retryAfter: wait })
    if (!request.proof)
      return { ...refuse('unauthorized', 'a valid operator token is required'), waitMs: delay.next(request.ip) }
    delay.forget(request.ip)
    const foreign = request.proof === 'cookie' && !isRead(request.method) && !fromOwnPage(request, door.publicUrl)
    return foreign ? refuse('forbidden', 'a write with the cookie must come from our own pages') : undefined
  }
}

/** A browser names the page's origin on every write. Searches only read: there a caller without an origin is no browser. */
function fromOwnPage({ headers, routeOptions }: FastifyRequest, publicUrl: string): boolean {
  if (isForeign(headers, publicUrl)) return false
  const { operation } = routeOptions.config
  const row: Operation | undefined = operation && OPERATIONS[operation]
  return headers.origin !== undefined || row?.safe === true
}

function turnAway(reply: FastifyReply, { refusal, waitMs = 0 }: Turned): void {
  if (waitMs === 0) void send(reply, refusalAnswer(refusal))
  else void sleep(waitMs).then(() => send(reply, refusalAnswer(refusal)))
}

/** Where the service does not live in the present (staging), its pages have to know. Written once a second. */
function timeHeader(clock: Clock): () => string {
  let second = Number.NaN
  let text = ''
  return () => {
    const now = Math.floor(clock.now() / SECOND)
    if (now !== second) text = new Date((second = now) * SECOND).toUTCString()
    return text
  }
}

function mark(request: FastifyRequest, reply: FastifyReply, ownTime: string | undefined): void {
  if (ownTime !== undefined) reply.header('service-time', ownTime)
  reply.header('request-id', request.id)
  reply.header('x-content-type-options', 'nosniff')
}

function agentOf(request: FastifyRequest): string | undefined {
  const header = request.headers['ucp-agent']
  return header === undefined ? undefined : agentProfile(Array.isArray(header) ? header[0] : header)
}

class UnreadableBody extends Error {}

/** Bodies are kept raw beside their JSON: an idempotency key is bound to the bytes that came. */
function readBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, raw: Buffer, done) => {
    request.raw_body = raw
    if (raw.length === 0) return done(null, undefined)
    const json = parseJson(raw)
    return json.ok ? done(null, json.value) : done(new UnreadableBody('the body is not valid JSON'))
  })
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, raw: Buffer, done) =>
    raw.length === 0 ? done(null, undefined) : done(new UnreadableBody('the content type must be application/json')),
  )
}

const NO_HOST: Turned = { refusal: refuse('invalid', 'the header Host is missing', '$').refusal }
const NO_FAULTS: readonly ErrorMessage[] = []
const NO_HEADERS = {}
const isKey = (key: unknown): key is string =>
  typeof key === 'string' && key.length >= 1 && key.length <= IDEMPOTENCY_KEY_MAX
const NO_QUERY = {}
const pass: Check = () => NO_FAULTS

/** What an empty body would lack says more than that there is none; without `confirm` it is the confirmation that lacks. */
function absentBody(check: Check): readonly ErrorMessage[] {
  const lacking = check({})
  return lacking.length > 0 ? lacking : [error('missing', 'a JSON body is required', '$')]
}

function mount(
  server: FastifyInstance,
  door: Door,
  id: OperationId,
  operation: Operation,
  delay: ReturnType<typeof failureDelay>,
): void {
  const checkParams = operation.params ? textCheck(operation.params) : pass
  const checkQuery = operation.query ? textCheck(operation.query) : pass
  const checkBody = operation.body ? bodyCheck(operation.body) : pass
  const handler = door.handlers[id] as unknown as (call: unknown) => Promise<Outcome<RawReply>>
  const keyed = isWrite(operation)
  const usual = envelopeText('success', operation.capabilities, operation.paymentHandlers)

  /** The body is asked for only where there is no text: a reply may have to make it first. */
  function contentOf(reply: RawReply): Content {
    const ready = reply.text ?? reply.pieces
    if (ready !== undefined) return ready
    if (operation.ownUcp) return JSON.stringify(reply.body)
    const { capabilities } = reply
    const ucp = capabilities ? envelopeText('success', capabilities, operation.paymentHandlers) : usual
    return enveloped(ucp, reply.body)
  }

  function answerOf(outcome: Outcome<RawReply>): WorkResult {
    if (!outcome.ok) return refusalAnswer(outcome.refusal, operation.capabilities)
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
    config: { operation: id, ...(operation.open ? { open: true } : {}) },
    handler: async (request, reply) => {
      const params = request.params as Record<string, unknown>
      const query = operation.query ? { ...(request.query as Record<string, unknown>) } : NO_QUERY
      const body: unknown = request.body ?? (operation.bodyOptional ? {} : request.body)
      const key = request.headers['idempotency-key']
      const problems = bare ? NO_FAULTS : faults(params, query, body, key)
      const agent = agentOf(request)
      const context: CallContext = {
        requestId: request.id,
        headers: request.headers,
        ...(agent === undefined ? {} : { agent }),
        ...(typeof key === 'string' ? { idempotencyKey: key } : {}),
      }
      const call = { params, query, body, context }
      const refused =
        problems.length > 0 ? refusalAnswer(refuseAll(problems).refusal, operation.capabilities) : undefined
      if (!keyed || !isKey(key)) {
        const answer = refused ?? answerOf(await handler(call))
        if (operation.open && answer.status === 401) await sleep(delay.next(request.ip))
        return send(reply, answer)
      }
      const path = request.url.split('?')[0] ?? ''
      const raw = request.raw_body ?? Buffer.alloc(0)
      const work = async () => refused ?? answerOf(await handler(call))
      const result = await door.idempotency.keyed({ method: operation.method, path, key, raw }, work)
      if (result.kind === 'refused') return send(reply, refusalAnswer(result.refusal, operation.capabilities))
      if (result.kind === 'replayed') reply.header('idempotent-replayed', 'true')
      return send(reply, result.answer)
    },
  })
}

/** What a handler may hand back; `Reply<K>` of the contract with the body's type worn off. */
interface RawReply {
  readonly body: object
  /** The whole answer as text, envelope and all, where it was made beforehand. */
  readonly text?: string
  readonly pieces?: readonly Uint8Array[]
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly capabilities?: Operation['capabilities']
  readonly unstored?: boolean
}
