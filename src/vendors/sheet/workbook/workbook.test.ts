import * as fc from 'fast-check'
import { zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { propertyRuns } from '../../../../test/support/property-runs.ts'
import {
  type TestCell,
  archive,
  columnName,
  ods,
  odsParts,
  xlsx,
  xlsxParts,
} from '../../../../test/support/workbooks.ts'
import { readWorkbook } from './workbook.ts'

type Row = readonly [row: number, ...cells: readonly string[]]

function rowsOf(bytes: Uint8Array, options: { readonly sheet?: string; readonly decimal?: '.' | ',' } = {}) {
  const rows: Row[] = []
  const report = readWorkbook(bytes, { decimal: '.', ...options }, (cells, row) => void rows.push([row, ...cells]))
  return { rows, report, problem: 'problem' in report ? report.problem : undefined }
}

const FORMATS = [
  ['xlsx', xlsx],
  ['ods', ods],
] as const

describe.each(FORMATS)('%s', (kind, write) => {
  const oneRow = (...cells: readonly TestCell[]) => rowsOf(write({ name: 'A', rows: [cells] })).rows[0]?.slice(1)

  test('texts, numbers, dates, truth values and blanks become the texts that a person sees', () => {
    expect(
      oneRow(
        ' Käse & <Brot> ',
        13.49,
        24,
        { date: '2026-11-17' },
        true,
        false,
        null,
        '汽水',
        0.1 + 0.2,
        4.9000000443e10,
      ),
    ).toEqual(['Käse & <Brot>', '13.49', '24', '2026-11-17', 'TRUE', 'FALSE', '', '汽水', '0.3', '49000000443'])
  })

  test('a formula counts by the value that was saved with it; one without is blank, and counted', () => {
    const { rows, report } = rowsOf(
      write({
        name: 'A',
        rows: [
          [
            { formula: '=12*2', value: 24 },
            { formula: '=A1&"x"', value: '24/CS' },
            { formula: '=1/3', value: 13.489999999999998 },
            { formula: '=NOW()' },
            'end',
          ],
        ],
      }),
    )
    expect(rows).toEqual([[1, '24', '24/CS', '13.49', '', 'end']])
    expect(report).toMatchObject({ kind, unsavedFormulas: 1 })
  })

  test('an amount has the digits that the cell shows, and the sign of its currency', () => {
    expect(oneRow({ value: 0.562083333333, format: '0.00' })).toEqual(['0.56'])
    expect(oneRow({ value: 13.49, format: '#,##0.00 [$€-407]' })?.[0]).toMatch(/^(?:€|EUR) 13\.49$/)
  })

  test('numbers are written with the decimal sign of the list', () => {
    expect(rowsOf(write({ name: 'A', rows: [[13.49, '13,49', 1200]] }), { decimal: ',' }).rows).toEqual([
      [1, '13,49', '13,49', '1200'],
    ])
  })

  test('rows are counted as in the program; blank ones are left out, and so is what is blank at the end of a row', () => {
    const { rows } = rowsOf(
      write({
        name: 'A',
        rows: [[{ merged: 'Price list', over: 3 }, 'x'], [], ['', '  '], ['SKU', null, 'Price', ' ']],
      }),
    )
    expect(rows).toEqual([
      [1, 'Price list', '', '', 'x'],
      [4, 'SKU', '', 'Price'],
    ])
  })

  test('the first sheet that is visible counts, or the one that is named', () => {
    const bytes = write(
      { name: 'Old', isHidden: true, rows: [['hidden']] },
      { name: 'Drinks', rows: [['drinks']] },
      { name: 'Snacks', rows: [['snacks']] },
    )
    expect(rowsOf(bytes)).toMatchObject({
      rows: [[1, 'drinks']],
      report: { sheet: 'Drinks', sheets: ['Drinks', 'Snacks'] },
    })
    expect(rowsOf(bytes, { sheet: 'Snacks' }).rows).toEqual([[1, 'snacks']])
    expect(rowsOf(bytes, { sheet: 'Old' }).rows).toEqual([[1, 'hidden']])
    expect(rowsOf(bytes, { sheet: 'Toys' }).problem).toBe(
      'there is no sheet "Toys"; the workbook has Old, Drinks, Snacks',
    )
  })

  test('a cell of 150,000 characters takes no more memory than a long one; one of 15 MB is refused', () => {
    expect(oneRow('x'.repeat(150_000))?.[0]).toHaveLength(1_001)
    expect(rowsOf(write({ name: 'A', rows: [['x'.repeat(15_000_000)]] })).problem).toMatch(
      /more than 200,000 characters in one cell$/,
    )
  })

  test('more than 1,000 columns are refused; blank ones are not counted', () => {
    expect(rowsOf(write({ name: 'A', rows: [[], Array(1_001).fill('x')] })).problem).toBe(
      'row 2 has more than 1,000 columns',
    )
    expect(oneRow('a', ...(Array(1_500).fill(null) as null[]))).toEqual(['a'])
  })

  test('a file that is cut, or damaged in one byte, is refused or gives the same', () => {
    const bytes = write({ name: 'A', rows: [['SKU', 'Price'], ...Array.from({ length: 40 }, (_, i) => [`S${i}`, i])] })
    const whole = rowsOf(bytes).rows
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const other = Buffer.from(bytes)
        other[at] = (bytes[at] ?? 0) ^ change
        for (const file of [other, bytes.subarray(0, at)]) {
          const { rows, problem } = rowsOf(file)
          if (problem === undefined) expect(rows).toEqual(whole)
          else expect(problem).toMatch(/\w{3}/)
        }
      }),
      { numRuns: propertyRuns(300) },
    )
  })
})

