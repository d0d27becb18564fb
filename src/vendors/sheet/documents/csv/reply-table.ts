/**
 * Replies as a table, CSV or a workbook. Ours has the columns `po,status,sku,qty`: qty is what stands, and a row without sku is
 * about the whole order. Others are read by their own headers (reply-columns.ts).
 */
import { UnreadableReply } from '../../../upstream/read-json.ts'
import { type Encoding, decodeText, endsMidLine, hasMixedLineEnds, isBlankRow, parseRows } from './csv-text.ts'
import {
  type OrderReply,
  type ReadReplies,
  type ReplyLine,
  kindOfQuantity,
  kindOver,
  readReplies,
} from '../order-reply.ts'
import { forEachListRow } from '../../price-list/list-rows.ts'
import { EnoughRows, isWorkbook } from '../../workbook/workbook.ts'
import { type OrderUnit, unitOf, wholeOf } from '../units.ts'
import {
  type ReplyAnswers,
  type ReplyColumn,
  type ReplyHeader,
  HEADER_NEEDS,
  findOrderNumber,
  headerProblem,
  readReplyHeader,
  statusOf,
  unknownStatus,
} from './reply-columns.ts'

interface TableReplySettings extends ReplyAnswers {
  readonly encoding: Encoding
}

/** Rows above the header are titles and addresses. */
const HEADER_WITHIN = 30
/** A hundred times a long order. */
const ROWS_MAX = 20_000
const DELIMITERS = [',', ';', '\t', '|'] as const
const TOTAL_ROW = /^(?:grand )?(?:total|totals|sum|summe|gesamt|totale|合计|总计)\b/iu

type Row = Readonly<ReturnType<typeof readRows>[number]>

export const readTableReplies = (bytes: Uint8Array, settings: TableReplySettings): ReadReplies =>
  readReplies(() =>
    [...Map.groupBy(readRows(bytes, settings), ({ po }) => po)].flatMap(([po, rows]) => toReplies(po, rows)),
  )

interface Table {
  readonly above: readonly (readonly string[])[]
  readonly header: ReplyHeader
  /** With the number that spreadsheets show. */
  readonly rows: readonly { readonly row: number; readonly cells: readonly string[] }[]
}

function readRows(bytes: Uint8Array, settings: TableReplySettings) {
  const isBook = isWorkbook(bytes)
  const { above, header, rows } = isBook ? readBook(bytes, settings) : readText(bytes, settings)
  const numberAbove = header.places.has('po') ? undefined : findOrderNumber(above)
  const problem = headerProblem(header, numberAbove !== undefined)
  if (problem !== undefined) throw new UnreadableReply(problem)
  const read = rows.flatMap(({ row, cells }) => {
    if (isBlankRow(cells)) return []
    if (cells.length > header.cells) throw new UnreadableReply(`row ${row} has more cells than the header`)
    const isTotal = TOTAL_ROW.test(cells.find((cell) => cell.trim() !== '')?.trim() ?? '')
    const cell = (column: ReplyColumn) => cells[header.places.get(column) ?? -1] ?? ''
    const text = (column: ReplyColumn) => cell(column).replaceAll(/^ +| +$/g, '')
    const [po, sku, line, stated] = [numberAbove ?? text('po'), text('sku'), text('line'), text('status')]
    if (isTotal && sku === '' && stated === '') return []
    // The quantity keeps its blanks: one may have been a digit.
    const quantities = (['ordered', 'qty', 'shipped', 'backordered'] as const).map((column) => cell(column))
    const isAboutLine = sku !== '' || line !== ''
    // A separator may be lost between the two. A row that states neither is about the whole order.
    if (!isBook && cells.length < header.cells && (isAboutLine || quantities.some((each) => each !== '')))
      throw new UnreadableReply(`row ${row} has fewer cells than the header`)
    if (po === '') throw new UnreadableReply(`row ${row} has no order number`)
    const status = statusOf(stated, settings)
    if (stated !== '' && !status) throw unknownStatus(stated, row)
    const [ordered, qty, shipped, backordered] = quantities.map((each) => quantityOf(each, row))
    const hasMeaning = shipped !== undefined || (qty !== undefined && (header.isConfirmed || ordered !== undefined))
    if (!status && !(isAboutLine && hasMeaning)) throw new UnreadableReply(`row ${row} has no status that we know`)
    return [
      {
        row,
        po,
        status,
        sku,
        line: sku === '' ? line : '',
        unit: readUnit(text('unit'), row),
        ordered,
        qty,
        shipped,
        backordered,
      },
    ]
  })
  if (read.length === 0) throw new UnreadableReply('there are no rows')
  return read
}

