/**
 * Serves the page and the assets of the console without a network. Answers of the service are never stored here: what a
 * page may show offline is kept by the page itself, with the time it was read and for one person.
 */

/** The build replaces `__SHELL__` (`scripts/console-shell.ts`). */
declare const __SHELL__: {
  readonly version: string
  readonly assets: readonly string[]
  /** Regular expressions of the console's own paths. */
  readonly paths: readonly string[]
}

/** The parts of the worker's types that are used; the console is compiled with those of a page. */
interface WaitingEvent extends Event {
  waitUntil(until: Promise<unknown>): void
}
interface RoutingEvent extends WaitingEvent {
  addRoutes?(rules: readonly object[]): Promise<void>
}
interface RequestEvent extends WaitingEvent {
  readonly request: Request
  readonly preloadResponse: Promise<Response | undefined>
  respondWith(response: Promise<Response>): void
}
interface WorkerScope {
  readonly registration: { readonly navigationPreload?: { enable(): Promise<void> } }
  readonly clients: { claim(): Promise<void> }
  readonly location: Location
  skipWaiting(): Promise<void>
  addEventListener(type: 'install', listener: (event: RoutingEvent) => void): void
  addEventListener(type: 'activate', listener: (event: WaitingEvent) => void): void
  addEventListener(type: 'fetch', listener: (event: RequestEvent) => void): void
}
const worker = globalThis as unknown as WorkerScope

const { version, assets, paths } = __SHELL__
const PREFIX = 'vendops-shell-'
const CACHE = PREFIX + version
const PAGE = '/'
/** The build before stays, for pages that are still open and load their parts later. */
const BUILDS_KEPT = 2
/** On a line that is up but does not move anything, the stored page is shown after this long. */
const SLOW_MS = 3000

async function store(): Promise<void> {
  const cache = await caches.open(CACHE)
  // The page is the same for everyone; without the cookie it comes without hints of what to preload.
  await cache.put(PAGE, await fetchFresh(PAGE))
  await cache.addAll(assets)
}

async function fetchFresh(path: string): Promise<Response> {
  const response = await fetch(path, { cache: 'reload', credentials: 'omit' })
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return response
}

async function dropOldBuilds(): Promise<void> {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE)
  // In the order of their creation.
  for (const name of names.slice(0, Math.max(0, names.length - BUILDS_KEPT + 1))) await caches.delete(name)
}

worker.addEventListener('install', (event) => {
  event.waitUntil(
    (async () => {
      await store()
      // API calls and stored assets need no script of ours, so that they do not wait for the worker to start.
      await event
        .addRoutes?.([
          { condition: { urlPattern: { pathname: '/ucp/*' } }, source: 'network' },
          { condition: { urlPattern: { pathname: '/assets/*' } }, source: 'cache' },
        ])
        .catch(() => {})
      await worker.skipWaiting()
    })(),
  )
})

worker.addEventListener('activate', (event) => {
  event.waitUntil(
    (async () => {
      await dropOldBuilds()
      await worker.registration.navigationPreload?.enable()
      await worker.clients.claim()
    })(),
  )
})

const patterns = paths.map((path) => new RegExp(path))

/** The newest page while the service answers; the stored one otherwise. */
async function servePage(event: RequestEvent): Promise<Response> {
  const online = (async () => (await event.preloadResponse) ?? fetch(event.request))()
  // Handled below; without this a late failure would be reported as unhandled.
  online.catch(() => {})
  const stored = await caches.match(PAGE, { cacheName: CACHE })
  if (!stored) return online
  const slow = new Promise<Response>((due) => setTimeout(due, SLOW_MS, stored.clone()))
  // A proxy answers with an error of its own while the service is being upgraded.
  const answered = online.then((response) => (response.status >= 500 ? stored : response)).catch(() => stored)
  return Promise.race([answered, slow])
}

/** Addresses that are not the service's own: without a network the console says that they have no page. */
const UNKNOWN = /^\/(?!docs\b|ucp\b)[^.]*$/

async function serveUnknown(event: RequestEvent): Promise<Response> {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request))
  } catch (failure) {
    const stored = await caches.match(PAGE, { cacheName: CACHE })
    if (stored) return stored
    throw failure
  }
}

const serveAsset = async (request: Request): Promise<Response> => (await caches.match(request)) ?? fetch(request)

worker.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== worker.location.origin) return
  if (request.mode === 'navigate') {
    if (patterns.some((pattern) => pattern.test(pathname))) event.respondWith(servePage(event))
    else if (UNKNOWN.test(pathname)) event.respondWith(serveUnknown(event))
  } else if (pathname.startsWith('/assets/')) event.respondWith(serveAsset(request))
})
