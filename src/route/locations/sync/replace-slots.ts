/**
 * Replaces the stored slots of machines with what they reported. Locks are a table of their own and not touched; changes of
 * stock are logged.
 */
import { type SkuId, namespaceOf, skuIdOf, slotIdOf } from '../../../kernel/ids.ts'
import type { StoreKind, Tx } from '../../../store/store.ts'
import type { Columns } from '../../../store/schema.ts'
import type { UnreadableRow } from '../../../vendors/contract.ts'
import type { MachineSlot } from '../../../vendors/machine-vendor.ts'
import { completeFromOf, listLedgerCoverage, loadSalesSince, rebuildLevelSeries } from '../../sales/index.ts'
import type { LocationRecord } from '../records.ts'
import { bookingColumns, knownLevelOf } from '../slot-records.ts'
import { bookCount, deleteBooks } from '../stock/book-records.ts'
import {
  type ChosenLevel,
  type KnownSales,
  NO_SALES,
  chooseLevel,
  reportedStock,
  salesNeededFrom,
} from '../stock/choose-level.ts'
import { type SettingsOf, type SlotSettings, listSlotSettings } from '../slot-setting-records.ts'
import { type KnownCapacity, capacityOf, inferCapacity, UNKNOWN } from './infer-capacity.ts'
import {
  insertStockReadings,
  listReportedLevels,
  listSlotRows,
  markSynced,
  replaceSlotRows,
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
  const salesOf = await loadSalesOfBookedSlots(tx, before)
  const settingsOf = await listSlotSettings(tx, [...registered])
  const read = current.flatMap((reading) => toSlotRows(reading, known, salesOf, settingsOf, now))
  const rows = read.map(({ row }) => row)
  const after = [...rows, ...slotsWithUnreadableRows(current, before, rows)]

  await saveChanges(tx, read, known)
  await deleteBooks(tx, findGoneSlots(before, after))
  await replaceSlotRows(tx, [...registered], after)
}

/** A product that comes back later comes back with an unknown stock, so its book ends when it goes. */
function findGoneSlots(before: readonly Columns<'slot'>[], after: readonly Columns<'slot'>[]) {
  const present = new Set(after.map(slotRowKey))
  return before
    .filter((row) => !present.has(slotRowKey(row)))
    .map(({ location, vendor_sku }) => ({ location, vendorSku: vendor_sku }))
}

/** The sales of slots whose stock a receipt or count of ours shows, as far as the reading is compared with them. */
async function loadSalesOfBookedSlots(
  tx: Tx,
  rows: readonly Columns<'slot'>[],
): Promise<(row: Columns<'slot'>) => KnownSales> {
  const needed = rows.flatMap((row) => {
    const from = salesNeededFrom(knownLevelOf(row))
    return from === undefined ? [] : [{ row, from }]
  })
  if (needed.length === 0) return () => NO_SALES
  const slots = needed.map(({ row }) => ({
    location: row.location,
    vendorSku: row.vendor_sku,
    slotId: row.slot_id,
    skuId: row.sku_id as SkuId,
  }))
  const sold = await loadSalesSince(tx, slots, Math.min(...needed.map(({ from }) => from)))
  const coverage = new Map((await listLedgerCoverage(tx)).map((each) => [each.namespace, each]))
  const sales = new Map(
    needed.map(({ row, from }): [string, KnownSales] => {
      const ledger = coverage.get(namespaceOf(row.sku_id as SkuId))
      const isComplete = ledger !== undefined && completeFromOf(ledger, from) === null
      return [slotRowKey(row), { soldAt: sold.get(row.slot_id)?.at ?? [], readTo: isComplete ? ledger.to : undefined }]
    }),
  )
  return (row) => sales.get(slotRowKey(row)) ?? NO_SALES
}

/** Logs the levels that changed, opens a book where the readings no longer give the level, and infers capacities. */
async function saveChanges(
  tx: Tx,
  after: readonly ReadSlotRow[],
  known: ReadonlyMap<string, Columns<'slot'>>,
): Promise<void> {
  const changes = after.filter(({ row }) => known.get(slotRowKey(row))?.stock !== row.stock)
  const leveled = changes.flatMap(({ row, chosen }) => (isLeveled(row) ? [{ row, chosen }] : []))
  await saveStockReadings(tx, leveled.map(toStockReading))
  await inferCapacities(
    tx,
    leveled.filter(({ chosen }) => chosen.from === 'reading').map(({ row }) => row),
    known,
  )
  for (const { row, chosen } of changes) {
    const before = known.get(slotRowKey(row))
    if (row.stock !== null || !before || !isLeveled(before)) continue
    // The last level that a platform reported is as good as a count.
    const last = chosen.from === 'booking' ? chosen : { at: before.updated_at, units: before.stock }
    await bookCount(tx, { location: row.location, vendorSku: row.vendor_sku }, last.at, last.units)
  }
}

type LeveledRow = Columns<'slot'> & { stock: number }

const isLeveled = (row: Columns<'slot'>): row is LeveledRow => row.stock !== null

/** A slot that was read, and what the reading made of its level. */
interface ReadSlotRow {
  readonly row: Columns<'slot'>
  readonly chosen: ChosenLevel
}

/**
 * Slots whose row could not be read stay as they were. A row without a readable code may be any missing slot, so then
 * none of the machine's slots counts as gone.
 */
