/** From an upstream failure to the error code that callers get (section 7). */
import type { ErrorCode } from '../kernel/message.ts'
import { type Refusal, refuse } from '../kernel/outcome.ts'
import type { Failure, FailureReason } from './contract.ts'

const CODES = {
  rejected: 'supplier_rejected',
  unauthorized: 'unauthorized',
  absent: 'not_found',
  unsupported: 'namespace_unsupported',
  unsent: 'upstream_unreachable',
  limited: 'upstream_unreachable',
  unknown: 'upstream_unreachable',
} as const satisfies Record<FailureReason, ErrorCode>

export const toRefusal = (failure: Failure, path?: string): { readonly ok: false; readonly refusal: Refusal } =>
  refuse(
    failure.denied ?? CODES[failure.reason],
    failure.message,
    path,
    failure.retryAfter === undefined ? {} : { retryAfter: failure.retryAfter },
  )
