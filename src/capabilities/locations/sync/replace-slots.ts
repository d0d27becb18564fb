/** Replaces the stored slots of machines with what they reported. Locks stay, and changes of stock are logged. */
import { skuIdOf, slotIdOf } from '../../../kernel/ids.ts'
import type { Tx } from '../../../store/store.ts'
import type { SlotTable, StockLogTable } from '../../../store/tables/locations.ts'
import type { MachineSlot, RefusedRow } from '../../../vendors/contract.ts'
import { rebuildLevelSeries } from '../../sales/index.ts'
import { lockLocation, updateSlotLevel } from '../records.ts'
import type { LocationRecord } from '../records.ts'
import { inferCapacity, isConsistent, UNKNOWN } from './infer-capacity.ts'
import type { KnownCapacity } from './infer-capacity.ts'
import {
  insertStockReadings,
  listReportedLevels,
  listSlotRows,
  markSynced,
  replaceSlotRows,
  slotKey,
} from './records.ts'

/** The inventory of one machine. */
export interface MachineInventory {
  readonly location: LocationRecord
  readonly slots: readonly MachineSlot[]
  /** When it was asked: a receipt booked after that is newer. */
  readonly readAt: number
  /** Rows that cannot be read: their slots still exist and stay as they were. */
  readonly unreadable?: readonly RefusedRow[] | undefined
}

/** Machines removed from the roster meanwhile are skipped. */
export async function replaceSlots(tx: Tx, inventories: readonly MachineInventory[], now: number): Promise<void> {
  const registered = await markSynced(
    tx,
    inventories.map(({ location }) => location.id),
    now,
  )
  const current = inventories.filter(({ location }) => registered.has(location.id))
  if (current.length === 0) return

  const before = await listSlotRows(tx, [...registered])
  const known = new Map(before.map((row) => [slotKey(row), row]))
  const read = current.flatMap((inventory) => toSlotRows(inventory, known))
  const after = [...read, ...unreadSlots(current, before, read)]
  const changes = after.filter((row) => known.get(slotKey(row))?.stock !== row.stock)

  await saveStockReadings(tx, changes.map(toStockReading))
  await inferCapacities(tx, changes, known)
  await replaceSlotRows(tx, [...registered], after)
}

/**
 * Slots whose row could not be read stay as they were. A row without a readable code may be any missing slot, so then
 * none of the machine's slots counts as gone.
 */
function unreadSlots(
  inventories: readonly MachineInventory[],
  before: readonly SlotTable[],
  read: readonly SlotTable[],
) {
  const unreadableOf = new Map(inventories.map(({ location, unreadable = [] }) => [location.id as string, unreadable]))
  const reported = new Set(read.map(slotKey))
  return before.filter(
    (row) =>
      !reported.has(slotKey(row)) &&
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
  // Row lock: serialises with a running sync and with receipts.
  await lockLocation(tx, location, now)
  const rows = await listSlotRows(tx, [location])
  const levels = new Map<string, number>()
  for (const { vendorSku, stock } of slots) if (!levels.has(vendorSku)) levels.set(vendorSku, Math.max(0, stock))
  const changes = rows.flatMap((row): SlotTable[] => {
    const stock = levels.get(row.vendor_sku)
    if (stock === undefined || stock === row.stock || row.updated_at > readAt) return []
    return [{ ...row, ...capacityColumns(capacityAt(row, stock)), stock, updated_at: readAt }]
  })
  await saveStockReadings(tx, changes.map(toStockReading))
  await inferCapacities(tx, changes, new Map(rows.map((row) => [slotKey(row), row])))
  for (const { vendor_sku, stock, capacity, capacity_source, updated_at } of changes)
    await updateSlotLevel(tx, {
      location,
      vendorSku: vendor_sku,
      stock,
      capacity,
      source: capacity_source,
      updatedAt: updated_at,
    })
}

const toStockReading = ({ location, vendor_sku, stock, updated_at }: SlotTable): StockLogTable => ({
  location,
  vendor_sku,
  at: updated_at,
  stock,
  source: 'sync',
})

function toSlotRows({ location, slots, readAt }: MachineInventory, known: ReadonlyMap<string, SlotTable>): SlotTable[] {
  const rows = new Map<string, SlotTable>()
  for (const { vendorSku, title, barcode, priceFen, stock, imageUrl } of slots) {
    const skuId = skuIdOf(location.namespace, vendorSku)
    if (!skuId || rows.has(vendorSku)) continue
    const before = known.get(slotKey({ location: location.id, vendor_sku: vendorSku }))
    const newer = before && before.updated_at > readAt ? before : undefined
    const level = newer ? newer.stock : Math.max(0, stock)
    rows.set(vendorSku, {
      location: location.id,
      vendor_sku: vendorSku,
      slot_id: slotIdOf(location.id, vendorSku),
      sku_id: skuId,
      title,
      barcode: barcode ?? null,
      price: priceFen,
      stock: level,
      ...capacityColumns(capacityAt(before, level)),
      image_url: imageUrl ?? null,
      first_seen_at: before?.first_seen_at ?? readAt,
      updated_at: newer ? newer.updated_at : readAt,
    })
  }
  return [...rows.values()]
}

/** The known capacity, unless this level contradicts it. */
function capacityAt(row: SlotTable | undefined, level: number): KnownCapacity {
  const known = row ? { capacity: row.capacity, source: row.capacity_source } : UNKNOWN
  return isConsistent(known, level) ? known : UNKNOWN
}

const capacityColumns = ({ capacity, source }: KnownCapacity) => ({ capacity, capacity_source: source })

export async function saveStockReadings(tx: Tx, readings: readonly StockLogTable[]): Promise<void> {
  await insertStockReadings(tx, readings)
  await rebuildLevelSeries(
    tx,
    readings.map(({ location, vendor_sku, at }) => ({ location, vendorSku: vendor_sku, at })),
  )
}

/** Only where stock rose: only a refill can show how much a slot holds. */
async function inferCapacities(tx: Tx, changes: SlotTable[], known: ReadonlyMap<string, SlotTable>): Promise<void> {
  const risen = changes.filter((row) => {
    const before = known.get(slotKey(row))
    return before && row.stock > before.stock && row.capacity === null
  })
  if (risen.length === 0) return
  const levels = await listReportedLevels(tx, risen)
  for (const row of risen) {
    const capacity = inferCapacity(levels.get(slotKey(row)) ?? [])
    if (capacity !== null) Object.assign(row, capacityColumns({ capacity, source: 'inferred' }))
  }
}