function quantityOf(cell: string, row: number): number | undefined {
  if (cell === '') return undefined
  const quantity = wholeOf(cell)
  if (quantity === undefined) throw new UnreadableReply(`row ${row} has no whole quantity`)
  return quantity
}

function readUnit(text: string, row: number): OrderUnit | undefined {
  if (text === '') return undefined
  const unit = unitOf(text) ?? WORDS_OF_UNITS.get(text.toLowerCase().replace(/\.$/, ''))
  if (unit === undefined) throw new UnreadableReply(`row ${row} is in the unit ${text.slice(0, 20)}`)
  return unit
}

const WORDS_OF_UNITS: ReadonlyMap<string, OrderUnit> = new Map([
  ...['each', 'piece', 'pieces', 'pcs', 'unit', 'units', 'stück', 'stk', 'pièce', '瓶', '个', '支'].map(
    (word) => [word, 'each'] as const,
  ),
  ...['case', 'cases', 'box', 'boxes', 'carton', 'cartons', 'ctn', 'karton', 'caja', 'cartone', '箱', '件'].map(
    (word) => [word, 'pack'] as const,
  ),
])

/** The separator with which a header is found. */
function readText(bytes: Uint8Array, settings: TableReplySettings): Table {
  const text = decodeText(bytes, settings.encoding)
  if (text === undefined) throw new UnreadableReply(`the file is not ${settings.encoding} text`)
  if (endsMidLine(text)) throw new UnreadableReply('the last line has no end, so the file may be incomplete')
  if (hasMixedLineEnds(text)) throw new UnreadableReply('its lines end in different ways, so it may be damaged')
  const start = text.split(/\r\n|\n|\r/, HEADER_WITHIN).join('\n')
  const delimiter = DELIMITERS.find((sign) => {
    const parsed = parseRows(start, sign, { trim: false })
    return parsed.ok && parsed.rows.some((row) => row.length > 1 && isHeader(row, settings))
  })
  const parsed = parseRows(text, delimiter ?? ',', { trim: false })
  if (!parsed.ok) throw new UnreadableReply(parsed.problem)
  return splitTable(
    parsed.rows.map((cells, i) => ({ row: i + 1, cells })),
    settings,
  )
}

function readBook(bytes: Uint8Array, settings: TableReplySettings): Table {
  const rows: { row: number; cells: readonly string[] }[] = []
  const read = forEachListRow(bytes, { encoding: settings.encoding, delimiter: ',', decimal: '.' }, (cells, row) => {
    rows.push({ row, cells })
    if (rows.length > ROWS_MAX) throw new EnoughRows()
  })
  if (!read.ok) throw new UnreadableReply(read.problem)
  if (read.notes.length > 0) throw new UnreadableReply('it has formulas without a saved value')
  return splitTable(rows, settings)
}

function isHeader(row: readonly string[], settings: ReplyAnswers): boolean {
  try {
    return readReplyHeader(row, settings) !== undefined
  } catch (error) {
    if (!(error instanceof UnreadableReply)) throw error
    return true
  }
}

