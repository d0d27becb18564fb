/**
 * Readers for replies of upstreams. A field that does not match the documentation is unreadable: a guess could become an
 * empty catalog or a free product. In a listing it makes its row unreadable (rows.ts), elsewhere the whole reply.
 * UnreadableReply never leaves the vendors folder: client.ts turns it into `unknown`.
 */
import { type Fields, isFields } from '../../lib/objects.ts'

export class UnreadableReply extends Error {
  override readonly name = 'UnreadableReply'
  /** The vendor's field that is wrong, where it is a single one. */
  readonly field: string | undefined

  constructor(message: string, field?: string) {
    super(message)
    this.field = field
  }
}

export { isFields }
export type { Fields }

export function object(value: unknown, where: string): Fields {
  if (isFields(value)) return value
  throw new UnreadableReply(`${where} is not an object`)
}

export function list(value: unknown, where: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new UnreadableReply(`${where} is not a list`, where)
}

export const objects = (value: unknown, where: string): readonly Fields[] =>
  list(value, where).map((entry, i) => object(entry, `${where}[${i}]`))

/** Present, a string, and not blank. */
export function text(fields: Fields, key: string): string {
  const value = fields[key]
  if (typeof value === 'string' && value.trim() !== '') return value.trim()
  throw new UnreadableReply(`${key} is not a text`, key)
}

/** Undefined for blank, null, absent and values that are not strings. */
export function optionalText(fields: Fields, key: string): string | undefined {
  const value = fields[key]
  return (typeof value === 'string' && value.trim()) || undefined
}

export function int(fields: Fields, key: string, min = 0): number {
  const value = fields[key]
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min) return value
  throw new UnreadableReply(`${key} is not a whole number of at least ${min}`, key)
}

/** Undefined when the code cannot be the second half of a SKU id; unreadable when it is not a string. */
export function vendorCode(fields: Fields, key: string): string | undefined {
  const value = fields[key]
  if (typeof value !== 'string') throw new UnreadableReply(`${key} is not a text`, key)
  return /^[^:\s]+$/.test(value) ? value : undefined
}

export function webUrl(fields: Fields, key: string): string | undefined {
  const value = optionalText(fields, key)
  return value !== undefined && /^https?:\/\//i.test(value) && URL.canParse(value) ? value : undefined
}

/** Upstreams report negative stock when sales are booked before a delivery. */
export const stock = (fields: Fields, key: string): number => Math.max(0, int(fields, key, Number.MIN_SAFE_INTEGER))
