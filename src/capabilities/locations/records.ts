/** Rows of machines, their slots, locks and stock readings. */
import type { Selectable } from 'kysely'
import type { MachineProfile } from '../../contract/location.ts'
import type { LocationId, Namespace, SkuId, SlotId } from '../../kernel/ids.ts'
import type { Queryable, Tx } from '../../store/store.ts'
import type { LocationTable, SlotTable } from '../../store/tables/locations.ts'
import { findLastSales, NO_TIME } from '../sales/index.ts'
import type { KnownCapacity } from './sync/infer-capacity.ts'

export interface LocationRecord {
  readonly id: LocationId
  readonly name: string
  readonly namespace: Namespace
  readonly profile: MachineProfile
  readonly venueName: string | undefined
  readonly registeredAt: number
  readonly lastSyncedAt: number | undefined
  /** Undefined until the machine was read once. */
  readonly online: boolean | undefined
  readonly syncProblem: string | undefined
}

/** A slot as of the last sync or a receipt since then. */
export interface StoredSlot {
  readonly location: LocationId
  readonly vendorSku: string
  readonly slotId: SlotId
  readonly skuId: SkuId
  readonly title: string
  readonly barcode: string | undefined
  readonly price: number
  readonly stock: number
  readonly capacity: number | null
  readonly capacitySource: 'counted' | 'inferred' | null
  readonly locked: boolean
  readonly firstSeenAt: number
  readonly updatedAt: number
  readonly imageUrl: string | undefined
}

const fromLocationRow = (row: Selectable<LocationTable>): LocationRecord => ({
  id: row.id as LocationId,
  name: row.name,
  namespace: row.namespace as Namespace,
  profile: JSON.parse(row.profile) as MachineProfile,
  venueName: row.venue_name ?? undefined,
  registeredAt: row.registered_at,
  lastSyncedAt: row.last_synced_at ?? undefined,
  online: row.online === null ? undefined : row.online === 1,
  syncProblem: row.sync_problem ?? undefined,
})

