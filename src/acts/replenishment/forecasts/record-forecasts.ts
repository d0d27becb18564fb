/**
 * Stores what the plan expects each slot to sell, once per local day: with the first run, or after the day's first sync.
 * Rates are stored instead of totals, so that any horizon can be scored later.
 */
import { addDays, localDay, startOfDay } from '../../../kernel/clock.ts'
import { chunk, yieldToEventLoop } from '../../../lib/concurrency.ts'
import type { Tx } from '../../../store/store.ts'
import type { Columns } from '../../../store/schema.ts'
import { findLocations, listLocations } from '../../../route/locations/index.ts'
import { type CurrentPlan, computePlan } from '../plan/get-plan.ts'
import type { PlanDeps } from '../plan/load-input.ts'
import { deleteForecastsBefore, hasForecastsOf, insertForecasts, markDayRecorded } from './records.ts'

/** More than a year, so that seasons can be compared. */
export const FORECAST_DAYS_KEPT = 400
const ROWS_AT_ONCE = 500

/** The first forecasts of a day stay: a second plan changes nothing. */
export async function recordForecasts({ store, config }: PlanDeps, { input, plan }: CurrentPlan): Promise<void> {
  const { now } = input.settings
  const day = localDay(now, config.timeZone)
  if (await hasForecastsOf(store.db, day)) return
  const rows = plan.plans.map(({ slotId, location, demand }): Columns<'forecast'> => {
    const { vendorSku } = input.slots.get(slotId)!
    return {
      location,
      vendor_sku: vendorSku,
      day,
      made_at: now,
      daily_rate_e4: Math.round(demand.dailyRate * 1e4),
      naive_rate_e4: Math.round(demand.naiveDailyRate * 1e4),
      measured: demand.measured ? 1 : 0,
    }
  })
  for (const part of chunk(rows, ROWS_AT_ONCE)) {
    await store.transaction((tx) => insertOfRegistered(tx, part))
    await yieldToEventLoop()
  }
  await store.transaction(async (tx) => {
    await deleteForecastsBefore(tx, addDays(day, -FORECAST_DAYS_KEPT))
    if (rows.length > 0) await markDayRecorded(tx, day)
  })
}

/** A machine may have been removed while the plan was made; its forecasts go with it. */
async function insertOfRegistered(tx: Tx, rows: readonly Columns<'forecast'>[]): Promise<void> {
  const ids = [...new Set(rows.map(({ location }) => location))]
  const registered = new Set((await findLocations(tx, ids)).map(({ id }): string => id))
  const registeredRows = rows.filter(({ location }) => registered.has(location))
  if (registeredRows.length > 0) await insertForecasts(tx, registeredRows)
}

/** The job: after the day's first sync, unless a run was created before. */
export async function recordDailyForecasts(ctx: PlanDeps): Promise<void> {
  const { store, clock, config } = ctx
  const day = localDay(clock.now(), config.timeZone)
  if (await hasForecastsOf(store.db, day)) return
  const start = startOfDay(day, config.timeZone)
  const isSynced = (await listLocations(store.db)).some(({ lastSyncedAt = -Infinity }) => lastSyncedAt >= start)
  if (!isSynced) return
  await recordForecasts(ctx, await computePlan(ctx))
}
