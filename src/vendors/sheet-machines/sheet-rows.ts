/**
 * Rows of an export, by the operator's map of columns. Exports are made for people: section titles, totals and half
 * filled rows are left out and counted. A row that is filled in but not readable is unreadable with the reason; when more
 * than a fifth of the filled rows are, the file is not what its columns say, and nothing of it is used.
 */
import type { UnreadableRow, Result } from '../contract.ts'
import { fail } from '../result.ts'
import { headerText } from '../sheet/documents/csv/csv-text.ts'
import { UnreadableReply } from '../upstream/read-json.ts'
import { hasTooManyUnreadable } from '../upstream/rows.ts'
import { firstCharacters, sanitizeText } from '../upstream/sanitize-text.ts'
import { isBlank } from './amount.ts'

/** A row as split by its header: texts by column name. */
export type SheetRow = Readonly<Record<string, string>>

/** The header texts of an export by what they hold, compared without blanks around them. */
export type Columns<Needed extends string, Optional extends string> = Readonly<
  Record<Needed, string> & Partial<Record<Optional, string>>
>

export interface RowReader<Column extends string, T> {
  readonly kind: UnreadableRow['kind']
  readonly columns: Readonly<Partial<Record<Column, string>>>
  /** A row in which one of these is blank is left out. */
  readonly needed: readonly Column[]
  /** The number of the first row in the file, as a spreadsheet counts: below the header. */
  readonly firstRow?: number
  readonly idOf: (cells: Cells<Column>) => string | undefined
  /** Undefined leaves the row out; an UnreadableCell refuses it. */
  readonly read: (cells: Cells<Column>, row: number) => T | undefined
}

/** The trimmed text of a column; undefined when it is blank or not mapped. */
export type Cells<Column extends string> = (column: Column) => string | undefined

/** What is wrong with a cell, with its column in our words. */
export class UnreadableCell extends UnreadableReply {
  readonly word: string

  constructor(word: string, value: string) {
    super(`${word} "${firstCharacters(value, 40)}"`)
    this.word = word
  }
}

const ROWS_NAMED = 5

export function readSheetRows<Column extends string, T>(sheet: readonly SheetRow[], reader: RowReader<Column, T>) {
  const { columns, needed, firstRow = 2 } = reader
  const headers = new Map(Object.keys(sheet[0] ?? {}).map((header) => [headerText(header), header]))
  const mapped = Object.entries(columns) as [Column, string | undefined][]
  const absent = mapped.flatMap(([, header]) =>
    header === undefined || headers.has(headerText(header)) ? [] : [header],
  )
  if (sheet.length > 0 && absent.length > 0)
    return { problem: `the file has no column ${absent.map((header) => `"${header.trim()}"`).join(', ')}` }

  const headerOf = new Map(
    mapped.map(([column, header]) => [column, header === undefined ? undefined : headers.get(headerText(header))]),
  )
  const rows: T[] = []
  const unreadable: UnreadableRow[] = []
  const leftOut: number[] = []
  for (const [i, row] of sheet.entries()) {
    const cells: Cells<Column> = (column) => {
      const header = headerOf.get(column)
      const text: unknown = header === undefined ? undefined : row[header]
      return typeof text !== 'string' || isBlank(text) ? undefined : text.trim()
    }
    const number = firstRow + i
    try {
      const value = needed.some((column) => cells(column) === undefined) ? undefined : reader.read(cells, number)
      if (value === undefined) leftOut.push(number)
      else rows.push(value)
    } catch (error) {
      if (!(error instanceof UnreadableCell)) throw error
      unreadable.push({
        kind: reader.kind,
        id: reader.idOf(cells),
        problem: `its ${error.word} cannot be read`,
        detail: sanitizeText(`row ${number}: ${error.message}`),
      })
    }
  }
  const [first] = unreadable
  if (first && hasTooManyUnreadable(unreadable.length, rows.length + unreadable.length))
    return {
      problem: `${unreadable.length} of ${rows.length + unreadable.length} rows cannot be read, first ${first.detail}`,
    }
  return { rows, unreadable, notices: leftOut.length === 0 ? [] : [leftOutNotice(leftOut, needed)] }
}

function leftOutNotice(rows: readonly number[], needed: readonly string[]): string {
  const named = rows.slice(0, ROWS_NAMED).join(', ')
  const more = rows.length > ROWS_NAMED ? ', …' : ''
  return `${rows.length} rows without ${needed.join(', ')} were left out (rows ${named}${more})`
}

/** A file that cannot be used: what stood before stays. */
export const failedSheet = <T>(problem: string): Result<T> => fail('unknown', problem, { raw: 'unreadable file' })
