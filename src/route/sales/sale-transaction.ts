/** A sale transaction of the mirrored ledger. */
import type { Insertable, Selectable } from 'kysely'
import type { Namespace } from '../../kernel/ids.ts'
import type { Columns } from '../../store/schema.ts'
import type { LedgerLine, LedgerRecord } from '../../vendors/machine-vendor.ts'

/** `since`: when the line was first seen in its status. Stored, so that repeated answers agree. */
export type TransactionLine = LedgerLine & { readonly since: number }

export interface SaleTransaction extends Omit<LedgerRecord, 'lines'> {
  readonly namespace: Namespace
  readonly lines: readonly TransactionLine[]
  readonly firstSeenAt: number
}

export type SaleTransactionRow = Selectable<Columns<'sale_transaction'>>

/** Stored instead of a time that cannot be read: such sales sort last, and keys are never null. */
export const NO_TIME = 0

export const saleTransactionOf = (row: SaleTransactionRow): SaleTransaction => ({
  namespace: row.namespace as Namespace,
  orderNo: row.order_no,
  status: row.status,
  ...(row.status_label === null ? {} : { statusLabel: row.status_label }),
  settled: row.settled === 1,
  locationId: row.location,
  ...(row.location_name === null ? {} : { locationName: row.location_name }),
  totalFen: row.total_fen as SaleTransaction['totalFen'],
  createdAt: row.created_at === NO_TIME ? null : row.created_at,
  createdAtRaw: row.created_at_raw,
  lines: JSON.parse(row.lines) as TransactionLine[],
  firstSeenAt: row.first_seen_at,
})

/** The read of a ledger that a record comes from. */
export interface IngestContext {
  readonly namespace: Namespace
  readonly now: number
  /** Older sales were history when the mirror was created and are not announced. */
  readonly announceFrom: number
  /** The first read of this ledger: sales without a valid time count as history. */
  readonly isFirst: boolean
}

/** The row of a record, given the stored one; undefined when nothing changed. */
export function changedRow(
  record: LedgerRecord,
  known: SaleTransactionRow | undefined,
  { namespace, now, announceFrom, isFirst }: IngestContext,
): Insertable<Columns<'sale_transaction'>> | undefined {
  const before = known ? (JSON.parse(known.lines) as TransactionLine[]) : []
  const at = record.createdAt ?? NO_TIME
  const lines = record.lines.map(({ vendorSku, priceFen, costFen, status }, i): TransactionLine => {
    const old = before[i]
    const isSame = old?.vendorSku === vendorSku && old.status === status
    const since = isSame ? old.since : known || at === NO_TIME ? now : at
    return { vendorSku, priceFen, costFen, status, since }
  })
  const row = {
    namespace,
    order_no: record.orderNo,
    location: record.locationId,
    location_name: record.locationName ?? null,
    status: record.status,
    status_label: record.statusLabel ?? null,
    settled: record.settled ? 1 : 0,
    total_fen: record.totalFen,
    created_at: at,
    created_at_raw: record.createdAtRaw,
    lines: JSON.stringify(lines),
  }
  if (!known) {
    const shouldAnnounce = at === NO_TIME ? !isFirst : at >= announceFrom
    return { ...row, first_seen_at: now, changed_at: now, to_announce: shouldAnnounce ? 1 : 0 }
  }
  const columns = Object.entries(row) as [keyof typeof row, string | number | null][]
  if (columns.every(([name, value]) => known[name] === value)) return undefined
  return {
    ...row,
    first_seen_at: known.first_seen_at,
    changed_at: now,
    // A refund may change a line but not the status of the sale.
    to_announce: known.status === row.status && !hasNewLineStatus(before, lines) ? known.to_announce : 1,
  }
}

const hasNewLineStatus = (before: readonly TransactionLine[], after: readonly TransactionLine[]): boolean =>
  before.length !== after.length || after.some(({ status }, i) => before[i]?.status !== status)

interface LineWithNumber {
  readonly line: number
  readonly sold: TransactionLine
}

type StoredLines = Pick<SaleTransactionRow, 'lines' | 'created_at'>

/** The lines that count in statistics: paid, with a valid time. */
export const paidLines = (row: StoredLines): LineWithNumber[] => linesIn(row, 'paid')

/** Money given back, on the day of the sale. One whose refund failed is neither sold nor given back. */
export const refundedLines = (row: StoredLines): LineWithNumber[] => linesIn(row, 'refunded')

const linesIn = (row: StoredLines, status: LedgerLine['status']): LineWithNumber[] =>
  row.created_at === NO_TIME
    ? []
    : (JSON.parse(row.lines) as TransactionLine[]).flatMap((sold, line) =>
        sold.status === status ? [{ line, sold }] : [],
      )
