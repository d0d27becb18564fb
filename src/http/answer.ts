/** From an outcome to what goes over the wire: status, headers and one JSON text under the `ucp` envelope. */
import { versionOf } from '../contract/capabilities.ts'
import type { CapabilityName } from '../contract/capabilities.ts'
import { EXTENSION_VERSION, UCP_VERSION } from '../contract/version.ts'
import type { Refusal } from '../kernel/outcome.ts'
import { STATUS } from './status.ts'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Keyed by reverse-domain name, as the official schema wants it; purchases are booked on account (section 5). */
export const PAYMENT_HANDLERS = {
  'com.example.vending.on_account': [
    { id: 'supplier_account', version: EXTENSION_VERSION, available_instruments: [{ type: 'on_account' }] },
  ],
}

const capabilityMap = (names: readonly CapabilityName[]) =>
  Object.fromEntries(names.map((name) => [name, [{ version: versionOf(name) }]]))

/** The envelope as text, made once per combination: it stands in front of every answer. */
const envelopes = new Map<string, string>()
export function envelopeText(
  status: 'success' | 'error',
  names: readonly CapabilityName[],
  paymentHandlers = false,
): string {
  const key = `${status}${paymentHandlers ? '+' : ' '}${names.join()}`
  const known = envelopes.get(key)
  if (known !== undefined) return known
  const text = JSON.stringify({
    version: UCP_VERSION,
    status,
    capabilities: capabilityMap(names),
    ...(paymentHandlers ? { payment_handlers: PAYMENT_HANDLERS } : {}),
  })
  envelopes.set(key, text)
  return text
}

/** The same envelope as an object, for entities that carry one of their own inside a list. */
export const envelope = (names: readonly CapabilityName[]) => ({
  version: UCP_VERSION,
  status: 'success' as const,
  capabilities: capabilityMap(names),
})

export function enveloped(ucp: string, body: object): string {
  const text = JSON.stringify(body)
  return text === '{}' ? `{"ucp":${ucp}}` : `{"ucp":${ucp},${text.slice(1)}`
}

export function refusalAnswer(refusal: Refusal, names: readonly CapabilityName[] = []): Answer {
  const first = refusal.messages[0]
  const status = refusal.status ?? (first ? STATUS[first.code] : 500)
  return {
    status,
    headers: {
      ...(refusal.retryAfter === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(refusal.retryAfter))) }),
      ...(status === 401 ? { 'www-authenticate': 'Bearer realm="ucp"' } : {}),
    },
    body: enveloped(envelopeText('error', names), {
      messages: refusal.messages,
      ...(refusal.continueUrl === undefined ? {} : { continue_url: refusal.continueUrl }),
    }),
  }
}
