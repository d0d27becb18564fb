/** What a machine said is on it, written in place of what was known before. Locks stay; changes of stock are logged. */
import { skuIdOf, slotIdOf } from '../../../kernel/ids.ts'
import type { SlotTable, StockLogTable } from '../../../store/tables/locations.ts'
import type { Tx } from '../../../store/store.ts'
import type { MachineSlot, RefusedRow } from '../../../vendors/contract.ts'
import { chunk } from '../../../lib/concurrency.ts'
import { inferCapacity, stillHolds, UNKNOWN } from './infer-capacity.ts'
import type { KnownCapacity } from './infer-capacity.ts'
import type { LocationRecord } from '../records.ts'
import { rebuildLevelSeries } from '../../sales/index.ts'

const ROWS_AT_ONCE = 500

/** One machine's answer. */
export interface MachineReading {
  readonly location: LocationRecord
  readonly slots: readonly MachineSlot[]
  /** When it was asked: a receipt booked since is newer than what it says. */
  readonly readAt: number
  /** Rows it sent that cannot be read: their slots are still there, with what was known of them. */
  readonly refused?: readonly RefusedRow[] | undefined
}

/** Replaces the slots of these machines; a machine taken off the roster meanwhile stays off. */
export async function replaceSlots(tx: Tx, readings: readonly MachineReading[], now: number): Promise<void> {
  const marked = await tx
    .updateTable('location')
    .set({ last_synced_at: now, online: 1, sync_problem: null, awaits_first_sync: 0 })
    .where(
      'id',
      'in',
      readings.map(({ location }) => location.id),
    )
    .returning('id')
    .execute()
  const ids = marked.map(({ id }) => id)
  const standing = readings.filter(({ location }) => ids.includes(location.id))
  if (standing.length === 0) return

  const rows = await tx.selectFrom('slot').selectAll().where('location', 'in', ids).execute()
  const known = new Map(rows.map((row) => [keyOf(row.location, row.vendor_sku), row]))
  const read = standing.flatMap((reading) => slotRows(reading, known))
  const fresh = [...read, ...unreadSlots(standing, rows, read)]
  const changes = fresh.filter((row) => known.get(keyOf(row.location, row.vendor_sku))?.stock !== row.stock)

  await logStock(
    tx,
    changes.map((row) => ({ ...place(row), at: row.updated_at, stock: row.stock, source: 'sync' })),
  )
  await learnCapacities(tx, changes, known)
  await tx.deleteFrom('slot').where('location', 'in', ids).execute()
  for (const part of chunk(fresh, ROWS_AT_ONCE)) await tx.insertInto('slot').values(part).execute()
}

/**
 * Slots whose row could not be read stay as they were. A row without a readable code may be any of those that are
 * missing, so then none of the machine's slots counts as gone.
 */
function unreadSlots(readings: readonly MachineReading[], known: readonly SlotTable[], read: readonly SlotTable[]) {
  const refused = new Map(readings.map(({ location, refused = [] }) => [location.id as string, refused]))
  const there = new Set(read.map(({ location, vendor_sku }) => keyOf(location, vendor_sku)))
  return known.filter(
    ({ location, vendor_sku }) =>
      !there.has(keyOf(location, vendor_sku)) &&
      refused.get(location)?.some(({ id }) => id === undefined || id === vendor_sku),
  )
}

/**
 * Levels read from one machine outside a sync, so that everyone is shown the same stock. What is in the machine, its
 * names and prices are left to the sync; a level booked after the reading stands.
 */
export async function noteLevels(
  tx: Tx,
  location: string,
  slots: readonly MachineSlot[],
  readAt: number,
  now: number,
): Promise<void> {
  // Row lock: serialises with a running sync and with receipts.
  await tx.updateTable('location').set({ updated_at: now }).where('id', '=', location).execute()
  const rows = await tx.selectFrom('slot').selectAll().where('location', '=', location).execute()
  const levels = new Map<string, number>()
  for (const { vendorSku, stock } of slots) if (!levels.has(vendorSku)) levels.set(vendorSku, Math.max(0, stock))
  const changes = rows.flatMap((row): SlotTable[] => {
    const stock = levels.get(row.vendor_sku)
    if (stock === undefined || stock === row.stock || row.updated_at > readAt) return []
    const capacity = { capacity: row.capacity, source: row.capacity_source }
    const columns = capacityColumns(stillHolds(capacity, stock) ? capacity : UNKNOWN)
    return [{ ...row, ...columns, stock, updated_at: readAt }]
  })
  await logStock(
    tx,
    changes.map((row) => ({ ...place(row), at: row.updated_at, stock: row.stock, source: 'sync' })),
  )
  await learnCapacities(tx, changes, new Map(rows.map((row) => [keyOf(row.location, row.vendor_sku), row])))
  for (const { vendor_sku, stock, capacity, capacity_source, updated_at } of changes)
    await tx
      .updateTable('slot')
      .set({ stock, capacity, capacity_source, updated_at })
      .where('location', '=', location)
      .where('vendor_sku', '=', vendor_sku)
      .execute()
}

