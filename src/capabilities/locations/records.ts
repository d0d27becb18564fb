/** The roster, the slots as last synced, and what the mirrored ledger knows of a machine. */
import type { Selectable } from 'kysely'
import type { MachineProfile } from '../../contract/location.ts'
import type { LocationId, Namespace, SkuId, SlotId } from '../../kernel/ids.ts'
import type { Queryable } from '../../store/store.ts'
import type { LocationTable, SlotTable } from '../../store/tables/locations.ts'
import { NO_TIME } from '../sales/index.ts'

export interface LocationRecord {
  readonly id: LocationId
  readonly name: string
  readonly namespace: Namespace
  readonly profile: MachineProfile
  readonly venueName: string | undefined
  readonly registeredAt: number
  readonly lastSyncedAt: number | undefined
  /** Undefined until the machine was asked once. */
  readonly online: boolean | undefined
  readonly syncProblem: string | undefined
}

/** A slot as the last sync, or a receipt since, left it. */
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
  // Ordered here, not by the database: cursors compare ids as JavaScript does, whatever the collation.
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

export async function slotsOf(db: Queryable, locationId: string): Promise<StoredSlot[]> {
  const rows = await slots(db).where('slot.location', '=', locationId).orderBy('slot.vendor_sku').execute()
  return rows.map(fromSlotRow)
}

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

/** What we know of a slot beside what its machine tells; a capacity nobody counted or inferred is unknown. */
export interface SlotFacts {
  readonly capacity: number | null
  readonly locked: boolean
  /** The level we count with, and since when; absent for a slot no sync has read yet. */
  readonly level?: { readonly stock: number; readonly at: number }
}

/** What we know of a machine's slots beside what the machine itself tells, by vendor_sku. */
export async function slotFacts(db: Queryable, locationId: string): Promise<Map<string, SlotFacts>> {
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
  // A lock holds also for goods that were away at the last sync and are back since.
  for (const { vendor_sku } of locks) facts.set(vendor_sku, { capacity: null, ...facts.get(vendor_sku), locked: true })
  return facts
}

/**
 * Platforms may answer for machines that do not exist; only a trade within the sync window proves one (4.2). A trade
 * without a readable time is one all the same.
 */
export const provesMachine = (lastTradeAt: number, fromMs: number): boolean =>
  lastTradeAt === NO_TIME || lastTradeAt >= fromMs

export async function isSeenInLedger(db: Queryable, locationId: string, fromMs: number): Promise<boolean> {
  const last = await db
    .selectFrom('trade')
    .select('at')
    .where('location', '=', locationId)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last !== undefined && provesMachine(last.at, fromMs)
}
