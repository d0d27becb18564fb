/** Collects the cells of a sheet row by row, within the limits of a list. */
import { ROWS_MAX, CELLS_MAX } from '../documents/csv/csv-text.ts'
import { UnreadableWorkbook } from './zip-archive.ts'

export interface Sheet {
  readonly name: string
  readonly isVisible: boolean
  /** Where it is in the file. */
  readonly place: string
}

export function chooseSheet(sheets: readonly Sheet[], wanted: string | undefined): Sheet {
  const found =
    wanted === undefined
      ? (sheets.find(({ isVisible }) => isVisible) ?? sheets[0])
      : sheets.find(({ name }) => name.trim() === wanted.trim())
  if (found) return found
  const names = sheets.map(({ name }) => name).join(', ')
  throw new UnreadableWorkbook(
    wanted === undefined ? 'the workbook has no sheet' : `there is no sheet "${wanted}"; the workbook has ${names}`,
  )
}

/** Spreadsheet programs have 16,384; lists have some ten. */
const COLUMNS_MAX = 1_000
/** One more than a list may have, so that a longer cell is noticed and takes no memory. */
const CELL_CHARACTERS_KEPT = 1_001

export class RowCollector {
  readonly #onRow: (cells: readonly string[], row: number) => void
  #cells: string[] = []
  #rows = 0
  /** Cells of this row, and of all before it. */
  #filled = 0
  #count = 0
  unsavedFormulas = 0

  constructor(onRow: (cells: readonly string[], row: number) => void) {
    this.#onRow = onRow
  }

  /** `column` counts from 0. */
  put(column: number, text: string, row: number): void {
    const trimmed = text.trim()
    if (trimmed === '') return
    if (column >= COLUMNS_MAX)
      throw new UnreadableWorkbook(`row ${row} has more than ${COLUMNS_MAX.toLocaleString('en')} columns`)
    while (this.#cells.length < column) this.#cells.push('')
    this.#cells[column] = trimmed
    this.#filled += 1
  }

  /** `times`: as often as the row is repeated. */
  endRow(row: number, times = 1): void {
    const cells = this.#cells
    this.#cells = []
    if (cells.length === 0) return
    this.#count += this.#filled * times
    this.#filled = 0
    if (this.#count > CELLS_MAX)
      throw new UnreadableWorkbook(`it has more than ${CELLS_MAX.toLocaleString('en')} cells`)
    for (let i = 0; i < times; i += 1) {
      this.#rows += 1
      if (this.#rows > ROWS_MAX) throw new UnreadableWorkbook(`it has more than ${ROWS_MAX.toLocaleString('en')} rows`)
      this.#onRow(cells, row + i)
    }
  }
}

/** Text that comes in pieces; no more of it is kept than is needed to see that it is too long. */
export class CellText {
  text = ''
  add(piece: string): void {
    if (this.text.length < CELL_CHARACTERS_KEPT) this.text += piece.slice(0, CELL_CHARACTERS_KEPT - this.text.length)
  }
}

/** One file format: which sheets there are, and the rows of one. */
export interface WorkbookFormat {
  readonly sheets: readonly Sheet[]
  readRows(sheet: Sheet, collector: RowCollector): void
}
