/** The rows of a list, whatever program wrote it: text with separators, or a workbook. The first bytes of the file tell. */
import type { DecimalSign } from '../../../kernel/minor-units.ts'
import { type Encoding, decodeText, forEachRow } from '../documents/csv/csv-text.ts'
import { EnoughRows, isWorkbook, oldWorkbookProblem, readWorkbook } from '../workbook/workbook.ts'

export interface RowSettings {
  readonly encoding: Encoding
  readonly delimiter: string
  readonly decimal: DecimalSign
  /** Of a workbook; absent: the first one that is visible. */
  readonly sheet?: string | undefined
}

export type RowsRead =
  | { readonly ok: false; readonly problem: string }
  | {
      readonly ok: true
      readonly notes: readonly string[]
      readonly sheet?: string
      readonly sheets?: readonly string[]
    }

const refuse = (problem: string): RowsRead => ({ ok: false, problem })

/** Rows are counted as spreadsheets do, from 1. Those of a workbook end with their last cell that is filled. */
export function forEachListRow(
  bytes: Uint8Array,
  { encoding, delimiter, decimal, sheet }: RowSettings,
  onRow: (cells: readonly string[], row: number) => void,
): RowsRead {
  const problem = oldWorkbookProblem(bytes)
  if (problem !== undefined) return refuse(problem)
  if (isWorkbook(bytes)) {
    const report = readWorkbook(bytes, { sheet, decimal }, onRow)
    return 'problem' in report
      ? refuse(report.problem)
      : { ok: true, notes: formulaNotes(report.unsavedFormulas), sheet: report.sheet, sheets: report.sheets }
  }
  const text = decodeText(bytes, encoding)
  if (text === undefined) return refuse(`the file is not ${encoding} text`)
  let row = 0
  try {
    const unsplit = forEachRow(text, delimiter, (cells) => {
      row += 1
      onRow(cells, row)
    })
    return unsplit === undefined ? { ok: true, notes: [] } : refuse(unsplit)
  } catch (error) {
    if (error instanceof EnoughRows) return { ok: true, notes: [] }
    throw error
  }
}

const formulaNotes = (unsaved: number): readonly string[] =>
  unsaved === 0
    ? []
    : [
        `${unsaved} formula${unsaved === 1 ? '' : 's'} without a saved value count as blank: open the file in a spreadsheet program and save it`,
      ]
