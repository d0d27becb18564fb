/** The error of a failed call: a refusal of the service, or no readable response. */
import type { ErrorResponse, Message } from '../contract/common.ts'
import type { ErrorCode } from '../kernel/message.ts'

/** No response of the service; `status` is 0 unless a proxy responded. */
export type ConnectionCode = 'unreachable' | 'timeout' | 'unreadable'

export type FailureCode = ErrorCode | ConnectionCode

export interface FailureDetails {
  readonly operation: string
  readonly status: number
  readonly code: FailureCode
  readonly text: string
  readonly messages?: readonly Message[]
  /** Seconds, from the response. */
  readonly retryAfter?: number | undefined
  readonly requestId?: string | undefined
  readonly continueUrl?: string | undefined
  readonly cause?: unknown
}

export class VendopsError extends Error {
  override readonly name = 'VendopsError'
  readonly operation: string
  readonly status: number
  /** Code of the first message; branch on this only. */
  readonly code: FailureCode
  readonly messages: readonly Message[]
  readonly retryAfter: number | undefined
  readonly requestId: string | undefined
  readonly continueUrl: string | undefined

  constructor(details: FailureDetails) {
    super(details.text, details.cause === undefined ? {} : { cause: details.cause })
    this.operation = details.operation
    this.status = details.status
    this.code = details.code
    this.messages = details.messages ?? []
    this.retryAfter = details.retryAfter
    this.requestId = details.requestId
    this.continueUrl = details.continueUrl
  }

  /** True when it is unknown whether the service received the request. */
  get isUnanswered(): boolean {
    return this.code === 'unreachable' || this.code === 'timeout' || this.code === 'unreadable'
  }
}

const isErrorResponse = (body: unknown): body is ErrorResponse =>
  typeof body === 'object' &&
  body !== null &&
  (body as ErrorResponse).ucp?.status === 'error' &&
  Array.isArray((body as ErrorResponse).messages) &&
  (body as ErrorResponse).messages.length > 0

/** Seconds or an HTTP date (RFC 9110), which is compared with the `Date` of the response because clocks differ. */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after')
  if (text === null) return undefined
  if (/^\d+$/.test(text)) return Number(text)
  const wait = (Date.parse(text) - Date.parse(headers.get('date') ?? '')) / 1000
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined
}

/** The failure of a response; undefined for a success. A 200 with an error envelope is a failure. */
export function failureIn(operation: string, response: Response, body: unknown): VendopsError | undefined {
  const errorResponse = isErrorResponse(body) ? body : undefined
  const isObject = typeof body === 'object' && body !== null
  if (response.ok && isObject && !errorResponse) return undefined
  const first = errorResponse?.messages[0]
  return new VendopsError({
    operation,
    status: response.status,
    code: first ? (first.code as ErrorCode) : 'unreadable',
    text: first?.content ?? `unexpected response (HTTP ${response.status}); is this the address of a vendops service?`,
    messages: errorResponse?.messages ?? [],
    retryAfter: retryAfterOf(response.headers),
    requestId: response.headers.get('request-id') ?? undefined,
    continueUrl: errorResponse?.continue_url,
  })
}
