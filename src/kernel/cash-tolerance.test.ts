import { expect, test } from 'vitest'
import { isBeyondTolerance, parseCashTolerance } from './cash-tolerance.ts'

test.each([
  ['5%,500', { percent: 5, amount: 500 }],
  [' 2.5%, 1000 ', { percent: 2.5, amount: 1000 }],
  ['0%,0', { percent: 0, amount: 0 }],
  ['5,500', undefined],
  ['500', undefined],
  ['101%,5', undefined],
  ['5%,5.5', undefined],
  ['-5%,500', undefined],
  ['', undefined],
])('%s', (text, tolerance) => {
  expect(parseCashTolerance(text)).toEqual(tolerance)
})

test.each([
  // Expected, difference, told.
  [10_000, -500, false],
  [10_000, -501, true],
  [10_000, 501, true],
  [100_000, -4000, false],
  [100_000, -5001, true],
  [1000, -400, false],
  [0, 501, true],
])('of %d expected, a difference of %d is told: %s', (expected, difference, isTold) => {
  expect(isBeyondTolerance({ expected, difference }, { percent: 5, amount: 500 })).toBe(isTold)
})
