/**
 * Reading replies of Lynx. Almost every field may be null, listings have no envelope, and a refusal may arrive with
 * HTTP 200. A field that decides something and is of another type than documented makes its row unreadable; a name that is
 * only shown counts as missing then.
 */
import type { Failure, FailureReason, UnreadableRow, Result } from '../contract.ts'
import { fail, succeed } from '../result.ts'
import { type Fields, isFields, list, optionalText, object, text, UnreadableReply } from '../upstream/read-json.ts'
import { type RowReader, readTolerantly } from '../upstream/rows.ts'
import type { Grant } from '../upstream/token-cache.ts'
import { minorOfNumber } from '../../kernel/minor-units.ts'

/** The one currency of the deployment. */
export interface Currency {
  readonly code: string
  /** Decimal digits by ISO 4217. */
  readonly digits: number
}

/** Runs a reader over a reply of HTTP 2xx. What it cannot read is `unknown`, and `{Ok: false}` is a refusal. */
export function readReply<T>(json: unknown, read: (json: unknown) => Result<T>): Result<T> {
  try {
    return rejection(json) ?? read(json)
  } catch (error) {
    if (!(error instanceof UnreadableReply)) throw error
    return fail('unknown', 'The platform sent a reply that does not match its documentation', { raw: error.message })
  }
}

function rejection(json: unknown, reason: FailureReason = 'rejected'): Failure | undefined {
  if (!isFields(json) || json['Ok'] !== false) return undefined
  return fail(reason, messageOf(json) ?? 'The platform refused the request without a reason', {
    raw: optionalText(json, 'code'),
  })
}

const messageOf = (json: unknown): string | undefined =>
  isFields(json) ? (optionalText(json, 'Message') ?? optionalText(json, 'SystemMessage')) : undefined

/**
 * What an HTTP status other than 2xx means; undefined for 2xx. Only a write that is answered with 400 or 404 is a
 * refusal: of a read it says nothing about what is there, and a 500 was seen to carry an inner 400 after all.
 */
export function failureOfStatus(
  status: number,
  json: unknown,
  { isWrite, retryAfter }: { readonly isWrite: boolean; readonly retryAfter?: number | undefined },
): Failure | undefined {
  if (status >= 200 && status < 300) return undefined
  const extra = { raw: `HTTP ${status}`, retryAfter }
  const message = messageOf(json)
  if (status === 401) return fail('unauthorized', message ?? 'The platform refused our credentials', extra)
  if (status === 403) return fail('unauthorized', message ?? 'The token is not permitted to make this call', extra)
  if (status === 429) return fail('limited', message ?? 'The platform asked to try again later', extra)
  const reason = isWrite && (status === 400 || status === 404) ? 'rejected' : 'unknown'
  return fail(reason, message ?? `The platform answered with HTTP ${status}`, extra)
}

/** The reply to a write, whose contents are not reliable: a refusal, or done. It may have no body at all. */
export const readWriteReply = (json: unknown): Result<undefined> => rejection(json) ?? { ok: true, value: undefined }

/** Access tokens are good for 24 hours; one is left for clocks and for calls under way. */
const TOKEN_SECONDS = 23 * 3600

/** The reply to the exchange of a refresh token. A refusal here is about the credentials, whatever its words. */
export const readAccessToken = (json: unknown): Result<Grant> =>
  rejection(json, 'unauthorized') ??
  readReply(json, (reply) => {
    const token = text(object(reply, 'reply'), 'Token')
    if (!/^[\x21-\x7e]+$/.test(token)) throw new UnreadableReply('Token cannot be sent in a header', 'Token')
    return { ok: true, value: { token, lifetimeSeconds: TOKEN_SECONDS } }
  })

/** A listing, row by row; `convert` makes the value of it. */
export const readListing = <T extends object, R>(
  json: unknown,
  reader: RowReader<T>,
  convert: (rows: readonly T[], unreadable: readonly UnreadableRow[]) => R,
): Result<R> =>
  readReply(json, (reply) => {
    const { rows, unreadable } = readTolerantly(list(reply, 'reply'), reader)
    return succeed(convert(rows, unreadable), unreadable)
  })

/** For listings that are their rows. */
export const keepRows = <T>(rows: readonly T[]): readonly T[] => rows

/** Ids of Lynx are numbers. */
export const idIn =
  (field: string) =>
  (row: Fields): string | undefined =>
    idText(row[field])

const ID_TEXT = /^[1-9]\d{0,18}$/

/**
 * An id as text. Ids are 64 bits wide: one above 2^53 may have been rounded to that of something else and is unreadable
 * as a number, but some replies write large ids as text.
 */
export function idText(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return String(value)
  return typeof value === 'string' && ID_TEXT.test(value) ? value : undefined
}

/** Null when there is none; some replies write 0 for that. */
export function nullableId(fields: Fields, key: string): string | null {
  const value = fields[key] ?? null
  if (value === null || value === 0) return null
  const id = idText(value)
  if (id === undefined) throw new UnreadableReply(`${key} is not an id`, key)
  return id
}

export function requiredId(fields: Fields, key: string): string {
  const id = nullableId(fields, key)
  if (id === null) throw new UnreadableReply(`${key} is missing`, key)
  return id
}

/** Blank is none. */
export function nullableText(fields: Fields, key: string): string | null {
  const value = fields[key] ?? null
  if (value === null) return null
  if (typeof value !== 'string') throw new UnreadableReply(`${key} is not a text`, key)
  return value.trim() || null
}

/** Most counts of Lynx are 32 bits wide; a larger one is a wrong number. */
const INT32_MAX = 2 ** 31 - 1

export function nullableWhole(fields: Fields, key: string, least = -INT32_MAX, most = INT32_MAX): number | null {
  const value = fields[key] ?? null
  if (value === null) return null
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least || value > most)
    throw new UnreadableReply(`${key} is not a whole number from ${least} to ${most}`, key)
  return value
}

/** An amount that is not below zero. */
export function nullableAmount(fields: Fields, key: string, digits: number): number | null {
  const value = fields[key] ?? null
  if (value === null) return null
  const amount = minorOfNumber(value, digits)
  if (amount === undefined || amount < 0) throw new UnreadableReply(`${key} is not an amount`, key)
  return amount
}

/** A row of another machine than the requested one must not count for this one. */
export function checkMachine(fields: Fields, machineId: string): void {
  const id = nullableId(fields, 'MachineID')
  if (id !== null && id !== machineId)
    throw new UnreadableReply(`MachineID is ${id}, requested was ${machineId}`, 'MachineID')
}
