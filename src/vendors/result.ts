/** Constructors of results, so that `unauthorized` is set exactly where credentials were refused. */
import { omitUndefined } from '../lib/objects.ts'
import type { Result, Failure, FailureReason, UnreadableRow, SendDenial } from './contract.ts'
import type { VendorCapability } from './registration.ts'

export const succeed = <T>(value: T, unreadable: readonly UnreadableRow[] = []): Result<T> => ({
  ok: true,
  value,
  ...(unreadable.length === 0 ? {} : { unreadable }),
})

export const fail = (
  reason: FailureReason,
  message: string,
  extra: { readonly retryAfter?: number | undefined; readonly raw?: string | undefined } = {},
): Failure => ({
  ok: false,
  reason,
  ...(reason === 'unauthorized' ? { unauthorized: true as const } : {}),
  message,
  ...omitUndefined({ retryAfter: extra.retryAfter, raw: extra.raw }),
})

/** Only a person can find out: asking again cannot help. */
export const failForPerson = (message: string, raw: string): Failure => ({
  ...fail('unknown', message, { raw }),
  onlyPersonKnows: true,
})

/** Certainly nothing was bought: refused by us before anything was sent, or by the vendor in a way it documents. */
export const failForCertain = (message: string, raw?: string): Failure => ({
  ...fail('rejected', message, { raw }),
  documented: true,
})

/** A write whose send permit was denied. */
export const failDenied = ({ code, message, retryAfter }: SendDenial): Failure => ({
  ...fail('unsent', message, { raw: code, retryAfter }),
  denied: code,
})

/** The result of a call that a vendor does not have. */
export const failUnsupported = (capability: VendorCapability): Failure =>
  fail('unsupported', `This vendor does not support ${capability}`)
