/** The `ucp` member of replies. Checkouts, orders and runs also carry it inside a list. */
import { PAYMENT_HANDLER_ID, PAYMENT_HANDLER_NAME, PAYMENT_TYPE, versionOf } from './capabilities.ts'
import type { CapabilityName } from './capabilities.ts'
import type { UcpEnvelope } from './common.ts'
import { EXTENSION_VERSION, UCP_VERSION } from './version.ts'

/** Part of every checkout reply; the discovery profile adds its documentation. */
const PAYMENT_HANDLERS: NonNullable<UcpEnvelope['payment_handlers']> = {
  [PAYMENT_HANDLER_NAME]: [
    { id: PAYMENT_HANDLER_ID, version: EXTENSION_VERSION, available_instruments: [{ type: PAYMENT_TYPE }] },
  ],
}

/** Frozen, as callers share it between replies. */
export const success = (capabilities: readonly CapabilityName[], paymentHandlers = false): UcpEnvelope =>
  Object.freeze({
    version: UCP_VERSION,
    status: 'success',
    capabilities: Object.fromEntries(capabilities.map((name) => [name, [{ version: versionOf(name) }]])),
    ...(paymentHandlers ? { payment_handlers: PAYMENT_HANDLERS } : {}),
  })
