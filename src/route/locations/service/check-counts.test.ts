import { expect, test } from 'vitest'
import { isDoubtfulCount } from './check-counts.ts'

test.for<[string, number, number | null, number, boolean]>([
  ['as many as fit, where never more than 4 were seen', 20, 20, 4, true],
  ['as many as fit, near what was there', 20, 20, 8, false],
  ['more than fit', 21, 20, 20, true],
  ['three times the highest', 15, null, 5, false],
  ['more than three times the highest', 16, null, 5, true],
  ['nothing known', 999, null, 0, false],
  ['never anything there, but the capacity is known', 999, 20, 0, true],
  ['nothing found', 0, 20, 20, false],
])('a count is doubted: %s', ([, counted, capacity, highest, expected]) => {
  expect(isDoubtfulCount(counted, { capacity, highest })).toBe(expected)
})
