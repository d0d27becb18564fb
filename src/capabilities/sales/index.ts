/** The mirrored sales ledger (4.5): what other capabilities may call. Its one operation is answered by orders. */
export { pollLedger } from './announce-sales.ts'
export { dailySales } from './daily-sales.ts'
export { countUndatedSales, countUnitsSold, findLastSales, removeOldLevelSeries } from './location-records.ts'
export { LedgerReads } from './ledger-reads.ts'
export {
  DEEP_LOOK_BACK_MS,
  catchUp,
  completeSince,
  hasUnreadHistory,
  ledgerCoverage,
  ledgerNamespaces,
  readLedgerRange,
  refreshLedger,
} from './mirror-ledger.ts'
export type { Coverage } from './mirror-ledger.ts'
export { findSaleTransaction, keyOf, listSaleTransactions, newestCosts } from './records.ts'
export { NO_TIME } from './sale-transaction.ts'
export type { SaleLine, SaleTransaction } from './sale-transaction.ts'
export type { LevelLog } from './slot-series.ts'
export { forEachLevelLog, rebuildLevelSeries, salesSince } from './slot-series-records.ts'
