/** Removes what no plan or score reads any more: old stock readings, and sales that never became readable. */
import { DAY } from '../../kernel/clock.ts'
import { removeOldLevelSeries } from '../sales/index.ts'
import type { WriteContext } from '../../context.ts'
import { deleteCashReadings } from './cash/records.ts'
import { listLocationIds } from './records.ts'
import { deleteStockReadings } from './stock/stock-log-records.ts'
import { deleteOldUnreadableSales } from './unreadable-row-records.ts'

/** Longer than any window that a plan or a forecast score covers. */
const READINGS_KEPT_MS = 100 * DAY
/** A box that was not emptied for a year is compared with nothing. */
const CASH_KEPT_MS = 400 * DAY

export async function removeOldStockReadings({ store, clock }: WriteContext): Promise<void> {
  const before = clock.now() - READINGS_KEPT_MS
  await deleteStockReadings(store.db, before)
  await deleteOldUnreadableSales(store.db, before)
  await deleteCashReadings(store.db, clock.now() - CASH_KEPT_MS)
  await removeOldLevelSeries(store.db, await listLocationIds(store.db), before)
}
