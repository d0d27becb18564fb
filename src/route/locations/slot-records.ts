/** Rows of slots and their locks. */
import type { SlotPosition } from '../../contract/shapes/catalog.ts'
import type { LocationId, SkuId, SlotId } from '../../kernel/ids.ts'
import { type Queryable, type Tx, changeRows, readFirst } from '../../store/store.ts'
import { matchColumns } from '../../store/match-columns.ts'
import type { Columns } from '../../store/schema.ts'
import type { MachineLane } from '../../vendors/machine-vendor.ts'
import { listSlotSettings, positionOf } from './slot-setting-records.ts'
import { slotKey } from './stock/book-records.ts'
import type { Booking, KnownLevel } from './stock/choose-level.ts'
import { type CurrentStock, loadCurrentStock } from './stock/current-stock.ts'
import { type KnownCapacity, UNKNOWN } from './sync/infer-capacity.ts'
import type { Selectable } from 'kysely'

/** A slot as of the last sync, or of a receipt or count since then. */
export type StoredSlot = Readonly<ReturnType<typeof fromSlotRow>> & CurrentStock

type StatedColumns = Pick<Columns<'slot_setting'>, 'par' | 'position_row' | 'position_column' | 'pinned'>

type JoinedSlotRow = Selectable<Columns<'slot'>> & { readonly locked_at: number | null } & StatedColumns

const lanesOf = ({ lanes }: Pick<Columns<'slot'>, 'lanes'>): readonly MachineLane[] | undefined =>
  lanes === null ? undefined : (JSON.parse(lanes) as readonly MachineLane[])

/** The platform's name of the first lane of a slot; undefined where it names none. */
export const laneNameOf = ({ lanes }: { readonly lanes: readonly MachineLane[] | undefined }): string | undefined => {
  const [first] = lanes ?? []
  return first?.isNumbered ? undefined : first?.code
}

type BookingColumns = Pick<Columns<'slot'>, 'booking' | 'booked_at' | 'base_stock' | 'base_at' | 'plausible_max'>
type ReportedColumns = Pick<Columns<'slot'>, 'reported_stock' | 'reported_at' | 'updated_at'>

const bookingOf = ({ booking, booked_at, base_stock, base_at, plausible_max }: BookingColumns): Booking | undefined =>
  booking === null || booked_at === null
    ? undefined
    : {
        kind: booking,
        at: booked_at,
        base: base_stock === null || base_at === null ? null : { stock: base_stock, at: base_at },
        ...(plausible_max === null ? {} : { plausibleMax: plausible_max }),
      }

export const bookingColumns = (booking: Booking | undefined): BookingColumns => ({
  booking: booking?.kind ?? null,
  booked_at: booking?.at ?? null,
  base_stock: booking?.base?.stock ?? null,
  base_at: booking?.base?.at ?? null,
  plausible_max: booking?.plausibleMax ?? null,
})

const reportedOf = ({ reported_stock, reported_at, updated_at }: ReportedColumns): KnownLevel['reported'] =>
  reported_stock === null ? null : { stock: reported_stock, at: reported_at ?? updated_at }

export const knownLevelOf = (row: Columns<'slot'>): KnownLevel => ({
  storedStock: row.stock,
  updatedAt: row.updated_at,
  reported: reportedOf(row),
  booking: bookingOf(row),
  ...(row.booking === null ? {} : { lanes: lanesOf(row) }),
})

const fromSlotRow = (row: JoinedSlotRow) => ({
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
  /** As an operator stated them. */
  par: row.par,
  position: positionOf(row),
  isPinned: row.pinned === 1,
  lanes: lanesOf(row),
  locked: row.locked_at !== null,
  firstSeenAt: row.first_seen_at,
  updatedAt: row.updated_at,
  /** When the platform or a person counted the stock; a platform may have counted long before it was read. */
  countedAt: row.counted_at ?? row.updated_at,
  /** The receipt or count that the stock shows, until a reading replaces it. */
  booking: bookingOf(row),
  /** What the platform said last. Null: nothing. */
  reported: reportedOf(row),
  imageUrl: row.image_url ?? undefined,
})

