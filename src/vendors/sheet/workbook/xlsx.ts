/** Office Open XML (.xlsx): names of sheets, number formats and shared texts first, then the cells of one sheet. */
import { posix } from 'node:path'
import type { DecimalSign } from '../../../kernel/minor-units.ts'
import { CELLS_MAX } from '../documents/csv/csv-text.ts'
import { GENERAL, type NumberFormat, builtInFormat, dateText, formatOf, numberText } from './number-text.ts'
import { CellText, type RowCollector, type Sheet, type WorkbookFormat } from './sheet-rows.ts'
import { readPart } from './xml-parts.ts'
import { type Archive, UnreadableWorkbook } from './zip-archive.ts'

/** Parts are named relative to the folder of the part that names them. */
const partName = (folder: string, target: string): string => posix.resolve(`/${folder}`, target).slice(1)

/** Targets of a part by their ids, and by the last word of their type: `worksheet`, `styles`. */
function readRelations(archive: Archive, folder: string, name: string) {
  const byId = new Map<string, { readonly part: string; readonly type: string }>()
  const part = `${folder === '' ? '' : `${folder}/`}_rels/${name}.rels`
  if (archive.has(part))
    readPart(archive, part, {
      open(element, attribute) {
        if (element !== 'Relationship' || attribute('TargetMode') === 'External') return
        const type = (attribute('Type') ?? '').split('/').at(-1) ?? ''
        byId.set(attribute('Id') ?? '', { part: partName(folder, attribute('Target') ?? ''), type })
      },
    })
  return {
    byId,
    partOf: (type: string): string | undefined => {
      const found = [...byId.values()].find((relation) => relation.type === type)?.part
      if (found !== undefined && !archive.has(found))
        throw new UnreadableWorkbook(`the workbook lacks its part ${found}`)
      return found
    },
  }
}

export function readXlsx(archive: Archive, decimal: DecimalSign): WorkbookFormat {
  const main = readRelations(archive, '', '').partOf('officeDocument')
  if (main === undefined || !main.endsWith('.xml'))
    throw new UnreadableWorkbook('the file is no workbook of rows and cells that can be read; save it as .xlsx')
  const folder = main.split('/').slice(0, -1).join('/')
  const relations = readRelations(archive, folder, main.split('/').at(-1) ?? '')
  const sheets: Sheet[] = []
  let calendar: 1900 | 1904 = 1900
  readPart(archive, main, {
    open(element, attribute) {
      if (element === 'workbookPr' && /^(?:1|true)$/.test(attribute('date1904') ?? '')) calendar = 1904
      if (element !== 'sheet') return
      const relation = relations.byId.get(attribute('id') ?? '')
      if (relation?.type !== 'worksheet') return
      const isVisible = (attribute('state') ?? 'visible') === 'visible'
      sheets.push({ name: attribute('name') ?? '', isVisible, place: relation.part })
    },
  })
  return {
    sheets,
    readRows(sheet, collector) {
      const styles = relations.partOf('styles')
      const texts = relations.partOf('sharedStrings')
      readSheet(archive, sheet.place, collector, {
        formats: styles === undefined ? [] : readFormats(archive, styles),
        texts: texts === undefined ? [] : readTexts(archive, texts),
        calendar,
        decimal,
      })
    },
  }
}

/** The format of each style that a cell can name. */
function readFormats(archive: Archive, part: string): readonly NumberFormat[] {
  const codes = new Map<number, string>()
  const formats: NumberFormat[] = []
  let isInCells = false
  readPart(archive, part, {
    open(element, attribute) {
      if (element === 'numFmt') codes.set(Number(attribute('numFmtId')), attribute('formatCode') ?? '')
      if (element === 'cellXfs') isInCells = true
      if (element !== 'xf' || !isInCells) return
      const id = Number(attribute('numFmtId') ?? '0')
      const code = codes.get(id)
      formats.push(code === undefined ? builtInFormat(id) : formatOf(code))
    },
    close(element) {
      if (element === 'cellXfs') isInCells = false
    },
  })
  return formats
}

