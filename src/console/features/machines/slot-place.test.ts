import { expect, test } from 'vitest'
import { shelvesOf } from './slot-place.ts'

const at = (id: string, row?: string, column?: number) => ({
  id,
  ...(row === undefined || column === undefined ? {} : { position: { row, column } }),
})
const drawn = (...slots: ReturnType<typeof at>[]) =>
  shelvesOf(slots, (slot) => slot).map(({ row, columns, slots: inside }) => [row, columns, inside.map(({ id }) => id)])

test('shelves come by name and slots by column, those without a place last, 2 before 10', () => {
  expect(drawn(at('s', 'B', 1), at('M1-10'), at('t', 'A', 10), at('u', 'A', 2), at('M1-2'), at('v', 'AA', 1))).toEqual([
    ['A', 10, ['u', 't']],
    ['AA', 10, ['v']],
    ['B', 10, ['s']],
    [undefined, undefined, ['M1-2', 'M1-10']],
  ])
})

test('two slots in one place, or more columns than can be read, stand one after the other', () => {
  expect(drawn(at('a', 'A', 1), at('b', 'A', 1), at('c', 'B', 2))).toEqual([
    ['A', undefined, ['a', 'b']],
    ['B', 2, ['c']],
  ])
  expect(drawn(at('a', 'A', 1), at('b', 'A', 11))).toEqual([['A', undefined, ['a', 'b']]])
})
