/**
 * Mounts the operations table on Fastify. Every request is checked in this order: token or key (401), rate (429), role
 * (403), shape of path, query and body (400), then the handler runs.
 */
import { randomUUID } from 'node:crypto'
import { METHODS } from '../lib/node-http.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import Fastify from 'fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { OperationId } from '../contract/handlers.ts'
import { BODY_BYTES_MAX, BODY_DEPTH_MAX, REQUEST_ID_MAX, UPLOAD_BYTES_MAX } from '../contract/limits.ts'
import type { Operation } from '../contract/operation.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { type Clock, SECOND, systemClock } from '../kernel/clock.ts'
import { type Refusal, refuse } from '../kernel/outcome.ts'
import { StoreUnavailable } from '../store/unavailable.ts'
import { ConflictsPersistError } from '../lib/concurrency.ts'
import { agentOf } from './agent.ts'
import { errorReply } from './response.ts'
import { type Denied, failureDelay } from './access/auth.ts'
import { CONNECTION_LIMITS, serializeResponses } from './connections.ts'
import type { HttpDeps } from './deps.ts'
import { authorize, deny } from './access/authorize.ts'
import { inFlightResponses } from './in-flight.ts'
import { mountMcp } from './mcp/route.ts'
import { mountOperation, recordUnreadable } from './operation-route.ts'
import { parseForm } from './parse-form.ts'
import { parseJson } from './parse.ts'
import { rateLimits } from './access/rate-limit.ts'
import { type Run, operationRunner } from './runner.ts'
import { JSON_TYPE, sendReply } from './send.ts'
import { signResponses } from './access/sign-responses.ts'

const PARAM_LENGTH_MAX = 512
const REQUEST_ID = new RegExp(`^[\\x20-\\x7e]{1,${REQUEST_ID_MAX}}$`)
const KEEP_ALIVE_MS = 72_000
const REQUEST_TIMEOUT_MS = 120_000
const HEADERS_TIMEOUT_MS = 30_000
const TIMEOUT_CHECK_MS = 5000

const NO_HOST: Denied = { refusal: refuse('invalid', 'The Host header is missing', '$').refusal }
const TWO_HOSTS: Denied = { refusal: refuse('invalid', 'There is more than one Host header', '$').refusal }

/** Node keeps the first of several; a proxy before it may have looked at another one. */
function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]!.toLowerCase() === 'host') hosts += 1
  return hosts > 1
}

const RETRY_AFTER_SECONDS = 5
/** The connection may have broken during a commit, so this must not claim that nothing happened. */
const DATABASE_UNAVAILABLE = refuse(
  'service_unavailable',
  'The database is unavailable. The request may or may not have taken effect: repeat it with the same Idempotency-Key, or read the resource first.',
  undefined,
  { retryAfter: RETRY_AFTER_SECONDS },
).refusal

