/** Builds replies: status, headers and JSON with the `ucp` envelope. */
import type { CapabilityName } from '../contract/capabilities.ts'
import { success } from '../contract/envelope.ts'
import { STATUS } from '../contract/status.ts'
import type { Refusal } from '../kernel/outcome.ts'

/** JSON as a string, as bytes in chunks, or as a string generated while it is sent. */
export type Content = string | readonly Uint8Array[] | AsyncIterable<string>

export async function readWholeText(content: Content): Promise<string> {
  if (typeof content === 'string') return content
  if (!(Symbol.asyncIterator in content)) return Buffer.concat(content).toString()
  let text = ''
  for await (const part of content) text += part
  return text
}

export interface HttpReply<C extends Content = Content> {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: C
}

export const envelopeText = (
  status: 'success' | 'error',
  names: readonly CapabilityName[],
  paymentHandlers = false,
): string => JSON.stringify({ ...success(names, paymentHandlers), status })

export function withEnvelope(ucp: string, body: object): string {
  const text = JSON.stringify(body)
  return text === '{}' ? `{"ucp":${ucp}}` : `{"ucp":${ucp},${text.slice(1)}`
}

/** What stands in front of the members of a body that is serialized already. */
export const envelopeHead = (ucp: string): Uint8Array => Buffer.from(`{"ucp":${ucp},`)

/** The same for a serialized body, whose first chunk begins with its brace. */
export const chunksWithEnvelope = (head: Uint8Array, [first, ...rest]: readonly Uint8Array[]): Uint8Array[] =>
  first ? [head, first.subarray(1), ...rest] : []

/** A list with its envelope, chunk by chunk. */
export async function* listWithEnvelope(
  ucp: string,
  member: string,
  chunks: AsyncIterable<readonly unknown[]>,
): AsyncGenerator<string> {
  let before = `{"ucp":${ucp},${JSON.stringify(member)}:[`
  for await (const entries of chunks) {
    if (entries.length === 0) continue
    yield before + JSON.stringify(entries).slice(1, -1)
    before = ','
  }
  yield before === ',' ? ']}' : `${before}]}`
}

export function errorReply(refusal: Refusal, names: readonly CapabilityName[] = []): HttpReply<string> {
  const first = refusal.messages[0]
  const status = refusal.status ?? (first ? STATUS[first.code] : 500)
  return {
    status,
    headers: {
      ...(refusal.retryAfter === undefined
        ? {}
        : { 'retry-after': String(Math.max(1, Math.ceil(refusal.retryAfter))) }),
      // A challenge would ask for other credentials of the caller, where those of a connection were refused.
      ...(status === 401 && first?.params?.['whose'] !== 'supplier'
        ? { 'www-authenticate': 'Bearer realm="ucp"' }
        : {}),
    },
    body: withEnvelope(envelopeText('error', names), {
      messages: refusal.messages,
      ...(refusal.continueUrl === undefined ? {} : { continue_url: refusal.continueUrl }),
    }),
  }
}
