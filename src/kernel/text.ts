/** Parts of the sentences that people read. One wording per cause, wherever it occurs. */

/** `1234567.50` as `1,234,567.50`. */
export const groupThousands = (text: string): string =>
  text.replace(/\d+/, (whole) => whole.replaceAll(/\B(?=(\d{3})+$)/g, ','))

/** `1 product`, `2 products`, `1,234 products`. */
export const count = (n: number, noun: string, plural = `${noun}s`): string =>
  `${groupThousands(String(n))} ${n === 1 ? noun : plural}`

/** `力健健身房 (M1003)`; the id alone where no name is known. */
export const withId = (name: string | undefined, id: string): string => (name === undefined ? id : `${name} (${id})`)

/** Products named in one message. */
const PRODUCTS_NAMED = 3

/** The first few products of a message about many, as text and as its parameters. */
export function nameProducts(titles: readonly string[]) {
  const products = titles.slice(0, PRODUCTS_NAMED).join(', ')
  const more = titles.length - PRODUCTS_NAMED
  return {
    text: more > 0 ? `${products} and ${more} more` : products,
    params: { count: titles.length, products, ...(more > 0 ? { more } : {}) },
  }
}

/** As JavaScript orders texts, whatever the locale. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** A code as part of a sentence. */
export const plainCode = (code: string): string => code.replaceAll('_', ' ')

export const INVALID_CURSOR = 'Invalid cursor'
export const INVALID_SKU_ID = 'Not a valid SKU ID'
export const INVALID_MACHINE_ID = 'Not a valid machine ID'

interface SchemaProblem {
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message?: string
}

/** What a value must be by a keyword of its schema; continues a sentence that starts with the name of the value. */
export function demandText({ keyword, params, message }: SchemaProblem): string {
  const limit = Number(params['limit'])
  if (keyword === 'enum') return `must be one of ${(params['allowedValues'] as readonly unknown[]).join(', ')}`
  if (keyword === 'const') return `must be ${String(params['allowedValue'])}`
  if (keyword === 'type') return `must be ${[params['type']].flat().map(withArticle).join(' or ')}`
  if (keyword === 'minimum') return `must be at least ${limit}`
  if (keyword === 'maximum') return `must be at most ${limit}`
  if ((keyword === 'minItems' || keyword === 'minLength') && limit === 1) return 'must not be empty'
  if (keyword === 'minItems') return `must have at least ${count(limit, 'entry', 'entries')}`
  if (keyword === 'minLength') return `must have at least ${count(limit, 'character')}`
  if (keyword === 'maxItems') return `must have at most ${count(limit, 'entry', 'entries')}`
  if (keyword === 'maxLength') return `must have at most ${count(limit, 'character')}`
  return message ?? 'is not valid'
}

const withArticle = (type: unknown): string =>
  type === 'null' ? 'null' : `${/^[aio]/.test(String(type)) ? 'an' : 'a'} ${String(type)}`