/** Texts of cells are stored once for all sheets. How they are pronounced (`rPh`) is not part of them. */
function readTexts(archive: Archive, part: string): readonly string[] {
  const texts: string[] = []
  let current = new CellText()
  let isText = false
  let pronounced = 0
  readPart(archive, part, {
    open(element) {
      if (element === 'si') current = new CellText()
      if (element === 'rPh') pronounced += 1
      isText = element === 't' && pronounced === 0
    },
    text(piece) {
      if (isText) current.add(piece)
    },
    close(element) {
      isText = false
      if (element === 'rPh') pronounced -= 1
      if (element !== 'si') return
      texts.push(current.text)
      if (texts.length > CELLS_MAX)
        throw new UnreadableWorkbook(`it has more than ${CELLS_MAX.toLocaleString('en')} texts`)
    },
  })
  return texts
}

interface SheetContext {
  readonly formats: readonly NumberFormat[]
  readonly texts: readonly string[]
  readonly calendar: 1900 | 1904
  readonly decimal: DecimalSign
}

interface Cell {
  readonly column: number
  readonly type: string
  readonly style: number
  readonly value: CellText
  readonly inline: CellText
  hasFormula: boolean
}

function readSheet(archive: Archive, part: string, collector: RowCollector, context: SheetContext): void {
  let row = 0
  let column = -1
  let cell: Cell | undefined
  /** Which text is being read. */
  let target: CellText | undefined
  let pronounced = 0
  readPart(archive, part, {
    open(element, attribute) {
      if (element === 'row') {
        row = numberAt(attribute('r')) ?? row + 1
        column = -1
      } else if (element === 'c') {
        column = columnOf(attribute('r')) ?? column + 1
        cell = {
          column,
          type: attribute('t') ?? 'n',
          style: Number(attribute('s') ?? '0'),
          value: new CellText(),
          inline: new CellText(),
          hasFormula: false,
        }
      } else if (element === 'rPh') pronounced += 1
      else if (element === 'f' && cell) cell.hasFormula = true
      else if (element === 'v') target = cell?.value
      else if (element === 't' && pronounced === 0) target = cell?.inline
    },
    text(piece) {
      target?.add(piece)
    },
    close(element) {
      target = undefined
      if (element === 'rPh') pronounced -= 1
      else if (element === 'c' && cell) {
        const text = textOf(cell, context)
        if (cell.hasFormula && cell.value.text === '' && cell.inline.text === '') collector.unsavedFormulas += 1
        collector.put(cell.column, text, row)
        cell = undefined
      } else if (element === 'row') collector.endRow(row)
    },
  })
}

function textOf({ type, style, value, inline }: Cell, { formats, texts, calendar, decimal }: SheetContext): string {
  const raw = value.text
  switch (type) {
    case 's': {
      const text = texts[Number(raw)]
      if (text === undefined && raw !== '') throw new UnreadableWorkbook('the workbook lacks the text of a cell')
      return text ?? ''
    }
    case 'inlineStr':
      return inline.text
    case 'b':
      return raw === '1' ? 'TRUE' : raw === '0' ? 'FALSE' : raw
    case 'd':
      return raw.replace(/T00:00(?::00(?:\.0+)?)?Z?$/, '').replace('T', ' ')
    case 'n': {
      const format = formats[style] ?? GENERAL
      return format.kind === 'date' ? dateText(raw, calendar) : numberText(raw, format, decimal)
    }
    default:
      return raw
  }
}

const numberAt = (text: string | undefined): number | undefined => {
  const row = Number(text)
  return text !== undefined && Number.isSafeInteger(row) && row > 0 ? row : undefined
}

/** `AB12` is column 27, counted from 0. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^\$?([A-Z]{1,7})/i.exec(reference ?? '')?.[1]?.toUpperCase()
  if (letters === undefined) return undefined
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}
