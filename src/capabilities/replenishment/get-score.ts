/** GET /replenishment/score (4.7): stored forecasts against what was sold since, machine by machine. A read. */
import { sql } from 'kysely'
import { DAY } from '../../kernel/clock.ts'
import type { Queryable } from '../../store/db.ts'
import { breathe } from '../locations/at-most.ts'
import { ledgerCoverage } from '../locations/ledger.ts'
import { listLocations } from '../locations/records.ts'
import { FORECAST_DAYS_KEPT } from './forecasts.ts'
import { readMachines } from './gather.ts'
import type { GatherNeeds, Looking } from './gather.ts'
import { scorer, slotHistories } from './score.ts'
import type { Forecast, Score, SlotHistory } from './score.ts'

/** Forecasts weighed before others get a turn. */
const FORECASTS_AT_ONCE = 2000
/** Days of run-up, so that what was empty when the first forecast was made is known. */
const RUN_UP_DAYS = 2

export async function scoreForecasts({ store, clock, config }: GatherNeeds, horizonDays: number): Promise<Score> {
  const { db } = store
  const now = clock.now()
  let histories: ReadonlyMap<string, SlotHistory> = new Map()
  const score = scorer(horizonDays, now, (slotId) => histories.get(slotId))
  const first = await firstForecast(db)
  if (first === undefined) return score.result()
  const days = Math.min(FORECAST_DAYS_KEPT, Math.ceil((now - first) / DAY)) + RUN_UP_DAYS
  const coverage = new Map((await ledgerCoverage(db)).map((each) => [each.namespace, each]))
  const looking: Looking = { now, days, completeFrom: now - days * DAY, timeZone: config.timeZone, coverage }

  for (const location of await listLocations(db)) {
    const read = await readMachines(db, [location], looking)
    const [machine] = read.machines
    if (machine) histories = slotHistories(machine, now, days, coverage.get(location.namespace)?.to ?? 0)
    await breathe()
    const names = new Map(read.slots.map(({ vendorSku, slotId }) => [vendorSku, slotId]))
    const forecasts = await forecastsOf(db, location.id, names)
    for (let i = 0; i < forecasts.length; i++) {
      if (i % FORECASTS_AT_ONCE === 0) await breathe()
      score.add(forecasts[i]!)
    }
  }
  return score.result()
}

async function firstForecast(db: Queryable): Promise<number | undefined> {
  const row = await db.selectFrom('forecast').select('made_at').orderBy('day').limit(1).executeTakeFirst()
  return row?.made_at
}

/** One row per slot, as with sales; in order of slot and day, so that sums come out the same on both databases. */
async function forecastsOf(
  db: Queryable,
  location: string,
  slotNames: ReadonlyMap<string, string>,
): Promise<Forecast[]> {
  const joined = sql<string>`string_agg(cast(made_at as text) || ':' || cast(daily_rate_e4 as text) || ':' ||
    cast(naive_rate_e4 as text) || ':' || cast(measured as text), ',')`
  const rows = await db
    .selectFrom('forecast')
    .select(['vendor_sku', joined.as('joined')])
    .where('location', '=', location)
    .groupBy('vendor_sku')
    .execute()
  return rows
    .map(({ vendor_sku, joined }) => ({ slotId: slotNames.get(vendor_sku) ?? `${location} ${vendor_sku}`, joined }))
    .toSorted((a, b) => (a.slotId < b.slotId ? -1 : 1))
    .flatMap(({ slotId, joined }) =>
      joined
        .split(',')
        .map((text) => forecastOf(slotId, text))
        .toSorted(byTime),
    )
}

function forecastOf(slotId: string, text: string): Forecast {
  const [madeAt = 0, rate = 0, naive = 0, measured = 0] = text.split(':').map(Number)
  return { slotId, madeAt, dailyRate: rate / 1e4, naiveDailyRate: naive / 1e4, measured: measured === 1 }
}

const byTime = (a: Forecast, b: Forecast): number => a.madeAt - b.madeAt
