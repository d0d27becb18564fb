/** POST /catalog/search: a supplier's catalog or one machine's goods, filtered, a page at a time (4.2). */
import { ACTIVE, MACHINE_EXTRA } from '../../contract/capabilities.ts'
import type { CatalogSearchRequest } from '../../contract/catalog.ts'
import type { PaginationResponse } from '../../contract/common.ts'
import { success } from '../../contract/envelope.ts'
import type { Reply } from '../../contract/handlers.ts'
import { PAGE_DEFAULT, PAGE_MAX } from '../../contract/limits.ts'
import { joinWithCommas, readyReply } from '../../contract/json-stream.ts'
import { roleOf } from '../../kernel/ids.ts'
import type { Namespace, SkuId } from '../../kernel/ids.ts'
import type { NoteMessage } from '../../kernel/message.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import type { Context } from '../context.ts'
import type { AliasesBySku } from '../skus/index.ts'
import { SecondHitCache } from '../../lib/second-hit-cache.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { passes, readFilter } from './filter.ts'
import { requireLocation } from './location.ts'
import { after } from './catalog-index.ts'
import type { CatalogIndex } from './catalog-index.ts'
import { loadMachine, loadCatalog } from './sources.ts'
import type { LoadedCatalog } from './sources.ts'

const MACHINE = [...ACTIVE.search, ...MACHINE_EXTRA]
const HEAD = Buffer.from(`{"ucp":${JSON.stringify(success(ACTIVE.search))},"products":[`)

interface Page<T> {
  readonly goods: readonly T[]
  readonly pagination: PaginationResponse
}

export async function searchCatalog(
  ctx: Context,
  request: CatalogSearchRequest,
): Promise<Outcome<Reply<'searchCatalog'>>> {
  const named = request.filters?.namespace as Namespace | undefined
  const namespace = named ?? ctx.vendors.defaults.supply
  if (namespace === undefined)
    return refuse('namespace_unsupported', 'no supplier is live here; name a namespace', '$.filters.namespace')
  const { filter, messages } = readFilter(request)
  const path = '$.filters.namespace'

  if (roleOf(namespace) === 'supply') {
    const read = await loadCatalog(ctx, namespace, path)
    if (!read.ok) return read
    const { shelf, aliases } = read.value
    const all = [...messages, ...read.value.messages]
    const { cursor = '', limit = PAGE_DEFAULT } = request.pagination ?? {}
    const notes = all.map(({ content }) => content).join()
    return hot(read.value, `${filter.key} ${limit} ${cursor} ${notes}`, () => {
      const page = paged(shelf.matching(filter), `${namespace} ${filter.key}`, request)
      if (!page.ok) return page
      const products = page.value.goods.map((good) => shelf.written(good, aliases, 'plain'))
      return accept(prepared(products, page.value.pagination, all))
    })
  }

  const registered = ctx.vendors.machine(namespace, path)
  if (!registered.ok) return registered
  const location = requireLocation(request.filters?.location)
  if (!location.ok) return location
  const read = await loadMachine(ctx, namespace, location.value, path)
  if (!read.ok) return read
  const matches = read.value.slots.filter((slot) => passes(slot, filter))
  const page = paged(matches, `${namespace} ${location.value} ${filter.key}`, request)
  if (!page.ok) return page
  const all = [...read.value.messages, ...messages]
  return accept({
    body: {
      products: page.value.goods.map(({ product }) => product),
      pagination: page.value.pagination,
      ...(all.length > 0 && { messages: all }),
    },
    capabilities: MACHINE,
  })
}

/** Whole answers kept while neither the goods nor their aliases change: first pages are asked for again and again. */
const ANSWERS_KEPT = 64
const answers = new WeakMap<
  CatalogIndex,
  { readonly aliases: AliasesBySku; readonly kept: SecondHitCache<SearchReply> }
>()

type SearchReply = Reply<'searchCatalog'>

function hot({ shelf, aliases }: LoadedCatalog, key: string, make: () => Outcome<SearchReply>): Outcome<SearchReply> {
  let page = answers.get(shelf)
  if (page?.aliases !== aliases) answers.set(shelf, (page = { aliases, kept: new SecondHitCache(ANSWERS_KEPT) }))
  const known = page.kept.get(key)
  if (known) return accept(known)
  const made = make()
  if (made.ok) page.kept.offer(key, made.value)
  return made
}

function paged<T extends { readonly id: SkuId }>(
  matches: readonly T[],
  key: string,
  { pagination }: CatalogSearchRequest,
): Outcome<Page<T>> {
  const cursor = pagination?.cursor
  const lastId = cursor === undefined ? undefined : readCursor(key, cursor)
  if (cursor !== undefined && lastId === undefined)
    return refuse('invalid', 'this cursor was not handed out for this search', '$.pagination.cursor')
  const from = after(matches, lastId)
  const goods = matches.slice(from, from + Math.min(pagination?.limit ?? PAGE_DEFAULT, PAGE_MAX))
  const last = goods.at(-1)
  const more = last !== undefined && from + goods.length < matches.length
  return accept({
    goods,
    pagination: {
      ...(more && { cursor: writeCursor(key, last.id) }),
      has_next_page: more,
      total_count: matches.length,
    },
  })
}

/** The goods were written beforehand; putting them together is far cheaper than writing them again. */
function prepared(
  products: readonly Buffer[],
  pagination: PaginationResponse,
  messages: readonly NoteMessage[],
): SearchReply {
  const rest = { pagination, ...(messages.length > 0 && { messages }) }
  const tail = Buffer.from(`],${JSON.stringify(rest).slice(1)}`)
  return readyReply([HEAD, ...joinWithCommas(products), tail])
}
