/** Paid lines per day out of the mirror's roll-up: no upstream is asked, and days without a sale are left out. */
import { SALES_WINDOW_DAYS_DEFAULT, SALES_WINDOW_DAYS_MAX } from '../../contract/limits.ts'
import type { DailySales, DailySalesQuery } from '../../contract/sales.ts'
import { addDays, localDay } from '../../kernel/clock.ts'
import type { Context } from '../context.ts'

export async function dailySales(
  { store, clock, config }: Pick<Context, 'store' | 'clock' | 'config'>,
  { location, from, to }: DailySalesQuery,
): Promise<Omit<DailySales, 'ucp'>> {
  const last = to ?? localDay(clock.now(), config.timeZone)
  const first = from ?? addDays(last, 1 - SALES_WINDOW_DAYS_DEFAULT)
  const rows = await store.db
    .selectFrom('sales_daily')
    .where('day', '>=', first)
    .where('day', '<=', last)
    .$if(location !== undefined, (query) => query.where('location', '=', location ?? ''))
    .select((is) => ['day', is.fn.sum<number>('units').as('units'), is.fn.sum<number>('revenue').as('revenue')])
    .groupBy('day')
    .orderBy('day', 'desc')
    .limit(SALES_WINDOW_DAYS_MAX)
    .execute()
  return { from: first, to: last, days: rows.toReversed() }
}
