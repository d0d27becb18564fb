/** GET /replenishment/score (4.7): stored forecasts against what was sold since, machine by machine. A read. */
import { sql } from 'kysely'
import { DAY } from '../../../kernel/clock.ts'
import type { Queryable } from '../../../store/store.ts'
import { yieldToEventLoop, chunk } from '../../../lib/concurrency.ts'
import { ledgerCoverage } from '../../sales/index.ts'
import { listLocations } from '../../locations/index.ts'
import { FORECAST_DAYS_KEPT } from './record-forecasts.ts'
import { readMachines } from '../plan/load-input.ts'
import type { GatherNeeds, HistoryWindow } from '../plan/load-input.ts'
import { scorer, slotHistories } from './score.ts'
import type { Forecast, Score, SlotHistory } from './score.ts'

/** Slots whose forecasts are weighed before others get a turn: up to 400 days of each. */
const SLOTS_AT_ONCE = 10
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
  const looking: HistoryWindow = { now, days, completeFrom: now - days * DAY, timeZone: config.timeZone, coverage }

  for (const location of await listLocations(db)) {
    const read = await readMachines(db, [location], looking)
    await yieldToEventLoop()
    const [machine] = read.machines
    if (machine) histories = slotHistories(machine, now, days, coverage.get(location.namespace)?.to ?? 0)
    const names = new Map(read.slots.map(({ vendorSku, slotId }) => [vendorSku, slotId]))
    for (const part of chunk(await forecastSlots(db, location.id, names), SLOTS_AT_ONCE)) {
      await yieldToEventLoop()
      for (const forecast of await forecastsOf(db, location.id, part)) score.add(forecast)
    }
  }
  return score.result()
}

async function firstForecast(db: Queryable): Promise<number | undefined> {
  const row = await db.selectFrom('forecast').select('made_at').orderBy('day').limit(1).executeTakeFirst()
  return row?.made_at
}

interface ForecastSlot {
  readonly vendorSku: string
  readonly slotId: string
}

/** By slot id, so that sums come out the same on both databases; goods that are gone are among them. */
async function forecastSlots(
  db: Queryable,
  location: string,
  slotNames: ReadonlyMap<string, string>,
): Promise<ForecastSlot[]> {
  const rows = await db
    .selectFrom('forecast')
    .select('vendor_sku')
    .distinct()
    .where('location', '=', location)
    .execute()
  return rows
    .map(({ vendor_sku }) => ({
      vendorSku: vendor_sku,
      slotId: slotNames.get(vendor_sku) ?? `${location} ${vendor_sku}`,
    }))
    .toSorted((a, b) => (a.slotId < b.slotId ? -1 : 1))
}

/** Joined into one text per slot, as sales are: a row per forecast would cost more than weighing it. */
async function forecastsOf(db: Queryable, location: string, slots: readonly ForecastSlot[]): Promise<Forecast[]> {
  const rows = await db
    .selectFrom('forecast')
    .select([
      'vendor_sku',
      sql<string>`string_agg(concat_ws(':', made_at, daily_rate_e4, naive_rate_e4, measured), ',')`.as('joined'),
    ])
    .where('location', '=', location)
    .where(
      'vendor_sku',
      'in',
      slots.map(({ vendorSku }) => vendorSku),
    )
    .groupBy('vendor_sku')
    .execute()
  const joined = new Map(rows.map(({ vendor_sku, joined }) => [vendor_sku, joined]))
  return slots.flatMap(({ vendorSku, slotId }) => forecastsIn(slotId, joined.get(vendorSku) ?? ''))
}

const [COMMA, ZERO, COLON] = [44, 48, 58]

/** In order of time. Read by hand: a split per forecast takes several times as long. */
function forecastsIn(slotId: string, joined: string): Forecast[] {
  const forecasts: Forecast[] = []
  const parts = [0, 0, 0, 0]
  let part = 0
  for (let i = 0; i <= joined.length; i++) {
    const code = i < joined.length ? joined.charCodeAt(i) : COMMA
    if (code !== COMMA && code !== COLON) parts[part] = parts[part]! * 10 + code - ZERO
    else if (code === COLON) parts[++part] = 0
    else if (part === 3) {
      const [madeAt = 0, rate = 0, naive = 0, measured = 0] = parts
      forecasts.push({ slotId, madeAt, dailyRate: rate / 1e4, naiveDailyRate: naive / 1e4, measured: measured === 1 })
      parts[0] = part = 0
    }
  }
  return forecasts.every(({ madeAt }, i) => i === 0 || forecasts[i - 1]!.madeAt <= madeAt)
    ? forecasts
    : forecasts.toSorted((a, b) => a.madeAt - b.madeAt)
}
