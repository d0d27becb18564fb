import fc from 'fast-check'
import { expect, test } from 'vitest'
import { expectedLoss, quantile } from './negative-binomial.ts'
import { propertyRuns } from '../../../../../test/support/property-runs.ts'

test('2.8 known values', () => {
  expect([0, 1, 3.15, 10, 20].map((mean) => quantile(mean, 0.95, 4))).toEqual([0, 3, 8, 21, 41])
  expect(expectedLoss(4, 0, 4)).toBe(4)
  // Size 1 is geometric: P(demand > x) = (m / (1 + m))^(x + 1), so the loss over a stock of s is m (m / (1 + m))^s.
  expect(expectedLoss(3, 5, 1)).toBeCloseTo(3 * 0.75 ** 5, 12)
})

test('2.8 more demand never means less, more stock never loses more', () => {
  const mean = fc.double({ min: 0, max: 80, noNaN: true })
  fc.assert(
    fc.property(mean, mean, fc.nat(60), (a, b, stock) => {
      const [low, high] = a < b ? [a, b] : [b, a]
      expect(quantile(low, 0.95, 4)).toBeLessThanOrEqual(quantile(high, 0.95, 4))
      expect(expectedLoss(low, stock, 4)).toBeLessThanOrEqual(expectedLoss(high, stock, 4) + 1e-9)
      expect(expectedLoss(high, stock + 1, 4)).toBeLessThanOrEqual(expectedLoss(high, stock, 4) + 1e-9)
      expect(expectedLoss(high, stock, 4)).toBeGreaterThanOrEqual(Math.max(0, high - stock) - 1e-9)
    }),
    { numRuns: propertyRuns(1000) },
  )
})

test('2.8 a quantile beyond the limit is the limit', () => {
  expect(quantile(1e6, 0.95, 4, 50)).toBe(50)
})
