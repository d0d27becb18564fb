import { afterEach, expect, test, vi } from 'vitest'
import { ConflictError, ConflictsPersistError, retryOnConflict } from './concurrency.ts'

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