function slotsWithUnreadableRows(
  inventories: readonly MachineInventory[],
  before: readonly Columns<'slot'>[],
  read: readonly Columns<'slot'>[],
) {
  const unreadableOf = new Map(inventories.map(({ location, unreadable = [] }) => [location.id as string, unreadable]))
  const reported = new Set(read.map(slotRowKey))
  return before.filter(
    (row) =>
      !reported.has(slotRowKey(row)) &&
      unreadableOf.get(row.location)?.some(({ id }) => id === undefined || id === row.vendor_sku),
  )
}

/** A level that the machine did not report, because a booking of ours stands, is logged as what we booked. */
const toStockReading = ({ row, chosen }: { row: LeveledRow; chosen: ChosenLevel }): Columns<'stock_log'> => ({
  location: row.location,
  vendor_sku: row.vendor_sku,
  at: row.updated_at,
  stock: row.stock,
  source: chosen.from === 'reading' ? 'sync' : 'count',
})

function toSlotRows(
  { location, slots, readAt }: MachineInventory,
  known: ReadonlyMap<string, Columns<'slot'>>,
  salesOf: (row: Columns<'slot'>) => KnownSales,
  settingsOf: SettingsOf,
  now: number,
): ReadSlotRow[] {
  const rows = new Map<string, ReadSlotRow>()
  for (const slot of slots) {
    const { vendorSku, title, barcode, priceFen, imageUrl, lanes } = slot
    const skuId = skuIdOf(location.namespace, vendorSku)
    if (!skuId || rows.has(vendorSku)) continue
    const before = known.get(slotRowKey({ location: location.id, vendor_sku: vendorSku }))
    const chosen = before
      ? chooseLevel(knownLevelOf(before), slot, readAt, salesOf(before))
      : chooseLevel(undefined, slot, readAt)
    const level = levelColumns(chosen, before, slot, readAt)
    const operators = operatorCapacity(settingsOf(location.id, vendorSku))
    const row: Columns<'slot'> = {
      location: location.id,
      vendor_sku: vendorSku,
      slot_id: slotIdOf(location.id, vendorSku),
      sku_id: skuId,
      title,
      barcode: barcode ?? null,
      price: before && isPriceSetSince(before, readAt, now) ? before.price : priceFen,
      price_set_at: before?.price_set_at ?? null,
      ...capacityColumns(capacityOf(operators ?? knownCapacity(before), slot.capacity, level.stock)),
      lanes: lanes ? JSON.stringify(lanes) : null,
      image_url: imageUrl ?? null,
      first_seen_at: before?.first_seen_at ?? readAt,
      ...level,
    }
    rows.set(vendorSku, { row, chosen })
  }
  return [...rows.values()]
}

/** The columns of a slot that a reading changes, with what was chosen as its level. */
function levelColumns(chosen: ChosenLevel, before: Columns<'slot'> | undefined, slot: MachineSlot, readAt: number) {
  const reported = reportedStock(slot)
  const isRepeated = before?.reported_stock === reported && before.reported_at !== null
  // When the platform counted: what it had sold before it was read explains a later fall.
  const countedAt = slot.asOf ?? readAt
  const reportedColumns = { reported_stock: reported, reported_at: isRepeated ? before.reported_at : countedAt }
  const booking = before && knownLevelOf(before).booking
  if (!before || chosen.from === 'reading') {
    const stock = chosen.from === 'reading' ? chosen.stock : reported
    // A platform that reports no stock leaves our book as it is.
    const standing = stock === null ? booking : undefined
    return {
      stock,
      updated_at: readAt,
      counted_at: countedAt,
      ...reportedColumns,
      ...bookingColumns(standing),
    }
  }
  const standing = bookingColumns(booking && { ...booking, base: chosen.base })
  const { stock, updated_at, counted_at } = before
  if (chosen.from === 'stored') return { stock, updated_at, counted_at, ...reportedColumns, ...standing }
  return {
    stock: chosen.isCounting ? null : chosen.units,
    updated_at: chosen.at,
    counted_at,
    ...reportedColumns,
    ...standing,
  }
}

/** A time after `now` was stored before the clock was set back. */
const isPriceSetSince = ({ price_set_at }: Columns<'slot'>, readAt: number, now: number): boolean =>
  price_set_at !== null && price_set_at >= readAt && price_set_at <= now

const knownCapacity = (row: Columns<'slot'> | undefined): KnownCapacity =>
  row ? { capacity: row.capacity, source: row.capacity_source } : UNKNOWN

/** What an operator states also holds for a product that was away and comes back. */
const operatorCapacity = ({ capacity }: SlotSettings): KnownCapacity | undefined =>
  capacity === null ? undefined : { capacity, source: 'counted' }

const capacityColumns = ({ capacity, source }: KnownCapacity) => ({ capacity, capacity_source: source })

export async function saveStockReadings(tx: Tx, readings: readonly Columns<'stock_log'>[]): Promise<void> {
  await insertStockReadings(tx, readings)
  await rebuildLevelSeries(
    tx,
    readings.map(({ location, vendor_sku, at }) => ({ location, vendorSku: vendor_sku, at })),
  )
}

/** Only where stock rose: only a refill can show how much a slot holds. */
async function inferCapacities(
  tx: Tx,
  changes: readonly LeveledRow[],
  known: ReadonlyMap<string, Columns<'slot'>>,
): Promise<void> {
  const risen = changes.filter((row) => {
    const before = known.get(slotRowKey(row))
    return before && isLeveled(before) && row.stock > before.stock && row.capacity === null
  })
  if (risen.length === 0) return
  const levels = await listReportedLevels(tx, risen)
  for (const row of risen) {
    const capacity = inferCapacity(levels.get(slotRowKey(row)) ?? [])
    if (capacity !== null) Object.assign(row, capacityColumns({ capacity, source: 'inferred' }))
  }
}
