/** Cursor paging as async iterables: a page is requested only when the reader gets there. */
import type { Call, RawRequest } from './call.ts'
import { VendopsError } from './error.ts'
import type { Route } from './route.ts'

interface Page {
  readonly pagination?: { readonly cursor?: string; readonly has_next_page: boolean }
  readonly [member: string]: unknown
}

function withCursor(route: Route, request: RawRequest, cursor: string): RawRequest {
  if (route.page?.cursor === 'query') return { ...request, query: { ...request.query, cursor } }
  const body = (request.body ?? {}) as { pagination?: object }
  return { ...request, body: { ...body, pagination: { ...body.pagination, cursor } } }
}

export async function* pagesOf(call: Call, operation: string, route: Route, request: RawRequest): AsyncGenerator<Page> {
  let last: string | undefined
  for (let next = request; ;) {
    const page = (await call(operation, route, next)) as Page
    yield page
    const cursor = page.pagination?.has_next_page ? page.pagination.cursor : undefined
    if (cursor === undefined) return
    if (cursor === last)
      throw new VendopsError({ operation, status: 200, code: 'unreadable', text: 'the same page came twice' })
    last = cursor
    next = withCursor(route, request, cursor)
  }
}

export async function* entriesOf(call: Call, operation: string, route: Route, request: RawRequest): AsyncGenerator {
  for await (const page of pagesOf(call, operation, route, request))
    yield* (page[route.page?.list ?? ''] ?? []) as unknown[]
}
