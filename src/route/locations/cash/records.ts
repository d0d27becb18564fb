/** Rows of cash counters, and the collections among the services. */
import { sql } from 'kysely'
import { fromByColumns } from '../../../store/caller-columns.ts'
import { chunk } from '../../../lib/concurrency.ts'
import type { Person } from '../../../kernel/person.ts'
import type { Queryable, Tx } from '../../../store/store.ts'
import type { MachineCash } from '../../../vendors/machine-vendor.ts'
import type { CashMeter, Taken, Window } from './expected.ts'

const ROWS_AT_ONCE = 500

/** What the platform knows replaces what was stored of that time: sales arrive late, and change. */
export async function saveCash(tx: Tx, location: string, { fromMs, untilMs, taken }: MachineCash): Promise<void> {
  if (!(await tx.selectFrom('location').select('id').where('id', '=', location).executeTakeFirst())) return
  const meter = await tx.selectFrom('cash_meter').selectAll().where('location', '=', location).executeTakeFirst()
  // Where nothing was ever counted, nothing says that the machine counts.
  if (!meter && taken.length === 0) return
  await tx
    .deleteFrom('cash_reading')
    .where('location', '=', location)
    .where('at', '>=', fromMs)
    .where('at', '<=', untilMs)
    .execute()
  const amounts = new Map<number, number | null>()
  // What was taken between what was known and what is known now cannot be told.
  if (meter && fromMs - 1 > meter.known_until) amounts.set(fromMs - 1, null)
  for (const { at, amountFen } of taken) {
    const before = amounts.get(at)
    amounts.set(at, before === null || amountFen === null ? null : (before ?? 0) + amountFen)
  }
  const rows = [...amounts].map(([at, amount]) => ({ location, at, amount }))
  for (const part of chunk(rows, ROWS_AT_ONCE))
    await tx
      .insertInto('cash_reading')
      .values(part)
      .onConflict((conflict) =>
        conflict.columns(['location', 'at']).doUpdateSet((eb) => ({ amount: eb.ref('excluded.amount') })),
      )
      .execute()
  await tx
    .insertInto('cash_meter')
    .values({ location, known_from: fromMs, known_until: untilMs })
    .onConflict((conflict) =>
      conflict.column('location').doUpdateSet({
        known_from: Math.min(fromMs, meter?.known_from ?? fromMs),
        known_until: Math.max(untilMs, meter?.known_until ?? untilMs),
      }),
    )
    .execute()
}

/** What was taken before is not known any more. */
export async function deleteCashReadings(db: Queryable, before: number): Promise<void> {
  await db.deleteFrom('cash_reading').where('at', '<', before).execute()
  await db.updateTable('cash_meter').set({ known_from: before }).where('known_from', '<', before).execute()
}

export async function loadCashMeters(db: Queryable, location?: string): Promise<ReadonlyMap<string, CashMeter>> {
  const all = db.selectFrom('cash_meter').selectAll()
  const rows = await (location === undefined ? all : all.where('location', '=', location)).execute()
  return new Map(
    rows.map(({ location: id, known_from, known_until }) => [id, { knownFrom: known_from, knownUntil: known_until }]),
  )
}

/** By the key of the window; a window without a reading has none. */
export async function loadCashTaken(db: Queryable, windows: readonly Window[]): Promise<ReadonlyMap<string, Taken>> {
  const found = new Map<string, Taken>()
  for (const part of chunk(windows, ROWS_AT_ONCE)) {
    const values = sql.join(
      part.map(
        ({ key, location, after, until }) =>
          sql`(${key}, ${location}, cast(${after} as bigint), cast(${until} as bigint))`,
      ),
    )
    const { rows } = await sql<{ key: string; amount: number | null; unknown: number }>`
      select w.column1 as key, sum(r.amount) as amount, count(*) - count(r.amount) as unknown
      from (values ${values}) as w
      join cash_reading r on r.location = w.column2 and r.at > w.column3 and r.at <= w.column4
      group by w.column1`.execute(db)
    for (const { key, amount, unknown } of rows) found.set(key, { amount: amount ?? 0, isUnknown: unknown > 0 })
  }
  return found
}

export interface Collection {
  readonly id: string
  readonly location: string
  readonly at: number
  readonly amount: number
  readonly bag: string | undefined
  readonly by: Person | undefined
  /** When the machine was collected before; null: never. */
  readonly previousAt: number | null
}

export interface CollectionFilter {
  readonly location?: string | undefined
  /** Those since then, and the last one of every machine. */
  readonly sinceOrLast?: number
  /** The entry after which the page begins. */
  readonly before?: { readonly at: number; readonly id: string } | undefined
  readonly limit?: number
}

/** Newest first. What was undone was never collected. */
export async function listCollections(
  db: Queryable,
  { location, sinceOrLast, before, limit }: CollectionFilter,
): Promise<Collection[]> {
  let query = db
    .selectFrom((inner) => {
      const all = inner
        .selectFrom('service')
        .select(['id', 'location', 'at', 'cash_amount', 'cash_bag', 'by_name', 'by_role'])
        .select(sql<number | null>`lag(at) over (partition by location order by at, id)`.as('previous_at'))
        .select(sql<number | null>`lead(at) over (partition by location order by at, id)`.as('next_at'))
        .where('cash_amount', 'is not', null)
        .where('undone_at', 'is', null)
      return (location === undefined ? all : all.where('location', '=', location)).as('collected')
    })
    .selectAll()
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
  if (sinceOrLast !== undefined)
    query = query.where((is) => is.or([is('at', '>=', sinceOrLast), is('next_at', 'is', null)]))
  if (before) query = query.where(sql<boolean>`(at, id) < (cast(${before.at} as bigint), ${before.id})`)
  if (limit !== undefined) query = query.limit(limit)
  return (await query.execute()).map((row) => ({
    id: row.id,
    location: row.location,
    at: row.at,
    amount: row.cash_amount ?? 0,
    bag: row.cash_bag ?? undefined,
    by: fromByColumns(row),
    previousAt: row.previous_at,
  }))
}
