/** From an upstream failure to the error code that callers get. */
import type { Namespace } from '../kernel/ids.ts'
import { type ErrorCode, error } from '../kernel/message.ts'
import { type Refusal, refuse, refuseAll } from '../kernel/outcome.ts'
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

/** Where the vendor says nothing: waiting helps against a lost or refused connection, and against too many calls. */
const RETRY_AFTER_SECONDS = 5

type Refused = { readonly ok: false; readonly refusal: Refusal }

export const toRefusal = (failure: Failure, path?: string): Refused => {
  const { message, namespace, denied, reason, retryAfter } = failure
  if (denied === undefined && reason === 'unauthorized') return credentialsRefused(message, namespace, path)
  const code = denied ?? CODES[reason]
  const wait = retryAfter ?? (code === 'upstream_unreachable' ? RETRY_AFTER_SECONDS : undefined)
  return refuse(code, message, path, wait === undefined ? {} : { retryAfter: wait })
}

/** A vendor refused our credentials, not we those of the caller: the same code, and `whose` tells them apart. */
export function credentialsRefused(message: string, namespace: Namespace | undefined, path?: string): Refused {
  const text =
    namespace === undefined
      ? `A connection’s credentials were refused: ${message}`
      : `The credentials of the connection ${namespace} were refused: ${message}`
  const params = { whose: 'supplier', ...(namespace === undefined ? {} : { connection: namespace }) }
  return refuseAll([error('unauthorized', text, path, params)])
}
