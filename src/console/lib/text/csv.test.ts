import fc from 'fast-check'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { csvName, csvText } from './csv.ts'

const read = (text: string) => parse(text, { bom: true, record_delimiter: '\r\n' })

describe('a CSV file', () => {
  test('begins with a byte order mark, and numbers stay numbers', () => {
    expect(csvText([['商品', -3, '-12.50', null, undefined]])).toBe('\u{FEFF}商品,-3,-12.50,,\r\n')
  })

  test.each(['=1+1', '+cmd', '-2+3', '@SUM(A1)', '\t=1', '\r=1', '=HYPERLINK("http://x","y")'])(
    'a text that a spreadsheet would run is only a text: %j',
    (text) => {
      expect(read(csvText([[text]]))).toEqual([[`'${text}`]])
    },
  )

  test('whatever is in a cell comes back', () => {
    const cell = fc.oneof(fc.string(), fc.constantFrom('a,b', 'a"b', 'a\r\nb', '"', '茶 500ml'))
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 5 }), (rows) => {
        const back = read(csvText(rows)).map((row) => row.map((text) => text.replace(/^'(?=[=+\-@\t\r])/, '')))
        const expected = rows.map((row) => row.map((text) => text.replace(/^'(?=[=+\-@\t\r])/, '')))
        expect(back).toEqual(expected)
      }),
    )
  })

  test('its name holds nothing that a file system refuses', () => {
    expect(csvName('A/B: C?', '2026-09-10')).toBe('A B C 2026-09-10.csv')
  })
})