function splitTable(rows: Table['rows'], settings: ReplyAnswers): Table {
  if (rows.length > ROWS_MAX) throw new UnreadableReply(`it has more than ${ROWS_MAX.toLocaleString('en')} rows`)
  for (const [i, { cells }] of rows.slice(0, HEADER_WITHIN).entries()) {
    const header = readReplyHeader(cells, settings)
    if (header) return { above: rows.slice(0, i).map((row) => row.cells), header, rows: rows.slice(i + 1) }
  }
  throw new UnreadableReply(HEADER_NEEDS)
}

/** What was shipped and what comes later are two replies: the first keeps what is not shipped yet. */
function toReplies(po: string, rows: readonly Row[]): readonly OrderReply[] {
  const whole = rows.filter(({ sku, line }) => sku === '' && line === '')
  const about = rows.filter(({ sku, line }) => sku !== '' || line !== '')
  const lines = about.map(toLine)
  const [statement] = whole
  if (new Set(whole.map(({ status }) => status)).size > 1)
    throw new UnreadableReply(`order ${po} has two different statuses`)
  if (statement && (statement.qty ?? statement.shipped ?? statement.backordered ?? statement.ordered) !== undefined)
    throw new UnreadableReply(`row ${statement.row} has a quantity and no sku`)
  if (new Set(about.map(({ sku, line, unit }) => JSON.stringify([sku, line, unit]))).size !== lines.length)
    throw new UnreadableReply(`order ${po} has two rows for one sku`)
  if (statement?.status === 'rejected' && lines.some(({ kind }) => kind !== 'rejected'))
    throw new UnreadableReply(`order ${po} is rejected, but not its lines`)
  const later = about.flatMap((row, i) => {
    const line = lines[i]
    return line?.kind === 'shipped' && row.backordered !== undefined && row.backordered > 0
      ? [
          {
            ...line,
            kind: 'changed' as const,
            quantity: (line.quantity ?? 0) + row.backordered,
            backordered: row.backordered,
          },
        ]
      : []
  })
  const stated = statement?.status ?? (lines.some(({ kind }) => kind === 'shipped') ? 'shipped' : 'accepted')
  const reply: OrderReply = { ref: po, refKind: 'order_number', kind: kindOver(stated, lines), lines }
  return later.length === 0 ? [reply] : [{ ...reply, kind: 'changed', lines: later }, reply]
}

function toLine({ row, status, sku, line, unit, ordered, qty, shipped, backordered }: Row): ReplyLine {
  const name = {
    ...(sku === '' ? { lineNumber: lineNumberOf(line, row) } : { vendorSku: sku }),
    ...(unit !== undefined && { unit }),
  }
  const isShipped = status === 'shipped' || (status === undefined && shipped !== undefined)
  const quantity = isShipped ? (shipped ?? qty) : (qty ?? shipped)
  if (status === 'rejected') {
    if ((quantity ?? 0) > 0 || (backordered ?? 0) > 0)
      throw new UnreadableReply(`row ${row} is rejected with a quantity`)
    return { kind: 'rejected', ...name, quantity: 0 }
  }
  if (status !== 'accepted' && quantity === undefined) throw new UnreadableReply(`row ${row} needs a quantity`)
  if (isShipped) return { kind: 'shipped', ...name, quantity: quantity ?? 0 }
  const later = backordered ?? 0
  const kind = status ?? kindOfQuantity((quantity ?? 0) + later, ordered)
  if (kind === 'rejected') return { kind, ...name, quantity: 0 }
  return {
    kind: kind === 'accepted' && later > 0 ? 'changed' : kind,
    ...name,
    ...(quantity !== undefined && { quantity: quantity + later }),
    ...(later > 0 && { backordered: later }),
  }
}

function lineNumberOf(text: string, row: number): number {
  const number = wholeOf(text)
  if (!number) throw new UnreadableReply(`row ${row} has no line number`)
  return number
}
