import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { minorOfNumber, minorOfText, numberOfMinor } from './amount.ts'

describe('amounts of Lynx', () => {
  test.each([
    [1.5, 2, 150],
    [0.29, 2, 29],
    [1.1, 2, 110],
    [4, 2, 400],
    [0, 2, 0],
    [-0, 2, 0],
    [-1.5, 2, -150],
    [150, 0, 150],
    [1.234, 3, 1234],
    [9_999_999_999_999.99, 2, 999_999_999_999_999],
    [1.005, 2, undefined],
    [150.5, 0, undefined],
    [0.1 + 0.2, 2, undefined],
    [1e-7, 2, undefined],
    [1e21, 2, undefined],
    [1.79e308, 2, undefined],
    [-1.79e308, 2, undefined],
    [90_071_992_547_409.92, 2, undefined],
    [9_007_199_254_740_991, 2, undefined],
    [Number.NaN, 2, undefined],
    [Infinity, 2, undefined],
    ['1.5', 2, undefined],
    [null, 2, undefined],
    [true, 2, undefined],
  ])('%s with %s digits is %s', (value, digits, expected) => {
    expect(minorOfNumber(value, digits)).toBe(expected)
  })

  test.each([
    ['1.50', 150],
    ['1.5000', 150],
    ['0.00', 0],
    ['2', 200],
    ['1.505', undefined],
    ['1,50', undefined],
    ['', undefined],
    ['.5', undefined],
    ['1e3', undefined],
    ['$1', undefined],
  ])('printed %j is %s', (text, expected) => {
    expect(minorOfText(text, 2)).toBe(expected)
  })

  test('an amount comes back from its JSON as it went', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999_999_999 }), fc.constantFrom(0, 2, 3), (amount, digits) => {
        const json = JSON.stringify(numberOfMinor(amount, digits))
        expect(minorOfNumber(JSON.parse(json), digits)).toBe(amount)
        expect(json.split('.')[1]?.length ?? 0).toBeLessThanOrEqual(digits)
      }),
      { numRuns: 2_000 },
    )
  })

  test('whatever number arrives, an amount is exactly what its digits say', () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        const amount = minorOfNumber(value, 2)
        if (amount === undefined) return
        expect(Number.isSafeInteger(amount)).toBe(true)
        expect(numberOfMinor(amount, 2)).toBe(value === 0 ? 0 : value)
      }),
      { numRuns: 2_000 },
    )
  })
})
