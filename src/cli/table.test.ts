import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { styleOf, wantsColour } from './style.ts'
import { type Column, fields, table } from './table.ts'
import { truncate, displayWidth, padEnd, plainText, wrap } from './width.ts'

const style = styleOf(false)

test.each([
  ['M1001', 5],
  ['一号楼大厅', 10],
  ['东方树叶 500ml', 14],
  ['（满）', 6],
  ['￥5', 3],
  ['¥5.00', 5],
  ['e\u0301', 1],
  ['🥤', 2],
  ['カ', 2],
  ['コーラ', 6],
  ['', 0],
])('the width of %j is %i', (text, width) => {
  expect(displayWidth(text)).toBe(width)
})

test('Chinese text is padded and truncated by columns, never within a character', () => {
  expect(padEnd('饮料', 6)).toBe('饮料  ')
  expect(truncate('农夫山泉', 8)).toBe('农夫山泉')
  expect(truncate('农夫山泉', 7)).toBe('农夫山…')
  expect(truncate('农夫山泉', 6)).toBe('农夫…')
})

test('control characters in vendor texts are removed', () => {
  expect(plainText('ok\u001b[2J\u0007\r\nnext\u202eevil')).toBe('ok [2J next evil')
})

interface Row {
  readonly name: string
  readonly stock: number | undefined
  readonly state: string
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'NAME', cell: ({ name }) => name, flexible: true },
  { title: 'STOCK', cell: ({ stock }) => stock, as: 'number' },
  { title: 'STATE', cell: ({ state }) => state, as: 'state' },
]

const ROWS: readonly Row[] = [
  { name: '可口可乐 汽水', stock: 7, state: 'order' },
  { name: 'Water', stock: undefined, state: 'none' },
]

test('columns are aligned, numbers to the right, unknown values are a dash', () => {
  expect(table(ROWS, COLUMNS, { style })).toEqual([
    'NAME           STOCK  STATE',
    '可口可乐 汽水      7  order',
    'Water              –  none',
  ])
})

test('on a narrow screen the flexible column is shortened', () => {
  const lines = table(ROWS, COLUMNS, { style, width: 23 })
  expect(lines[1]).toBe('可口可乐…      7  order')
  expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(23)
})

test('colors do not change the alignment', () => {
  const painted = table(ROWS, COLUMNS, { style: styleOf(true) })
  expect(painted[1]).toContain('\u001b[36morder\u001b[0m')
  expect(painted.map(stripVTControlCharacters)).toEqual(table(ROWS, COLUMNS, { style }))
})

test('colors are for terminals, and NO_COLOR turns them off', () => {
  expect(wantsColour({}, true)).toBe(true)
  expect(wantsColour({}, false)).toBe(false)
  expect(wantsColour({ NO_COLOR: '1' }, true)).toBe(false)
  expect(wantsColour({ NO_COLOR: '' }, true)).toBe(true)
  expect(wantsColour({ FORCE_COLOR: '1' }, false)).toBe(true)
  expect(wantsColour({ TERM: 'dumb' }, true)).toBe(false)
})

test('undefined fields are left out', () => {
  expect(
    fields(
      [
        ['id', 'M1'],
        ['说明', '好'],
        ['gone', undefined],
      ],
      { style },
    ),
  ).toEqual(['id    M1', '说明  好'])
})

test('a long text is wrapped between words and indented', () => {
  expect(wrap('aa bb 可乐 cc', 5)).toEqual(['aa bb', '可乐', 'cc'])
  expect(wrap('toolongaword b', 5)).toEqual(['toolongaword', 'b'])
  const lines = fields([['why', `${'word '.repeat(12)}end`]], { style, width: 40 })
  expect(lines).toEqual(['why  word word word word word word word', '     word word word word word end'])
})
