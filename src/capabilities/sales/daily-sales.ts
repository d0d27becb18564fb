/** GET /sales/daily: paid sales per day from our own mirror. No upstream is called; days without a sale are left out. */
import { SALES_WINDOW_DAYS_DEFAULT, SALES_WINDOW_DAYS_MAX } from '../../contract/limits.ts'
import type { DailySales, DailySalesQuery } from '../../contract/sales.ts'
import { addDays, localDay } from '../../kernel/clock.ts'
import type { Context } from '../context.ts'
import { dayTotals } from './records.ts'

export async function dailySales(
  { store, clock, config }: Pick<Context, 'store' | 'clock' | 'config'>,
  query: DailySalesQuery,
): Promise<Omit<DailySales, 'ucp'>> {
  const to = query.to ?? localDay(clock.now(), config.timeZone)
  const from = query.from ?? addDays(to, 1 - SALES_WINDOW_DAYS_DEFAULT)
  const days = await dayTotals(store.db, { location: query.location, from, to, limit: SALES_WINDOW_DAYS_MAX })
  return { currency: config.currency, from, to, days: days.toReversed() }
}
