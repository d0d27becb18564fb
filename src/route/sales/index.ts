/** The mirrored sales ledger: what other capabilities may call. Its one operation is answered by orders. */
export { pollLedger } from './announce-sales.ts'
export { checkRandomDay } from './check-day.ts'
export { getDailySales } from './daily-sales.ts'
export { countUndatedSales, countUnitsSold, findLastSales, removeOldLevelSeries } from './machine-sales-records.ts'
export type { LedgerMachineId } from './machine-sales-records.ts'
export { LedgerReads } from './ledger-reads.ts'
export { type LedgerMachineOf, loadLedgerMachines, moveToZone, setTimeZone } from './ledger-machine-records.ts'
export {
  LONG_LOOK_BACK_MS,
  catchUp,
  completeFromOf,
  hasUnreadHistory,
  listLedgerCoverage,
  ledgerNamespaces,
  readLedgerRange,
  refreshLedgers,
  requestReread,
} from './mirror-ledger.ts'
export type { Coverage, LedgerFailure } from './mirror-ledger.ts'
export { hasSales } from './machine-sales-records.ts'
export { hasMirror } from './mirror-records.ts'
export { findSaleTransaction, saleKeyOf, listSaleTransactions, findNewestCosts } from './records.ts'
export { priceEstimates } from './costs/price-estimates.ts'
export { rebuildCosts } from './costs/rebuild-costs.ts'
export { listSellingMachines, sumRefunds, sumSales } from './sums-records.ts'
export type { SalesFilter, SalesGrouping, SalesKey } from './sums-records.ts'
export { type DatedTerms, type Terms, NO_TERMS, listTerms, loadTerms, setTerms } from './terms-records.ts'
export { machineCompleteSince } from './texts.ts'
export { type TransactionLine, type SaleTransaction, NO_TIME } from './sale-transaction.ts'
export type { LevelLog } from './slot-series.ts'
export {
  type SellingSlot,
  findSlotsWithSales,
  forEachLevelLog,
  rebuildLevelSeries,
  loadSalesSince,
} from './slot-series-records.ts'
export { COST_SCALE, loadKnownCosts, unitCostOf } from './costs/unit-costs.ts'
export { loadUnitsPerDay } from './units-per-day.ts'
