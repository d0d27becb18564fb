import { describe, expect, test } from 'vitest'
import { DAY } from '../../../kernel/clock.ts'
import { expiredAgeDays } from './expired-age.ts'

const day = (n: number) => n * DAY
/** The latest first: 4 on day 20, 6 on day 10, 5 on day 1. */
const LOADS = [
  { at: day(20), units: 4 },
  { at: day(10), units: 6 },
  { at: day(1), units: 5 },
]

describe('how long the youngest expired unit was in the slot', () => {
  test.each([
    ['one of the last load too', 4, 1, 10],
    ['all that is there', 4, 4, 10],
    ['what is left of the load before', 7, 3, 20],
    ['the youngest of two loads decides', 7, 4, 10],
    ['of the oldest load', 12, 2, 29],
  ])('%s', (_, before, expired, days) => {
    expect(expiredAgeDays(before, expired, LOADS, day(30))).toBe(days)
  })

  test.each([
    ['more was there than the loads brought', 20, 2, LOADS, 30],
    ['more was taken out than was there', 2, 3, LOADS, 30],
    ['nothing was loaded', 2, 1, [], 30],
    ['loaded yesterday: a slip of the finger', 4, 1, LOADS, 21],
  ])('nothing is learned: %s', (_, before, expired, loads, at) => {
    expect(expiredAgeDays(before, expired, loads, day(at))).toBeUndefined()
  })
})
