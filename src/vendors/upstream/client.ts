/**
 * The only place that sees upstream HTTP. Whatever happens on the line becomes an Answer, and one distinction is kept
 * through all of it: `unsent` means that not a byte of the request left us; after the first byte it is `unknown`.
 */
import type { Clock } from '../../kernel/clock.ts'
import { deniedToSend, failed } from '../result.ts'
import type { Result, Failure, SendDenial, SendPermit } from '../contract.ts'
import { connections, httpExchange } from './exchange.ts'
import type { Reply } from './exchange.ts'
import { semaphore } from '../../lib/semaphore.ts'
import { sanitizeText } from './sanitize-text.ts'
import { queuedWrites } from './queued-writes.ts'

export const CALL_LIMITS = {
  /** Calls one upstream gets at the same time. */
  concurrency: 16,
  /** Calls that may wait for their turn; each waits no longer than one call may take. */
  waiting: 2_000,
  responseBytes: 16 * 1024 * 1024,
  /** A longer rest is not believed. */
  retryAfterSeconds: 3_600,
} as const

export interface UpstreamOptions {
  readonly url: string
  readonly timeoutMs: number
  readonly clock: Clock
  /** Credentials of the moment, to be kept out of every text. */
  readonly secrets: () => readonly string[]
  readonly concurrency?: number | undefined
  /** Aborted when the service stops: waiting calls are dropped, running ones cut. */
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
  /** A name for logs and metrics; paths hold ids. */
  readonly operation: string
  readonly path: string
  readonly body?: unknown
  /** Made at the moment of sending, over what is sent: a signature must not age while the call waits for its turn. */
  readonly headers: (sent: { method: string; pathWithQuery: string; body: string }) => Record<string, string>
}

/** Every POST says under which permit it is sent; `undefined` is for one that changes nothing at the upstream. */
export type UpstreamRequest = RequestParts &
  (
    | { readonly method: 'GET'; readonly permit?: undefined }
    | { readonly method: 'POST'; readonly permit: SendPermit | undefined }
  )

export interface Upstream {
  /** One attempt. `read` turns the JSON into our words; what it throws makes the reply unreadable, never an exception. */
  call<T>(request: UpstreamRequest, read: (json: unknown) => Result<T>): Promise<Result<T>>
  close(): Promise<void>
}

export function upstreamClient(options: UpstreamOptions): Upstream {
  const { timeoutMs, signal } = options
  const url = new URL(options.url)
  const prefix = url.pathname.replace(/\/+$/, '')
  const concurrency = options.concurrency ?? CALL_LIMITS.concurrency
  const turns = semaphore(concurrency, CALL_LIMITS.waiting)
  const queue = queuedWrites()
  const limits = { timeoutMs, responseBytes: CALL_LIMITS.responseBytes, signal }
  // A write gets a connection of its own. On a kept one, the upstream's idle close would look like a lost reply.
  const lines = { GET: connections(url, { keepAlive: true }), POST: connections(url, { keepAlive: false }) }

  async function attempt<T>(request: UpstreamRequest, read: (json: unknown) => Result<T>): Promise<Result<T>> {
    const giveBack = await takePlace(request.permit)
    if (typeof giveBack !== 'function') return giveBack
    try {
      const reply = await send(request)
      if ('failure' in reply && reply.denial) return deniedToSend(reply.denial)
      if ('failure' in reply)
        return failed(reply.requestWritten ? 'unknown' : 'unsent', reply.failure, { raw: reply.raw })
      return refusedByStatus(reply, options.clock) ?? readBody(reply, read)
    } finally {
      giveBack()
    }
  }

  async function takePlace(permit: SendPermit | undefined): Promise<(() => void) | Failure> {
    const wait = permit && turns.active >= concurrency ? queue.enter(permit) : undefined
    try {
      const signals = [signal, wait?.signal].filter((each) => each !== undefined)
      const place = await turns.acquire(timeoutMs, wait ? AbortSignal.any(signals) : signal)
      if (place) return place
    } finally {
      wait?.leave()
    }
    if (wait?.signal.aborted) return deniedToSend(wait.signal.reason as SendDenial)
    return failed('unsent', signal?.aborted ? 'the service is stopping' : 'too many calls are waiting')
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
    return httpExchange(lines[method], { method, path: pathWithQuery, headers, ...(body && { body }) }, limits, permit)
  }

  return {
    async call(request, read) {
      const began = performance.now()
      const answer = withoutSecrets(await attempt(request, read), [url.host, url.hostname, ...options.secrets()])
      options.observe?.({
        operation: request.operation,
        outcome: answer.ok ? 'ok' : answer.reason,
        ...(!answer.ok && answer.raw !== undefined && { raw: answer.raw }),
        durationMs: performance.now() - began,
      })
      return answer
    },
    async close() {
      lines.GET.close()
      lines.POST.close()
    },
  }
}

/**
 * What the HTTP status alone says. Beside the credentials (401 and 403 come before any work) nothing is read into a
 * 4xx: a gateway's 404 does not tell that an order is absent.
 */
function refusedByStatus(reply: Reply, clock: Clock): Failure | undefined {
  const { status } = reply
  if (status >= 200 && status < 300) return undefined
  const text = `the upstream answered HTTP ${status}`
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
    return failed('unknown', 'the upstream answered something that is not JSON', { raw: 'not JSON' })
  }
  try {
    const answer = read(json)
    return answer.ok ? answer : { ...answer, documented: true }
  } catch (error) {
    const raw = error instanceof Error ? error.message : String(error)
    return failed('unknown', 'the upstream answered in a shape that is not documented', { raw })
  }
}

/** Delta seconds or an HTTP date, as whole seconds from now; undefined when it is neither. */
function retryAfterOf(header: string | string[] | undefined, clock: Clock): number | undefined {
  if (typeof header !== 'string') return undefined
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - clock.now()) / 1000
  return boundedRetryAfter(seconds)
}

/** Whole seconds within belief; undefined when there is nothing to wait for. */
export const boundedRetryAfter = (seconds: unknown): number | undefined =>
  typeof seconds === 'number' && seconds > 0 ? Math.min(Math.ceil(seconds), CALL_LIMITS.retryAfterSeconds) : undefined

function withoutSecrets<T>(answer: Result<T>, hidden: readonly string[]): Result<T> {
  if (answer.ok) return answer
  const { raw } = answer
  return {
    ...answer,
    message: sanitizeText(answer.message, hidden) || 'the upstream gave no reason',
    ...(raw !== undefined && { raw: sanitizeText(raw, hidden) }),
  }
}
