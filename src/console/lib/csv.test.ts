import { expect, test } from 'vitest'
import { csvText } from './csv.ts'

test('cells with commas, quotes and line breaks are quoted', () => {
  expect(csvText([['a,b', 'say "hi"', 'two\nlines', 3, undefined]])).toBe(
    '\uFEFF"a,b","say ""hi""","two\nlines",3,\r\n',
  )
})

test('a text that a spreadsheet would run is marked as text; a number stays one', () => {
  expect(csvText([['=1+1', '@x', '-2', -2, '可乐']])).toBe("\uFEFF'=1+1,'@x,'-2,-2,可乐\r\n")
})
