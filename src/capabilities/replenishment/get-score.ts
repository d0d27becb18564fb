/** GET /replenishment/score (4.7): stored forecasts against what was sold since, machine by machine. A read. */
import { DAY } from '../../kernel/clock.ts'
import type { Queryable } from '../../store/db.ts'
import { breathe, slices } from '../locations/at-most.ts'
import { ledgerCoverage } from '../locations/ledger.ts'
import { listLocations } from '../locations/records.ts'
import { FORECAST_DAYS_KEPT } from './forecasts.ts'
import { readMachines } from './gather.ts'
import type { GatherNeeds, Looking, ReadMachines } from './gather.ts'
import { scorer, slotHistories } from './score.ts'
import type { Forecast, Score, SlotHistory } from './score.ts'

const MACHINES_AT_ONCE = 4
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

  for (const part of slices(await listLocations(db), MACHINES_AT_ONCE)) {
    const read = await readMachines(db, part, looking)
    const until = new Map(part.map(({ id, namespace }) => [id as string, coverage.get(namespace)?.to ?? 0]))
    histories = await historiesOf(read, looking, until)
    const forecasts = await forecastsOf(
      db,
      part.map(({ id }) => id),
      slotNames(read),
    )
    for (let i = 0; i < forecasts.length; i++) {
      score.add(forecasts[i]!)
      if (i % FORECASTS_AT_ONCE === 0) await breathe()
    }
  }
  return score.result()
}

async function historiesOf(
  { machines }: ReadMachines,
  { now, days }: Looking,
  until: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, SlotHistory>> {
  const all = new Map<string, SlotHistory>()
  for (const machine of machines) {
    for (const [slotId, history] of slotHistories(machine, now, days, until.get(machine.location) ?? 0))
      all.set(slotId, history)
    await breathe()
  }
  return all
}

const key = (location: string, vendorSku: string): string => `${location} ${vendorSku}`

const slotNames = ({ slots }: ReadMachines): ReadonlyMap<string, string> =>
  new Map(slots.map(({ location, vendorSku, slotId }) => [key(location, vendorSku), slotId]))

async function firstForecast(db: Queryable): Promise<number | undefined> {
  const row = await db.selectFrom('forecast').select('made_at').orderBy('day').limit(1).executeTakeFirst()
  return row?.made_at
}

/** In order of slot and day, whatever the database's own order is, so that sums come out the same. */
async function forecastsOf(
  db: Queryable,
  locations: readonly string[],
  slotNames: ReadonlyMap<string, string>,
): Promise<Forecast[]> {
  const rows = await db
    .selectFrom('forecast')
    .select(['location', 'vendor_sku', 'made_at', 'daily_rate_e4', 'naive_rate_e4', 'measured'])
    .where('location', 'in', locations)
    .execute()
  return rows
    .map((row) => ({
      // A slot that is gone has no history; its forecasts are told as excluded.
      slotId: slotNames.get(key(row.location, row.vendor_sku)) ?? key(row.location, row.vendor_sku),
      madeAt: row.made_at,
      dailyRate: row.daily_rate_e4 / 1e4,
      naiveDailyRate: row.naive_rate_e4 / 1e4,
      measured: row.measured === 1,
    }))
    .toSorted((a, b) => (a.slotId < b.slotId ? -1 : a.slotId > b.slotId ? 1 : a.madeAt - b.madeAt))
}
