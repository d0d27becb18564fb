/** Replaces the stored slots of machines with what they reported. Locks stay, and changes of stock are logged. */
import { skuIdOf, slotIdOf } from '../../../kernel/ids.ts'
import type { StoreKind, Tx } from '../../../store/store.ts'
import type { SlotTable, StockLogTable } from '../../../store/tables/locations.ts'
import type { UnreadableRow } from '../../../vendors/contract.ts'
import type { MachineSlot } from '../../../vendors/machine-vendor.ts'
import { rebuildLevelSeries } from '../../sales/index.ts'
import { type LocationRecord, lockLocation } from '../records.ts'
import { updateSlotLevel } from '../slot-records.ts'
import { type Books, bookCount, slotKey, deleteBooks, lastBookedAt, listBooks } from '../stock/book-records.ts'
import { type SettingsOf, type SlotSettings, listSlotSettings } from '../slot-setting-records.ts'
import { type KnownCapacity, capacityOf, inferCapacity, UNKNOWN } from './infer-capacity.ts'
import { chooseLevel } from './choose-level.ts'
import {
  insertStockReadings,
  listReportedLevels,
  listSlotRows,
  markSynced,
  replaceSlotRows,
  saveReportedStock,
  slotRowKey,
} from './records.ts'

export interface MachineInventory {
  readonly location: LocationRecord
  readonly slots: readonly MachineSlot[]
  /** When it was asked: a receipt booked after that is newer. */
  readonly readAt: number
  /** False: the platform cannot say whether the machine is online. */
  readonly canSeeOnline: boolean
  /** Rows that cannot be read: their slots still exist and stay as they were. */
  readonly unreadable?: readonly UnreadableRow[] | undefined
}

/** Machines removed from the roster meanwhile are skipped. */
export async function replaceSlots(
  tx: Tx,
  kind: StoreKind,
  inventories: readonly MachineInventory[],
  now: number,
): Promise<void> {
  const registered = await markSynced(
    tx,
    kind,
    inventories.map(({ location, canSeeOnline }) => ({ id: location.id, canSeeOnline })),
    now,
  )
  const current = inventories.filter(({ location }) => registered.has(location.id))
  if (current.length === 0) return

  const before = await listSlotRows(tx, [...registered])
  const known = new Map(before.map((row) => [slotRowKey(row), row]))
  const books = await listBooks(tx, [...registered])
  const settingsOf = await listSlotSettings(tx, [...registered])
  const read = current.flatMap((reading) => toSlotRows(reading, known, books, settingsOf, now))
  const after = [...read, ...slotsWithUnreadableRows(current, before, read)]

  await saveChanges(tx, after, known)
  await deleteBooks(tx, findGoneSlots(before, after))
  await replaceSlotRows(tx, [...registered], after)
}

/** A product that comes back later comes back with an unknown stock, so its book ends when it goes. */
function findGoneSlots(before: readonly SlotTable[], after: readonly SlotTable[]) {
  const present = new Set(after.map(slotRowKey))
  return before
    .filter((row) => !present.has(slotRowKey(row)))
    .map(({ location, vendor_sku }) => ({ location, vendorSku: vendor_sku }))
}

/** Logs the levels that changed, opens a book where the platform no longer reports one, and infers capacities. */
async function saveChanges(tx: Tx, after: readonly SlotTable[], known: ReadonlyMap<string, SlotTable>): Promise<void> {
  const changes = after.filter((row) => known.get(slotRowKey(row))?.stock !== row.stock)
  const reported = changes.filter(isReported)
  await saveStockReadings(tx, reported.map(toStockReading))
  await inferCapacities(tx, reported, known)
  for (const row of changes) {
    const before = known.get(slotRowKey(row))
    if (row.stock === null && before && isReported(before)) await openBook(tx, before)
  }
}

type ReportedRow = SlotTable & { stock: number }

const isReported = (row: SlotTable): row is ReportedRow => row.stock !== null

/** The last level that a platform reported is as good as a count. */
const openBook = (tx: Tx, { location, vendor_sku, stock, updated_at }: ReportedRow): Promise<void> =>
  bookCount(tx, { location, vendorSku: vendor_sku }, updated_at, stock)

/**
 * Slots whose row could not be read stay as they were. A row without a readable code may be any missing slot, so then
 * none of the machine's slots counts as gone.
 */
function slotsWithUnreadableRows(
  inventories: readonly MachineInventory[],
  before: readonly SlotTable[],
  read: readonly SlotTable[],
) {
  const unreadableOf = new Map(inventories.map(({ location, unreadable = [] }) => [location.id as string, unreadable]))
  const reported = new Set(read.map(slotRowKey))
  return before.filter(
    (row) =>
      !reported.has(slotRowKey(row)) &&
      unreadableOf.get(row.location)?.some(({ id }) => id === undefined || id === row.vendor_sku),
  )
}

/**
 * Saves stock read from one machine outside a sync, so that catalog and plan show the same. Which products are in the
 * machine, their names and prices are left to the sync; a level booked after the reading stays.
 */
