/** OpenDocument spreadsheets (.ods): one document with all sheets. Cells and rows that repeat are written once. */
import type { DecimalSign } from '../../../kernel/minor-units.ts'
import { GENERAL, type NumberFormat, numberText } from './number-text.ts'
import { CellText, type RowCollector, type Sheet, type WorkbookFormat } from './sheet-rows.ts'
import { readPart } from './xml-parts.ts'
import { type Archive, UnreadableWorkbook } from './zip-archive.ts'

const CONTENT = 'content.xml'

export function readOds(archive: Archive, decimal: DecimalSign): WorkbookFormat {
  refuseProtected(archive)
  return {
    sheets: readSheets(archive),
    readRows: (sheet, collector) => readRows(archive, sheet, collector, decimal),
  }
}

function refuseProtected(archive: Archive): void {
  readPart(archive, 'META-INF/manifest.xml', {
    open(element) {
      if (element === 'encryption-data')
        throw new UnreadableWorkbook('the workbook is protected by a password; save it without one')
    },
  })
}

/** Whether a sheet is shown is a property of its style. */
function readSheets(archive: Archive): readonly Sheet[] {
  const hidden = new Set<string>()
  const sheets: Sheet[] = []
  let style = ''
  let depth = 0
  readPart(archive, CONTENT, {
    open(element, attribute) {
      if (element === 'style') style = attribute('name') ?? ''
      else if (element === 'table-properties' && attribute('display') === 'false') hidden.add(style)
      else if (element === 'table') {
        depth += 1
        const isVisible = !hidden.has(attribute('style-name') ?? '')
        if (depth === 1) sheets.push({ name: attribute('name') ?? '', isVisible, place: String(sheets.length) })
      }
    },
    close(element) {
      if (element === 'table') depth -= 1
    },
  })
  return sheets
}

interface Cell {
  readonly type: string
  readonly value: string | undefined
  readonly currency: string | undefined
  readonly hasFormula: boolean
  readonly times: number
  readonly text: CellText
}

/** In a cell, but not part of its text: comments and drawings. */
const BESIDE = new Set(['annotation', 'frame', 'custom-shape', 'shapes', 'g'])

function readRows(archive: Archive, { place }: Sheet, collector: RowCollector, decimal: DecimalSign): void {
  let sheet = -1
  let tables = 0
  let row = 0
  let times = 1
  let column = 0
  let cell: Cell | undefined
  let beside = 0
  let paragraphs = 0
  const isHere = () => tables === 1 && String(sheet) === place
  readPart(archive, CONTENT, {
    open(element, attribute) {
      if (element === 'table') {
        tables += 1
        if (tables === 1) sheet += 1
      }
      if (!isHere()) return
      if (BESIDE.has(element)) beside += 1
      else if (element === 'table-row') {
        row += 1
        times = repeated(attribute('number-rows-repeated'))
        column = 0
      } else if (element === 'table-cell' || element === 'covered-table-cell') {
        paragraphs = 0
        cell = {
          type: attribute('value-type') ?? 'string',
          value:
            attribute('value') ?? attribute('date-value') ?? attribute('boolean-value') ?? attribute('string-value'),
          currency: attribute('currency'),
          hasFormula: attribute('formula') !== undefined,
          times: repeated(attribute('number-columns-repeated')),
          text: new CellText(),
        }
      } else if (cell && beside === 0) {
        if (element === 'p' && (paragraphs += 1) > 1) cell.text.add(' ')
        if (element === 's' || element === 'tab' || element === 'line-break') cell.text.add(' ')
      }
    },
    text(piece) {
      if (cell && beside === 0 && paragraphs > 0) cell.text.add(piece)
    },
    close(element) {
      if (isHere()) {
        if (BESIDE.has(element)) beside -= 1
        else if ((element === 'table-cell' || element === 'covered-table-cell') && cell) {
          const text = textOf(cell, decimal)
          if (cell.hasFormula && text === '' && cell.type !== 'string') collector.unsavedFormulas += 1
          // Blank cells repeat to the end of the sheet.
          if (text.trim() !== '') for (let i = 0; i < cell.times; i += 1) collector.put(column + i, text, row)
          column += cell.times
          cell = undefined
        } else if (element === 'table-row') {
          collector.endRow(row, times)
          row += times - 1
        }
      }
      if (element === 'table') tables -= 1
    },
  })
}

function repeated(text: string | undefined): number {
  const times = Number(text ?? '1')
  return Number.isSafeInteger(times) && times > 0 ? times : 1
}

/** The program shows a number with the digits and zeros of its format; its value has all digits. */
function textOf({ type, value, currency, text: shown }: Cell, decimal: DecimalSign): string {
  const { text } = shown
  switch (type) {
    case 'float':
    case 'currency':
    case 'percentage': {
      if (value === undefined) return text
      if (/^0\d+$/.test(text) && Number(text) === Number(value)) return text
      const digits = /[.,](\d+)\D*$/.exec(text)?.[1]?.length
      const format: NumberFormat = {
        ...GENERAL,
        ...(type === 'percentage' && { kind: 'percent' }),
        ...(digits !== undefined && { digits }),
        ...(type === 'currency' && currency !== undefined && { currency }),
      }
      return numberText(value, format, decimal)
    }
    case 'date':
      return (value ?? text).replace(/T00:00:00(?:\.0+)?$/, '').replace('T', ' ')
    case 'boolean':
      return (value ?? text).toUpperCase()
    default:
      return text === '' ? (value ?? '') : text
  }
}
