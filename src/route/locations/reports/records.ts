/** Rows of faults and photos. */
import { sql } from 'kysely'
import { byColumns, fromByColumns } from '../../../store/caller-columns.ts'
import type { Columns } from '../../../store/schema.ts'
import { type Queryable, type Tx, changeRows, readAll, readFirst } from '../../../store/store.ts'

/** All but the photo, of which only the presence is read. */
const LISTED = [
  'id',
  'location',
  'service',
  'fault',
  'at',
  'booked_at',
  'fixed_at',
  'fixed_by',
  'by_name',
  'by_role',
] as const

type Row = Pick<Columns<'machine_report'>, (typeof LISTED)[number]> & { readonly has_photo: number | string | boolean }

const fromRow = (row: Row) => ({
  id: row.id,
  location: row.location,
  service: row.service ?? undefined,
  fault: row.fault ?? undefined,
  at: row.at,
  bookedAt: row.booked_at,
  fixedAt: row.fixed_at ?? undefined,
  fixedBy: row.fixed_by ?? undefined,
  by: fromByColumns(row),
  hasPhoto: Number(row.has_photo) === 1,
})
export type Report = Readonly<ReturnType<typeof fromRow>>

const select = (db: Queryable) =>
  db
    .selectFrom('machine_report')
    .select(LISTED)
    .select(sql<number>`case when photo is null then 0 else 1 end`.as('has_photo'))

export const findReport = (db: Queryable, id: string): Promise<Report | undefined> =>
  readFirst(select(db).where('id', '=', id), fromRow)

/** Faults that are not fixed first, then the latest. */
export const listReports = (db: Queryable, location: string, limit: number): Promise<Report[]> =>
  readAll(
    select(db)
      .where('location', '=', location)
      .orderBy(sql`case when fault is not null and fixed_at is null then 0 else 1 end`)
      .orderBy('at', 'desc')
      .orderBy('id')
      .limit(limit),
    fromRow,
  )

/** Faults of all machines that are not fixed, the latest first. */
export const listOpenFaults = (db: Queryable, limit: number): Promise<Report[]> =>
  readAll(
    select(db)
      .where('fault', 'is not', null)
      .where('fixed_at', 'is', null)
      .orderBy('at', 'desc')
      .orderBy('id')
      .limit(limit),
    fromRow,
  )

export async function insertReport(
  tx: Tx,
  report: Pick<Report, 'id' | 'location' | 'service' | 'fault' | 'at' | 'bookedAt'> & { readonly photo?: string },
): Promise<void> {
  await tx
    .insertInto('machine_report')
    .values({
      id: report.id,
      location: report.location,
      service: report.service ?? null,
      fault: report.fault ?? null,
      at: report.at,
      booked_at: report.bookedAt,
      fixed_at: null,
      fixed_by: null,
      ...byColumns(),
      photo: report.photo ?? null,
    })
    .execute()
}

/** False: it was fixed before. */
export const markFixed = (tx: Tx, id: string, at: number, by: string | undefined): Promise<boolean> =>
  changeRows(
    tx
      .updateTable('machine_report')
      .set({ fixed_at: at, fixed_by: by ?? null })
      .where('id', '=', id)
      .where('fixed_at', 'is', null),
  )

export const findPhoto = (db: Queryable, id: string): Promise<string | undefined> =>
  readFirst(
    db.selectFrom('machine_report').select('photo').where('id', '=', id).where('photo', 'is not', null),
    ({ photo }) => photo ?? undefined,
  )

/** Keeps the newest photos only, and none from before. Reports stay without theirs. */
export async function dropPhotos(db: Queryable, before: number, newest: number): Promise<void> {
  const first = await db
    .selectFrom('machine_report')
    .select('booked_at')
    .where('photo', 'is not', null)
    .orderBy('booked_at', 'desc')
    .offset(newest)
    .limit(1)
    .executeTakeFirst()
  await db
    .updateTable('machine_report')
    .set({ photo: null })
    .where('photo', 'is not', null)
    .where('booked_at', '<', Math.max(before, (first?.booked_at ?? -1) + 1))
    .execute()
}

export const deleteReportsBefore = (db: Queryable, before: number): Promise<unknown> =>
  db
    .deleteFrom('machine_report')
    .where('at', '<', before)
    .where((is) => is.or([is('fault', 'is', null), is('fixed_at', 'is not', null)]))
    .execute()
