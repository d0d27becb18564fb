import { expect, test } from 'vitest'
import { HOUR, MINUTE, SECOND } from '../../kernel/clock.ts'
import { faultOf, isPaused, NO_PAUSE, pauseAfter } from './pause.ts'

const failed = (status?: number, retryAfterMs?: number) => ({
  outcome: 'retry' as const,
  error: 'x',
  ...(status !== undefined && { status }),
  ...(retryAfterMs !== undefined && { retryAfterMs }),
})
/** In the middle of the spread. */
const RANDOM = 0.5

test.each([
  ['no reply', failed(), 'receiver'],
  ['429', failed(429), 'receiver'],
  ['503 with Retry-After', failed(503, MINUTE), 'receiver'],
  ['500', failed(500), 'either'],
  ['400', failed(400), 'message'],
  ['an exception of ours', { ...failed(), fault: 'message' as const }, 'message'],
])('%s is a fault of: %s', (_name, result, fault) => {
  expect(faultOf(result)).toBe(fault)
})

test('one failure of the server pauses nothing, the third in a row does', () => {
  let pause = NO_PAUSE
  const pauses = [1, 2, 3].map((now) => {
    pause = pauseAfter(pause, failed(500), now, RANDOM)
    return isPaused(pause, now)
  })
  expect(pauses).toEqual([false, false, true])
  expect(pause.pausedUntil).toBe(3 + 2 * MINUTE)
})

test('without a reply the pauses grow, and what is tried during one does not prolong it', () => {
  const first = pauseAfter(NO_PAUSE, failed(), 0, RANDOM)
  expect(first).toMatchObject({ failures: 1, pausedUntil: 5 * SECOND })
  expect(pauseAfter(first, failed(), SECOND, RANDOM)).toEqual(first)
  expect(pauseAfter(first, failed(), 5 * SECOND, RANDOM)).toMatchObject({ failures: 2, pausedUntil: 35 * SECOND })
})

test('a time that the receiver names holds for everything, up to 12 hours', () => {
  const named = pauseAfter(NO_PAUSE, failed(429, 10 * MINUTE), 0, RANDOM)
  expect(named.notBefore).toBe(10 * MINUTE)
  // A shorter time that is named later does not end it.
  expect(pauseAfter(named, failed(429, MINUTE), SECOND, RANDOM).notBefore).toBe(10 * MINUTE)
  expect(pauseAfter(NO_PAUSE, failed(429, 999 * HOUR), 0, RANDOM).notBefore).toBe(12 * HOUR)
})
