/**
 * Sales exports as ledger records. Operators export the same days again and again, in windows that overlap, so the same
 * sale must get the same order number from every file. Where the platform exports no transaction number, sales are
 * distinguished by machine, time and code, and counted where these are equal. Transaction numbers count within a day:
 * terminals begin again with 1.
 */
import { fen, times } from '../../kernel/fen.ts'
import type { DecimalSign } from '../../kernel/minor-units.ts'
import { parseLocationId } from '../../kernel/ids.ts'
import { mapWordsToGroups } from '../../lib/words.ts'
import type { Result } from '../contract.ts'
import type { LedgerLineStatus, LedgerRecord } from '../machine-vendor.ts'
import { succeed } from '../result.ts'
import { sanitizeText } from '../upstream/sanitize-text.ts'
import { countOfText, minorOfCell } from './amount.ts'
import { compareText } from '../../kernel/text.ts'
import { type DateOrder, type SheetTime, readSheetTime } from './local-time.ts'
import { type Cells, type Columns, type SheetRow, failedSheet, readSheetRows, UnreadableCell } from './sheet-rows.ts'

/** More units in one row are a wrong number, not a sale; `1.000` may be one unit with three digits after the point. */
const MOST_UNITS = 999
/** In minor units; the sum of a transaction stays far below 2^53. */
const MOST_ROW_TOTAL = 1e11
const LONGEST_TRANSACTION = 64

type Column = 'machine' | 'time' | 'code' | 'price' | 'quantity' | 'transaction' | 'status'

export interface SalesSheet {
  /** `price` is that of one unit. Without a quantity column each row is one unit. */
  readonly columns: Columns<'machine' | 'time' | 'code' | 'price', 'quantity' | 'transaction' | 'status'>
  readonly digits: number
  readonly decimal?: DecimalSign | undefined
  /** Those of the currency, which may stand around an amount. */
  readonly signs?: RegExp
  readonly timeZone: string
  readonly dateOrder?: DateOrder | undefined
  /** The platform's words for a status, in lower case; they come before the usual ones. */
  readonly statuses?: Readonly<Record<string, LedgerLineStatus>> | undefined
  readonly firstRow?: number
}

const PAID = ['paid', 'approved', 'captured', 'complete', 'completed', 'sale', 'settled', 'sold', 'vended']
const STATUSES: ReadonlyMap<string, LedgerLineStatus> = mapWordsToGroups({
  paid: [...PAID, 'success', 'successful'],
  unpaid: ['declined', 'failed', 'pending', 'unpaid'],
  refunded: ['refund', 'refunded'],
  cancelled: ['canceled', 'cancelled', 'void', 'voided'],
})

type SaleRow = Readonly<NonNullable<ReturnType<typeof readSale>>>

/** The sales of one export, grouped by what identifies them. */
export interface SalesFile {
  readonly groups: ReadonlyMap<string, readonly SaleRow[]>
  readonly notices: readonly string[]
}

export function readSalesFile(rows: readonly SheetRow[], sheet: SalesSheet): Result<SalesFile> {
  const unknownStatuses = new Set<string>()
  const read = readSheetRows<Column, SaleRow>(rows, {
    kind: 'sale',
    columns: sheet.columns,
    needed: ['machine', 'time', 'code', 'price'],
    ...(sheet.firstRow !== undefined && { firstRow: sheet.firstRow }),
    idOf: (cells) => {
      const [machine, transaction] = [cells('machine'), cells('transaction')?.replaceAll(/\s+/g, ' ')]
      const time = readSheetTime(cells('time') ?? '', sheet)
      return machine && time && transactionId(machine, time, transaction)
    },
    read: (cells) => readSale(cells, sheet, unknownStatuses),
  })
  if ('problem' in read) return failedSheet(read.problem)
  const unknown = [...unknownStatuses].map(
    (status) => `status "${sanitizeText(status)}" is not known and counts as unpaid`,
  )
  // Without one of its rows a sale would have another total.
  const incomplete = new Set(read.unreadable.flatMap(({ id }) => id ?? []))
  const whole = read.rows.filter(
    ({ machine, time, transaction }) => !incomplete.has(transactionId(machine, time, transaction) ?? ''),
  )
  return succeed({ groups: Map.groupBy(whole, groupKey), notices: [...read.notices, ...unknown] }, read.unreadable)
}

