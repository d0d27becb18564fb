/** GET /replenishment/score: stored forecasts against what was sold since, machine by machine. */
import { DAY } from '../../../kernel/clock.ts'
import { chunk, yieldToEventLoop } from '../../../lib/concurrency.ts'
import { listLocations } from '../../../route/locations/index.ts'
import { listLedgerCoverage, loadLedgerMachines } from '../../../route/sales/index.ts'
import { type HistoryWindow, type PlanDeps, readMachines } from '../plan/load-input.ts'
import { FORECAST_DAYS_KEPT } from './record-forecasts.ts'
import { findFirstForecastAt, listForecastSkus, listForecasts } from './records.ts'
import { type Score, type SlotSalesHistory, scorer, slotSalesHistories } from './score.ts'

/** Slots whose forecasts are scored between two yields: up to 400 days each. */
const SLOTS_AT_ONCE = 10
/** Days before the first forecast, to know which slots were empty when it was made. */
const DAYS_BEFORE_FORECASTS = 2

export async function scoreForecasts(
  { store, clock, config }: Pick<PlanDeps, 'store' | 'clock' | 'config'>,
  horizonDays: number,
): Promise<Score> {
  const { db } = store
  const now = clock.now()
  let histories: ReadonlyMap<string, SlotSalesHistory> = new Map()
  const score = scorer(horizonDays, now, (slotId) => histories.get(slotId))
  const first = await findFirstForecastAt(db)
  if (first === undefined) return score.result()
  const days = Math.min(FORECAST_DAYS_KEPT, Math.ceil((now - first) / DAY)) + DAYS_BEFORE_FORECASTS
  const coverage = new Map((await listLedgerCoverage(db)).map((each) => [each.namespace, each]))
  const machines = await loadLedgerMachines(db)
  const window: HistoryWindow = {
    now,
    days,
    completeFrom: now - days * DAY,
    timeZone: config.timeZone,
    coverage,
    machines,
  }

  for (const location of await listLocations(db)) {
    const { id, namespace } = location
    const read = await readMachines(db, [location], window)
    await yieldToEventLoop()
    const [machine] = read.machines
    if (machine) histories = slotSalesHistories(machine, now, days, coverage.get(namespace)?.to ?? 0)
    const slotIds = new Map(read.slots.map(({ vendorSku, slotId }) => [vendorSku, slotId]))
    // Sorted by slot id, so that totals of fractions are the same on both databases.
    const slots = (await listForecastSkus(db, id))
      .map((vendorSku) => ({ vendorSku, slotId: slotIds.get(vendorSku) ?? `${id} ${vendorSku}` }))
      .toSorted((a, b) => (a.slotId < b.slotId ? -1 : 1))
    for (const part of chunk(slots, SLOTS_AT_ONCE)) {
      await yieldToEventLoop()
      for (const forecast of await listForecasts(db, id, part)) score.add(forecast)
    }
  }
  return score.result()
}
