import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inferCapacity, isCapacityConsistent } from './infer-capacity.ts'

describe('2.4 capacity, only when observed history shows it', () => {
  test.for<[string, number[], number | null]>([
    ['nothing seen', [], null],
    ['never refilled', [10, 8, 3, 0], null],
    ['filled once', [2, 10, 5], null],
    ['filled twice to the same level', [2, 10, 5, 10], 10],
    ['filled twice, not as high the second time', [2, 10, 5, 9], null],
    ['seen higher before', [12, 2, 10, 5, 10], null],
    ['one unit back and forth is no refill', [9, 10, 9, 10, 9, 10], null],
    ['full from the start, then filled up again', [10, 4, 10], null],
  ])('%s', ([, levels, expected]) => {
    expect(inferCapacity(levels)).toBe(expected)
  })

  test('is never below a level that was seen', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 20 })), (levels) => {
        const capacity = inferCapacity(levels)
        expect(capacity === null || levels.every((level) => level <= capacity)).toBe(true)
      }),
    )
  })

  test('a count on site outlives a higher level, an inference does not', () => {
    expect(isCapacityConsistent({ capacity: 10, source: 'counted' }, 12)).toBe(true)
    expect(isCapacityConsistent({ capacity: 10, source: 'inferred' }, 10)).toBe(true)
    expect(isCapacityConsistent({ capacity: 10, source: 'inferred' }, 11)).toBe(false)
    expect(isCapacityConsistent({ capacity: null, source: null }, 0)).toBe(false)
  })
})