function readSale(cells: Cells<Column>, sheet: SalesSheet, unknownStatuses: Set<string>) {
  const cell = (column: Column) => cells(column) ?? ''
  const machine = parseLocationId(cell('machine'))
  if (machine === undefined) throw new UnreadableCell('machine', cell('machine'))
  const time = readSheetTime(cell('time'), sheet)
  if (!time) throw new UnreadableCell('time', cell('time'))
  const code = cell('code')
  if (!/^[^:\s]+$/.test(code)) throw new UnreadableCell('product code', code)
  const price = minorOfCell(cell('price'), sheet.digits, sheet.decimal, sheet.signs)
  if (price === undefined) throw new UnreadableCell('price', cell('price'))
  const quantity = sheet.columns.quantity === undefined ? 1 : countOfText(cell('quantity'), sheet.decimal)
  if (quantity === undefined || quantity > MOST_UNITS) throw new UnreadableCell('quantity', cell('quantity'))
  const transaction = cells('transaction')?.replaceAll(/\s+/g, ' ')
  if (transaction !== undefined && transaction.length > LONGEST_TRANSACTION)
    throw new UnreadableCell('transaction', transaction)
  if (price * quantity > MOST_ROW_TOTAL) throw new UnreadableCell('price', cell('price'))
  if (quantity === 0) return undefined
  const statusRaw = cells('status')
  const word = statusRaw?.toLowerCase()
  const status = word === undefined ? 'paid' : statusOf(word, sheet)
  if (status === undefined && statusRaw !== undefined) unknownStatuses.add(statusRaw)
  return {
    machine,
    time,
    timeRaw: cell('time'),
    code,
    quantity,
    priceFen: fen(price),
    transaction,
    // What is not known to be paid is not counted as a sale.
    status: status ?? 'unpaid',
    statusRaw,
  }
}

const statusOf = (word: string, { statuses = {} }: SalesSheet): LedgerLineStatus | undefined =>
  Object.hasOwn(statuses, word) ? statuses[word] : STATUSES.get(word)

const transactionId = (machine: string, time: SheetTime, transaction: string | undefined): string | undefined =>
  transaction && `${machine}.${dayOf(time)}.${transaction}`

/** Rows of one transaction, or rows that differ only by their number. */
const groupKey = ({ machine, transaction, time, code }: SaleRow): string =>
  JSON.stringify(transaction === undefined ? [machine, time.stamp, code] : [machine, dayOf(time), transaction])

const dayOf = ({ stamp }: SheetTime): string => stamp.slice(0, 'yyyymmdd'.length)

export interface SheetSales {
  readonly records: readonly LedgerRecord[]
  /** By machine: the oldest sale of any file. What happened before is not known. */
  readonly completeFrom: Readonly<Record<string, number>>
}

/**
 * The sales of several exports, oldest export first. A window may end inside a group, so of two files the one with more
 * rows of a group counts; with equally many the later one, which knows of refunds.
 */
export function mergeSales(files: readonly SalesFile[]): SheetSales {
  const groups = new Map<string, readonly SaleRow[]>()
  for (const file of files)
    for (const [key, rows] of file.groups) if (rows.length >= (groups.get(key)?.length ?? 0)) groups.set(key, rows)

  const completeFrom = new Map<string, number>()
  const records: LedgerRecord[] = []
  for (const rows of groups.values()) {
    const sorted = rows.toSorted(compareRows)
    for (const { machine, time } of sorted)
      completeFrom.set(machine, Math.min(completeFrom.get(machine) ?? Infinity, time.epochMs))
    records.push(...toRecords(sorted))
  }
  return { records, completeFrom: Object.fromEntries(completeFrom) }
}

/** An order that does not depend on that of the file: the platform may export newest first one day and oldest first the next. */
function compareRows(a: SaleRow, b: SaleRow): number {
  const byTime = a.time.epochMs - b.time.epochMs
  const byAmount = a.priceFen - b.priceFen || a.quantity - b.quantity
  return byTime || compareText(a.code, b.code) || byAmount || compareText(a.status, b.status)
}

function toRecords(rows: readonly SaleRow[]): LedgerRecord[] {
  const [first] = rows
  if (!first) return []
  const { machine, time, code, transaction } = first
  if (transaction !== undefined) return [toRecord(`${machine}.${dayOf(time)}.${transaction}`, rows)]
  return rows.map((row, i) => toRecord(`${machine}.${time.stamp}.${code}.${i + 1}`, [row]))
}

const SETTLED: ReadonlySet<LedgerLineStatus> = new Set(['paid', 'refunded', 'refund_failed'])

function toRecord(orderNo: string, rows: readonly SaleRow[]): LedgerRecord {
  const [first] = rows as readonly [SaleRow, ...SaleRow[]]
  return {
    orderNo,
    status: first.statusRaw ?? 'EXPORTED',
    settled: rows.some(({ status }) => SETTLED.has(status)),
    locationId: first.machine,
    totalFen: fen(rows.reduce((sum, { priceFen, quantity }) => sum + times(priceFen, quantity), 0)),
    createdAt: first.time.epochMs,
    createdAtRaw: first.timeRaw,
    lines: rows.flatMap(({ code, priceFen, quantity, status }) =>
      Array.from({ length: quantity }, () => ({ vendorSku: code, priceFen, costFen: null, status })),
    ),
  }
}
