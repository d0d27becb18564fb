/** Rows of machines. */
import type { CalendarEntry } from '../../contract/calendar.ts'
import type { MachineProfile } from '../../contract/location.ts'
import type { Geo } from '../../kernel/driving.ts'
import type { LocationId, Namespace } from '../../kernel/ids.ts'
import type { Queryable, Tx } from '../../store/store.ts'
import type { LocationTable } from '../../store/tables/locations.ts'
import type { MachineHealth } from '../../vendors/machine-vendor.ts'
import type { LedgerMachineId } from '../sales/index.ts'
import type { Selectable } from 'kysely'

export interface LocationRecord {
  readonly id: LocationId
  readonly name: string
  readonly namespace: Namespace
  readonly profile: MachineProfile
  /** As the operator stated them, for trips. */
  readonly geo: Geo | undefined
  readonly area: string | undefined
  /** Sorted by day. */
  readonly calendar: readonly CalendarEntry[]
  readonly venueName: string | undefined
  readonly registeredAt: number
  readonly lastSyncedAt: number | undefined
  /** Undefined until the machine was read once. */
  readonly online: boolean | undefined
  readonly syncProblem: string | undefined
  /** The zone that the platform states for the machine. */
  readonly platformTimeZone: string | undefined
  /** As the platform last reported it. */
  readonly health: CheckedHealth | undefined
}

export interface CheckedHealth extends MachineHealth {
  readonly checkedAt: number
}

const fromLocationRow = (row: Selectable<LocationTable>): LocationRecord => ({
  id: row.id as LocationId,
  name: row.name,
  namespace: row.namespace as Namespace,
  profile: JSON.parse(row.profile) as MachineProfile,
  geo: row.geo === null ? undefined : (JSON.parse(row.geo) as Geo),
  area: row.area ?? undefined,
  calendar: row.calendar === null ? [] : (JSON.parse(row.calendar) as CalendarEntry[]),
  venueName: row.venue_name ?? undefined,
  registeredAt: row.registered_at,
  lastSyncedAt: row.last_synced_at ?? undefined,
  online: row.online === null ? undefined : row.online === 1,
  syncProblem: row.sync_problem ?? undefined,
  platformTimeZone: row.platform_time_zone ?? undefined,
  health:
    row.health === null
      ? undefined
      : { ...(JSON.parse(row.health) as MachineHealth), checkedAt: row.health_at ?? row.updated_at },
})

export async function findLocation(db: Queryable, id: string): Promise<LocationRecord | undefined> {
  const row = await db.selectFrom('location').selectAll().where('id', '=', id).executeTakeFirst()
  return row && fromLocationRow(row)
}

export async function findLocations(db: Queryable, ids: readonly string[]): Promise<LocationRecord[]> {
  if (ids.length === 0) return []
  return (await db.selectFrom('location').selectAll().where('id', 'in', ids).execute()).map(fromLocationRow)
}

/** The whole roster, by id. */
export async function listLocations(db: Queryable): Promise<LocationRecord[]> {
  const rows = await db.selectFrom('location').selectAll().execute()
  // Sorted here, not by the database: cursors compare ids as JavaScript does, whatever the collation.
  return rows.map(fromLocationRow).toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

export async function listLocationIds(db: Queryable): Promise<LocationId[]> {
  const rows = await db.selectFrom('location').select('id').execute()
  return rows.map(({ id }) => id as LocationId).toSorted()
}

/** The whole roster, as the ledgers name its machines. */
export async function listMachineIds(db: Queryable): Promise<LedgerMachineId[]> {
  const rows = await db.selectFrom('location').select(['id', 'namespace']).execute()
  return rows.map(({ id, namespace }) => ({ id, namespace: namespace as Namespace }))
}

interface StatedProfile {
  readonly name: string
  /** Undefined leaves it as it is; null removes it. */
  readonly profile: MachineProfile | undefined
  readonly geo: Geo | null | undefined
  readonly area: string | null | undefined
}

export interface NewLocation extends StatedProfile {
  readonly id: LocationId
  readonly namespace: Namespace
  readonly platformTimeZone: string | undefined
}

const statedColumns = ({ name, profile, geo, area }: StatedProfile) => ({
  name,
  ...(profile && { profile: JSON.stringify(profile) }),
  ...(geo === undefined ? {} : { geo: geo && JSON.stringify(geo) }),
  ...(area === undefined ? {} : { area }),
})

/** False when the machine is registered already. */
export async function insertLocation(
  tx: Tx,
  { id, namespace, platformTimeZone, ...stated }: NewLocation,
  now: number,
): Promise<boolean> {
  const added = await tx
    .insertInto('location')
    .values({
      id,
      namespace,
      profile: '{}',
      geo: null,
      area: null,
      calendar: null,
      ...statedColumns(stated),
      venue_name: null,
      registered_at: now,
      updated_at: now,
      last_synced_at: null,
      online: null,
      sync_problem: null,
      awaits_first_sync: 1,
      platform_time_zone: platformTimeZone ?? null,
      health: null,
      health_at: null,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst()
  return added.numInsertedOrUpdatedRows === 1n
}

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
