/**
 * Mounts the operations table on Fastify. Order of checks for every request: token (401), shape of path, query and body
 * (400), then the verb.
 */
import { randomUUID } from 'node:crypto'
import { METHODS } from 'node:http'
import type { ServerResponse } from 'node:http'
import Fastify from 'fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { OperationId } from '../contract/handlers.ts'
import { BODY_BYTES_MAX, BODY_DEPTH_MAX, REQUEST_ID_MAX } from '../contract/limits.ts'
import type { Operation } from '../contract/operation.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { SECOND, systemClock } from '../kernel/clock.ts'
import type { Clock } from '../kernel/clock.ts'
import { refuse } from '../kernel/outcome.ts'
import type { Refusal } from '../kernel/outcome.ts'
import { StoreUnavailable } from '../store/unavailable.ts'
import { ConflictsPersistError } from '../lib/retry-on-conflict.ts'
import { agentOf } from './agent.ts'
import { errorReply } from './response.ts'
import { failureDelay } from './auth.ts'
import { CONNECTION_LIMITS, oneAnswerAtATime } from './connections.ts'
import type { HttpDeps } from './deps.ts'
import { authorize, deny } from './authorize.ts'
import type { Denied } from './authorize.ts'
import { inFlightResponses } from './in-flight.ts'
import { mount, recordRefusal } from './operation-route.ts'
import { parseJson } from './parse.ts'
import { rateLimits } from './rate-limit.ts'
import { JSON_TYPE, send } from './send.ts'

const PARAM_LENGTH_MAX = 512
const REQUEST_ID = new RegExp(`^[\\x20-\\x7e]{1,${REQUEST_ID_MAX}}$`)
const KEEP_ALIVE_MS = 72_000
const REQUEST_TIMEOUT_MS = 120_000
const HEADERS_TIMEOUT_MS = 30_000
const TIMEOUTS_CHECKED_EVERY_MS = 5000

const NO_HOST: Denied = { refusal: refuse('invalid', 'the header Host is missing', '$').refusal }

const RETRY_AFTER_SECONDS = 5
/** The connection may have broken during a commit, so this never says that nothing happened. */
const DATABASE_AWAY = refuse(
  'service_unavailable',
  'the database cannot be used right now; the request may or may not have taken effect. Repeat it with the same Idempotency-Key, or read the resource first',
  undefined,
  { retryAfter: RETRY_AFTER_SECONDS },
).refusal