const selectSlots = (db: Queryable) =>
  db
    .selectFrom('slot')
    .leftJoin('slot_lock', (join) =>
      join.onRef('slot_lock.location', '=', 'slot.location').onRef('slot_lock.vendor_sku', '=', 'slot.vendor_sku'),
    )
    .leftJoin('slot_setting', (join) =>
      join
        .onRef('slot_setting.location', '=', 'slot.location')
        .onRef('slot_setting.vendor_sku', '=', 'slot.vendor_sku'),
    )
    .selectAll('slot')
    .select([
      'slot_lock.locked_at',
      'slot_setting.par',
      'slot_setting.position_row',
      'slot_setting.position_column',
      'slot_setting.pinned',
    ])

/** What a plan reads of a slot. */
export type SlotStock = Readonly<Awaited<ReturnType<typeof listSlotStocks>>[number]>

/** The slots of many machines. Locks are few: reading them apart is faster than joining them to every slot. */
export async function listSlotStocks(db: Queryable, locations: readonly string[]) {
  const locks = await db
    .selectFrom('slot_lock')
    .select(['location', 'vendor_sku'])
    .where('location', 'in', locations)
    .execute()
  const settingsOf = await listSlotSettings(db, locations)
  const locked = new Set(locks.map(({ location, vendor_sku }) => slotKey({ location, vendorSku: vendor_sku })))
  const isLocked = (location: string, vendorSku: string) =>
    locked.size > 0 && locked.has(slotKey({ location, vendorSku }))
  const rows = await db
    .selectFrom('slot')
    .select([
      'location',
      'vendor_sku',
      'slot_id',
      'sku_id',
      'title',
      'price',
      'stock',
      'capacity',
      'first_seen_at',
      'updated_at',
      'reported_stock',
      'reported_at',
      'booking',
      'booked_at',
      'base_stock',
      'base_at',
      'plausible_max',
    ])
    .where('location', 'in', locations)
    .execute()
  const stored = rows.map((row) => ({
    location: row.location as LocationId,
    vendorSku: row.vendor_sku,
    slotId: row.slot_id as SlotId,
    skuId: row.sku_id as SkuId,
    title: row.title,
    price: row.price,
    stock: row.stock,
    capacity: row.capacity,
    par: settingsOf(row.location, row.vendor_sku).par,
    locked: isLocked(row.location, row.vendor_sku),
    firstSeenAt: row.first_seen_at,
    updatedAt: row.updated_at,
    /** The receipt or count that the stock shows, until a reading replaces it. */
    booking: bookingOf(row),
    reported: row.reported_stock,
  }))
  return (await loadCurrentStock(db, stored)).map((slot) => ({
    ...slot,
    /** What the machine reported at its last reading, where a booking of ours is shown instead. */
    reportedStock: slot.booking && slot.reported !== slot.stock ? (slot.reported ?? undefined) : undefined,
  }))
}

/** The slots of a few machines, with everything that is known of them. */
export async function listSlots(db: Queryable, locations: readonly string[]): Promise<StoredSlot[]> {
  if (locations.length === 0) return []
  return loadCurrentStock(
    db,
    (await selectSlots(db).where('slot.location', 'in', locations).execute()).map(fromSlotRow),
  )
}

export async function findSlot(db: Queryable, location: string, vendorSku: string): Promise<StoredSlot | undefined> {
  const row = await selectSlots(db)
    .where((eb) => matchColumns(eb, { 'slot.location': location, 'slot.vendor_sku': vendorSku }))
    .executeTakeFirst()
  if (!row) return undefined
  const [slot] = await loadCurrentStock(db, [fromSlotRow(row)])
  return slot
}

/** The products of a machine. */
export async function listVendorSkus(db: Queryable, location: string): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('slot').select('vendor_sku').where('location', '=', location).execute()
  return new Set(rows.map(({ vendor_sku }) => vendor_sku))
}

