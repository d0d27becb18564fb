/** A search request in one normal form: two requests that mean the same share a key, and so a cursor. */
import type { CatalogFilters, CatalogSearchRequest } from '../../contract/shapes/catalog.ts'
import type { CurrencyCode } from '../../kernel/currency.ts'
import { type NoteMessage, warning } from '../../kernel/message.ts'
import { normalizeText } from '../../lib/words.ts'

export interface Filter {
  /** Normalized; empty matches all. */
  readonly query: string
  readonly categories: ReadonlySet<string> | undefined
  readonly minFen: number
  readonly maxFen: number
  readonly key: string
}

/** What a filter needs to know of a product. */
export interface Filterable {
  /** Brand and name, normalized. */
  readonly searchText: string
  /** In lower case. */
  readonly category: string | undefined
  readonly priceFen: number
}

type FilterRequest = Pick<CatalogSearchRequest, 'query' | 'context'> & { readonly filters?: CatalogFilters | undefined }

export function readFilter(
  { query, filters, context }: FilterRequest,
  own: CurrencyCode,
): {
  readonly filter: Filter
  readonly messages: readonly NoteMessage[]
} {
  const text = normalizeText(query ?? '')
  const categories = filters?.categories?.length
    ? [...new Set(filters.categories.map((category) => category.toLowerCase()))].toSorted()
    : undefined
  const currency = context?.currency?.toUpperCase()
  const isForeign = currency !== undefined && currency !== own
  const prices = isForeign ? undefined : filters?.price
  const [minFen, maxFen] = [prices?.min ?? 0, prices?.max ?? Number.MAX_SAFE_INTEGER]
  return {
    filter: {
      query: text,
      categories: categories && new Set(categories),
      minFen,
      maxFen,
      key: JSON.stringify([text, categories ?? null, minFen, maxFen]),
    },
    messages:
      isForeign && filters?.price
        ? [
            warning('price_filter_ignored', `Prices are in ${own}, so the price filter was ignored.`, undefined, {
              currency,
              prices: own,
            }),
          ]
        : [],
  }
}

export const matchesFilter = (product: Filterable, filter: Filter): boolean =>
  matchesCategoryAndPrice(product, filter) && (filter.query === '' || product.searchText.includes(filter.query))

export const matchesCategoryAndPrice = (
  { category, priceFen }: Filterable,
  { categories, minFen, maxFen }: Filter,
): boolean =>
  priceFen >= minFen &&
  priceFen <= maxFen &&
  (categories === undefined || (category !== undefined && categories.has(category)))