export async function buildServer(deps: HttpDeps): Promise<FastifyInstance> {
  const delay = failureDelay(deps.clock)
  const limits = rateLimits(deps.rateLimitPerMinute, deps.clock)
  const judge = authorize(deps, delay, limits)
  const ownTime = deps.clock === systemClock ? undefined : timeHeader(deps.clock)

  const server = Fastify({
    logger: false,
    trustProxy: deps.trustedProxy.length > 0 && [...deps.trustedProxy],
    bodyLimit: BODY_BYTES_MAX,
    http: {
      // Told in our own words below.
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUTS_CHECKED_EVERY_MS,
    },
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
      void Promise.resolve(judge(request)).then((turned) =>
        deny(reply, turned ?? { refusal: refuse('invalid', 'the path cannot be read', '$').refusal }),
      )
    },
    clientErrorHandler: (_failure, socket) => {
      if (!socket.writable) return
      const { body } = errorReply(refuse('invalid', 'the request is not readable as HTTP', '$').refusal)
      socket.end(
        `HTTP/1.1 400 Bad Request\r\ncontent-type: ${JSON_TYPE}\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      )
    },
  })

  server.decorateRequest('raw_body', undefined)
  server.decorate('sessions', deps.sessions)
  server.decorateRequest('proof', undefined)
  server.decorateRequest('session', undefined)
  server.decorateRequest('caller', '')
  server.decorateRequest('route_name', 'unknown')

  const way = inFlightResponses(server.server)
  const connectionLimits = { ...CONNECTION_LIMITS, ...deps.connectionLimits }
  const inTurn = oneAnswerAtATime(connectionLimits)
  server.server.maxConnections = connectionLimits.connectionsMax

  function tell(request: FastifyRequest, reply: FastifyReply, began: number): void {
    const operation = request.route_name
    const status = reply.statusCode
    const ms = Math.round((performance.now() - began) * 10) / 10
    // An answer that was sent has let go of its connection by now.
    const aborted = reply.raw.socket?.destroyed || undefined
    deps.metrics.observe(operation, request.method, status, ms)
    deps.log.info({ request_id: request.id, operation, status, ms, agent: agentOf(request), aborted }, 'answered')
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

  function admit(request: FastifyRequest, reply: FastifyReply, done: (failure?: Error) => void): void {
    watch(request, reply)
    // Read once: the framework makes these options anew at every asking.
    const { config, url } = request.routeOptions
    request.route_name = config.operation ?? url ?? 'unknown'
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') return deny(reply, NO_HOST)
    if (config.open) return done()
    const go = (turned: Denied | undefined) => (turned ? deny(reply, turned) : done())
    const turned = judge(request, config.operation)
    const fail = (failure: Error) => done(failure)
    if (turned instanceof Promise) turned.then(go, fail)
    else go(turned)
  }

  // Hooks with a callback: on the way of every request an async one costs more than all of its work.
  server.addHook('onRequest', (request, reply, done) => {
    mark(request, reply, ownTime?.())
    const isUpgrade = (request.raw as { upgrade?: boolean }).upgrade === true
    if (isUpgrade) admit(request, reply, done)
    else inTurn(request.raw.socket, reply.raw, () => admit(request, reply, done))
  })

  server.addHook('preClose', (done) => {
    way.stop()
    done()
  })

  readBodies(server)

  server.setErrorHandler(async (failure: Error & { code?: string; statusCode?: number }, request, reply) => {
    const unreadable = unreadableRequest(failure)
    if (unreadable) {
      // The caller gets its answer also while the database cannot take the event.
      await recordRefusal(deps, request, unreadable).catch((err: unknown) =>
        deps.log.warn({ request_id: request.id, err }, 'a refusal could not be recorded'),
      )
      return send(reply, errorReply(unreadable))
    }
    if (failure instanceof StoreUnavailable || failure instanceof ConflictsPersistError) {
      deps.log.warn({ request_id: request.id, err: failure }, 'the database is unavailable')
      return send(reply, errorReply(DATABASE_AWAY))
    }
    deps.log.error({ request_id: request.id, err: failure }, 'unexpected failure')
    return send(reply, errorReply(refuse('internal', 'something went wrong on our side').refusal))
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
      return send(reply, errorReply(refuse('not_found', 'there is nothing at this path').refusal))
    const allow = [...new Set(allowed)].join(', ')
    const refusal = refuse('invalid', `this path takes ${allow}`, '$', { status: 405 }).refusal
    return send(reply.header('allow', allow), errorReply(refusal))
  })

  // Every method that can be written is known, so that one no path takes is told as such.
  for (const method of METHODS) if (!server.supportedMethods.includes(method)) server.addHttpMethod(method)
  server.server.on('checkExpectation', (_incoming, outgoing: ServerResponse) => {
    const { status, body } = errorReply(
      refuse('invalid', 'this expectation cannot be met', '$', { status: 417 }).refusal,
    )
    const length = Buffer.byteLength(body)
    outgoing.writeHead(status, { 'content-type': JSON_TYPE, 'content-length': length, connection: 'close' }).end(body)
  })

  for (const [id, operation] of Object.entries<Operation>(OPERATIONS))
    mount(server, deps, id as OperationId, operation, delay, limits)
  return server
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

class UnreadableBody extends Error {}

/** What the framework itself finds wrong with a request is the caller's to mend; undefined: the failure is ours. */
function unreadableRequest(failure: Error & { code?: string; statusCode?: number }): Refusal | undefined {
  if (failure.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return refuse('request_too_large', `the body is above ${BODY_BYTES_MAX} bytes`, '$', { status: 413 }).refusal
  if (failure instanceof UnreadableBody) return refuse('invalid', failure.message, '$').refusal
  if (failure.statusCode !== undefined && failure.statusCode < 500)
    return refuse('invalid', 'the request cannot be read', '$').refusal
  return undefined
}

const BODY_PROBLEMS = {
  malformed: 'the body is not valid JSON',
  too_deep: `the body is nested more than ${BODY_DEPTH_MAX} levels deep`,
} as const

/** Bodies are kept raw beside their JSON: an idempotency key is bound to the bytes that came. */
function readBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, raw: Buffer, done) => {
    request.raw_body = raw
    if (raw.length === 0) return done(null, undefined)
    const json = parseJson(raw)
    return json.ok ? done(null, json.value) : done(new UnreadableBody(BODY_PROBLEMS[json.problem]))
  })
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, raw: Buffer, done) =>
    raw.length === 0 ? done(null, undefined) : done(new UnreadableBody('the content type must be application/json')),
  )
}
