/** Pages of a ledger that is held in memory, for platforms that have neither windows nor pages of their own. */
import { compareText } from '../kernel/text.ts'
import type { LedgerPage, LedgerQuery, LedgerRecord } from './machine-vendor.ts'

const LARGEST_PAGE = 100

/**
 * Newest first, and in the same order every time. A record without a readable time belongs to every window: it is listed
 * last rather than lost. So does one that cannot be read at all: it counts in the total, and is listed beside the page.
 */
export function pageOfRecords(
  records: readonly LedgerRecord[],
  { fromMs, toMs, page = 1, size = LARGEST_PAGE, settledOnly = false }: LedgerQuery,
  unreadable = 0,
): LedgerPage {
  const perPage = Math.max(1, Math.min(size, LARGEST_PAGE))
  const wanted = records
    .filter(({ createdAt, settled }) => {
      const isInWindow = createdAt === null || (createdAt >= fromMs && createdAt <= toMs)
      return isInWindow && (settled || !settledOnly)
    })
    .toSorted((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0) || compareText(a.orderNo, b.orderNo))
  return {
    records: wanted.slice((page - 1) * perPage, page * perPage),
    page,
    pages: Math.ceil(wanted.length / perPage),
    total: wanted.length + unreadable,
  }
}
