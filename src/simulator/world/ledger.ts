/** The platform's list of trades, oldest first inside, read newest first, kept for 90 days. */
import { DAY } from '../../kernel/clock.ts'
import { isSettled, LATEST_SHOWN, tradeStatusAt } from './trades.ts'
import type { Trade } from './trades.ts'

export const KEPT_DAYS = 90

export interface TradePage {
  readonly total: number
  readonly records: readonly Trade[]
}

export interface Ledger {
  /** Trades newer than all before; any order among themselves. */
  append(trades: Trade[]): void
  page(now: number, query: TradeQuery): TradePage
  all(): readonly Trade[]
}

export interface TradeQuery {
  readonly fromMs: number
  readonly toMs: number
  readonly offset: number
  readonly limit: number
  readonly settledOnly: boolean
}

const byTime = (a: Trade, b: Trade) => a.at - b.at || a.machine.index - b.machine.index

export function createLedger(): Ledger {
  let trades: Trade[] = []

  /** Index of the first trade at or after the instant. */
  const since = (ms: number): number => {
    let low = 0
    let high = trades.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((trades[middle]?.at ?? ms) < ms) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    append(fresh) {
      if (fresh.length === 0) return
      fresh.sort(byTime)
      for (const trade of fresh) trades.push(trade)
      const stale = since((fresh.at(-1)?.at ?? 0) - KEPT_DAYS * DAY)
      // In large pieces, so that keeping 90 days costs next to nothing per trade.
      if (stale > 1000 && stale > trades.length / 20) trades = trades.slice(stale)
    },

    page(now, { fromMs, toMs, offset, limit, settledOnly }) {
      const first = since(fromMs)
      const end = since(toMs + 1)
      const shown = (trade: Trade) => trade.shownAt <= now && (!settledOnly || isSettled(tradeStatusAt(trade, now)))
      // All trades older than the longest delay are shown, so a plain reading only looks at the newest ones.
      const certain = settledOnly ? first : Math.min(end, Math.max(first, since(now - LATEST_SHOWN)))
      const recent: Trade[] = []
      for (let i = end - 1; i >= certain; i--) {
        const trade = trades[i]
        if (trade && shown(trade)) recent.push(trade)
      }
      const records = recent.slice(offset, offset + limit)
      const rest = Math.max(0, offset - recent.length)
      for (let i = certain - 1 - rest; i >= first && records.length < limit; i--) {
        const trade = trades[i]
        if (trade) records.push(trade)
      }
      return { total: recent.length + (certain - first), records }
    },

    all: () => trades,
  }
}
