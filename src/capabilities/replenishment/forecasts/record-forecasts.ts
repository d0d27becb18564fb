/**
 * What the plan expects of each slot, kept once per local day: when a run is made, or after the day's first sync. Rates
 * are kept, not totals, so that any horizon can be scored later.
 */
import { addDays, localDay, startOfDay } from '../../../kernel/clock.ts'
import type { Queryable, Tx } from '../../../store/store.ts'
import type { ForecastTable } from '../../../store/tables/replenishment.ts'
import type { Context } from '../../context.ts'
import { yieldToEventLoop, chunk } from '../../../lib/concurrency.ts'
import { planNow } from '../plan/get-plan.ts'
import type { Planned } from '../plan/get-plan.ts'

/** Kept for more than a year, so that seasons can be compared. */
export const FORECAST_DAYS_KEPT = 400
const ROWS_AT_ONCE = 500
/** The last local day whose forecasts are all kept, as a number: 20260910. */
const DONE = 'forecast_day'

type Needs = Pick<Context, 'store' | 'clock' | 'config'>

const dayNumber = (day: string): number => Number(day.replaceAll('-', ''))

/** The first forecast of a day stands: a second plan changes nothing. */
export async function recordForecasts({ store, config }: Needs, { gathered, plan }: Planned): Promise<void> {
  const { now } = gathered.terms
  const day = localDay(now, config.timeZone)
  if ((await lastDone(store.db)) >= dayNumber(day)) return
  const rows = plan.plans.map(({ slotId, location, demand }): ForecastTable => {
    const { vendorSku } = gathered.slots.get(slotId)!
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
    await store.transaction((tx) => insertForecasts(tx, part))
    await yieldToEventLoop()
  }
  await store.transaction(async (tx) => {
    await tx.deleteFrom('forecast').where('day', '<', addDays(day, -FORECAST_DAYS_KEPT)).execute()
    if (rows.length > 0) await markDone(tx, dayNumber(day))
  })
}

/** A machine taken off the roster meanwhile takes its forecasts with it. */
async function insertForecasts(tx: Tx, rows: readonly ForecastTable[]): Promise<void> {
  const ids = [...new Set(rows.map(({ location }) => location))]
  const known = await tx.selectFrom('location').select('id').where('id', 'in', ids).execute()
  const standing = new Set(known.map(({ id }) => id))
  const kept = rows.filter(({ location }) => standing.has(location))
  if (kept.length === 0) return
  await tx
    .insertInto('forecast')
    .values(kept)
    .onConflict((conflict) => conflict.columns(['location', 'vendor_sku', 'day']).doNothing())
    .execute()
}

async function lastDone(db: Queryable): Promise<number> {
  const row = await db.selectFrom('counter').select('value').where('name', '=', DONE).executeTakeFirst()
  return row?.value ?? 0
}

async function markDone(tx: Tx, value: number): Promise<void> {
  await tx
    .insertInto('counter')
    .values({ name: DONE, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

/** The job: once the day's first sync is in, and nobody made a run before. */
export async function recordDaysForecasts(ctx: Needs): Promise<void> {
  const { store, clock, config } = ctx
  const day = localDay(clock.now(), config.timeZone)
  if ((await lastDone(store.db)) >= dayNumber(day)) return
  const { synced } = await store.db
    .selectFrom('location')
    .select((at) => at.fn.max('last_synced_at').as('synced'))
    .executeTakeFirstOrThrow()
  if (synced === null || synced < startOfDay(day, config.timeZone)) return
  await recordForecasts(ctx, await planNow(ctx))
}