export async function saveLevels(
  tx: Tx,
  location: string,
  slots: readonly MachineSlot[],
  readAt: number,
  now: number,
): Promise<void> {
  // Row lock: serializes with a running sync and with receipts.
  await lockLocation(tx, location, now)
  const rows = await listSlotRows(tx, [location])
  const books = await listBooks(tx, [location])
  const read = new Map(slots.map((slot) => [slot.vendorSku, slot]))
  for (const { vendor_sku, reported_stock, updated_at } of rows) {
    const slot = read.get(vendor_sku)
    if (slot && updated_at <= readAt && reportedStock(slot) !== reported_stock)
      await saveReportedStock(tx, location, vendor_sku, reportedStock(slot))
  }
  const changes = rows.flatMap((row): SlotTable[] => {
    const slot = read.get(row.vendor_sku)
    const level = slot && chooseLevel(knownLevel(row, books), slot, readAt)
    if (!slot || !level || level.stock === row.stock) return []
    const capacity = capacityColumns(capacityOf(knownCapacity(row), slot.capacity, level.stock))
    return [{ ...row, ...capacity, stock: level.stock, updated_at: readAt, counted_at: slot.asOf ?? readAt }]
  })
  await saveChanges(tx, changes, new Map(rows.map((row) => [slotRowKey(row), row])))
  for (const { vendor_sku, stock, capacity, capacity_source, updated_at, counted_at } of changes)
    await updateSlotLevel(tx, {
      location,
      vendorSku: vendor_sku,
      stock,
      capacity,
      source: capacity_source,
      updatedAt: updated_at,
      countedAt: counted_at,
    })
}

const knownLevel = (row: SlotTable | undefined, books: Books) =>
  row && {
    storedStock: row.stock,
    updatedAt: row.updated_at,
    bookedAt: lastBookedAt(books.get(slotKey({ location: row.location, vendorSku: row.vendor_sku }))),
  }

const toStockReading = ({ location, vendor_sku, stock, updated_at }: ReportedRow): StockLogTable => ({
  location,
  vendor_sku,
  at: updated_at,
  stock,
  source: 'sync',
})

function toSlotRows(
  { location, slots, readAt }: MachineInventory,
  known: ReadonlyMap<string, SlotTable>,
  books: Books,
  settingsOf: SettingsOf,
  now: number,
): SlotTable[] {
  const rows = new Map<string, SlotTable>()
  for (const slot of slots) {
    const { vendorSku, title, barcode, priceFen, imageUrl, lanes } = slot
    const skuId = skuIdOf(location.namespace, vendorSku)
    if (!skuId || rows.has(vendorSku)) continue
    const before = known.get(slotRowKey({ location: location.id, vendor_sku: vendorSku }))
    const level = chooseLevel(knownLevel(before, books), slot, readAt)
    const stock = level ? level.stock : (before?.stock ?? null)
    const operators = operatorCapacity(settingsOf(location.id, vendorSku))
    rows.set(vendorSku, {
      location: location.id,
      vendor_sku: vendorSku,
      slot_id: slotIdOf(location.id, vendorSku),
      sku_id: skuId,
      title,
      barcode: barcode ?? null,
      price: before && isPriceSetSince(before, readAt, now) ? before.price : priceFen,
      price_set_at: before?.price_set_at ?? null,
      stock,
      ...capacityColumns(capacityOf(operators ?? knownCapacity(before), slot.capacity, stock)),
      lanes: lanes ? JSON.stringify(lanes) : null,
      image_url: imageUrl ?? null,
      first_seen_at: before?.first_seen_at ?? readAt,
      updated_at: level || !before ? readAt : before.updated_at,
      counted_at: level || !before ? (slot.asOf ?? readAt) : before.counted_at,
      reported_stock: reportedStock(slot),
    })
  }
  return [...rows.values()]
}

/** What the machine says; some platforms count below zero. */
export const reportedStock = ({ stock }: MachineSlot): number | null => (stock === null ? null : Math.max(0, stock))

/** A time after `now` was stored before the clock was set back. */
const isPriceSetSince = ({ price_set_at }: SlotTable, readAt: number, now: number): boolean =>
  price_set_at !== null && price_set_at >= readAt && price_set_at <= now

const knownCapacity = (row: SlotTable | undefined): KnownCapacity =>
  row ? { capacity: row.capacity, source: row.capacity_source } : UNKNOWN

/** What an operator states also holds for a product that was away and comes back. */
const operatorCapacity = ({ capacity }: SlotSettings): KnownCapacity | undefined =>
  capacity === null ? undefined : { capacity, source: 'counted' }

const capacityColumns = ({ capacity, source }: KnownCapacity) => ({ capacity, capacity_source: source })

export async function saveStockReadings(tx: Tx, readings: readonly StockLogTable[]): Promise<void> {
  await insertStockReadings(tx, readings)
  await rebuildLevelSeries(
    tx,
    readings.map(({ location, vendor_sku, at }) => ({ location, vendorSku: vendor_sku, at })),
  )
}

/** Only where stock rose: only a refill can show how much a slot holds. */
async function inferCapacities(
  tx: Tx,
  changes: readonly ReportedRow[],
  known: ReadonlyMap<string, SlotTable>,
): Promise<void> {
  const risen = changes.filter((row) => {
    const before = known.get(slotRowKey(row))
    return before && isReported(before) && row.stock > before.stock && row.capacity === null
  })
  if (risen.length === 0) return
  const levels = await listReportedLevels(tx, risen)
  for (const row of risen) {
    const capacity = inferCapacity(levels.get(slotRowKey(row)) ?? [])
    if (capacity !== null) Object.assign(row, capacityColumns({ capacity, source: 'inferred' }))
  }
}