export async function buildServer(deps: HttpDeps): Promise<FastifyInstance> {
  const delay = failureDelay(deps.clock)
  const limits = rateLimits(deps.rateLimitPerMinute, deps.clock)
  const { checkAccess, checkAddress, checkOperation, mayCall } = authorize(deps, delay, limits)
  const serviceTime = deps.clock === systemClock ? undefined : serviceTimeHeader(deps.clock)

  const server = Fastify({
    logger: false,
    trustProxy: deps.trustedProxy.length > 0 && [...deps.trustedProxy],
    bodyLimit: BODY_BYTES_MAX,
    http: {
      // Handled below, to return our error shape.
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    },
    // Each route would start a timer that nothing here needs.
    pluginTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    // Requests that arrive over an open connection while the service stops are still answered.
    return503OnClosing: false,
    genReqId: (raw) => {
      const given = raw.headers['request-id']
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
    },
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX },
    // A path that cannot be decoded never reaches a hook, so it is handled here.
    frameworkErrors: (_failure, request, reply) => {
      setDefaultHeaders(request, reply, serviceTime?.())
      void Promise.resolve(checkAccess(request)).then((denied) =>
        deny(reply, denied ?? { refusal: refuse('invalid', 'The path cannot be decoded', '$').refusal }),
      )
    },
    clientErrorHandler: (_failure, socket) => {
      if (!socket.writable) return
      const { body } = errorReply(refuse('invalid', 'Not a valid HTTP request', '$').refusal)
      socket.end(
        `HTTP/1.1 400 Bad Request\r\ncontent-type: ${JSON_TYPE}\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      )
    },
  })

  server.decorateRequest('raw_body', undefined)
  server.decorate('sessions', deps.sessions)
  server.decorate('people', deps.people)
  server.decorateRequest('authMethod', undefined)
  server.decorateRequest('session', undefined)
  server.decorateRequest('by', undefined)
  server.decorateRequest('key', undefined)
  server.decorateRequest('caller', '')
  server.decorateRequest('route_name', 'unknown')
  server.decorateRequest('agent', undefined)
  server.decorateRequest('denied', undefined)
  server.decorateRequest('mcp', undefined)

  const inFlight = inFlightResponses(server.server)
  const responses = serializeResponses(server.server, { ...CONNECTION_LIMITS, ...deps.connectionLimits })

  function logRequest(request: FastifyRequest, reply: FastifyReply, startedAt: number): void {
    const operation = request.route_name
    const status = reply.statusCode
    const ms = Math.round((performance.now() - startedAt) * 10) / 10
    // A response that was sent completely no longer has a socket.
    const aborted = reply.raw.socket?.destroyed || undefined
    const { mcp } = request
    deps.metrics.observe(mcp ? 'mcp' : 'rest', operation, request.method, status, ms)
    deps.log.info(
      {
        request_id: request.id,
        operation,
        status,
        ms,
        by: request.by?.name,
        agent: request.agent ?? agentOf(request),
        aborted,
        ...mcp,
      },
      'request completed',
    )
  }

  /** Until the last byte was sent or the caller left. One listener costs half of what the framework's hook costs. */
  function trackResponse(request: FastifyRequest, reply: FastifyReply): void {
    const startedAt = performance.now()
    if (request.headers.upgrade === undefined) {
      // The response no longer has it when it was sent.
      const { socket } = request.raw
      inFlight.add()
      reply.raw.on('close', () => {
        inFlight.remove()
        logRequest(request, reply, startedAt)
        responses.leave(socket)
      })
    } else {
      // Without this the socket of a refused upgrade would stay open. An accepted upgrade has no response.
      reply.raw.on('finish', () => {
        request.raw.socket.destroySoon()
        logRequest(request, reply, startedAt)
      })
    }
  }

  function admit(request: FastifyRequest, reply: FastifyReply, done: (failure?: Error) => void): void {
    trackResponse(request, reply)
    // Read once: the framework builds these options at every access.
    const { config, url } = request.routeOptions
    request.route_name = config.operation ?? url ?? 'unknown'
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') return deny(reply, NO_HOST)
    if (hasSeveralHosts(request.raw)) return deny(reply, TWO_HOSTS)
    if (config.public) return done()
    if (request.is404 && server.unknownPage && isPageRequest(request)) return server.unknownPage(request, reply)
    const proceed = (denied: Denied | undefined) => {
      if (denied && !config.mcp) return deny(reply, denied)
      request.denied = denied
      return done()
    }
    // An MCP message names its operation in the body.
    const result = checkAccess(request, config.mcp ? 'later' : config.operation)
    const fail = (failure: Error) => done(failure)
    if (result instanceof Promise) result.then(proceed, fail)
    else proceed(result)
  }

  // A callback instead of an async hook, which would cost more than all the work in it.
  server.addHook('onRequest', (request, reply, done) => {
    setDefaultHeaders(request, reply, serviceTime?.())
    const isUpgrade = (request.raw as { upgrade?: boolean }).upgrade === true
    if (isUpgrade) admit(request, reply, done)
    else responses.enter(request.raw.socket, () => admit(request, reply, done))
  })

  server.addHook('preClose', (done) => {
    inFlight.startClosing()
    done()
  })

  addBodyParsers(server)

  server.setErrorHandler(async (failure: Error & { code?: string; statusCode?: number }, request, reply) => {
    const unreadable = unreadableRequest(failure, request.routeOptions.config.upload)
    if (unreadable) {
      // The caller gets its reply even when the database cannot store the event.
      await recordUnreadable(deps, request, unreadable).catch((err: unknown) =>
        deps.log.warn({ request_id: request.id, err }, 'could not record a refusal'),
      )
      return sendReply(reply, errorReply(unreadable))
    }
    return sendReply(reply, errorReply(failureRefusal(failure, request.id)))
  })

  /** The refusal of an exception: a lost database, or a bug. */
  function failureRefusal(failure: unknown, requestId: string): Refusal {
    if (failure instanceof StoreUnavailable || failure instanceof ConflictsPersistError) {
      deps.log.warn({ request_id: requestId, err: failure }, 'database unavailable')
      return DATABASE_UNAVAILABLE
    }
    deps.log.error({ request_id: requestId, err: failure }, 'unexpected error')
    return refuse('internal', 'Internal error').refusal
  }

  const paths: { readonly method: string; readonly pattern: RegExp }[] = []
  server.addHook('onRoute', ({ method, url }) => {
    const pattern = new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`)
    for (const one of [method].flat()) if (one !== 'HEAD') paths.push({ method: one, pattern })
  })
  server.decorate('unknownPage', undefined)
  server.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? ''
    const allowed = paths.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    if (allowed.length === 0) return sendReply(reply, errorReply(refuse('not_found', 'Not found').refusal))
    const allow = [...new Set(allowed)].join(', ')
    const refusal = refuse('invalid', `Method not allowed. Allowed: ${allow}`, '$', { status: 405 }).refusal
    return sendReply(reply.header('allow', allow), errorReply(refusal))
  })

  // Register all methods, so that unsupported ones answer 405, not 404.
  for (const method of METHODS) if (!server.supportedMethods.includes(method)) server.addHttpMethod(method)
  server.server.on('checkExpectation', (_incoming, outgoing: ServerResponse) => {
    const { status, body } = errorReply(
      refuse('invalid', 'The expectation in the Expect header cannot be met', '$', { status: 417 }).refusal,
    )
    const length = Buffer.byteLength(body)
    outgoing.writeHead(status, { 'content-type': JSON_TYPE, 'content-length': length, connection: 'close' }).end(body)
  })

  signResponses(server, deps.signingKeys, deps.clock)
  const runs: Partial<Record<OperationId, Run>> = {}
  for (const [id, operation] of Object.entries<Operation>(OPERATIONS) as [OperationId, Operation][]) {
    const run = (runs[id] = operationRunner(deps, id, operation, limits))
    mountOperation(server, id, operation, run, delay, checkAddress)
  }
  await mountMcp(server, deps, runs as Record<OperationId, Run>, { checkOperation, mayCall, failureRefusal })
  return server
}

