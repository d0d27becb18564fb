/** Replies as CSV with the columns `po,status,sku,qty`: qty is what stands, and a row without sku is about the whole order. */
import { UnreadableReply } from '../../../upstream/read-json.ts'
import { decodeText, endsMidLine, hasMixedLineEnds, isBlankRow, parseRows } from './csv-text.ts'
import { type OrderReply, type ReadReplies, type ReplyLine, kindOver, readReplies } from '../order-reply.ts'
import type { PriceListSettings } from '../../price-list/price-list.ts'
import { wholeOf } from '../units.ts'

type CsvReplySettings = Pick<PriceListSettings, 'encoding' | 'delimiter'>

const COLUMNS = ['po', 'status', 'sku', 'qty'] as const
const STATUSES = ['accepted', 'changed', 'rejected', 'shipped'] as const
type Row = Readonly<ReturnType<typeof readRows>[number]>

export const readCsvReplies = (bytes: Uint8Array, settings: CsvReplySettings): ReadReplies =>
  readReplies(() => [...Map.groupBy(readRows(bytes, settings), ({ po }) => po)].map(([po, rows]) => toReply(po, rows)))

function readRows(bytes: Uint8Array, { encoding, delimiter }: CsvReplySettings) {
  const text = decodeText(bytes, encoding)
  if (text === undefined) throw new UnreadableReply(`the file is not ${encoding} text`)
  if (endsMidLine(text)) throw new UnreadableReply('the last line has no end, so the file may be incomplete')
  if (hasMixedLineEnds(text)) throw new UnreadableReply('its lines end in different ways, so it may be damaged')
  const parsed = parseRows(text, delimiter, { trim: false })
  if (!parsed.ok) throw new UnreadableReply(parsed.problem)
  const [header = [], ...rows] = parsed.rows
  const names = header.map((name) => name.trim().toLowerCase())
  const places = COLUMNS.map((column) => names.indexOf(column))
  if (places.includes(-1) || new Set(names).size !== names.length)
    throw new UnreadableReply(`the header has to name ${COLUMNS.join(', ')}, each once`)
  const read = rows.flatMap((cells, i) => {
    if (isBlankRow(cells)) return []
    if (cells.length > header.length) throw new UnreadableReply(`row ${i + 2} has more cells than the header`)
    // The quantity keeps its blanks: one may have been a digit.
    const [po = '', stated = '', sku = '', qty = ''] = places.map((place, n) =>
      n === COLUMNS.indexOf('qty') ? (cells[place] ?? '') : (cells[place] ?? '').replaceAll(/^ +| +$/g, ''),
    )
    const status = STATUSES.find((known) => known === stated.toLowerCase())
    // A separator may be lost between the two. A row that states neither is about the whole order.
    if (cells.length < header.length && (sku !== '' || qty !== ''))
      throw new UnreadableReply(`row ${i + 2} has fewer cells than the header`)
    if (po === '') throw new UnreadableReply(`row ${i + 2} has no order number`)
    if (!status) throw new UnreadableReply(`row ${i + 2} has no status that we know`)
    return [{ row: i + 2, po, status, sku, qty }]
  })
  if (read.length === 0) throw new UnreadableReply('there are no rows')
  return read
}

function toReply(po: string, rows: readonly Row[]): OrderReply {
  const whole = rows.filter(({ sku }) => sku === '')
  const lines = rows.filter(({ sku }) => sku !== '').map(toLine)
  const [statement] = whole
  if (new Set(whole.map(({ status }) => status)).size > 1)
    throw new UnreadableReply(`order ${po} has two different statuses`)
  if (statement && statement.qty !== '') throw new UnreadableReply(`row ${statement.row} has a quantity and no sku`)
  if (new Set(lines.map(({ vendorSku }) => vendorSku)).size !== lines.length)
    throw new UnreadableReply(`order ${po} has two rows for one sku`)
  if (statement?.status === 'rejected' && lines.some(({ kind }) => kind !== 'rejected'))
    throw new UnreadableReply(`order ${po} is rejected, but not its lines`)
  const stated = statement?.status ?? (lines.some(({ kind }) => kind === 'shipped') ? 'shipped' : 'accepted')
  return { ref: po, refKind: 'order_number', kind: kindOver(stated, lines), lines }
}

function toLine({ row, status, sku, qty }: Row): ReplyLine & { readonly vendorSku: string } {
  const quantity = qty === '' ? undefined : wholeOf(qty)
  if (qty !== '' && quantity === undefined) throw new UnreadableReply(`row ${row} has no whole quantity`)
  if (status === 'rejected' && (quantity ?? 0) > 0) throw new UnreadableReply(`row ${row} is rejected with a quantity`)
  if (status === 'rejected') return { kind: 'rejected', vendorSku: sku, quantity: 0 }
  if (status !== 'accepted' && quantity === undefined) throw new UnreadableReply(`row ${row} needs a quantity`)
  return { kind: status, vendorSku: sku, ...(quantity !== undefined && { quantity }) }
}
