/**
 * The HTTP client of the adapters. Every outcome becomes a Result. `unsent` means that not a byte of the request was
 * written; after the first byte a failure is `unknown`.
 */
import assert from 'node:assert/strict'
import type { Clock } from '../../kernel/clock.ts'
import { failDenied, fail } from '../result.ts'
import type { Result, Failure, SendDenial, SendPermit } from '../contract.ts'
import { type Reply, connections, httpExchange } from './exchange.ts'
import { omitUndefined } from '../../lib/objects.ts'
import { semaphore } from '../../lib/concurrency.ts'
import { sanitizeText } from './sanitize-text.ts'
import { queuedWrites } from './queued-writes.ts'

const CALL_LIMITS = {
  /** Concurrent calls to one upstream. */
  concurrency: 16,
  /** Calls that may wait; each waits no longer than the time-out of a call. */
  waiting: 2_000,
  responseBytes: 16 * 1024 * 1024,
  /** A longer Retry-After is capped. */
  retryAfterSeconds: 3_600,
} as const

export interface UpstreamOptions {
  readonly url: string
  readonly timeoutMs: number
  readonly clock: Clock
  /** The current credentials, to be removed from every text. */
  readonly secrets: () => readonly string[]
  readonly concurrency?: number | undefined
  /** Aborted when the service stops: waiting calls are dropped, running ones ended. */
  readonly signal?: AbortSignal | undefined
  readonly observe?: ((call: CallRecord) => void) | undefined
}

/** One attempt, for logs and metrics. */
export interface CallRecord {
  readonly operation: string
  readonly outcome: 'ok' | Failure['reason']
  readonly raw?: string
  readonly durationMs: number
}

interface RequestParts {
  /** A name for logs and metrics, since paths contain ids. */
  readonly operation: string
  readonly path: string
  /** JSON, or with `contentType` a text that is sent as it is. */
  readonly body?: unknown
  readonly contentType?: string
  /** Called at the moment of sending: a signature must not age while the call waits. */
  readonly headers: (sent: { method: string; pathWithQuery: string; body: string }) => Record<string, string>
  /**
   * Decides about a 4xx that the vendor documents as a refusal; undefined: its status decides. `body` is the JSON
   * or text of the reply, undefined where that cannot be read. A 5xx is never a refusal.
   */
  readonly readRefusal?: (status: number, body: unknown) => Failure | undefined
  /** A success without a body is read as `undefined`, or as an empty text. Otherwise it is unreadable. */
  readonly mayBeEmpty?: boolean
}

/** Every write names its permit; `undefined` only for one that changes nothing at the upstream. */
export type UpstreamRequest = RequestParts &
  (
    | { readonly method: 'GET'; readonly permit?: undefined }
    | { readonly method: 'POST' | 'PUT' | 'DELETE'; readonly permit: SendPermit | undefined }
  )

export function upstreamClient(options: UpstreamOptions) {
  const { timeoutMs, signal } = options
  const url = new URL(options.url)
  const prefix = url.pathname.replace(/\/+$/, '')
  const concurrency = options.concurrency ?? CALL_LIMITS.concurrency
  const calls = semaphore(concurrency, CALL_LIMITS.waiting)
  const queue = queuedWrites()
  const limits = { timeoutMs, responseBytes: CALL_LIMITS.responseBytes, signal }
  // A write gets a connection of its own: on a reused one, the upstream closing it would look like a lost reply.
  const pools = { reads: connections(url, { keepAlive: true }), writes: connections(url, { keepAlive: false }) }

  async function tryOnce<B, T>(request: UpstreamRequest, format: Format<B>, read: ReadBody<B, T>): Promise<Result<T>> {
    const release = await acquireCall(request.permit)
    if (typeof release !== 'function') return release
    try {
      const reply = await send(request, format.accept)
      if ('failure' in reply && reply.denial) return failDenied(reply.denial)
      if ('failure' in reply)
        return fail(reply.isRequestWritten ? 'unknown' : 'unsent', reply.failure, { raw: reply.raw })
      if (reply.status >= 200 && reply.status < 300) return readBody(reply, request, format, read)
      return documentedRefusal(reply, request, format, options.clock) ?? failureByStatus(reply, options.clock)
    } finally {
      release()
    }
  }

  async function acquireCall(permit: SendPermit | undefined): Promise<(() => void) | Failure> {
    const wait = permit && calls.active >= concurrency ? queue.enter(permit) : undefined
    try {
      const signals = [signal, wait?.signal].filter((each) => each !== undefined)
      const release = await calls.acquire(timeoutMs, wait ? AbortSignal.any(signals) : signal)
      if (release) return release
    } finally {
      wait?.leave()
    }
    if (wait?.signal.aborted) return failDenied(wait.signal.reason as SendDenial)
    return fail('unsent', signal?.aborted ? 'The service is stopping' : 'Too many calls to the vendor are waiting')
  }

  function send(request: UpstreamRequest, accept: string) {
    const { method, permit } = request
    const pathWithQuery = prefix + request.path
    const body = bodyOf(request)
    const headers = {
      accept,
      ...(body && {
        'content-type': request.contentType ?? 'application/json; charset=utf-8',
        // Node states it for POST and PUT only.
        'content-length': String(Buffer.byteLength(body)),
      }),
      ...request.headers({ method, pathWithQuery, body }),
    }
    const pool = method === 'GET' ? pools.reads : pools.writes
    return httpExchange(pool, { method, path: pathWithQuery, headers, ...(body && { body }) }, limits, permit)
  }

  async function measure<B, T>(request: UpstreamRequest, format: Format<B>, read: ReadBody<B, T>): Promise<Result<T>> {
    const startedAt = performance.now()
    const result = withoutSecrets(await tryOnce(request, format, read), [url.host, url.hostname, ...options.secrets()])
    options.observe?.({
      operation: request.operation,
      outcome: result.ok ? 'ok' : result.reason,
      ...(!result.ok && result.raw !== undefined && { raw: result.raw }),
      durationMs: performance.now() - startedAt,
    })
    return result
  }

  return {
    /** One attempt. `read` converts the JSON; if it throws, the reply counts as unreadable. */
    call: <T>(request: UpstreamRequest, read: ReadBody<unknown, T>) => measure(request, JSON_FORMAT, read),
    /** The same for a vendor that answers with text, such as XML. Its charset is the one of the reply, or UTF-8. */
    callForText: <T>(request: UpstreamRequest, read: ReadBody<string, T>) => measure(request, TEXT_FORMAT, read),
    async close(): Promise<void> {
      pools.reads.close()
      pools.writes.close()
    },
  }
}

