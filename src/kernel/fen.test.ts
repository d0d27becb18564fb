import fc from 'fast-check'
import { expect, test } from 'vitest'
import { add, eachOf, fen, times } from './fen.ts'

const price = fc.integer({ min: 0, max: 1_000_000_000 })

test('2.1 an amount is a whole number of fen, or it is refused', () => {
  for (const wrong of [0.5, Number.NaN, Infinity, 2 ** 53]) expect(() => fen(wrong)).toThrow('not a whole number')
})

test('2.1 sums and products of amounts are exact, and an overflow throws rather than rounds', () => {
  fc.assert(
    fc.property(price, fc.integer({ min: 1, max: 1_000_000 }), (p, quantity) => {
      expect(BigInt(times(fen(p), quantity))).toBe(BigInt(p) * BigInt(quantity))
    }),
  )
  fc.assert(
    fc.property(fc.array(price, { maxLength: 50 }), (prices) => {
      expect(add(...prices.map(fen))).toBe(prices.reduce((sum, p) => sum + p, 0))
    }),
  )
  expect(() => times(fen(2 ** 52), 4)).toThrow('not a whole number')
})

test('2.9 an each price is the box price divided by what it contains, rounded, and off by at most half a fen each', () => {
  expect(eachOf(fen(2880), 24)).toBe(120)
  expect(eachOf(fen(1000), 3)).toBe(333)
  fc.assert(
    fc.property(price, fc.integer({ min: 1, max: 1000 }), (box, contains) => {
      expect(Math.abs(eachOf(fen(box), contains) * contains - box)).toBeLessThanOrEqual(contains / 2)
    }),
  )
})
