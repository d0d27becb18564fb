/** POST /catalog/search: a supplier's catalog or one machine's products, filtered, a page at a time. */
import { ACTIVE, MACHINE_EXTRA } from '../../contract/capabilities.ts'
import type { CatalogSearchRequest } from '../../contract/shapes/catalog.ts'
import type { PaginationResponse } from '../../contract/common.ts'
import type { Reply } from '../../contract/handlers.ts'
import { serializedList, serializedReply } from '../../contract/json-stream.ts'
import { PAGE_DEFAULT, PAGE_MAX } from '../../contract/limits.ts'
import { type Namespace, type SkuId, roleOf } from '../../kernel/ids.ts'
import type { NoteMessage } from '../../kernel/message.ts'
import { type Outcome, accept, refuse } from '../../kernel/outcome.ts'
import { INVALID_CURSOR } from '../../kernel/text.ts'
import { firstIndexWhere } from '../../lib/binary-search.ts'
import type { CatalogContext } from './context.ts'
import { matchesFilter, readFilter } from './filter.ts'
import { requireLocation } from './location.ts'
import { loadAndLinkCatalog, loadAndLinkMachine } from './sources.ts'
import { createHash } from 'node:crypto'
import { decodeCursor, encodeCursor } from '../../lib/pages.ts'

/**
 * Cursors of a catalog search: the id that the page before ended with, bound to its search by a digest. Because the id is
 * the position, products that come or go in between shift nothing.
 */
const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 12)

/** `search` is everything that selected the products: a cursor continues its own search and no other. */
export const writeCursor = (search: string, lastId: string): string =>
  encodeCursor(lastId, digest(`${search}\n${lastId}`))

export function readCursor(search: string, cursor: string): string | undefined {
  const [lastId, checksum] = decodeCursor(cursor, 'string', 'string') ?? []
  return lastId !== undefined && checksum === digest(`${search}\n${lastId}`) ? lastId : undefined
}

const MACHINE = [...ACTIVE.search, ...MACHINE_EXTRA]
const NAMESPACE_PATH = '$.filters.namespace'

type SearchReply = Outcome<Reply<'searchCatalog'>>

export async function searchCatalog(ctx: CatalogContext, request: CatalogSearchRequest): Promise<SearchReply> {
  const named = request.filters?.namespace as Namespace | undefined
  const namespace = named ?? ctx.vendors.defaults.supply
  if (namespace === undefined)
    return refuse('namespace_unsupported', 'No supplier is live. Name a namespace.', NAMESPACE_PATH)
  return roleOf(namespace) === 'supply'
    ? searchSupplier(ctx, namespace, request)
    : searchMachine(ctx, namespace, request)
}

async function searchSupplier(
  ctx: CatalogContext,
  namespace: Namespace,
  request: CatalogSearchRequest,
): Promise<SearchReply> {
  const { filter, messages: filterMessages } = readFilter(request, ctx.config.currency)
  const loaded = await loadAndLinkCatalog(ctx, namespace, NAMESPACE_PATH)
  if (!loaded.ok) return loaded
  const { index, aliases } = loaded.value
  const messages = [...filterMessages, ...loaded.value.messages]
  const { cursor = '', limit = PAGE_DEFAULT } = request.pagination ?? {}
  // First pages are requested over and over, so whole replies are cached.
  const replies = index.repliesFor(aliases)
  const key = `${filter.key} ${limit} ${cursor} ${messages.map(({ content }) => content).join()}`
  const cached = replies.get(key)
  if (cached) return accept(cached)

  const page = pageOf(index.search(filter), `${namespace} ${filter.key}`, request)
  if (!page.ok) return page
  const products = page.value.products.map((product) => index.serialize(product, aliases, 'plain'))
  const reply: Reply<'searchCatalog'> = serializedReply(
    serializedList('products', products, { after: withMessages(page.value.pagination, messages) }),
  )
  replies.offer(key, reply)
  return accept(reply)
}

async function searchMachine(
  ctx: CatalogContext,
  namespace: Namespace,
  request: CatalogSearchRequest,
): Promise<SearchReply> {
  const { filter, messages: filterMessages } = readFilter(request, ctx.config.currency)
  const registered = ctx.vendors.machine(namespace, NAMESPACE_PATH)
  if (!registered.ok) return registered
  const location = requireLocation(request.filters?.location)
  if (!location.ok) return location
  const loaded = await loadAndLinkMachine(ctx, namespace, location.value, NAMESPACE_PATH)
  if (!loaded.ok) return loaded
  const matches = loaded.value.slots.filter((slot) => matchesFilter(slot, filter))
  const page = pageOf(matches, `${namespace} ${location.value} ${filter.key}`, request)
  if (!page.ok) return page
  return accept({
    body: {
      products: page.value.products.map(({ product }) => product),
      ...withMessages(page.value.pagination, [...loaded.value.messages, ...filterMessages]),
    },
    capabilities: MACHINE,
  })
}

const withMessages = (pagination: PaginationResponse, messages: readonly NoteMessage[]) => ({
  pagination,
  ...(messages.length > 0 && { messages }),
})

interface Page<T> {
  readonly products: readonly T[]
  readonly pagination: PaginationResponse
}

/** `matches` are in order of id. */
function pageOf<T extends { readonly id: SkuId }>(
  matches: readonly T[],
  search: string,
  { pagination }: CatalogSearchRequest,
): Outcome<Page<T>> {
  const cursor = pagination?.cursor
  const lastId = cursor === undefined ? undefined : readCursor(search, cursor)
  if (cursor !== undefined && lastId === undefined) return refuse('invalid', INVALID_CURSOR, '$.pagination.cursor')
  const from = lastId === undefined ? 0 : firstIndexWhere(matches.length, (i) => (matches[i] as T).id > lastId)
  const products = matches.slice(from, from + Math.min(pagination?.limit ?? PAGE_DEFAULT, PAGE_MAX))
  const last = products.at(-1)
  const hasNext = last !== undefined && from + products.length < matches.length
  return accept({
    products,
    pagination: {
      ...(hasNext && { cursor: writeCursor(search, last.id) }),
      has_next_page: hasNext,
      total_count: matches.length,
    },
  })
}
