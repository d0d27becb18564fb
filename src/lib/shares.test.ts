import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOut } from './shares.ts'

test.each([
  [1501, [1, 1], [751, 750]],
  [100, [1, 1, 1], [34, 33, 33]],
  [10, [0.5, 0.5, 1], [3, 2, 5]],
  [3, [1 / 3, 1 / 3, 1 / 3], [1, 1, 1]],
  [0, [1, 2], [0, 0]],
  [7, [0, 0], [0, 0]],
  [7, [], []],
])('%d by %j', (total, weights, parts) => expect(shareOut(total, weights)).toEqual(parts))

test('the parts add up to the whole, and each is within one of its exact share', () => {
  const weights = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(fc.nat({ max: 10_000_000 }), weights, (total, by) => {
      const parts = shareOut(total, by)
      const sum = by.reduce((a, b) => a + b, 0)
      expect(parts.reduce((a, b) => a + b, 0)).toBe(total)
      parts.forEach((part, i) => expect(Math.abs(part - (total * by[i]!) / sum)).toBeLessThan(1))
    }),
  )
})
