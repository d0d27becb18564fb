import { expect, test } from 'vitest'
import { byName } from './natural-order.ts'

test('numbers in names count as numbers, with and without the collator', () => {
  for (const names of [
    ['A2', 'A10', 'B1'],
    ['Selection 2', 'Selection 10', 'Selection 10 b'],
    ['2', '10', 'a'],
    ['Gym 2', 'gym 3', 'Gym 10'],
    ['货道 2', '货道 10'],
    ['Café 2', 'Café 10'],
  ])
    expect(names.toReversed().toSorted(byName)).toEqual(names)
})
