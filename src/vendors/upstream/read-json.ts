/**
 * Reading a reply whose shape nobody guarantees. What is not as documented is unreadable: a guess could become an empty
 * shelf or a free product. In a listing it refuses its row (rows.ts), elsewhere the whole reply. Malformed never leaves
 * the vendors folder; call.ts turns it into `unknown`.
 */
export class UnreadableReply extends Error {
  override readonly name = 'Malformed'
  /** The vendor's name of the field that is wrong, where it is a single one. */
  readonly field: string | undefined

  constructor(message: string, field?: string) {
    super(message)
    this.field = field
  }
}

export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function record(value: unknown, where: string): Fields {
  if (isFields(value)) return value
  throw new UnreadableReply(`${where} is not an object`)
}

export function list(value: unknown, where: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new UnreadableReply(`${where} is not a list`, where)
}

export const records = (value: unknown, where: string): readonly Fields[] =>
  list(value, where).map((entry, i) => record(entry, `${where}[${i}]`))

/** Present, a string, and not blank. */
export function text(fields: Fields, key: string): string {
  const value = fields[key]
  if (typeof value === 'string' && value.trim() !== '') return value.trim()
  throw new UnreadableReply(`${key} is not a text`, key)
}

/** Blank, null, absent and not a string all mean that there is none. */
export function optionalText(fields: Fields, key: string): string | undefined {
  const value = fields[key]
  return (typeof value === 'string' && value.trim()) || undefined
}

export function whole(fields: Fields, key: string, least = 0): number {
  const value = fields[key]
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value
  throw new UnreadableReply(`${key} is not a whole number of at least ${least}`, key)
}

/** A code that can be the second half of a sku_id (2.2); undefined when it cannot, malformed when it is no string. */
export function vendorCode(fields: Fields, key: string): string | undefined {
  const value = fields[key]
  if (typeof value !== 'string') throw new UnreadableReply(`${key} is not a text`, key)
  return /^[^:\s]+$/.test(value) ? value : undefined
}

export function webUrl(fields: Fields, key: string): string | undefined {
  const value = optionalText(fields, key)
  return value !== undefined && /^https?:\/\//i.test(value) && URL.canParse(value) ? value : undefined
}

/** Upstreams count below zero when sales overtake a delivery; there is never less than nothing. */
export const stock = (fields: Fields, key: string): number => Math.max(0, whole(fields, key, Number.MIN_SAFE_INTEGER))
