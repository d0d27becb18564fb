/** Calls one operation over fetch, with retries where they are safe. */
import { failureIn, VendopsError } from './error.ts'
import { mayRetry, sleep, waitMs } from './retry.ts'
import type { Route } from './route.ts'

export interface ClientOptions {
  /** Origin of the service; not needed in a page of the service itself. */
  readonly baseUrl?: string
  /** The operator token; a browser sends its cookie instead. */
  readonly token?: string
  readonly fetch?: typeof fetch
  readonly userAgent?: string
  /** URL of the calling platform's profile, sent as `UCP-Agent`. */
  readonly agentProfile?: string
  /** Maximum number of attempts per call. */
  readonly attempts?: number
  /** Time-out of one attempt. */
  readonly timeoutMs?: number
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** For writes; generated if omitted, and the same for every attempt of a call. */
  readonly idempotencyKey?: string
  readonly timeoutMs?: number
  readonly attempts?: number
}

export interface RawRequest extends CallOptions {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

const ATTEMPTS = 4
const TIMEOUT_MS = 60_000

/** 128 random bits. Browsers offer `randomUUID` on https only, and a phone next to a machine may use http. */
export const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

function urlOf(baseUrl: string, route: Route, { params = {}, query = {} }: RawRequest): string {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(String(params[name])))
  const args = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(args.map(([name, value]) => [name, String(value)])).toString()
  return `${baseUrl.replace(/\/+$/, '')}${path}${search === '' ? '' : `?${search}`}`
}

const isBrowser = 'document' in globalThis

export function headersOf(options: ClientOptions, route: Route, key: string | undefined): Record<string, string> {
  const userAgent = options.userAgent ?? (isBrowser ? undefined : 'vendops-client')
  return {
    accept: 'application/json',
    ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
    ...(userAgent === undefined ? {} : { 'user-agent': userAgent }),
    ...(options.agentProfile === undefined ? {} : { 'ucp-agent': `profile="${options.agentProfile}"` }),
    ...(route.body && !route.upload ? { 'content-type': 'application/json' } : {}),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  }
}

export type Call = (operation: string, route: Route, request?: RawRequest) => Promise<unknown>

export function createCaller(options: ClientOptions): Call {
  const send = options.fetch ?? ((url, init) => fetch(url, init))

  async function sendOnce(operation: string, url: string, init: RequestInit, request: RawRequest): Promise<unknown> {
    const timeout = AbortSignal.timeout(request.timeoutMs ?? options.timeoutMs ?? TIMEOUT_MS)
    const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout
    let response: Response
    let text: string
    try {
      response = await send(url, { ...init, signal })
      text = await response.text()
    } catch (cause) {
      // When the caller aborts, it gets its own reason, not a failure of the service.
      request.signal?.throwIfAborted()
      const failure = timeout.aborted
        ? ({ code: 'timeout', text: 'the service did not respond in time' } as const)
        : ({ code: 'unreachable', text: 'the service cannot be reached' } as const)
      throw new VendopsError({ operation, status: 0, ...failure, cause })
    }
    const body = parseJson(text)
    const failure = failureIn(operation, response, body)
    if (failure) throw failure
    return body
  }

  return async (operation, route, request = {}) => {
    const key = route.kind === 'write' ? (request.idempotencyKey ?? newIdempotencyKey()) : undefined
    const url = urlOf(options.baseUrl ?? '', route, request)
    // Serialized once: an idempotency key is bound to the exact bytes.
    const form = route.upload ? await formOf(request.body) : undefined
    const init: RequestInit = {
      method: route.method,
      headers: { ...headersOf(options, route, key), ...form?.headers },
      ...(form ? { body: form.body } : route.body ? { body: JSON.stringify(request.body ?? {}) } : {}),
    }
    const attempts = request.attempts ?? options.attempts ?? ATTEMPTS
    for (let attempt = 1; ; attempt++) {
      try {
        return await sendOnce(operation, url, init, request)
      } catch (failure) {
        if (!(failure instanceof VendopsError) || attempt >= attempts) throw failure
        if (!mayRetry(route.kind, key !== undefined, failure)) throw failure
        await sleep(waitMs(attempt, failure.retryAfter), request.signal)
      }
    }
  }
}

interface FileMember {
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** With its boundary, which would be another one for every attempt. */
async function formOf(body: unknown) {
  const form = new FormData()
  for (const [name, value] of Object.entries((body ?? {}) as Record<string, string | FileMember | undefined>))
    if (typeof value === 'object') form.set(name, new Blob([value.bytes]), value.name)
    else if (value !== undefined) form.set(name, value)
  const response = new Response(form)
  return { headers: { 'content-type': response.headers.get('content-type') ?? '' }, body: await response.blob() }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
