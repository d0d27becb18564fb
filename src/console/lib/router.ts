/** Client-side routing: maps paths to pages and navigates without reloading the document. */
import { computed, signal } from '@preact/signals'
import { type PageName, ROUTES } from './routes.ts'

export type { PageName } from './routes.ts'

export interface Route {
  readonly path: string
  readonly page: PageName | undefined
  /** The id in the path, decoded; empty if there is none. */
  readonly id: string
  readonly query: URLSearchParams
}

const patterns = Object.entries(ROUTES).map(([path, { page }]) => ({
  page,
  pattern: new RegExp(`^${path.replace(/:\w+/, '([^/]+)')}/?$`),
}))

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function parseRoute(href: string): Route {
  const { pathname, searchParams } = new URL(href, 'http://console')
  for (const { page, pattern } of patterns) {
    const match = pattern.exec(pathname)
    if (match) return { path: pathname, page, id: decodeSegment(match[1] ?? ''), query: searchParams }
  }
  return { path: pathname, page: undefined, id: '', query: searchParams }
}

export const route = signal<Route>(parseRoute(globalThis.location?.href ?? 'http://console/'))

/** Its parts, for what is not drawn again when only a filter changes. */
export const pagePath = computed(() => route.value.path)
export const pageName = computed(() => route.value.page)
export const pageId = computed(() => route.value.id)

/** A page opened by a link starts at the top; going back restores the scroll position. */
let arrivedBy: 'link' | 'history' = 'history'
export const arrivedByLink = (): boolean => arrivedBy === 'link'

export function navigate(href: string, { replace = false } = {}): void {
  whenHere(() => {
    arrivedBy = 'link'
    // A page that a dialog leads to takes the place of the dialog.
    history[replace || isDialogEntry() ? 'replaceState' : 'pushState'](null, '', href)
    route.value = parseRoute(location.href)
  })
}

/** Filters are kept in the query, so that a link shows the same list. They add no history entry. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  whenHere(() => {
    const query = new URLSearchParams(route.value.query)
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined || value === '') query.delete(name)
      else query.set(name, value)
    }
    const text = query.toString()
    history.replaceState(history.state, '', route.value.path + (text === '' ? '' : `?${text}`))
    route.value = parseRoute(location.href)
  })
}

const isDialogEntry = (): boolean => (history.state as { dialog?: true } | null)?.dialog === true
const pushDialogEntry = (): void => history.pushState({ dialog: true }, '')

/** How the dialogs that are open are closed, the last on top. */
const dialogs: (() => void)[] = []
/** What waits until the browser has left the entry of a closed dialog; undefined: nothing has to. */
let waiting: (() => void)[] | undefined

const whenHere = (act: () => void): void => void (waiting ? waiting.push(act) : act())

/** Back closes a dialog instead of leaving the page. Returns what its closing has to call. */
export function noteDialog(close: () => void): () => void {
  dialogs.push(close)
  if (!isDialogEntry()) pushDialogEntry()
  return () => {
    dialogs.splice(dialogs.indexOf(close), 1)
    // Not at once: another dialog may take its place, or a page.
    setTimeout(() => {
      if (dialogs.length > 0 || !isDialogEntry() || waiting) return
      waiting = []
      history.back()
    })
  }
}

/** After going back, which takes the browser a moment. */
function arriveHere(acts: readonly (() => void)[]): void {
  waiting = undefined
  if (dialogs.length > 0) pushDialogEntry()
  for (const act of acts) act()
}

export const query = (name: string): string => route.value.query.get(name) ?? ''

export function startRouter(): void {
  addEventListener('popstate', () => {
    if (waiting) return arriveHere(waiting)
    const close = dialogs.at(-1)
    if (close) {
      // One that waits for an answer stays, and its closing goes back by itself.
      pushDialogEntry()
      return close()
    }
    arrivedBy = 'history'
    route.value = parseRoute(location.href)
  })
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const anchor = (event.target as Element).closest('a')
    if (!anchor?.href || anchor.target || anchor.hasAttribute('download')) return
    const url = new URL(anchor.href)
    if (url.origin !== location.origin || parseRoute(url.href).page === undefined || url.hash !== '') return
    event.preventDefault()
    navigate(url.pathname + url.search)
  })
}

export const href = {
  approval: (id: string) => `/approvals/${encodeURIComponent(id)}`,
  purchase: (id: string) => `/purchases/${encodeURIComponent(id)}`,
  machine: (id: string) => `/machines/${encodeURIComponent(id)}`,
  run: (id: string) => `/runs/${encodeURIComponent(id)}`,
  sku: (id: string, location?: string) =>
    `/skus/${encodeURIComponent(id)}${location ? `?location=${encodeURIComponent(location)}` : ''}`,
  pickList: (id: string) => `/runs/${encodeURIComponent(id)}/pick-list`,
  visit: (location: string, run?: string) =>
    `/visits/${encodeURIComponent(location)}${run ? `?run=${encodeURIComponent(run)}` : ''}`,
  shift: (id: string) => `/activity/${encodeURIComponent(id)}`,
  uploadReply: (namespace: string) => `/connections?reply=${encodeURIComponent(namespace)}`,
  order: (id: string) => `/orders/${encodeURIComponent(id)}`,
}
