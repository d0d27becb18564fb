import * as fc from 'fast-check'
import { expect, test, describe, afterEach, vi } from 'vitest'
import {
  forEachInSlices,
  sortInSlices,
  semaphore,
  ConflictError,
  ConflictsPersistError,
  retryOnConflict,
} from './concurrency.ts'

const granted = async (permit: Promise<(() => void) | undefined>): Promise<() => void> => {
  const release = await permit
  if (!release) throw new Error('no permit')
  return release
}

describe('semaphore', () => {
  test('serves waiting callers in order, and releasing a permit twice releases one', async () => {
    const calls = semaphore(1, 10)
    const first = await granted(calls.acquire(1_000))
    const served: string[] = []
    const second = calls.acquire(1_000).then((release) => (served.push('second'), release))
    const third = calls.acquire(1_000).then((release) => (served.push('third'), release))
    expect(calls).toMatchObject({ active: 1, waiting: 2 })
    first()
    first()
    const releaseSecond = await granted(second)
    expect(served).toEqual(['second'])
    releaseSecond()
    ;(await granted(third))()
    expect(served).toEqual(['second', 'third'])
    expect(calls).toMatchObject({ active: 0, waiting: 0 })
  })

  test('refuses when the queue is full', async () => {
    const calls = semaphore(1, 1)
    const first = await granted(calls.acquire(1_000))
    const waiting = calls.acquire(1_000)
    expect(await calls.acquire(1_000)).toBeUndefined()
    first()
    ;(await granted(waiting))()
  })

  test('a caller that waits too long leaves the queue', async () => {
    const calls = semaphore(1, 10)
    const first = await granted(calls.acquire(1_000))
    expect(await calls.acquire(5)).toBeUndefined()
    expect(calls.waiting).toBe(0)
    first()
    expect(calls.active).toBe(0)
  })

  test('an abort empties the queue and grants nothing more', async () => {
    const calls = semaphore(1, 10)
    const stopping = new AbortController()
    await granted(calls.acquire(1_000))
    const waiting = calls.acquire(1_000, stopping.signal)
    stopping.abort()
    expect(await waiting).toBeUndefined()
    expect(await semaphore(1, 1).acquire(1_000, stopping.signal)).toBeUndefined()
  })
})

afterEach(() => void vi.restoreAllMocks())

/** Every try takes this long. */
const trying = (ms: number, waitedMs: number, succeedsAt: number) => {
  let now = 0
  let tries = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  return retryOnConflict(async () => {
    now += ms
    if (++tries === succeedsAt) return 'won'
    throw new ConflictError(waitedMs)
  })
}

test('time spent waiting for another caller on purpose is no reason to give up', async () => {
  expect(await trying(30_000, 30_000, 2)).toBe('won')
})

test('conflicts that last are given up', async () => {
  await expect(trying(6000, 0, 9)).rejects.toThrow(ConflictsPersistError)
})

test('sorting in slices gives what toSorted gives, and equal ones keep their order', async () => {
  const entry = fc.record({ key: fc.nat(20), at: fc.nat() })
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 60 }), fc.integer({ min: 1, max: 7 }), async (items, size) => {
      const compare = (a: { key: number }, b: { key: number }) => a.key - b.key
      expect(await sortInSlices(items, compare, size)).toEqual(items.toSorted(compare))
    }),
  )
})

test('others get a turn of the event loop between two slices; one slice is done at once', async () => {
  const seen: (number | string)[] = []
  const short = forEachInSlices([1, 2], (item) => void seen.push(item))
  expect(seen).toEqual([1, 2])
  await short
  setImmediate(() => seen.push('other'))
  await forEachInSlices([3, 4], (item) => void seen.push(item), 1)
  expect(seen).toEqual([1, 2, 3, 'other', 4])
})
