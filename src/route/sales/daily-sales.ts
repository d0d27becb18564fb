/** GET /sales/daily: paid sales per day from our own mirror. No upstream is called; days without a sale are left out. */
import { SALES_WINDOW_DAYS_DEFAULT, SALES_WINDOW_DAYS_MAX } from '../../contract/limits.ts'
import type { DailySales, DailySalesQuery } from '../../contract/shapes/money/sales.ts'
import { addDays, localDay, rfc3339, startOfDay } from '../../kernel/clock.ts'
import type { Namespace } from '../../kernel/ids.ts'
import type { Context } from '../../context.ts'
import { loadLedgerMachines } from './ledger-machine-records.ts'
import { loadDayTotals } from './records.ts'
import { machineCompleteSince } from './texts.ts'

/** `platform`: of the machine in the query; undefined when it is not registered. */
export async function getDailySales(
  { store, clock, config }: Pick<Context, 'store' | 'clock' | 'config'>,
  query: DailySalesQuery,
  platform?: Namespace,
): Promise<Omit<DailySales, 'ucp'>> {
  const machine = query.location === undefined ? undefined : { location: query.location, namespace: platform }
  const { timeZone = config.timeZone, completeFrom } =
    machine && platform
      ? (await loadLedgerMachines(store.db, [machine.location]))({ namespace: platform, id: machine.location })
      : {}
  const to = query.to ?? localDay(clock.now(), timeZone)
  const from = query.from ?? addDays(to, 1 - SALES_WINDOW_DAYS_DEFAULT)
  const days = await loadDayTotals(store.db, { machine, from, to, limit: SALES_WINDOW_DAYS_MAX })
  const isTruncated = machine && completeFrom !== undefined && completeFrom > startOfDay(from, timeZone)
  return {
    currency: config.currency,
    from,
    to,
    days: days.toReversed(),
    ...(isTruncated ? { messages: [machineCompleteSince(machine.location, rfc3339(completeFrom, timeZone))] } : {}),
  }
}
