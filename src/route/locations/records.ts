/** Rows of machines. */
import type { CalendarEntry } from '../../contract/shapes/calendar.ts'
import type { MachineProfile, OpeningHours } from '../../contract/shapes/location.ts'
import type { Geo } from '../../kernel/driving.ts'
import type { LocationId, Namespace } from '../../kernel/ids.ts'
import { type Queryable, type Tx, changeRows, readAll, readFirst } from '../../store/store.ts'
import type { Columns } from '../../store/schema.ts'
import type { MachineHealth } from '../../vendors/machine-vendor.ts'
import type { LedgerMachineId } from '../sales/index.ts'
import type { Selectable } from 'kysely'

export interface CheckedHealth extends MachineHealth {
  readonly checkedAt: number
}

export type LocationRecord = Readonly<ReturnType<typeof fromRow>>

const fromRow = (row: Selectable<Columns<'location'>>) => ({
  id: row.id as LocationId,
  name: row.name,
  namespace: row.namespace as Namespace,
  profile: JSON.parse(row.profile) as MachineProfile,
  /** As the operator stated them, for trips. */
  geo: row.geo === null ? undefined : (JSON.parse(row.geo) as Geo),
  area: row.area ?? undefined,
  hours: row.hours === null ? undefined : (JSON.parse(row.hours) as readonly OpeningHours[]),
  /** Sorted by day. */
  calendar: JSON.parse(row.calendar ?? '[]') as readonly CalendarEntry[],
  venueName: row.venue_name ?? undefined,
  registeredAt: row.registered_at,
  lastSyncedAt: row.last_synced_at ?? undefined,
  /** Undefined until the machine was read once. */
  online: row.online === null ? undefined : row.online === 1,
  /** The zone that the platform states for the machine. */
  platformTimeZone: row.platform_time_zone ?? undefined,
  health: healthOf(row),
})

/** As the platform last reported it. */
const healthOf = ({ health, health_at, updated_at }: Selectable<Columns<'location'>>): CheckedHealth | undefined =>
  health === null ? undefined : { ...(JSON.parse(health) as MachineHealth), checkedAt: health_at ?? updated_at }

const selectLocations = (db: Queryable) => db.selectFrom('location').selectAll()

export const findLocation = (db: Queryable, id: string): Promise<LocationRecord | undefined> =>
  readFirst(selectLocations(db).where('id', '=', id), fromRow)

export const findLocations = async (db: Queryable, ids: readonly string[]): Promise<LocationRecord[]> =>
  ids.length === 0 ? [] : readAll(selectLocations(db).where('id', 'in', ids), fromRow)

/** The whole roster, by id. */
export async function listLocations(db: Queryable): Promise<LocationRecord[]> {
  // Sorted here, not by the database: cursors compare ids as JavaScript does, whatever the collation.
  return (await readAll(selectLocations(db), fromRow)).toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

export async function listLocationIds(db: Queryable): Promise<LocationId[]> {
  const rows = await db.selectFrom('location').select('id').execute()
  return rows.map(({ id }) => id as LocationId).toSorted()
}

/** The whole roster, as the ledgers name its machines. */
export const listMachineIds = (db: Queryable): Promise<LedgerMachineId[]> =>
  readAll(db.selectFrom('location').select(['id', 'namespace']), ({ id, namespace }) => ({
    id,
    namespace: namespace as Namespace,
  }))

interface StatedProfile {
  readonly name: string
  /** Undefined leaves it as it is; null removes it. */
  readonly profile: MachineProfile | undefined
  readonly geo: Geo | null | undefined
  readonly area: string | null | undefined
  readonly hours: readonly OpeningHours[] | null | undefined
}

export interface NewLocation extends StatedProfile {
  readonly id: LocationId
  readonly namespace: Namespace
  readonly platformTimeZone: string | undefined
}

const statedColumns = ({ name, profile, geo, area, hours }: StatedProfile) => ({
  name,
  ...(profile && { profile: JSON.stringify(profile) }),
  ...(geo === undefined ? {} : { geo: geo && JSON.stringify(geo) }),
  ...(area === undefined ? {} : { area }),
  ...(hours === undefined ? {} : { hours: hours && JSON.stringify(hours) }),
})

/** False when the machine is registered already. */
export const insertLocation = (
  tx: Tx,
  { id, namespace, platformTimeZone, ...stated }: NewLocation,
  now: number,
): Promise<boolean> =>
  changeRows(
    tx
      .insertInto('location')
      .values({
        id,
        namespace,
        profile: '{}',
        ...statedColumns(stated),
        registered_at: now,
        updated_at: now,
        awaits_first_sync: 1,
        platform_time_zone: platformTimeZone ?? null,
      })
      .onConflict((conflict) => conflict.column('id').doNothing()),
  )

export async function updateLocation(tx: Tx, id: LocationId, stated: StatedProfile, now: number): Promise<void> {
  await tx
    .updateTable('location')
    .set({ ...statedColumns(stated), updated_at: now })
    .where('id', '=', id)
    .execute()
}

export async function updateCalendar(tx: Tx, id: string, calendar: readonly CalendarEntry[]): Promise<void> {
  await tx
    .updateTable('location')
    .set({ calendar: calendar.length === 0 ? null : JSON.stringify(calendar) })
    .where('id', '=', id)
    .execute()
}

/** Row lock: writers of one machine's slots (sync, receipt, catalog read, removal) wait for each other. */
export async function lockLocation(tx: Tx, id: string, now: number): Promise<void> {
  await tx.updateTable('location').set({ updated_at: now }).where('id', '=', id).execute()
}

/** Deletes the machine with its slots, their book, locks and stock readings. */
export async function deleteLocationRows(
  tx: Tx,
  id: string,
): Promise<{ readonly slots: number; readonly locks: number; readonly readings: number }> {
  const deleteFrom = async (table: 'slot' | 'slot_book' | 'slot_lock' | 'slot_setting' | 'stock_log') =>
    Number((await tx.deleteFrom(table).where('location', '=', id).executeTakeFirstOrThrow()).numDeletedRows)
  const deleted = {
    readings: await deleteFrom('stock_log'),
    slots: await deleteFrom('slot'),
    locks: await deleteFrom('slot_lock'),
  }
  await deleteFrom('slot_book')
  await deleteFrom('slot_setting')
  await tx.deleteFrom('location').where('id', '=', id).execute()
  return deleted
}