const keyOf = (location: string, vendorSku: string): string => `${location} ${vendorSku}`
const place = ({ location, vendor_sku }: SlotTable) => ({ location, vendor_sku })

function slotRows({ location, slots, readAt }: MachineReading, known: ReadonlyMap<string, SlotTable>): SlotTable[] {
  const rows = new Map<string, SlotTable>()
  for (const { vendorSku, title, barcode, priceFen, stock, imageUrl } of slots) {
    const skuId = skuIdOf(location.namespace, vendorSku)
    if (!skuId || rows.has(vendorSku)) continue
    const before = known.get(keyOf(location.id, vendorSku))
    const booked = before && before.updated_at > readAt
    const level = booked ? before.stock : Math.max(0, stock)
    const capacity = before ? { capacity: before.capacity, source: before.capacity_source } : UNKNOWN
    rows.set(vendorSku, {
      location: location.id,
      vendor_sku: vendorSku,
      slot_id: slotIdOf(location.id, vendorSku),
      sku_id: skuId,
      title,
      barcode: barcode ?? null,
      price: priceFen,
      stock: level,
      ...capacityColumns(stillHolds(capacity, level) ? capacity : UNKNOWN),
      image_url: imageUrl ?? null,
      first_seen_at: before?.first_seen_at ?? readAt,
      updated_at: booked ? before.updated_at : readAt,
    })
  }
  return [...rows.values()]
}

const capacityColumns = ({ capacity, source }: KnownCapacity) => ({ capacity, capacity_source: source })

export async function logStock(tx: Tx, points: readonly StockLogTable[]): Promise<void> {
  for (const part of chunk(points, ROWS_AT_ONCE))
    await tx
      .insertInto('stock_log')
      .values(part)
      .onConflict((conflict) =>
        conflict
          .columns(['location', 'vendor_sku', 'at'])
          .doUpdateSet((at) => ({ stock: at.ref('excluded.stock'), source: at.ref('excluded.source') })),
      )
      .execute()
  await rebuildLevelSeries(
    tx,
    points.map(({ location, vendor_sku, at }) => ({ location, vendorSku: vendor_sku, at })),
  )
}

/** Only where stock rose: a refill is the one moment at which a slot can show how much it holds. */
async function learnCapacities(tx: Tx, changes: SlotTable[], known: ReadonlyMap<string, SlotTable>): Promise<void> {
  const risen = changes.filter((row) => {
    const before = known.get(keyOf(row.location, row.vendor_sku))
    return before && row.stock > before.stock && row.capacity === null
  })
  if (risen.length === 0) return
  const history = new Map<string, number[]>()
  for (const part of chunk(risen, ROWS_AT_ONCE)) {
    const points = await tx
      .selectFrom('stock_log')
      .select(['location', 'vendor_sku', 'stock'])
      .where('location', 'in', [...new Set(part.map(({ location }) => location))])
      .where('vendor_sku', 'in', [...new Set(part.map(({ vendor_sku }) => vendor_sku))])
      .where('source', '=', 'sync')
      .orderBy('at')
      .execute()
    for (const { location, vendor_sku, stock } of points) {
      const levels = history.get(keyOf(location, vendor_sku))
      if (levels) levels.push(stock)
      else history.set(keyOf(location, vendor_sku), [stock])
    }
  }
  for (const row of risen) {
    const capacity = inferCapacity(history.get(keyOf(row.location, row.vendor_sku)) ?? [])
    if (capacity !== null) Object.assign(row, capacityColumns({ capacity, source: 'inferred' }))
  }
}
