/** Rows that a sync reads and writes. */
import { sql } from 'kysely'
import type { Queryable, StoreKind, Tx } from '../../../store/store.ts'
import type { Columns } from '../../../store/schema.ts'
import type { Failure } from '../../../vendors/contract.ts'
import type { MachineCash, MachineHealth } from '../../../vendors/machine-vendor.ts'
import { chunk } from '../../../lib/concurrency.ts'
import { countUnitsSold, findLastSales } from '../../sales/index.ts'
import { isConfirmedBySale } from '../seen-in-ledger.ts'
import { type LocationRecord, findLocations, listMachineIds } from '../records.ts'

const ROWS_PER_STATEMENT = 500

export async function listLocationsAwaitingSync(db: Queryable): Promise<LocationRecord[]> {
  const rows = await db.selectFrom('location').select('id').where('awaits_first_sync', '=', 1).execute()
  return findLocations(
    db,
    rows.map(({ id }) => id),
  )
}

/** Machines with a sale in the ledger since then, with the name of their venue in the newest one. */
export type VenueNameByMachine = ReadonlyMap<string, string | null>

export async function findMachinesWithSales(
  db: Queryable,
  roster: readonly LocationRecord[],
  fromMs: number,
): Promise<VenueNameByMachine> {
  const lastSales = await findLastSales(db, roster)
  return new Map(
    [...lastSales]
      .filter(([, { at }]) => isConfirmedBySale(at, fromMs))
      .map(([id, { locationName }]) => [id, locationName]),
  )
}

export async function updateVenueName(
  tx: Tx,
  { id, venueName }: LocationRecord,
  machinesWithSales: VenueNameByMachine,
): Promise<void> {
  const name = machinesWithSales.get(id)
  if (name && name !== venueName)
    await tx.updateTable('location').set({ venue_name: name }).where('id', '=', id).execute()
}

/** `rejected` is the platform saying that the machine is offline; a platform that cannot be reached says nothing. */
export async function saveSyncProblem(tx: Tx, id: string, { reason, message }: Failure): Promise<void> {
  await tx
    .updateTable('location')
    .set({ sync_problem: message, awaits_first_sync: 0, ...(reason === 'rejected' ? { online: 0 } : {}) })
    .where('id', '=', id)
    .execute()
}

export interface PlatformDetails {
  readonly id: string
  /** Undefined leaves what is stored. */
  readonly timeZone: string | undefined
  readonly health: MachineHealth | undefined
  readonly cash: MachineCash | undefined
}

export async function updatePlatformDetails(
  tx: Tx,
  { id, timeZone, health }: PlatformDetails,
  now: number,
): Promise<void> {
  if (timeZone === undefined && health === undefined) return
  await tx
    .updateTable('location')
    .set({
      ...(timeZone === undefined ? {} : { platform_time_zone: timeZone }),
      ...(health === undefined ? {} : { health: JSON.stringify(health), health_at: now }),
    })
    .where('id', '=', id)
    .execute()
}

/** Over the whole roster; sales are paid units since the given local day. */
export async function countSynced(db: Queryable, fromDay: string) {
  const machines = await listMachineIds(db)
  const { slots, products } = await db
    .selectFrom('slot')
    .select((eb) => [eb.fn.countAll<number>().as('slots'), eb.fn.count<number>('sku_id').distinct().as('products')])
    .executeTakeFirstOrThrow()
  return { locations: machines.length, products, slots, sales: await countUnitsSold(db, machines, fromDay) }
}

/** Locks the rows of these machines; returns the ids that are still registered. */
export async function markSynced(
  tx: Tx,
  kind: StoreKind,
  machines: readonly { readonly id: string; readonly canSeeOnline: boolean }[],
  now: number,
): Promise<ReadonlySet<string>> {
  const ids = machines.map(({ id }) => id)
  // In the order of their ids, as a receipt does. An update of several rows locks them in any order, and the two could
  // wait for each other. SQLite has one writer.
  if (kind === 'postgres')
    await tx
      .selectFrom('location')
      .select('id')
      .where('id', 'in', ids)
      .orderBy(sql`id collate "C"`)
      .forUpdate()
      .execute()
  const marked = await tx
    .updateTable('location')
    .set({ last_synced_at: now, online: 1, sync_problem: null, awaits_first_sync: 0 })
    .where('id', 'in', ids)
    .returning('id')
    .execute()
  const unknown = machines.flatMap(({ id, canSeeOnline }) => (canSeeOnline ? [] : [id]))
  if (unknown.length > 0) await tx.updateTable('location').set({ online: null }).where('id', 'in', unknown).execute()
  return new Set(marked.map(({ id }) => id))
}

/** Of these machines, those with at least one slot. */
export async function findLocationsWithSlots(db: Queryable, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db.selectFrom('slot').select('location').distinct().where('location', 'in', ids).execute()
  return new Set(rows.map(({ location }) => location))
}

export const listSlotRows = (tx: Tx, locations: readonly string[]): Promise<Columns<'slot'>[]> =>
  tx.selectFrom('slot').selectAll().where('location', 'in', locations).execute()

export async function replaceSlotRows(
  tx: Tx,
  locations: readonly string[],
  rows: readonly Columns<'slot'>[],
): Promise<void> {
  await tx.deleteFrom('slot').where('location', 'in', locations).execute()
  for (const part of chunk(rows, ROWS_PER_STATEMENT)) await tx.insertInto('slot').values(part).execute()
}

export async function insertStockReadings(tx: Tx, readings: readonly Columns<'stock_log'>[]): Promise<void> {
  for (const part of chunk(readings, ROWS_PER_STATEMENT))
    await tx
      .insertInto('stock_log')
      .values(part)
      .onConflict((conflict) =>
        conflict
          .columns(['location', 'vendor_sku', 'at'])
          .doUpdateSet((eb) => ({ stock: eb.ref('excluded.stock'), source: eb.ref('excluded.source') })),
      )
      .execute()
}

type SlotRowKey = Pick<Columns<'slot'>, 'location' | 'vendor_sku'>

export const slotRowKey = ({ location, vendor_sku }: SlotRowKey): string => `${location} ${vendor_sku}`

/** The stock of these slots as their machines reported it over time, oldest first, by slot key. */
export async function listReportedLevels(tx: Tx, slots: readonly SlotRowKey[]): Promise<ReadonlyMap<string, number[]>> {
  const levels = new Map(slots.map((slot) => [slotRowKey(slot), [] as number[]]))
  for (const part of chunk(slots, ROWS_PER_STATEMENT)) {
    const wanted = new Set(part.map(slotRowKey))
    const readings = await tx
      .selectFrom('stock_log')
      .select(['location', 'vendor_sku', 'stock'])
      .where('location', 'in', [...new Set(part.map(({ location }) => location))])
      .where('vendor_sku', 'in', [...new Set(part.map(({ vendor_sku }) => vendor_sku))])
      .where('source', '=', 'sync')
      .orderBy('at')
      .execute()
    // The two conditions also find other slots of these machines.
    for (const reading of readings)
      if (wanted.has(slotRowKey(reading))) levels.get(slotRowKey(reading))?.push(reading.stock)
  }
  return levels
}