function bodyOf({ body, contentType }: UpstreamRequest): string {
  if (body === undefined) return ''
  if (contentType === undefined) return JSON.stringify(body)
  assert(typeof body === 'string', 'a body with a content type of its own is a text')
  return body
}

type ReadBody<B, T> = (body: B) => Result<T>

/** How the body of a reply is decoded; `decode` throws when it cannot be. */
interface Format<B> {
  readonly name: string
  readonly accept: string
  readonly empty: B
  decode(reply: Reply): B
}

const JSON_FORMAT: Format<unknown> = {
  name: 'JSON',
  accept: 'application/json',
  empty: undefined,
  decode: ({ body }) => JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown,
}

const TEXT_FORMAT: Format<string> = {
  name: 'readable text',
  accept: '*/*',
  empty: '',
  decode({ body, headers }) {
    const charset = /;\s*charset="?([\w:.-]+)/i.exec(headers['content-type'] ?? '')?.[1]
    return new TextDecoder(charset ?? 'utf-8', { fatal: true }).decode(body)
  },
}

/** Only what the vendor's documentation calls a refusal; the adapter decides that by status and body. */
function documentedRefusal<B>(reply: Reply, { readRefusal }: UpstreamRequest, format: Format<B>, clock: Clock) {
  if (!readRefusal || reply.status < 400 || reply.status >= 500) return undefined
  let body: B | undefined
  try {
    body = reply.body.length === 0 ? undefined : format.decode(reply)
  } catch {
    // The page of a gateway, perhaps: only the status is left to decide by.
  }
  try {
    const failure = readRefusal(reply.status, body)
    if (!failure) return undefined
    const retryAfter = failure.retryAfter ?? retryAfterOf(reply.headers['retry-after'], clock)
    const raw = failure.raw ?? `HTTP ${reply.status}`
    const documented = body === undefined ? undefined : true
    return { ...failure, raw, ...omitUndefined({ documented, retryAfter }) }
  } catch (error) {
    return failUnreadable(error)
  }
}

/**
 * What the HTTP status alone says. Apart from refused credentials (401 and 403 come before any work) a 4xx is `unknown`: a
 * gateway's 404 does not mean that an order is absent.
 */
function failureByStatus(reply: Reply, clock: Clock): Failure {
  const { status } = reply
  const text = `The vendor answered with HTTP ${status}`
  const raw = `HTTP ${status}`
  const retryAfter = retryAfterOf(reply.headers['retry-after'], clock)
  if (status === 429) return fail('limited', text, { raw, retryAfter })
  if (status === 401 || status === 403) return fail('unauthorized', text, { raw })
  return fail('unknown', text, { raw, retryAfter })
}

function readBody<B, T>(
  reply: Reply,
  { mayBeEmpty }: UpstreamRequest,
  format: Format<B>,
  read: ReadBody<B, T>,
): Result<T> {
  let body: B
  try {
    assert(reply.body.length > 0 || mayBeEmpty)
    body = reply.body.length === 0 ? format.empty : format.decode(reply)
  } catch {
    return fail('unknown', `The vendor sent a reply that is not ${format.name}`, { raw: `not ${format.name}` })
  }
  try {
    const result = read(body)
    return result.ok ? result : { ...result, documented: true }
  } catch (error) {
    return failUnreadable(error)
  }
}

const failUnreadable = (error: unknown): Failure =>
  fail('unknown', 'The vendor sent a reply that does not match its documentation', {
    raw: error instanceof Error ? error.message : String(error),
  })

/** Delta seconds or an HTTP date, as whole seconds from now; undefined when it is neither. */
function retryAfterOf(header: string | string[] | undefined, clock: Clock): number | undefined {
  if (typeof header !== 'string') return undefined
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - clock.now()) / 1000
  return boundedRetryAfter(seconds)
}

/** Whole seconds, capped; undefined when there is nothing to wait for. */
export const boundedRetryAfter = (seconds: unknown): number | undefined =>
  typeof seconds === 'number' && seconds > 0 ? Math.min(Math.ceil(seconds), CALL_LIMITS.retryAfterSeconds) : undefined

function withoutSecrets<T>(result: Result<T>, hidden: readonly string[]): Result<T> {
  if (result.ok) return result
  const { raw } = result
  return {
    ...result,
    message: sanitizeText(result.message, hidden) || 'The vendor gave no reason',
    ...(raw !== undefined && { raw: sanitizeText(raw, hidden) }),
  }
}
