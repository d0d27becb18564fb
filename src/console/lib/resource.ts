/**
 * What a page shows of the interface: asked for when the page opens, kept while one moves about so that coming back
 * is instant, asked for anew when an event says it may have changed.
 */
import { signal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { session, sessionNumber } from './api.ts'
import { onEvents } from './live.ts'

export interface State<T> {
  readonly data?: T | undefined
  /** Why the last try failed; data of an earlier one may still be there. */
  readonly error?: unknown
  readonly busy: boolean
}

export interface Resource<T> extends State<T> {
  readonly reload: () => Promise<void>
  /** Puts in what an action has just answered, without asking again. */
  readonly put: (data: T) => void
}

interface Entry<T> {
  readonly state: Signal<State<T>>
  load: (signal: AbortSignal) => Promise<T>
  running?: AbortController | undefined
}

const KEPT = 60
/** Events come in bursts; one question after the burst is enough. */
const SETTLE_MS = 250

const entries = new Map<string, Entry<unknown>>()

function entryOf<T>(key: string, load: Entry<T>['load']): Entry<T> {
  const known = entries.get(key) as Entry<T> | undefined
  if (known) {
    known.load = load
    return known
  }
  if (entries.size >= KEPT) entries.delete(entries.keys().next().value as string)
  const made: Entry<T> = { state: signal<State<T>>({ busy: true }), load }
  entries.set(key, made)
  return made
}

async function refresh<T>(entry: Entry<T>): Promise<void> {
  entry.running?.abort()
  const own = new AbortController()
  entry.running = own
  entry.state.value = { ...entry.state.value, busy: true }
  try {
    const data = await entry.load(own.signal)
    if (entry.running === own) entry.state.value = { data, busy: false }
  } catch (error) {
    if (entry.running === own) entry.state.value = { data: entry.state.value.data, error, busy: false }
  }
}

export function useResource<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  refreshOn: readonly string[] = [],
): Resource<T> {
  const entry = entryOf(key, load)
  const signedIn = session.value !== 'out'
  const kinds = refreshOn.join()
  useEffect(() => {
    if (!signedIn) return undefined
    void refresh(entry)
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onEvents(kinds === '' ? [] : kinds.split(','), () => {
      clearTimeout(timer)
      timer = setTimeout(() => void refresh(entry), SETTLE_MS)
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [key, signedIn, sessionNumber.value, kinds])
  return {
    ...entry.state.value,
    reload: () => refresh(entry),
    put: (data) => void (entry.state.value = { data, busy: false }),
  }
}

/** After signing out nothing of what was seen stays in memory. */
export const forgetAll = (): void => entries.clear()

/** All pages of a listing, bounded. */
export async function gather<T>(entries: AsyncIterable<T>, max: number): Promise<T[]> {
  const list: T[] = []
  for await (const entry of entries) {
    list.push(entry)
    if (list.length >= max) break
  }
  return list
}
