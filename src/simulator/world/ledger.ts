/** The platform's list of sales: stored oldest first, listed newest first, kept for 90 days. */
import { DAY } from '../../kernel/clock.ts'
import { firstIndexWhere } from '../../lib/binary-search.ts'
import { type Sale, isSettled, LATEST_SHOWN, saleStatusAt } from './sales.ts'

const KEPT_DAYS = 90

export interface SaleQuery {
  readonly fromMs: number
  readonly toMs: number
  readonly offset: number
  readonly limit: number
  readonly settledOnly: boolean
}

const byTime = (a: Sale, b: Sale) => a.at - b.at || a.machine.index - b.machine.index

export function createLedger() {
  let sales: Sale[] = []

  const indexFrom = (ms: number): number => firstIndexWhere(sales.length, (i) => sales[i]!.at >= ms)

  return {
    /** Sales newer than all before, in any order. */
    append(fresh: Sale[]): void {
      if (fresh.length === 0) return
      fresh.sort(byTime)
      for (const sale of fresh) sales.push(sale)
      const stale = indexFrom((fresh.at(-1)?.at ?? 0) - KEPT_DAYS * DAY)
      // Rarely and many at once, so that it costs almost nothing per sale.
      if (stale > 1000 && stale > sales.length / 20) sales = sales.slice(stale)
    },

    page(now: number, { fromMs, toMs, offset, limit, settledOnly }: SaleQuery) {
      const first = indexFrom(fromMs)
      const end = indexFrom(toMs + 1)
      const isListed = (sale: Sale) => sale.shownAt <= now && (!settledOnly || isSettled(saleStatusAt(sale, now)))
      // All sales older than the longest delay are listed, so that only the newest have to be checked.
      const certain = settledOnly ? first : Math.min(end, Math.max(first, indexFrom(now - LATEST_SHOWN)))
      const recent: Sale[] = []
      for (let i = end - 1; i >= certain; i--) {
        const sale = sales[i]
        if (sale && isListed(sale)) recent.push(sale)
      }
      const records = recent.slice(offset, offset + limit)
      const rest = Math.max(0, offset - recent.length)
      for (let i = certain - 1 - rest; i >= first && records.length < limit; i--) {
        const sale = sales[i]
        if (sale) records.push(sale)
      }
      return { total: recent.length + (certain - first), records }
    },

    all: (): readonly Sale[] => sales,
  }
}
