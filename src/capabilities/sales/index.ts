// What other folders use.
export { pollLedger } from './announce-sales.ts'
export { dailySales } from './daily-sales.ts'
export { newestCosts } from './known-costs.ts'
export { countUndatedSales, countUnitsSold, findLastSales, removeOldLevelSeries } from './location-records.ts'
export {
  DEEP_LOOK_BACK_MS,
  catchUp,
  completeSince,
  hasUnreadHistory,
  ledgerCoverage,
  ledgerNamespaces,
  readStretch,
  refreshLedger,
  wasJustRead,
} from './mirror-ledger.ts'
export type { Coverage } from './mirror-ledger.ts'
export { findSaleTransaction, keyOf, listSaleTransactions } from './records.ts'
export type { SaleKey } from './records.ts'
export { NO_TIME } from './sale-transaction.ts'
export type { SaleLine, SaleTransaction } from './sale-transaction.ts'
export { blockOf, blockStart, rebuildLevelSeries } from './slot-series.ts'
