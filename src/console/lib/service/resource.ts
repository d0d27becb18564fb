/**
 * Cached API data: loaded when a page opens, kept while the operator navigates, and reloaded when an event says that it
 * may have changed.
 */
import { type Signal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { BoundedMap } from '../../../lib/caches.ts'
import { session, sessionNumber } from './api.ts'
import { isCurrent } from './freshness.ts'
import { onEvents } from './live.ts'
import { type OperationName, may } from './me.ts'

export interface State<T> {
  readonly data?: T | undefined
  /** Why the last load failed; `data` may still hold an earlier result. */
  readonly error?: unknown
  readonly busy: boolean
}

export interface Resource<T> extends State<T> {
  readonly reload: () => Promise<void>
  /** Stores the response of an action, instead of loading again. */
  readonly put: (data: T) => void
}

interface Entry<T> {
  readonly state: Signal<State<T>>
  load: (signal: AbortSignal) => Promise<T>
  running?: AbortController | undefined
  /** The pending refresh, shared by all users of the entry. */
  timer?: ReturnType<typeof setTimeout> | undefined
  /** When the request of the current data was sent. */
  loadedAt?: number
  answeredAt?: number
}

const ENTRIES_MAX = 60
/** Events come in bursts; one refresh after the burst is enough. */
const BURST_MS = 250
/** Components of a page that need the same data share one response for this long: on a slow phone they come seconds apart. */
const FRESH_MS = 10_000

const entries = new BoundedMap<string, Entry<unknown>>(ENTRIES_MAX)

function entryOf<T>(key: string, load: Entry<T>['load']): Entry<T> {
  const known = entries.get(key) as Entry<T> | undefined
  if (known) {
    known.load = load
    return known
  }
  const made: Entry<T> = { state: signal<State<T>>({ busy: true }), load }
  entries.set(key, made)
  return made
}

async function refresh<T>(entry: Entry<T>): Promise<void> {
  entry.running?.abort()
  const own = new AbortController()
  const askedAt = performance.now()
  entry.running = own
  const before = entry.state.peek()
  if (!before.busy) entry.state.value = { ...before, busy: true }
  try {
    const data = await entry.load(own.signal)
    if (entry.running !== own) return
    entry.loadedAt = askedAt
    entry.answeredAt = performance.now()
    entry.state.value = { data, busy: false }
  } catch (error) {
    if (entry.running === own) entry.state.value = { data: entry.state.peek().data, error, busy: false }
  } finally {
    if (entry.running === own) entry.running = undefined
  }
}

function loadIfStale<T>(entry: Entry<T>): void {
  const { loadedAt, answeredAt = 0 } = entry
  const fresh = loadedAt !== undefined && isCurrent(loadedAt) && performance.now() - answeredAt < FRESH_MS
  if (!entry.running && !fresh) void refresh(entry)
}

function scheduleRefresh<T>(entry: Entry<T>): void {
  clearTimeout(entry.timer)
  entry.timer = setTimeout(() => void refresh(entry), BURST_MS)
}

const NOTHING = { busy: false } as const

type ResourceArgs<T> = Parameters<typeof useResource<T>>

/** The arguments of `useResource`, for data used in more than one place. */
export const resourceOf = <T>(...of: ResourceArgs<T>): ResourceArgs<T> => of

/** Loads before the page renders; resolves when the load succeeded or failed. */
export async function prefetch<T>(...[key, load, , , needs]: ResourceArgs<T>): Promise<void> {
  if (needs === undefined || may(needs)) await refresh(entryOf(key, load))
}

export function useResource<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  refreshOn: readonly string[] = [],
  /** Poll interval for data whose changes cause no event; only while the page is visible. */
  everyMs?: number,
  /** The operation it calls: never called for a role that may not. */
  needs?: OperationName,
): Resource<T> {
  const entry = entryOf(key, load)
  const isAllowed = needs === undefined || may(needs)
  const signedIn = session.value !== 'out' && isAllowed
  const kinds = refreshOn.join()
  // Sent during render, so that the request is in flight before the first paint.
  useMemo(() => {
    if (signedIn && entry.state.peek().data === undefined) loadIfStale(entry)
  }, [key, signedIn])
  useEffect(() => {
    if (!signedIn) return undefined
    loadIfStale(entry)
    const stop = onEvents(kinds === '' ? [] : kinds.split(','), () => scheduleRefresh(entry))
    const refreshIfDue = () => {
      const due = performance.now() - (entry.loadedAt ?? 0) >= (everyMs ?? 0)
      if (due && !entry.running && document.visibilityState === 'visible') void refresh(entry)
    }
    const timer = everyMs === undefined ? undefined : setInterval(refreshIfDue, everyMs)
    return () => {
      clearInterval(timer)
      stop()
    }
  }, [key, signedIn, sessionNumber.value, kinds])
  return {
    ...(isAllowed ? entry.state.value : NOTHING),
    reload: () => (isAllowed ? refresh(entry) : Promise.resolve()),
    put: (data) => void (entry.state.value = { data, busy: false }),
  }
}

/** Called on sign-out, so that no data stays in memory. */
export const clearResources = (): void => entries.clear()

/** Collects the entries of all pages, at most `max`. */
export async function collect<T>(entries: AsyncIterable<T>, max: number): Promise<T[]> {
  const list: T[] = []
  for await (const entry of entries) {
    list.push(entry)
    if (list.length >= max) break
  }
  return list
}