describe('archives that are not what they seem', () => {
  const sheet = (xml: string) => {
    const parts = xlsxParts([{ name: 'A', rows: [] }])
    return archive({ ...parts, 'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${xml}</sheetData></worksheet>` })
  }

  test.each([
    ['no archive', Buffer.from('PK\u0003\u0004 and more of it'), /damaged or was not copied completely/],
    ['another archive', archive({ 'readme.txt': 'hello' }), /zip archive and no workbook/],
    ['a document', archive({ ...xlsxParts([]), 'xl/workbook.xml': '<document/>' }), /has no sheet/],
    ['a part that is missing', archive({ ...xlsxParts([]), '_rels/.rels': '<Relationships/>' }), /no workbook of rows/],
    ['XML that is none', sheet('<row><c></row>'), /sheet1\.xml of the workbook is not well-formed XML/],
    ['text that is none', archive({ ...odsParts([]), 'content.xml': Uint8Array.of(0x3c, 0xff, 0xff) }), /not the text/],
    [
      'a protected document',
      archive({
        ...odsParts([]),
        'META-INF/manifest.xml': '<manifest><file-entry><encryption-data/></file-entry></manifest>',
      }),
      /protected by a password/,
    ],
    ['rows without end', sheet('<row><c><v>1</v></c></row>'.repeat(200_001)), /more than 200,000 rows/],
    ['cells without end', sheet(`<row>${'<c><v>1</v></c>'.repeat(1_001)}</row>`), /row 1 has more than 1,000 columns/],
    ['a column far away', sheet('<row><c r="ZZZZZ1"><v>1</v></c></row>'), /row 1 has more than 1,000 columns/],
    ['depth', sheet('<row>'.repeat(200) + '</row>'.repeat(200)), /nested too deep/],
  ])('%s', (_, bytes, problem) => {
    expect(rowsOf(bytes).problem).toMatch(problem)
  })

  test('entities and declarations: nothing is expanded or fetched', () => {
    const laughs = `<!DOCTYPE x [<!ENTITY a "ha">${Array.from({ length: 20 }, (_, i) => `<!ENTITY a${i} "${'&a;'.repeat(10)}">`).join('')}]>`
    const cell = '<worksheet><sheetData><row><c t="inlineStr"><is><t>&a9;</t></is></c></row></sheetData></worksheet>'
    const parts = xlsxParts([{ name: 'A', rows: [] }])
    for (const start of [laughs, '<!DOCTYPE worksheet SYSTEM "http://127.0.0.1:1/x.dtd">'])
      expect(rowsOf(archive({ ...parts, 'xl/worksheets/sheet1.xml': start + cell })).problem).toMatch(
        /brings declarations of its own/,
      )
    expect(rowsOf(archive({ ...parts, 'xl/worksheets/sheet1.xml': cell })).problem).toMatch(/not well-formed/)
  })

  test('bombs: what unpacks to more than it may, or than it states, is refused with little memory', () => {
    const parts = xlsxParts([{ name: 'A', rows: [] }])
    const bomb = (start: string, repeated: string, size: number) => {
      const xml = Buffer.alloc(size, repeated)
      xml.write(start)
      return archive({ ...parts, 'xl/worksheets/sheet1.xml': xml })
    }
    const blanks = bomb('<worksheet>', ' ', 60_000_000)
    expect(blanks.length).toBeLessThan(100_000)
    const before = process.memoryUsage().arrayBuffers
    expect(rowsOf(blanks).problem).toMatch(/more than 200,000 characters in one cell/)
    // Less than the whole of it; what is not collected yet counts, too.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(55_000_000)
    const stated = (size: number) => {
      const bytes = Buffer.from(blanks)
      // The size in the directory, behind its signature.
      const entry = bytes.lastIndexOf('xl/worksheets/sheet1.xml') - 46
      expect(bytes.readUInt32LE(entry)).toBe(0x02_01_4b_50)
      bytes.writeUInt32LE(size, entry + 24)
      return rowsOf(bytes).problem
    }
    expect(stated(4_000_000_000)).toMatch(/more than 200 MB when it is unpacked/)
    expect(stated(1_000)).toMatch(/damaged/)
    expect(rowsOf(bomb('<row>', '<c/>', 25_000_000)).problem).toMatch(/has too many elements/)
  }, 60_000)

  test('cells and rows that are repeated without end', () => {
    const body = (rows: string) => {
      const parts = odsParts([{ name: 'A', rows: [] }])
      const content = parts['content.xml'] ?? ''
      return archive({ ...parts, 'content.xml': content.replace(/<table:table-row .*?<\/table:table-row>/, rows) })
    }
    const cell = (times: number) =>
      `<table:table-cell table:number-columns-repeated="${times}" office:value-type="float" office:value="1"/>`
    const row = (times: number, cells: string) =>
      `<table:table-row table:number-rows-repeated="${times}">${cells}</table:table-row>`
    expect(rowsOf(body(row(1, cell(999_999_999)))).problem).toBe('row 1 has more than 1,000 columns')
    expect(rowsOf(body(row(999_999, cell(1)))).problem).toBe('it has more than 200,000 rows')
    expect(rowsOf(body(row(999_999_999, cell(1)))).problem).toBe('it has more than 2,000,000 cells')
    expect(rowsOf(body(row(199_999, cell(999)))).problem).toBe('it has more than 2,000,000 cells')
    expect(rowsOf(body(row(3, cell(2)) + row(1, cell(1)))).rows).toEqual([
      [1, '1', '1'],
      [2, '1', '1'],
      [3, '1', '1'],
      [4, '1'],
    ])
  })

  test('comments and drawings are no text of a cell, and how a text is pronounced is not part of it', () => {
    const content = odsParts([{ name: 'A', rows: [['Cola']] }])
    const noted = (content['content.xml'] ?? '').replace(
      '<text:p>Cola',
      '<office:annotation><text:p>ask Bob</text:p></office:annotation><text:p>Co<text:s/>la</text:p><text:p>Zero',
    )
    expect(rowsOf(archive({ ...content, 'content.xml': noted })).rows).toEqual([[1, 'Co la Zero']])
    const parts = xlsxParts([{ name: 'A', rows: [['Cola']] }])
    const texts = '<sst><si><r><t>コ</t></r><r><t>ーラ</t></r><rPh sb="0" eb="1"><t>ko-ra</t></rPh></si></sst>'
    expect(rowsOf(archive({ ...parts, 'xl/sharedStrings.xml': texts })).rows).toEqual([[1, 'コーラ']])
  })
})

test('codes keep their leading zeros, rates their sign, and times their minutes', () => {
  const format = (value: number, code: string) =>
    rowsOf(xlsx({ name: 'A', rows: [[{ value, format: code }]] })).rows[0]?.[1]
  expect(format(443, '000000')).toBe('000443')
  expect(format(0.19, '0%')).toBe('19%')
  expect(format(0.0825, '0.00%')).toBe('8.25%')
  expect(format(46_343.5, 'dd/mm/yyyy hh:mm')).toBe('2026-11-17 12:00')
  expect(format(13.49, '0')).toBe('13.49')
  expect(format(1.005, '0.00')).toBe('1.01')
  expect(format(-1.005, '0.00')).toBe('-1.01')
  expect(format(13.49, '"$"#,##0.00')).toBe('$ 13.49')
  expect(format(13.49, '[$USD] #,##0.00')).toBe('USD 13.49')
  expect(format(13.49, '[$-409]#,##0.00')).toBe('13.49')
  expect(format(24, '0 "pcs/day"')).toBe('24')
  expect(format(1e22, '0')).toBe('1e+22')
  expect(format(0.0000001, '0.0000000000')).toBe('0.0000001')
})

test('columns are named by letters', () => {
  const cells = Array.from({ length: 60 }, (_, i) => columnName(i))
  expect(rowsOf(xlsx({ name: 'A', rows: [cells] })).rows).toEqual([[1, ...cells]])
  expect(columnName(701)).toBe('ZZ')
})

test('parts may be stored without packing, and sizes stated with eight bytes', () => {
  const parts = Object.fromEntries(
    Object.entries(xlsxParts([{ name: 'A', rows: [['stored']] }])).map(([name, text]) => [name, Buffer.from(text)]),
  )
  expect(rowsOf(Buffer.from(zipSync(parts, { level: 0 }))).rows).toEqual([[1, 'stored']])
})
