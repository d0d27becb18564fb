/**
 * What a merchant's error says. Only a refusal in a form that UCP documents, or that its samples send, counts as one: its
 * messages, `{code, content}`, or `{detail}`. Anything else leaves the outcome open. Pure.
 */
import type { Failure } from '../contract.ts'
import { fail } from '../result.ts'
import { boundedRetryAfter } from '../upstream/client.ts'
import { type Fields, isFields, optionalText } from '../upstream/read-json.ts'

type StatedError = Readonly<ReturnType<typeof toError>>

/** The errors among `messages`; warnings and infos are not. */
export const errorsAmong = (messages: unknown): readonly StatedError[] =>
  Array.isArray(messages)
    ? messages.filter(isFields).flatMap((message) => (message['type'] === 'error' ? [toError(message)] : []))
    : []

function toError(message: Fields) {
  const code = optionalText(message, 'code')
  return {
    code,
    text: optionalText(message, 'content') ?? code ?? 'The merchant gave no reason',
    /** A person has to go on at the merchant. */
    needsBuyer: optionalText(message, 'severity')?.startsWith('requires_buyer') ?? false,
  }
}

/** Statuses with which merchants decline. A 5xx is never one. */
const DECLINING: ReadonlySet<number> = new Set([400, 402, 404, 405, 409, 410, 413, 422, 424])
const TOO_LARGE = 'request_too_large'

export const isTooLarge = ({ raw }: Failure): boolean => raw === TOO_LARGE || raw === 'HTTP 413'
export const isNotFound = ({ reason, raw }: Failure): boolean =>
  reason === 'rejected' && (raw === 'not_found' || raw === 'HTTP 404')

export function failureOfStatus(status: number, body: unknown): Failure | undefined {
  const [first, ...others] = statedErrors(body)
  if (!first) return undefined
  const raw = first.code ?? `HTTP ${status}`
  if (status === 401 || status === 403) return fail('unauthorized', first.text, { raw })
  if (status === 429) return fail('limited', first.text, { raw })
  if (!DECLINING.has(status)) return undefined
  if (status === 424) return fail('rejected', `The merchant cannot read our profile: ${first.text}`, { raw })
  return failureOfErrors([first, ...others], raw)
}

/** Errors in a reply of a merchant that understood the request. */
export function failureOfErrors(errors: readonly StatedError[], fallback = 'refused'): Failure {
  const [first] = errors
  const raw = first?.code ?? fallback
  const text = errors.map((error) => error.text).join(' ') || 'The merchant declined and gave no reason'
  // About the key of an earlier request, whose outcome this does not state.
  if (errors.some(isAboutKey)) return fail('unknown', text, { raw })
  if (raw === 'unauthorized' || raw === 'forbidden') return fail('unauthorized', text, { raw })
  if (raw === 'rate_limited') return fail('limited', text, { raw })
  return fail('rejected', text, { raw })
}

const isAboutKey = ({ code, text }: StatedError): boolean =>
  code?.startsWith('idempotency') || (code === undefined && /idempoten/i.test(text))

function statedErrors(body: unknown): readonly StatedError[] {
  if (!isFields(body)) return []
  const errors = errorsAmong(body['messages'])
  if (errors.length > 0) return errors
  const { detail } = body
  const code = optionalText(body, 'code')
  const text = optionalText(body, 'content') ?? optionalText(body, 'detail') ?? describeDetail(detail)
  return text === undefined ? [] : [{ code, text, needsBuyer: false }]
}

/** Validation problems as lists: `[{loc, msg}]`. */
function describeDetail(detail: unknown): string | undefined {
  if (isFields(detail)) return optionalText(detail, 'message') ?? optionalText(detail, 'content')
  if (!Array.isArray(detail)) return undefined
  return detail.flatMap((entry) => (isFields(entry) ? (optionalText(entry, 'msg') ?? []) : [])).join('; ') || undefined
}

/** JSON-RPC codes of the MCP binding: what was wrong before the merchant did anything. */
const DECLINING_CODES: ReadonlySet<unknown> = new Set([-32600, -32601, -32602])
/** In UCP a profile that could not be read; in MCP libraries a request that took too long, which may have been carried out. */
const DISCOVERY_CODE = -32001

const isDecline = (code: unknown, data: unknown): boolean =>
  DECLINING_CODES.has(code) || (code === DISCOVERY_CODE && /discovery|profile/i.test(JSON.stringify(data ?? '')))

export function failureOfRpcError(error: Fields, status: number): Failure {
  const { code, data } = error
  const text = optionalText(error, 'message') ?? 'The merchant gave no reason'
  const raw = `JSON-RPC ${String(code)}`
  const retryAfter = boundedRetryAfter(isFields(data) ? data['retry_after'] : undefined)
  if (status === 401 || status === 403) return fail('unauthorized', text, { raw })
  if (status === 429) return fail('limited', text, { raw, retryAfter })
  return fail(isDecline(code, data) ? 'rejected' : 'unknown', text, { raw, retryAfter })
}
