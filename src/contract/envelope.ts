/** The `ucp` member of answers (2.3). Checkouts, orders and runs carry their own also inside a list. */
import { PAYMENT_HANDLER_ID, PAYMENT_HANDLER_NAME, PAYMENT_TYPE, versionOf } from './capabilities.ts'
import type { CapabilityName } from './capabilities.ts'
import type { UcpEnvelope } from './common.ts'
import { EXTENSION_VERSION, UCP_VERSION } from './version.ts'

/** Stated in every checkout answer; the profile adds where to read about it. */
export const PAYMENT_HANDLERS: NonNullable<UcpEnvelope['payment_handlers']> = {
  [PAYMENT_HANDLER_NAME]: [
    { id: PAYMENT_HANDLER_ID, version: EXTENSION_VERSION, available_instruments: [{ type: PAYMENT_TYPE }] },
  ],
}

const made = new Map<string, UcpEnvelope>()

/** One frozen envelope per list of capabilities: it is sent thousands of times a second and never differs. */
export function success(capabilities: readonly CapabilityName[], paymentHandlers = false): UcpEnvelope {
  const key = `${paymentHandlers} ${capabilities.join(' ')}`
  const known = made.get(key)
  if (known) return known
  const envelope: UcpEnvelope = Object.freeze({
    version: UCP_VERSION,
    status: 'success',
    capabilities: Object.fromEntries(capabilities.map((name) => [name, [{ version: versionOf(name) }]])),
    ...(paymentHandlers ? { payment_handlers: PAYMENT_HANDLERS } : {}),
  })
  made.set(key, envelope)
  return envelope
}
