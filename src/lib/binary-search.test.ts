import fc from 'fast-check'
import { expect, test } from 'vitest'
import { firstIndexWhere } from './binary-search.ts'

test('finds the same index as a scan from the start', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 20 })), fc.nat({ max: 21 }), (numbers, limit) => {
      const sorted = numbers.toSorted((a, b) => a - b)
      const scanned = sorted.findIndex((n) => n >= limit)
      const expected = scanned === -1 ? sorted.length : scanned
      expect(firstIndexWhere(sorted.length, (i) => sorted[i]! >= limit)).toBe(expected)
    }),
  )
})
