/**
 * Caches results for a while, with one load for concurrent callers. Only successes are cached, and never beyond their
 * time: an old result in place of a failure would sell what is gone.
 */
import type { Clock } from '../../kernel/clock.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import { SingleFlight } from '../../lib/single-flight.ts'
import type { Result } from '../contract.ts'

export interface TtlCacheOptions {
  readonly clock: Clock
  readonly ttlMs: number
  /** Beyond this many keys the least recently used is evicted. */
  readonly entries: number
}

export interface TtlCache<T> {
  /** The cached result while it is fresh (the same object), else a new one that concurrent callers share. */
  get(key: string, load: () => Promise<Result<T>>): Promise<Result<T>>
  /** A load that starts now or later, whatever is cached or loading; callers that wait for a running one share the next. */
  live(key: string, load: () => Promise<Result<T>>): Promise<Result<T>>
  /** Drops the cached result and ignores the one that is loading. */
  drop(key: string): void
}

interface Loading<T> {
  readonly result: Promise<Result<T>>
}

export function ttlCache<T>({ clock, ttlMs, entries }: TtlCacheOptions): TtlCache<T> {
  const cached = new BoundedMap<string, { readonly result: Result<T>; readonly startedAt: number }>(entries)
  const loading = new Map<string, Loading<T>>()

  /** `loading` holds the newest load of a key; an older one that ends later is not cached. */
  function begin(key: string, load: () => Promise<Result<T>>): Promise<Result<T>> {
    // The age counts from the request: a slow reply does not stay fresh for longer.
    const startedAt = clock.elapsed()
    const mine: Loading<T> = {
      result: load().then(
        (result) => {
          if (loading.get(key) === mine) {
            loading.delete(key)
            if (result.ok) cached.set(key, { result, startedAt })
          }
          return result
        },
        (error: unknown) => {
          if (loading.get(key) === mine) loading.delete(key)
          throw error
        },
      ),
    }
    loading.set(key, mine)
    return mine.result
  }

  const liveLoads = new SingleFlight<string, Result<T>>()

  return {
    get(key, load) {
      const hit = cached.get(key)
      if (hit && clock.elapsed() - hit.startedAt < ttlMs) {
        // Makes it the most recently used.
        cached.set(key, hit)
        return Promise.resolve(hit.result)
      }
      cached.delete(key)
      return loading.get(key)?.result ?? begin(key, load)
    },
    live: (key, load) => liveLoads.runNext(key, () => begin(key, load)),
    drop(key) {
      cached.delete(key)
      loading.delete(key)
    },
  }
}
