import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BookEntry, bookedLevel } from './booked-level.ts'

const count = (at: number, units: number): BookEntry => ({ at, kind: 'count', units })
const receipt = (at: number, units: number): BookEntry => ({ at, kind: 'receipt', units })

describe('the level of a slot by our own book', () => {
  test.for<[string, BookEntry[], number[], number | null, number | null]>([
    ['nothing booked', [], [1, 2], null, null],
    ['never counted, only refilled', [receipt(5, 6)], [6], null, null],
    ['counted', [count(5, 6)], [], null, 6],
    ['sales of before the count', [count(5, 6)], [1, 4], null, 6],
    ['sales since the count', [count(5, 6)], [5, 6, 7], null, 3],
    ['more sales than units', [count(5, 2)], [6, 7, 8, 9], null, 0],
    ['a receipt', [count(5, 2), receipt(8, 10)], [6, 9], null, 10],
    ['a receipt into an emptied slot', [count(5, 2), receipt(8, 10)], [6, 6, 6, 9], null, 9],
    ['a receipt above the capacity', [count(5, 2), receipt(8, 10)], [], 8, 8],
    ['a count above the capacity', [count(5, 9), receipt(8, 10)], [], 8, 9],
    ['the last count counts', [count(5, 9), receipt(6, 1), count(7, 3)], [6, 8], null, 2],
    ['a count and a receipt at one instant', [receipt(7, 4), count(5, 1), count(7, 3)], [], null, 3],
  ])('%s', ([, entries, sold, capacity, expected]) => {
    expect(bookedLevel(entries, sold, capacity)).toBe(expected)
  })

  const entry = fc.record({
    at: fc.nat({ max: 20 }),
    kind: fc.constantFrom('count' as const, 'receipt' as const),
    units: fc.nat({ max: 9 }),
  })
  const entries = fc.uniqueArray(entry, { selector: ({ at }) => at, maxLength: 6 })
  const sold = fc.array(fc.nat({ max: 25 }), { maxLength: 20 }).map((at) => at.toSorted((a, b) => a - b))

  test('the order in which entries are listed does not matter, and no level is below 0', () => {
    fc.assert(
      fc.property(entries, sold, (book, at) => {
        const level = bookedLevel(book, at, null)
        expect(bookedLevel(book.toReversed(), at, null)).toBe(level)
        expect(level === null || level >= 0).toBe(true)
        expect(level === null).toBe(book.every(({ kind }) => kind === 'receipt'))
      }),
    )
  })

  test('what is booked and sold before the last count changes nothing', () => {
    fc.assert(
      fc.property(entries, sold, fc.nat({ max: 9 }), (book, at, units) => {
        const last = count(21, units)
        expect(bookedLevel([...book, last], at, null)).toBe(bookedLevel([last], at, null))
      }),
    )
  })

  test('one sale more takes away at most one unit', () => {
    fc.assert(
      fc.property(entries, sold, fc.nat({ max: 25 }), (book, at, extra) => {
        const level = bookedLevel(book, at, null)
        const after = bookedLevel(
          book,
          [...at, extra].toSorted((a, b) => a - b),
          null,
        )
        expect(level === null ? after : level - after!).toBeOneOf(level === null ? [null] : [0, 1])
      }),
    )
  })
})