const fromSlotRow = (row: Selectable<SlotTable> & { readonly locked_at: number | null }): StoredSlot => ({
  location: row.location as LocationId,
  vendorSku: row.vendor_sku,
  slotId: row.slot_id as SlotId,
  skuId: row.sku_id as SkuId,
  title: row.title,
  barcode: row.barcode ?? undefined,
  price: row.price,
  stock: row.stock,
  capacity: row.capacity,
  capacitySource: row.capacity_source,
  locked: row.locked_at !== null,
  firstSeenAt: row.first_seen_at,
  updatedAt: row.updated_at,
  imageUrl: row.image_url ?? undefined,
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

const slots = (db: Queryable) =>
  db
    .selectFrom('slot')
    .leftJoin('slot_lock', (join) =>
      join.onRef('slot_lock.location', '=', 'slot.location').onRef('slot_lock.vendor_sku', '=', 'slot.vendor_sku'),
    )
    .selectAll('slot')
    .select('slot_lock.locked_at')

/** What a plan reads of a slot. */
export type SlotStock = Pick<
  StoredSlot,
  'location' | 'vendorSku' | 'slotId' | 'skuId' | 'title' | 'price' | 'stock' | 'capacity' | 'locked' | 'firstSeenAt'
>

/** The slots of many machines. Locks are few: reading them apart is faster than joining them to every slot. */
export async function listSlotStocks(db: Queryable, locations: readonly string[]): Promise<SlotStock[]> {
  const locks = await db
    .selectFrom('slot_lock')
    .select(['location', 'vendor_sku'])
    .where('location', 'in', locations)
    .execute()
  const locked = new Set(locks.map(({ location, vendor_sku }) => `${location} ${vendor_sku}`))
  const isLocked = (location: string, vendorSku: string) => locked.size > 0 && locked.has(`${location} ${vendorSku}`)
  const rows = await db
    .selectFrom('slot')
    .select(['location', 'vendor_sku', 'slot_id', 'sku_id', 'title', 'price', 'stock', 'capacity', 'first_seen_at'])
    .where('location', 'in', locations)
    .execute()
  return rows.map((row) => ({
    location: row.location as LocationId,
    vendorSku: row.vendor_sku,
    slotId: row.slot_id as SlotId,
    skuId: row.sku_id as SkuId,
    title: row.title,
    price: row.price,
    stock: row.stock,
    capacity: row.capacity,
    locked: isLocked(row.location, row.vendor_sku),
    firstSeenAt: row.first_seen_at,
  }))
}

export async function findSlot(db: Queryable, location: string, vendorSku: string): Promise<StoredSlot | undefined> {
  const row = await slots(db)
    .where('slot.location', '=', location)
    .where('slot.vendor_sku', '=', vendorSku)
    .executeTakeFirst()
  return row && fromSlotRow(row)
}

/** What we know of a slot beyond what its machine reports. */
export interface SlotFacts {
  /** Null while it was neither counted nor inferred. */
  readonly capacity: number | null
  readonly locked: boolean
  /** The stock we count with and its time; absent for a slot that no sync has read yet. */
  readonly level?: { readonly stock: number; readonly at: number }
}

/** By vendor_sku. */
export async function findSlotFacts(db: Queryable, locationId: string): Promise<Map<string, SlotFacts>> {
  const [known, locks] = await Promise.all([
    db
      .selectFrom('slot')
      .select(['vendor_sku', 'capacity', 'stock', 'updated_at'])
      .where('location', '=', locationId)
      .execute(),
    db.selectFrom('slot_lock').select('vendor_sku').where('location', '=', locationId).execute(),
  ])
  const facts = new Map<string, SlotFacts>(
    known.map(({ vendor_sku, capacity, stock, updated_at }) => [
      vendor_sku,
      { capacity, locked: false, level: { stock, at: updated_at } },
    ]),
  )
  // A lock also applies to a product that was away at the last sync and is back since.
  for (const { vendor_sku } of locks) facts.set(vendor_sku, { capacity: null, ...facts.get(vendor_sku), locked: true })
  return facts
}

/** How many of these products each machine had at its last sync. */
export async function countProductsCarried(
  db: Queryable,
  skuIds: readonly SkuId[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('slot')
    .select((eb) => ['location', eb.fn.countAll<number>().as('carried')])
    .where('sku_id', 'in', skuIds)
    .groupBy('location')
    .execute()
  return new Map(rows.map(({ location, carried }) => [location, carried]))
}

/**
 * Platforms may answer for machines that do not exist; only a sale within the sync window confirms one (4.2). A sale
 * without a readable time counts too.
 */
export const confirmsMachine = (lastSaleAt: number, fromMs: number): boolean =>
  lastSaleAt === NO_TIME || lastSaleAt >= fromMs

export async function hasSaleSince(db: Queryable, locationId: string, fromMs: number): Promise<boolean> {
  const last = (await findLastSales(db, [locationId])).get(locationId)
  return last !== undefined && confirmsMachine(last.at, fromMs)
}

interface StatedColumns {
  readonly name: string
  /** Undefined leaves it as it is. */
  readonly profile: MachineProfile | undefined
}

const statedColumns = ({ name, profile }: StatedColumns) => ({
  name,
  ...(profile && { profile: JSON.stringify(profile) }),
})

/** False when the machine is registered already. */
export async function insertLocation(
  tx: Tx,
  id: LocationId,
  namespace: Namespace,
  stated: StatedColumns,
  now: number,
): Promise<boolean> {
  const added = await tx
    .insertInto('location')
    .values({
      id,
      namespace,
      profile: '{}',
      ...statedColumns(stated),
      venue_name: null,
      registered_at: now,
      updated_at: now,
      last_synced_at: null,
      online: null,
      sync_problem: null,
      awaits_first_sync: 1,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst()
  return added.numInsertedOrUpdatedRows === 1n
}

export async function updateLocation(tx: Tx, id: LocationId, stated: StatedColumns, now: number): Promise<void> {
  await tx
    .updateTable('location')
    .set({ ...statedColumns(stated), updated_at: now })
    .where('id', '=', id)
    .execute()
}

/** Row lock: writers of one machine's slots (sync, receipt, catalog read, removal) wait for each other. */
export async function lockLocation(tx: Tx, id: string, now: number): Promise<void> {
  await tx.updateTable('location').set({ updated_at: now }).where('id', '=', id).execute()
}

/** Deletes the machine with its slots, locks and stock readings. */
export async function deleteLocationRows(
  tx: Tx,
  id: string,
): Promise<{ readonly slots: number; readonly locks: number; readonly readings: number }> {
  const deleteFrom = async (table: 'slot' | 'slot_lock' | 'stock_log') =>
    Number((await tx.deleteFrom(table).where('location', '=', id).executeTakeFirstOrThrow()).numDeletedRows)
  const deleted = {
    readings: await deleteFrom('stock_log'),
    slots: await deleteFrom('slot'),
    locks: await deleteFrom('slot_lock'),
  }
  await tx.deleteFrom('location').where('id', '=', id).execute()
  return deleted
}

/** False when it was locked or unlocked already. */
export async function setSlotLock(
  tx: Tx,
  { location, vendorSku }: Pick<StoredSlot, 'location' | 'vendorSku'>,
  locked: boolean,
  now: number,
): Promise<boolean> {
  if (locked) {
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('slot_lock')
      .values({ location, vendor_sku: vendorSku, locked_at: now })
      .onConflict((conflict) => conflict.columns(['location', 'vendor_sku']).doNothing())
      .executeTakeFirstOrThrow()
    return numInsertedOrUpdatedRows === 1n
  }
  const { numDeletedRows } = await tx
    .deleteFrom('slot_lock')
    .where('location', '=', location)
    .where('vendor_sku', '=', vendorSku)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}

export interface SlotLevel extends KnownCapacity {
  readonly location: string
  readonly vendorSku: string
  readonly stock: number
  readonly updatedAt: number
}

export async function updateSlotLevel(
  tx: Tx,
  { location, vendorSku, stock, capacity, source, updatedAt }: SlotLevel,
): Promise<void> {
  await tx
    .updateTable('slot')
    .set({ stock, capacity, capacity_source: source, updated_at: updatedAt })
    .where('location', '=', location)
    .where('vendor_sku', '=', vendorSku)
    .execute()
}

export async function highestStock(tx: Tx, location: string, vendorSku: string): Promise<number> {
  const { highest } = await tx
    .selectFrom('stock_log')
    .select((eb) => eb.fn.max('stock').as('highest'))
    .where('location', '=', location)
    .where('vendor_sku', '=', vendorSku)
    .executeTakeFirstOrThrow()
  return highest ?? 0
}

export async function deleteStockReadings(db: Queryable, before: number): Promise<void> {
  await db.deleteFrom('stock_log').where('at', '<', before).execute()
}