/** What we know of a slot beyond what its machine reports. */
export interface SlotFacts {
  readonly knownCapacity: KnownCapacity
  readonly locked: boolean
  /** As an operator stated them. */
  readonly par: number | null
  readonly position: SlotPosition | null
  readonly isPinned: boolean
  /** The stock we count with; absent for a slot that no sync has read yet. */
  readonly level?: CurrentStock & { readonly known: KnownLevel }
}

const NOTHING_JOINED = { locked_at: null, par: null, position_row: null, position_column: null, pinned: null }

/** By vendor_sku. */
export async function findSlotFacts(db: Queryable, locationId: string): Promise<Map<string, SlotFacts>> {
  const [rows, locks, settingsOf] = await Promise.all([
    db.selectFrom('slot').selectAll().where('location', '=', locationId).execute(),
    db.selectFrom('slot_lock').select('vendor_sku').where('location', '=', locationId).execute(),
    listSlotSettings(db, [locationId]),
  ])
  const slots = await loadCurrentStock(
    db,
    rows.map((row) => ({ ...fromSlotRow({ ...row, ...NOTHING_JOINED }), known: knownLevelOf(row) })),
  )
  const statedOf = (vendorSku: string) => {
    const { par, position, isPinned } = settingsOf(locationId, vendorSku)
    return { par, position, isPinned }
  }
  const facts = new Map<string, SlotFacts>(
    slots.map(({ vendorSku, capacity, capacitySource, stock, stockSource, known }) => [
      vendorSku,
      {
        knownCapacity: { capacity, source: capacitySource },
        locked: false,
        ...statedOf(vendorSku),
        level: { stock, stockSource, known },
      },
    ]),
  )
  // A lock also applies to a product that was away at the last sync and is back since.
  for (const { vendor_sku } of locks)
    facts.set(vendor_sku, { knownCapacity: UNKNOWN, ...statedOf(vendor_sku), ...facts.get(vendor_sku), locked: true })
  return facts
}

/** False when it was locked or unlocked already. */
export async function setSlotLock(
  tx: Tx,
  { location, vendorSku }: Pick<StoredSlot, 'location' | 'vendorSku'>,
  locked: boolean,
  now: number,
): Promise<boolean> {
  const lock = { location, vendor_sku: vendorSku, locked_at: now }
  if (locked)
    return changeRows(
      tx
        .insertInto('slot_lock')
        .values(lock)
        .onConflict((conflict) => conflict.columns(['location', 'vendor_sku']).doNothing()),
    )
  return changeRows(tx.deleteFrom('slot_lock').where('location', '=', location).where('vendor_sku', '=', vendorSku))
}

export interface SlotLevel extends KnownCapacity {
  readonly location: string
  readonly vendorSku: string
  /** As it is stored: null where the level follows from the book. */
  readonly stock: number | null
  readonly updatedAt: number
  /** Absent: it was not counted again. */
  readonly countedAt?: number | null
  /** Undefined: the platform's reading is the level. */
  readonly booking: Booking | undefined
}

export async function updateSlotLevel(
  tx: Tx,
  { location, vendorSku, stock, capacity, source, updatedAt, countedAt, booking }: SlotLevel,
): Promise<void> {
  await tx
    .updateTable('slot')
    .set({
      stock,
      capacity,
      capacity_source: source,
      updated_at: updatedAt,
      ...bookingColumns(booking),
      ...(countedAt === undefined ? {} : { counted_at: countedAt }),
    })
    .where((eb) => matchColumns(eb, { location, vendor_sku: vendorSku }))
    .execute()
}

/** After a price change of all lanes: until the next sync the plan would go on with the old price. */
export async function setSlotPrice(tx: Tx, location: string, skuId: SkuId, price: number, at: number): Promise<void> {
  const slot = { location, sku_id: skuId }
  const lanes = await readFirst(
    tx
      .selectFrom('slot')
      .select('lanes')
      .where((eb) => matchColumns(eb, slot)),
    lanesOf,
  )
  await tx
    .updateTable('slot')
    .set({
      price,
      price_set_at: at,
      ...(lanes && { lanes: JSON.stringify(lanes.map((lane) => ({ ...lane, priceFen: price }))) }),
    })
    .where((eb) => matchColumns(eb, slot))
    .execute()
}
