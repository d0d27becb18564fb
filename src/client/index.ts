/**
 * The typed client: one function per operation of the operations table. Needs only `fetch` and
 * `WebSocket`, in Node and in the browser. The contract is imported as types only, so nothing of it is loaded.
 *
 *     const client = createClient({ baseUrl: 'http://localhost:8080', token })
 *     const checkout = await client.getCheckout({ params: { id: 'po_20260910_1' } })
 *     for await (const order of client.all.listOrders({ query: { kind: 'purchase' } })) …
 */
import type { Answer, Body, Nothing, OperationId, Params, Query } from '../contract/handlers.ts'
import { type CallOptions, type ClientOptions, type RawRequest, createCaller, headersOf } from './call.ts'
import { type EventListener, type EventSubscription, listenToEvents } from './events.ts'
import { entriesOf, pagesOf } from './paging.ts'
import type { Route } from './route.ts'
import { ROUTES, STREAM_PATH } from './routes.ts'

export { newIdempotencyKey } from './call.ts'
export type { CallOptions, ClientOptions } from './call.ts'
export { VendopsError } from './error.ts'
export { toTools } from './tools.ts'
export type { ModelTool, ModelTools, ToolOptions } from './tools.ts'
export type { ConnectionCode, FailureCode } from './error.ts'
export type { EventListener, EventOrigin, EventSubscription, StreamState } from './events.ts'
export type { Answer, Body, OperationId, Params, Query } from '../contract/handlers.ts'

/** A member that is required, optional or absent. */
type Part<Name extends string, T> = [T] extends [Nothing | undefined]
  ? unknown
  : Partial<T> extends T
    ? { readonly [N in Name]?: T }
    : { readonly [N in Name]: T }

/** What is optional may also be undefined, which is not sent. */
type Sent<T> = T extends object ? { [M in keyof T]: object extends Pick<T, M> ? T[M] | undefined : T[M] } : T

export type Request<K extends OperationId> = Part<'params', Params<K>> &
  Part<'query', Sent<Query<K>>> &
  Part<'body', Sent<Body<K>>> &
  CallOptions

type Args<K extends OperationId> =
  Partial<Request<K>> extends Request<K> ? [request?: Request<K>] : [request: Request<K>]

type Rows = typeof ROUTES
/** Operations with paged responses. */
export type PagedId = { [K in OperationId]: Rows[K] extends { page: object } ? K : never }[OperationId]

type ListOf<K extends PagedId> = Rows[K] extends { page: { list: infer L extends string } } ? L : never
export type Entry<K extends PagedId> = Answer<K> extends { readonly [N in ListOf<K>]: readonly (infer E)[] } ? E : never

export type Operations = { readonly [K in OperationId]: (...args: Args<K>) => Promise<Answer<K>> }
export type Pages = { readonly [K in PagedId]: (...args: Args<K>) => AsyncGenerator<Answer<K>> }
export type Entries = { readonly [K in PagedId]: (...args: Args<K>) => AsyncGenerator<Entry<K>> }

export interface Client extends Operations {
  /** All pages of a listing, one after the other. */
  readonly pages: Pages
  /** All entries of a listing, over all pages. */
  readonly all: Entries
  /** Listens until closed and reconnects by itself; each event is delivered once. */
  events(listener: EventListener): EventSubscription
}

/** `http` becomes `ws`; a page of the service itself needs no base URL. */
function streamUrl(baseUrl: string | undefined): string {
  const origin = baseUrl || (globalThis as { location?: { origin: string } }).location?.origin || ''
  return origin.replace(/\/+$/, '').replace(/^http/, 'ws') + STREAM_PATH
}

export function createClient(options: ClientOptions = {}): Client {
  const call = createCaller(options)
  const rows = Object.entries<Route>(ROUTES)
  const mapRoutes = <T>(from: readonly (readonly [string, Route])[], build: (id: string, route: Route) => T) =>
    Object.fromEntries(from.map(([id, route]) => [id, build(id, route)]))

  const paged = rows.filter(([, route]) => route.page)
  const operations = mapRoutes(
    rows,
    (id, route) => (request?: RawRequest) => call(id, route, request),
  ) as unknown as Operations
  const { authorization, 'user-agent': userAgent } = headersOf(options, ROUTES.listEvents, undefined)
  const headers =
    authorization === undefined ? {} : { authorization, ...(userAgent ? { 'user-agent': userAgent } : {}) }

  return {
    ...operations,
    pages: mapRoutes(
      paged,
      (id, route) => (request?: RawRequest) => pagesOf(call, id, route, request ?? {}),
    ) as unknown as Pages,
    all: mapRoutes(
      paged,
      (id, route) => (request?: RawRequest) => entriesOf(call, id, route, request ?? {}),
    ) as unknown as Entries,
    events: (listener) =>
      listenToEvents(
        {
          url: streamUrl(options.baseUrl),
          headers,
          latest: async (limit) => (await operations.listEvents({ query: { limit }, attempts: 1 })).events,
        },
        listener,
      ),
  }
}
