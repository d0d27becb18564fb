import { describe, expect, test } from 'vitest'
import { semaphore } from './concurrency.ts'

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