const NOT_PAGES = /^\/(ucp|\.well-known|schemas|assets|pictures)(\/|$)/

/** A person who follows an old or mistyped link, not a program that calls the API. */
const isPageRequest = ({ method, url, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && (headers.accept ?? '').includes('text/html') && !NOT_PAGES.test(url)

/** The time of a service whose clock was set (staging), for its pages. Formatted once a second. */
function serviceTimeHeader(clock: Clock): () => string {
  let second = Number.NaN
  let text = ''
  return () => {
    const now = Math.floor(clock.now() / SECOND)
    if (now !== second) text = new Date((second = now) * SECOND).toUTCString()
    return text
  }
}

function setDefaultHeaders(request: FastifyRequest, reply: FastifyReply, serviceTime: string | undefined): void {
  if (serviceTime !== undefined) reply.header('service-time', serviceTime)
  reply.header('request-id', request.id)
  reply.header('x-content-type-options', 'nosniff')
}

class InvalidBodyError extends Error {}

const TOO_LARGE = `The body is larger than ${BODY_BYTES_MAX} bytes`
const TOO_LARGE_FILE = `The file is larger than ${UPLOAD_BYTES_MAX / 1024 / 1024} MB`

/** The refusal for what the framework finds wrong with a request; undefined when the error is ours. */
function unreadableRequest(
  failure: Error & { code?: string; statusCode?: number },
  isUpload = false,
): Refusal | undefined {
  if (failure.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return refuse('request_too_large', isUpload ? TOO_LARGE_FILE : TOO_LARGE, '$', { status: 413 }).refusal
  if (failure instanceof InvalidBodyError) return refuse('invalid', failure.message, '$').refusal
  if (failure.statusCode !== undefined && failure.statusCode < 500)
    return refuse('invalid', 'The request cannot be read', '$').refusal
  return undefined
}

const BODY_PROBLEMS = {
  malformed: 'The body is not valid JSON',
  too_deep: `The body is nested more than ${BODY_DEPTH_MAX} levels deep`,
} as const

/** Keeps the raw bytes beside the parsed JSON: an idempotency key is bound to them. */
function addBodyParsers(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, raw: Buffer, done) => {
    request.raw_body = raw
    if (raw.length === 0) return done(null, undefined)
    if (request.routeOptions.config.upload)
      return done(new InvalidBodyError('The content type must be multipart/form-data'))
    const json = parseJson(raw)
    return json.ok ? done(null, json.value) : done(new InvalidBodyError(BODY_PROBLEMS[json.problem]))
  })
  server.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, raw: Buffer) => {
      if (!request.routeOptions.config.upload) throw new InvalidBodyError('The content type must be application/json')
      request.raw_body = raw
      const form = parseForm(raw, request.headers['content-type'] ?? '')
      if (!form.ok) throw new InvalidBodyError(form.problem)
      return form.value
    },
  )
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (request, raw: Buffer, done) => {
    const type = request.routeOptions.config.upload ? 'multipart/form-data' : 'application/json'
    return raw.length === 0 ? done(null, undefined) : done(new InvalidBodyError(`The content type must be ${type}`))
  })
}
