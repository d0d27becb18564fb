/** The first visible sheet of a workbook as it is, for a table that is no list of products. Pure and synchronous. */
import { count } from '../../../kernel/text.ts'
import { EnoughRows, isWorkbook, oldWorkbookProblem, readWorkbook } from './workbook.ts'

const TABLE_ROWS_MAX = 5_000

export type ReadTable =
  /** Each row in its place: blank ones are empty. */
  { readonly rows: readonly (readonly string[])[]; readonly notes: readonly string[] } | { readonly problem: string }

export function readTable(bytes: Uint8Array): ReadTable {
  const problem = oldWorkbookProblem(bytes) ?? (isWorkbook(bytes) ? undefined : 'the file is no workbook')
  if (problem !== undefined) return { problem }
  const rows: (readonly string[])[] = []
  let isLong = false
  const report = readWorkbook(bytes, { decimal: '.' }, (cells, row) => {
    if (row > TABLE_ROWS_MAX) {
      isLong = true
      throw new EnoughRows()
    }
    while (rows.length < row - 1) rows.push([])
    rows.push(cells)
  })
  if ('problem' in report) return report
  if (isLong) return { problem: `it has more than ${TABLE_ROWS_MAX.toLocaleString('en')} rows` }
  const { unsavedFormulas } = report
  return { rows, notes: unsavedFormulas > 0 ? [`${count(unsavedFormulas, 'formula')} without a saved value`] : [] }
}
