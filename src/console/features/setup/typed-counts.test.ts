import { expect, test } from 'vitest'
import { pastedCells, readCount } from './typed-counts.ts'

test.each([
  ['', null, { kind: 'empty' }],
  ['  ', 10, { kind: 'empty' }],
  ['0', 10, { kind: 'count', count: 0 }],
  [' 12 ', 12, { kind: 'count', count: 12 }],
  ['12.0', 12, { kind: 'count', count: 12 }],
  ['13', 12, { kind: 'doubtful', count: 13 }],
  ['13', null, { kind: 'count', count: 13 }],
  ['-1', 12, { kind: 'wrong' }],
  ['1.200', 12, { kind: 'wrong' }],
  ['1,5', 12, { kind: 'wrong' }],
  ['twelve', 12, { kind: 'wrong' }],
  ['１２', 12, { kind: 'wrong' }],
  ['999999', null, { kind: 'wrong' }],
])('%j in a slot of %j is %j', (text, capacity, expected) => expect(readCount(text, capacity)).toEqual(expected))

test('what was copied in a spreadsheet goes down the column', () => {
  expect(pastedCells('12')).toBeUndefined()
  expect(pastedCells('12\r\n')).toBeUndefined()
  expect(pastedCells('12\tx\r\n\r\n7\r\n')).toEqual(['12', '', '7'])
})
