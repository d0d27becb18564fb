import { describe, expect, test } from 'vitest'
import { semaphore } from './semaphore.ts'

const taken = async (place: Promise<(() => void) | undefined>): Promise<() => void> => {
  const giveBack = await place
  if (!giveBack) throw new Error('no place')
  return giveBack
}

describe('places', () => {
  test('who waits is served in order, and a place given back twice is one place', async () => {
    const room = semaphore(1, 10)
    const first = await taken(room.acquire(1_000))
    const served: string[] = []
    const second = room.acquire(1_000).then((giveBack) => (served.push('second'), giveBack))
    const third = room.acquire(1_000).then((giveBack) => (served.push('third'), giveBack))
    expect(room).toMatchObject({ taken: 1, waiting: 2 })
    first()
    first()
    const leave = await taken(second)
    expect(served).toEqual(['second'])
    leave()
    ;(await taken(third))()
    expect(served).toEqual(['second', 'third'])
    expect(room).toMatchObject({ taken: 0, waiting: 0 })
  })

  test('the line has an end', async () => {
    const room = semaphore(1, 1)
    const first = await taken(room.acquire(1_000))
    const waiting = room.acquire(1_000)
    expect(await room.acquire(1_000)).toBeUndefined()
    first()
    ;(await taken(waiting))()
  })

  test('who waits too long leaves the line', async () => {
    const room = semaphore(1, 10)
    const first = await taken(room.acquire(1_000))
    expect(await room.acquire(5)).toBeUndefined()
    expect(room.waiting).toBe(0)
    first()
    expect(room.taken).toBe(0)
  })

  test('stopping empties the line and lets nobody in', async () => {
    const room = semaphore(1, 10)
    const stopping = new AbortController()
    await taken(room.acquire(1_000))
    const waiting = room.acquire(1_000, stopping.signal)
    stopping.abort()
    expect(await waiting).toBeUndefined()
    expect(await semaphore(1, 1).acquire(1_000, stopping.signal)).toBeUndefined()
  })
})
