/** Stored forecasts: one per slot and local day. */
import { sql } from 'kysely'
import { readCounter } from '../../../store/counter.ts'
import { type Queryable, type Tx, readAll, readFirst } from '../../../store/store.ts'
import type { Columns } from '../../../store/schema.ts'
import type { Forecast } from './score.ts'

/** The last local day whose forecasts are all stored, as a number: 20260910. */
const LAST_DAY = 'forecast_day'

const dayNumber = (day: string): number => Number(day.replaceAll('-', ''))

export const hasForecastsOf = async (db: Queryable, day: string): Promise<boolean> =>
  (await readCounter(db, LAST_DAY)) >= dayNumber(day)

export async function markDayRecorded(tx: Tx, day: string): Promise<void> {
  const value = dayNumber(day)
  await tx
    .insertInto('counter')
    .values({ name: LAST_DAY, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

/** The first forecast of a slot and day stays: inserting it again changes nothing. */
export async function insertForecasts(tx: Tx, rows: readonly Columns<'forecast'>[]): Promise<void> {
  await tx
    .insertInto('forecast')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['location', 'vendor_sku', 'day']).doNothing())
    .execute()
}

export async function deleteForecastsBefore(tx: Tx, day: string): Promise<void> {
  await tx.deleteFrom('forecast').where('day', '<', day).execute()
}

/** When the oldest stored forecast was made. */
export const findFirstForecastAt = (db: Queryable): Promise<number | undefined> =>
  readFirst(db.selectFrom('forecast').select('made_at').orderBy('day').limit(1), ({ made_at }) => made_at)

/** The vendor SKUs of a machine that have forecasts, those of removed slots included. */
export const listForecastSkus = (db: Queryable, location: string): Promise<string[]> =>
  readAll(
    db.selectFrom('forecast').select('vendor_sku').distinct().where('location', '=', location),
    ({ vendor_sku }) => vendor_sku,
  )

export interface ForecastSlot {
  readonly vendorSku: string
  readonly slotId: string
}

/** In order of slots, each slot's in order of time. One text per slot: a row per forecast costs more than scoring it. */
export async function listForecasts(
  db: Queryable,
  location: string,
  slots: readonly ForecastSlot[],
): Promise<Forecast[]> {
  const rows = await db
    .selectFrom('forecast')
    .select([
      'vendor_sku',
      sql<string>`string_agg(concat_ws(':', made_at, daily_rate_e4, naive_rate_e4, measured), ',')`.as('packed'),
    ])
    .where('location', '=', location)
    .where(
      'vendor_sku',
      'in',
      slots.map(({ vendorSku }) => vendorSku),
    )
    .groupBy('vendor_sku')
    .execute()
  const packed = new Map(rows.map((row) => [row.vendor_sku, row.packed]))
  return slots.flatMap(({ vendorSku, slotId }) => decodeForecasts(slotId, packed.get(vendorSku) ?? ''))
}

const [COMMA, ZERO, COLON] = [44, 48, 58]

/** `made_at:rate:naive rate:measured`, comma-separated. By character code: splitting takes several times as long. */
function decodeForecasts(slotId: string, packed: string): Forecast[] {
  const forecasts: Forecast[] = []
  const parts = [0, 0, 0, 0]
  let part = 0
  for (let i = 0; i <= packed.length; i++) {
    const code = i < packed.length ? packed.charCodeAt(i) : COMMA
    if (code !== COMMA && code !== COLON) parts[part] = parts[part]! * 10 + code - ZERO
    else if (code === COLON) parts[++part] = 0
    else if (part === 3) {
      const [madeAt = 0, rate = 0, naive = 0, measured = 0] = parts
      forecasts.push({ slotId, madeAt, dailyRate: rate / 1e4, naiveDailyRate: naive / 1e4, measured: measured === 1 })
      parts[0] = part = 0
    }
  }
  const isSorted = forecasts.every(({ madeAt }, i) => i === 0 || forecasts[i - 1]!.madeAt <= madeAt)
  return isSorted ? forecasts : forecasts.toSorted((a, b) => a.madeAt - b.madeAt)
}
