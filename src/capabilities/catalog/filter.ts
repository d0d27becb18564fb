/** What a search asks for, in one normal form: two requests that mean the same share a key, and so a cursor. */
import type { CatalogFilters, CatalogSearchRequest } from '../../contract/catalog.ts'
import { warning } from '../../kernel/message.ts'
import type { NoteMessage } from '../../kernel/message.ts'

export interface Filter {
  /** As `searchText` folds it; empty matches all. */
  readonly query: string
  readonly categories: ReadonlySet<string> | undefined
  readonly minFen: number
  readonly maxFen: number
  readonly key: string
}

/** A good as far as a filter looks. */
export interface Filtered {
  /** Brand and name, as `searchText` folds them. */
  readonly haystack: string
  /** In lower case. */
  readonly category: string | undefined
  readonly priceFen: number
}

/** Blanks, full-width forms and case make no difference to a search. */
export const searchText = (text: string): string => text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, '')

export const lower = (text: string): string => text.toLowerCase()

type Asked = Pick<CatalogSearchRequest, 'query' | 'context'> & { readonly filters?: CatalogFilters | undefined }

export function readFilter({ query, filters, context }: Asked): { filter: Filter; messages: readonly NoteMessage[] } {
  const text = searchText(query ?? '')
  const categories = filters?.categories?.length ? [...new Set(filters.categories.map(lower))].toSorted() : undefined
  const foreign = context?.currency !== undefined && context.currency.toUpperCase() !== 'CNY'
  const asked = filters?.price
  const prices = foreign ? undefined : asked
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
      foreign && asked
        ? [warning('price_filter_ignored', 'prices are in CNY; the price filter in another currency was not applied')]
        : [],
  }
}

export const passes = (good: Filtered, filter: Filter): boolean =>
  fits(good, filter) && (filter.query === '' || good.haystack.includes(filter.query))

/** Everything but the words. */
export const fits = ({ category, priceFen }: Filtered, { categories, minFen, maxFen }: Filter): boolean =>
  priceFen >= minFen &&
  priceFen <= maxFen &&
  (categories === undefined || (category !== undefined && categories.has(category)))
