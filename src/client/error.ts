/** Errors of a call: a refusal by the service, or no readable response. */
import type { ErrorResponse, Message } from '../contract/common.ts'
import type { ErrorCode } from '../kernel/message.ts'

/** No response of the service: `status` is 0, unless a proxy in between answered. */
export type ConnectionCode = 'unreachable' | 'timeout' | 'unreadable'

export type FailureCode = ErrorCode | ConnectionCode

export interface Failed {
  readonly operation: string
  readonly status: number
  readonly code: FailureCode
  readonly text: string
  readonly messages?: readonly Message[]
  /** In seconds, from the service. */
  readonly retryAfter?: number | undefined
  readonly requestId?: string | undefined
  readonly continueUrl?: string | undefined
  readonly cause?: unknown
}

export class VendopsError extends Error {
  override readonly name = 'VendopsError'
  readonly operation: string
  readonly status: number
  /** Of the first message; branch on this only. */
  readonly code: FailureCode
  readonly messages: readonly Message[]
  readonly retryAfter: number | undefined
  readonly requestId: string | undefined
  readonly continueUrl: string | undefined

  constructor(failed: Failed) {
    super(failed.text, failed.cause === undefined ? {} : { cause: failed.cause })
    this.operation = failed.operation
    this.status = failed.status
    this.code = failed.code
    this.messages = failed.messages ?? []
    this.retryAfter = failed.retryAfter
    this.requestId = failed.requestId
    this.continueUrl = failed.continueUrl
  }

  /** True when the service may or may not have received the request. */
  get unanswered(): boolean {
    return this.code === 'unreachable' || this.code === 'timeout' || this.code === 'unreadable'
  }
}

const isErrorResponse = (body: unknown): body is ErrorResponse =>
  typeof body === 'object' &&
  body !== null &&
  (body as ErrorResponse).ucp?.status === 'error' &&
  Array.isArray((body as ErrorResponse).messages) &&
  (body as ErrorResponse).messages.length > 0

/** Seconds or an HTTP date (RFC 9110); a date is compared with the response's own Date header, as clocks differ. */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after')
  if (text === null) return undefined
  if (/^\d+$/.test(text)) return Number(text)
  const wait = (Date.parse(text) - Date.parse(headers.get('date') ?? '')) / 1000
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined
}

/** The error in a response, also in a 200 with an error envelope; undefined on success. */
export function failureIn(operation: string, response: Response, body: unknown): VendopsError | undefined {
  const told = isErrorResponse(body) ? body : undefined
  const readable = typeof body === 'object' && body !== null
  if (response.ok && readable && !told) return undefined
  const first = told?.messages[0]
  return new VendopsError({
    operation,
    status: response.status,
    code: first ? (first.code as ErrorCode) : 'unreadable',
    text: first?.content ?? `the answer (HTTP ${response.status}) is not one of this service`,
    messages: told?.messages ?? [],
    retryAfter: retryAfterOf(response.headers),
    requestId: response.headers.get('request-id') ?? undefined,
    continueUrl: told?.continue_url,
  })
}
