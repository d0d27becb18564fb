/** A trade of the mirrored ledger, as it is kept. */
import type { Insertable, Selectable } from 'kysely'
import type { Namespace } from '../../kernel/ids.ts'
import type { TradeTable } from '../../store/tables/sales.ts'
import type { LedgerLine, LedgerRecord } from '../../vendors/contract.ts'

/** `since`: when the line came to be known in its status. Kept, so that an answer given twice says the same. */
export type SaleLine = LedgerLine & { readonly since: number }

export interface SaleTransaction extends Omit<LedgerRecord, 'lines'> {
  readonly namespace: Namespace
  readonly lines: readonly SaleLine[]
  readonly firstSeenAt: number
}

export type SaleTransactionRow = Selectable<TradeTable>

/** Stands for a time that cannot be read, so that such trades sort last and keys are never null. */
export const NO_TIME = 0

export const saleTransactionOf = (row: SaleTransactionRow): SaleTransaction => ({
  namespace: row.namespace as Namespace,
  orderNo: row.order_no,
  status: row.status,
  ...(row.status_label === null ? {} : { statusLabel: row.status_label }),
  settled: row.settled === 1,
  locationId: row.location,
  ...(row.location_name === null ? {} : { locationName: row.location_name }),
  totalFen: row.total as SaleTransaction['totalFen'],
  createdAt: row.at === NO_TIME ? null : row.at,
  createdAtRaw: row.at_raw,
  lines: JSON.parse(row.lines) as SaleLine[],
  firstSeenAt: row.first_seen_at,
})

export interface Sighting {
  readonly namespace: Namespace
  readonly now: number
  /** Older trades were history when the mirror began: nobody is told of them. */
  readonly announceFrom: number
  /** The mirror is being read for the first time: what has no time counts as history, too. */
  readonly first: boolean
}

/** The row a record makes beside the one known so far; undefined when it tells nothing new. */
export function nextRow(
  record: LedgerRecord,
  known: SaleTransactionRow | undefined,
  { namespace, now, announceFrom, first }: Sighting,
): Insertable<TradeTable> | undefined {
  const before = known ? (JSON.parse(known.lines) as SaleLine[]) : []
  const at = record.createdAt ?? NO_TIME
  const lines = record.lines.map(({ vendorSku, priceFen, costFen, status }, i): SaleLine => {
    const old = before[i]
    const same = old?.vendorSku === vendorSku && old.status === status
    const since = same ? old.since : known || at === NO_TIME ? now : at
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
    total: record.totalFen,
    at,
    at_raw: record.createdAtRaw,
    lines: JSON.stringify(lines),
  }
  if (!known) {
    const news = at === NO_TIME ? !first : at >= announceFrom
    return { ...row, first_seen_at: now, changed_at: now, to_announce: news ? 1 : 0 }
  }
  const facts = Object.entries(row) as [keyof typeof row, string | number | null][]
  if (facts.every(([name, value]) => known[name] === value)) return undefined
  return {
    ...row,
    first_seen_at: known.first_seen_at,
    changed_at: now,
    // A refund may change a line and leave the status of the trade.
    to_announce: known.status === row.status && !lineStatusChanged(before, lines) ? known.to_announce : 1,
  }
}

const lineStatusChanged = (before: readonly SaleLine[], after: readonly SaleLine[]): boolean =>
  before.length !== after.length || after.some(({ status }, i) => before[i]?.status !== status)

/** The lines that count in statistics (3.4): paid, and at a time we can read. */
export const paidLines = (row: Pick<SaleTransactionRow, 'lines' | 'at'>): { line: number; sold: SaleLine }[] =>
  row.at === NO_TIME
    ? []
    : (JSON.parse(row.lines) as SaleLine[]).flatMap((sold, line) => (sold.status === 'paid' ? [{ line, sold }] : []))
