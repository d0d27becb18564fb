/**
 * The HTTP client of the adapters. Every outcome becomes a Result. `unsent` means that not a byte of the request was
 * written; after the first byte a failure is `unknown`.
 */
import type { Clock } from '../../kernel/clock.ts'
import { deniedToSend, failed } from '../result.ts'
import type { Result, Failure, SendDenial, SendPermit } from '../contract.ts'
import { connections, httpExchange } from './exchange.ts'
import type { Reply } from './exchange.ts'
import { semaphore } from '../../lib/semaphore.ts'
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
  readonly body?: unknown
  /** Called at the moment of sending: a signature must not age while the call waits. */
  readonly headers: (sent: { method: string; pathWithQuery: string; body: string }) => Record<string, string>
}

/** Every POST names its permit; `undefined` only for one that changes nothing at the upstream. */
export type UpstreamRequest = RequestParts &
  (
    | { readonly method: 'GET'; readonly permit?: undefined }
    | { readonly method: 'POST'; readonly permit: SendPermit | undefined }
  )

export interface Upstream {
  /** One attempt. `read` converts the JSON; if it throws, the reply counts as unreadable. */
  call<T>(request: UpstreamRequest, read: (json: unknown) => Result<T>): Promise<Result<T>>
  close(): Promise<void>
}

export function upstreamClient(options: UpstreamOptions): Upstream {
  const { timeoutMs, signal } = options
  const url = new URL(options.url)
  const prefix = url.pathname.replace(/\/+$/, '')
  const concurrency = options.concurrency ?? CALL_LIMITS.concurrency
  const slots = semaphore(concurrency, CALL_LIMITS.waiting)
  const queue = queuedWrites()
  const limits = { timeoutMs, responseBytes: CALL_LIMITS.responseBytes, signal }
  // A write gets a connection of its own: on a reused one, the upstream closing it would look like a lost reply.
  const pools = { GET: connections(url, { keepAlive: true }), POST: connections(url, { keepAlive: false }) }

  async function attempt<T>(request: UpstreamRequest, read: (json: unknown) => Result<T>): Promise<Result<T>> {
    const release = await acquireSlot(request.permit)
    if (typeof release !== 'function') return release
    try {
      const reply = await send(request)
      if ('failure' in reply && reply.denial) return deniedToSend(reply.denial)
      if ('failure' in reply)
        return failed(reply.requestWritten ? 'unknown' : 'unsent', reply.failure, { raw: reply.raw })
      return failureByStatus(reply, options.clock) ?? readBody(reply, read)
    } finally {
      release()
    }
  }

  async function acquireSlot(permit: SendPermit | undefined): Promise<(() => void) | Failure> {
    const wait = permit && slots.active >= concurrency ? queue.enter(permit) : undefined
    try {
      const signals = [signal, wait?.signal].filter((each) => each !== undefined)
      const release = await slots.acquire(timeoutMs, wait ? AbortSignal.any(signals) : signal)
      if (release) return release
    } finally {
      wait?.leave()
    }
    if (wait?.signal.aborted) return deniedToSend(wait.signal.reason as SendDenial)
    return failed('unsent', signal?.aborted ? 'The service is stopping' : 'Too many calls to the vendor are waiting')
  }

  function send(request: UpstreamRequest) {
    const { method, permit } = request
    const pathWithQuery = prefix + request.path
    const body = request.body === undefined ? '' : JSON.stringify(request.body)
    const headers = {
      accept: 'application/json',
      ...(body && { 'content-type': 'application/json; charset=utf-8' }),
      ...request.headers({ method, pathWithQuery, body }),
    }
    return httpExchange(pools[method], { method, path: pathWithQuery, headers, ...(body && { body }) }, limits, permit)
  }

  return {
    async call(request, read) {
      const startedAt = performance.now()
      const result = withoutSecrets(await attempt(request, read), [url.host, url.hostname, ...options.secrets()])
      options.observe?.({
        operation: request.operation,
        outcome: result.ok ? 'ok' : result.reason,
        ...(!result.ok && result.raw !== undefined && { raw: result.raw }),
        durationMs: performance.now() - startedAt,
      })
      return result
    },
    async close() {
      pools.GET.close()
      pools.POST.close()
    },
  }
}

/**
 * What the HTTP status alone says. Apart from refused credentials (401 and 403 come before any work) a 4xx is `unknown`: a
 * gateway's 404 does not mean that an order is absent.
 */
function failureByStatus(reply: Reply, clock: Clock): Failure | undefined {
  const { status } = reply
  if (status >= 200 && status < 300) return undefined
  const text = `The vendor answered with HTTP ${status}`
  const raw = `HTTP ${status}`
  const retryAfter = retryAfterOf(reply.headers['retry-after'], clock)
  if (status === 429) return failed('limited', text, { raw, retryAfter })
  if (status === 401 || status === 403) return failed('unauthorized', text, { raw })
  return failed('unknown', text, { raw, retryAfter })
}

function readBody<T>(reply: Reply, read: (json: unknown) => Result<T>): Result<T> {
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(reply.body))
  } catch {
    return failed('unknown', 'The vendor sent a reply that is not JSON', { raw: 'not JSON' })
  }
  try {
    const result = read(json)
    return result.ok ? result : { ...result, documented: true }
  } catch (error) {
    const raw = error instanceof Error ? error.message : String(error)
    return failed('unknown', 'The vendor sent a reply that does not match its documentation', { raw })
  }
}

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
