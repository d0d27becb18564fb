import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readDelimited } from './delimited-rows.ts'

test.each([
  ['commas', 'Slot,Par\nA,1\nB,2\n'],
  ['semicolons', 'Slot;Par\r\nA;1\r\nB;2'],
  ['tabs, as pasted from a spreadsheet', 'Slot\tPar\nA\t1\nB\t2'],
  ['a byte order mark, quotes and blanks', '\uFEFF"Slot", Par\n"A", 1 \nB,"2"\n'],
])('a table with %s', (_, text) => {
  expect(readDelimited(text)).toEqual({
    headings: ['slot', 'par'],
    rows: [
      { line: 2, cells: { slot: 'A', par: '1' } },
      { line: 3, cells: { slot: 'B', par: '2' } },
    ],
  })
})

test('blank lines are skipped and still counted; missing cells are empty; quoted cells may hold anything', () => {
  expect(readDelimited('a,b\n\n"x ""1""\n2"\ny,z').rows).toEqual([
    { line: 3, cells: { a: 'x "1"\n2', b: '' } },
    { line: 5, cells: { a: 'y', b: 'z' } },
  ])
  expect(readDelimited('')).toEqual({ headings: [], rows: [] })
})

test('whatever cells hold, quoting them gives them back', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\t', '\n', '中'), maxLength: 6 })
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { maxLength: 5 }), (rows) => {
      const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
      const text = ['a,b', ...rows.map((cells) => cells.map(quote).join(','))].join('\n')
      expect(readDelimited(text).rows.map(({ cells }) => [cells['a'], cells['b']])).toEqual(
        rows.map((cells) => cells.map((each) => each.trim())).filter((cells) => cells.some((each) => each !== '')),
      )
    }),
  )
})
