/**
 * Caches results for a while, with one load for concurrent callers. Only successes are cached, and never beyond their
 * time: an old result in place of a failure would sell what is gone.
 */
import type { Clock } from '../../kernel/clock.ts'
import { BoundedMap } from '../../lib/caches.ts'
import { SingleFlight } from '../../lib/concurrency.ts'
import type { Result } from '../contract.ts'

interface Options {
  readonly clock: Clock
  readonly ttlMs: number
  /** Beyond this many keys the least recently used is evicted. */
  readonly entries: number
}

export function ttlCache<T>({ clock, ttlMs, entries }: Options) {
  const cached = new BoundedMap<string, { readonly result: Result<T>; readonly startedAt: number }>(entries)
  const loading = new Map<string, Promise<Result<T>>>()

  /** `loading` holds the newest load of a key; an older one that ends later is not cached. */
  function begin(key: string, load: () => Promise<Result<T>>): Promise<Result<T>> {
    // The age counts from the request: a slow reply does not stay fresh for longer.
    const startedAt = clock.elapsed()
    const endLoad = (result?: Result<T>) => {
      if (loading.get(key) !== mine) return
      loading.delete(key)
      if (result?.ok) cached.set(key, { result, startedAt })
    }
    const mine = load().then(
      (result) => {
        endLoad(result)
        return result
      },
      (error: unknown) => {
        endLoad()
        throw error
      },
    )
    loading.set(key, mine)
    return mine
  }

  const liveLoads = new SingleFlight<string, Result<T>>()

  return {
    /** The cached result while it is fresh (the same object), else a new one that concurrent callers share. */
    get(key: string, load: () => Promise<Result<T>>): Promise<Result<T>> {
      const hit = cached.get(key)
      if (hit && clock.elapsed() - hit.startedAt < ttlMs) {
        // Makes it the most recently used.
        cached.set(key, hit)
        return Promise.resolve(hit.result)
      }
      cached.delete(key)
      return loading.get(key) ?? begin(key, load)
    },
    /** A load that starts now or later, whatever is cached or loading; callers that wait for a running one share the next. */
    live: (key: string, load: () => Promise<Result<T>>) => liveLoads.runNext(key, () => begin(key, load)),
    /** Drops the cached result and ignores the one that is loading. */
    drop(key: string): void {
      cached.delete(key)
      loading.delete(key)
    },
  }
}
