/** Writes small workbooks (.xlsx and .ods) for tests, as spreadsheet programs do. */
import { strToU8, zipSync } from 'fflate'

/** Text, a number, a number with a format, a formula with or without its saved value, nothing. */
export type TestCell =
  | string
  | number
  | boolean
  | null
  | { readonly value: number; readonly format: string }
  /** `2026-11-17` */
  | { readonly date: string }
  | { readonly formula: string; readonly value?: number | string }
  /** Over so many columns. */
  | { readonly merged: string; readonly over: number }

export interface TestSheet {
  readonly name: string
  readonly isHidden?: boolean
  readonly rows: readonly (readonly TestCell[])[]
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

export function columnName(index: number): string {
  const rest = Math.floor(index / 26)
  return `${rest > 0 ? columnName(rest - 1) : ''}${String.fromCharCode(65 + (index % 26))}`
}

/** Parts by their names, packed. */
export const archive = (parts: Readonly<Record<string, string | Uint8Array>>): Buffer =>
  Buffer.from(
    zipSync(
      Object.fromEntries(
        Object.entries(parts).map(([name, part]) => [name, typeof part === 'string' ? strToU8(part) : part]),
      ),
    ),
  )

const DAYS = (date: string): number => (Date.parse(date) - Date.UTC(1899, 11, 30)) / 86_400_000

/** The parts of an .xlsx, for tests that damage one of them. */
export function xlsxParts(sheets: readonly TestSheet[]): Record<string, string> {
  const texts: string[] = []
  const formats = ['General', 'yyyy\\-mm\\-dd']
  const styleOf = (format: string): number => {
    if (!formats.includes(format)) formats.push(format)
    return formats.indexOf(format)
  }
  const cellXml = (cell: TestCell, place: string): string => {
    if (cell === null) return ''
    if (typeof cell === 'string' || (typeof cell === 'object' && 'merged' in cell)) {
      texts.push(typeof cell === 'string' ? cell : cell.merged)
      return `<c r="${place}" t="s"><v>${texts.length - 1}</v></c>`
    }
    if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`
    if (typeof cell === 'boolean') return `<c r="${place}" t="b"><v>${Number(cell)}</v></c>`
    if ('date' in cell) return `<c r="${place}" s="1"><v>${DAYS(cell.date)}</v></c>`
    if ('format' in cell) return `<c r="${place}" s="${styleOf(cell.format)}"><v>${cell.value}</v></c>`
    const { formula, value } = cell
    const type = typeof value === 'string' ? ' t="str"' : ''
    const saved = value === undefined ? '' : `<v>${escape(String(value))}</v>`
    return `<c r="${place}"${type}><f>${escape(formula)}</f>${saved}</c>`
  }
  const sheetXml = ({ rows }: TestSheet): string => {
    const merges: string[] = []
    const lines = rows.map((cells, r) => {
      let column = 0
      const written = cells.map((cell) => {
        const place = `${columnName(column)}${r + 1}`
        const over = typeof cell === 'object' && cell !== null && 'over' in cell ? cell.over : 1
        if (over > 1) merges.push(`<mergeCell ref="${place}:${columnName(column + over - 1)}${r + 1}"/>`)
        column += over
        return cellXml(cell, place)
      })
      return cells.length === 0 ? '' : `<row r="${r + 1}">${written.join('')}</row>`
    })
    const merged = merges.length > 0 ? `<mergeCells count="${merges.length}">${merges.join('')}</mergeCells>` : ''
    return `${XML}<worksheet xmlns="${MAIN}"><dimension ref="A1"/><sheetData>${lines.join('')}</sheetData>${merged}</worksheet>`
  }
  const sheetParts = Object.fromEntries(sheets.map((sheet, i) => [`xl/worksheets/sheet${i + 1}.xml`, sheetXml(sheet)]))
  const numFmts = formats.slice(1).map((code, i) => `<numFmt numFmtId="${164 + i}" formatCode="${escape(code)}"/>`)
  const xfs = formats.map((_, i) => `<xf numFmtId="${i === 0 ? 0 : 163 + i}" applyNumberFormat="1"/>`)
  return {
    '[Content_Types].xml': `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
    '_rels/.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><workbookPr/><sheets>${sheets
      .map(
        ({ name, isHidden }, i) =>
          `<sheet name="${escape(name)}" sheetId="${i + 1}"${isHidden ? ' state="hidden"' : ''} r:id="rId${i + 1}"/>`,
      )
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships">${sheets
      .map(
        (_, i) =>
          `<Relationship Id="rId${i + 1}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${i + 1}.xml"/>`,
      )
      .join('')}<Relationship Id="rIdT" Type="${RELATIONS}/sharedStrings" Target="sharedStrings.xml"/>
      <Relationship Id="rIdS" Type="${RELATIONS}/styles" Target="/xl/styles.xml"/></Relationships>`,
    'xl/sharedStrings.xml': `${XML}<sst xmlns="${MAIN}">${texts.map((text) => `<si><t xml:space="preserve">${escape(text)}</t></si>`).join('')}</sst>`,
    'xl/styles.xml': `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="${numFmts.length}">${numFmts.join('')}</numFmts><cellStyleXfs count="1"><xf numFmtId="14"/></cellStyleXfs><cellXfs count="${xfs.length}">${xfs.join('')}</cellXfs></styleSheet>`,
    ...sheetParts,
  }
}

export const xlsx = (...sheets: readonly TestSheet[]): Buffer => archive(xlsxParts(sheets))

export function odsParts(sheets: readonly TestSheet[]): Record<string, string> {
  const number = (value: number, shown: string, more = 'office:value-type="float"') =>
    `<table:table-cell ${more} office:value="${value}"><text:p>${escape(shown)}</text:p></table:table-cell>`
  const cellXml = (cell: TestCell): string => {
    if (cell === null) return '<table:table-cell/>'
    if (typeof cell === 'string')
      return `<table:table-cell office:value-type="string"><text:p>${escape(cell)}</text:p></table:table-cell>`
    if (typeof cell === 'number') return number(cell, String(cell))
    if (typeof cell === 'boolean')
      return `<table:table-cell office:value-type="boolean" office:boolean-value="${cell}"><text:p>${cell ? 'WAHR' : 'FALSCH'}</text:p></table:table-cell>`
    if ('merged' in cell)
      return `<table:table-cell table:number-columns-spanned="${cell.over}" office:value-type="string"><text:p>${escape(cell.merged)}</text:p></table:table-cell><table:covered-table-cell table:number-columns-repeated="${cell.over - 1}"/>`
    if ('date' in cell)
      return `<table:table-cell office:value-type="date" office:date-value="${cell.date}"><text:p>17.11.26</text:p></table:table-cell>`
    if ('format' in cell)
      return cell.format.includes('€')
        ? number(
            cell.value,
            `${cell.value.toFixed(2).replace('.', ',')} €`,
            'office:value-type="currency" office:currency="EUR"',
          )
        : number(cell.value, cell.value.toFixed(2))
    const { formula, value } = cell
    if (value === undefined)
      return `<table:table-cell table:formula="of:${escape(formula)}" office:value-type="float"/>`
    return typeof value === 'number'
      ? number(
          value,
          String(Number(value.toPrecision(15))),
          `table:formula="of:${escape(formula)}" office:value-type="float"`,
        )
      : `<table:table-cell table:formula="of:${escape(formula)}" office:value-type="string"><text:p>${escape(value)}</text:p></table:table-cell>`
  }
  const tableXml = ({ name, isHidden, rows }: TestSheet): string =>
    `<table:table table:name="${escape(name)}" table:style-name="${isHidden ? 'ta2' : 'ta1'}"><table:table-column table:number-columns-repeated="1024"/>${rows
      .map(
        (cells) =>
          `<table:table-row>${cells.map(cellXml).join('')}<table:table-cell table:number-columns-repeated="1000"/></table:table-row>`,
      )
      .join(
        '',
      )}<table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="1024"/></table:table-row></table:table>`
  const namespaces = ['office', 'table', 'text', 'style']
    .map((prefix) => `xmlns:${prefix}="urn:oasis:names:tc:opendocument:xmlns:${prefix}:1.0"`)
    .join(' ')
  return {
    mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
    'META-INF/manifest.xml': `${XML}<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/"/></manifest:manifest>`,
    'content.xml': `${XML}<office:document-content ${namespaces}><office:automatic-styles><style:style style:name="ta1" style:family="table"><style:table-properties table:display="true"/></style:style><style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style></office:automatic-styles><office:body><office:spreadsheet>${sheets.map(tableXml).join('')}</office:spreadsheet></office:body></office:document-content>`,
  }
}

export const ods = (...sheets: readonly TestSheet[]): Buffer => archive(odsParts(sheets))
