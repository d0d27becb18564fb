/**
 * Answers kept for a while, asked for once however many want them. Only successes are kept, and never beyond their time:
 * an old answer in place of a failure would sell what is gone.
 */
import type { Clock } from '../../kernel/clock.ts'
import type { Result } from '../contract.ts'

export interface TtlCacheOptions {
  readonly clock: Clock
  readonly ttlMs: number
  /** Beyond this many keys the longest unasked goes. */
  readonly entries: number
}

export interface TtlCache<T> {
  /** The kept answer while it is fresh (the same object), else a new one that all present callers share. */
  get(key: string, load: () => Promise<Result<T>>): Promise<Result<T>>
  /** A reading begun now or later, whatever is kept or on its way; those who wait for their turn share one. */
  live(key: string, load: () => Promise<Result<T>>): Promise<Result<T>>
  /** The world changed: what is kept, and what is still on its way, no longer counts. */
  drop(key: string): void
}

interface Loading<T> {
  readonly answer: Promise<Result<T>>
}

export function ttlCache<T>({ clock, ttlMs, entries }: TtlCacheOptions): TtlCache<T> {
  const kept = new Map<string, { readonly answer: Result<T>; readonly readAt: number }>()
  const loading = new Map<string, Loading<T>>()

  function keep(key: string, answer: Result<T>, readAt: number): void {
    kept.delete(key)
    kept.set(key, { answer, readAt })
    if (kept.size > entries) {
      const [oldest] = kept.keys()
      if (oldest !== undefined) kept.delete(oldest)
    }
  }

  /** The newest reading of a key is the one in `loading`; an older one that returns later finds itself replaced. */
  function begin(key: string, load: () => Promise<Result<T>>): Promise<Result<T>> {
    // The answer is as old as the question: a slow reply does not live longer.
    const readAt = clock.elapsed()
    const mine: Loading<T> = {
      answer: load().then(
        (answer) => {
          if (loading.get(key) === mine) {
            loading.delete(key)
            if (answer.ok) keep(key, answer, readAt)
          }
          return answer
        },
        (error: unknown) => {
          if (loading.get(key) === mine) loading.delete(key)
          throw error
        },
      ),
    }
    loading.set(key, mine)
    return mine.answer
  }

  /** Live readings under way, one for each key, and the next ones, which all who came meanwhile share. */
  const reading = new Map<string, Promise<unknown>>()
  const next = new Map<string, Promise<Result<T>>>()

  function live(key: string, load: () => Promise<Result<T>>): Promise<Result<T>> {
    const before = reading.get(key)
    if (before === undefined) {
      const answer = begin(key, load)
      const ended = answer.then(
        () => void reading.delete(key),
        () => void reading.delete(key),
      )
      reading.set(key, ended)
      return answer
    }
    const waiting = next.get(key)
    if (waiting) return waiting
    const mine = before.then(() => {
      next.delete(key)
      return live(key, load)
    })
    next.set(key, mine)
    return mine
  }

  return {
    get(key, load) {
      const hit = kept.get(key)
      if (hit && clock.elapsed() - hit.readAt < ttlMs) {
        keep(key, hit.answer, hit.readAt)
        return Promise.resolve(hit.answer)
      }
      kept.delete(key)
      return loading.get(key)?.answer ?? begin(key, load)
    },
    live,
    drop(key) {
      kept.delete(key)
      loading.delete(key)
    },
  }
}
