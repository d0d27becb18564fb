import { setTimeout as sleep } from 'node:timers/promises'
import { SECOND } from '../kernel/clock.ts'

/** A counting semaphore with a bounded FIFO queue: limits how many calls run at once. */
export function semaphore(limit: number, queueMax: number) {
  let active = 0
  const queue = new Set<() => void>()

  const newPermit = () => {
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      const [next] = queue
      // Handed over without becoming free, so that no new caller gets ahead of the queue.
      if (next) next()
      else active -= 1
    }
  }

  return {
    get active() {
      return active
    },
    get waiting() {
      return queue.size
    },
    /**
     * Resolves to the function that releases the permit. Undefined when the queue is full, the wait takes longer than
     * `maxWaitMs`, or `signal` aborts.
     */
    acquire(maxWaitMs: number, signal?: AbortSignal): Promise<(() => void) | undefined> {
      if (signal?.aborted) return Promise.resolve(undefined)
      if (active < limit) {
        active += 1
        return Promise.resolve(newPermit())
      }
      if (queue.size >= queueMax) return Promise.resolve(undefined)
      return new Promise((resolve) => {
        const leave = (permit: (() => void) | undefined) => {
          queue.delete(onPermit)
          clearTimeout(timer)
          signal?.removeEventListener('abort', giveUp)
          resolve(permit)
        }
        const onPermit = () => leave(newPermit())
        const giveUp = () => leave(undefined)
        const timer = setTimeout(giveUp, maxWaitMs)
        signal?.addEventListener('abort', giveUp)
        queue.add(onPermit)
      })
    },
  }
}

/** At most one run per key at a time. */
export class SingleFlight<K, V> {
  readonly #running = new Map<K, Promise<V>>()
  readonly #next = new Map<K, Promise<V>>()

  /** Callers that come during a run share its result. */
  run(key: K, work: () => Promise<V>): Promise<V> {
    const running = this.#running.get(key)
    if (running) return running
    const started = work().finally(() => this.#running.delete(key))
    this.#running.set(key, started)
    return started
  }

  /** A run that starts now or, during a run, after it: callers that come before it starts share it. */
  runNext(key: K, work: () => Promise<V>): Promise<V> {
    const running = this.#running.get(key)
    if (!running) return this.run(key, work)
    const waiting = this.#next.get(key)
    if (waiting) return waiting
    const begin = () => {
      this.#next.delete(key)
      return this.runNext(key, work)
    }
    const next = running.then(begin, begin)
    this.#next.set(key, next)
    return next
  }

  /** The run under way, if there is one. */
  running(key: K): Promise<V> | undefined {
    return this.#running.get(key)
  }
}

/** Another caller changed the row first. Thrown inside a transaction, so that it is rolled back. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError'
  /** `waitedMs`: how long the work waited for the other caller on purpose. That is no reason to give up. */
  readonly waitedMs: number
  constructor(waitedMs = 0) {
    super()
    this.waitedMs = waitedMs
  }
}

/** Each conflict means that another caller succeeded, so n callers need at most n tries. A time bounds them, not a count. */
const GIVE_UP_MS = 15 * SECOND
/** From this try on, wait for a random time, so that the same callers do not collide again. */
const PAUSE_FROM_TRY = 3
const PAUSE_MAX_MS = 20

/** The row changed for as long as we tried. Trying again later helps. */
export class ConflictsPersistError extends Error {
  override readonly name = 'ConflictsPersistError'
}

/** `work` must read everything it decides on, as it runs again after each ConflictError. */
export async function retryOnConflict<T>(work: () => Promise<T>): Promise<T> {
  let startedAt = performance.now()
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (failure) {
      if (!(failure instanceof ConflictError)) throw failure
      startedAt += failure.waitedMs
      if (performance.now() - startedAt > GIVE_UP_MS)
        throw new ConflictsPersistError(`Gave up after ${attempt} conflicting changes`, { cause: failure })
      if (attempt >= PAUSE_FROM_TRY) await sleep(Math.random() * PAUSE_MAX_MS)
    }
  }
}

/** Like Promise.all over `work`, with at most `limit` running at once. */
export async function mapConcurrent<T, R>(
  limit: number,
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results = Array.from<R>({ length: items.length })
  let next = 0
  const worker = async () => {
    while (next < items.length) {
      const index = next++
      results[index] = await work(items[index] as T, index)
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
  return results
}

/** Slices of at most `size`. */
export function chunk<T>(items: readonly T[], size: number): T[][] {
  const parts: T[][] = []
  for (let i = 0; i < items.length; i += size) parts.push(items.slice(i, i + size))
  return parts
}

/** Items handled before others get a turn of the event loop, where each takes about a microsecond. */
const SLICE = 1_000

/** Like `forEach` over a list that may be long: others get a turn of the event loop after each slice. */
export async function forEachInSlices<T>(
  items: Iterable<T>,
  work: (item: T, index: number) => void,
  size = SLICE,
): Promise<void> {
  let index = 0
  for (const item of items) {
    if (index > 0 && index % size === 0) await yieldToEventLoop()
    work(item, index)
    index += 1
  }
}

/** Sorted like `toSorted`, in slices: sorting 200,000 texts at once takes a second. */
export async function sortInSlices<T>(
  items: readonly T[],
  compare: (left: T, right: T) => number,
  size = SLICE,
): Promise<T[]> {
  let runs: T[][] = []
  for (const part of chunk(items, size)) {
    runs.push(part.toSorted(compare))
    await yieldToEventLoop()
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let i = 0; i < runs.length; i += 2)
      merged.push(await mergeInSlices(runs[i] ?? [], runs[i + 1] ?? [], compare, size))
    runs = merged
  }
  return runs[0] ?? []
}

async function mergeInSlices<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (left: T, right: T) => number,
  size: number,
): Promise<T[]> {
  const merged: T[] = []
  let [i, j] = [0, 0]
  while (i < left.length || j < right.length) {
    // Of equal ones the left comes first, as in a stable sort.
    const isLeft = j >= right.length || (i < left.length && compare(left[i] as T, right[j] as T) <= 0)
    merged.push((isLeft ? left[i++] : right[j++]) as T)
    if (merged.length % size === 0) await yieldToEventLoop()
  }
  return merged
}

/** Awaiting SQLite alone never leaves the microtask queue, so long work must let timers and sockets run in between. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const TURN_MAX_MS = 10

/** For long work on the thread that serves requests. Called often; every ten milliseconds the requests that wait are served. */
export function yieldRegularly(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < TURN_MAX_MS) return
    await yieldToEventLoop()
    since = performance.now()
  }
}
