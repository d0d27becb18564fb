/** Rows of what operators state about slots: capacity, par level, position and whether it is pinned. A sync keeps them. */
import type { SlotPosition } from '../../contract/shapes/catalog.ts'
import type { Queryable, Tx } from '../../store/store.ts'
import { matchColumns } from '../../store/match-columns.ts'
import type { Columns } from '../../store/schema.ts'
import { type SlotKey, slotKey } from './stock/book-records.ts'
import type { KnownCapacity } from './sync/infer-capacity.ts'

/** Null: not stated. */
export interface SlotSettings {
  readonly capacity: number | null
  readonly par: number | null
  readonly position: SlotPosition | null
  /** The product keeps a lane of the machine. */
  readonly isPinned: boolean
}

const NOTHING_STATED: SlotSettings = { capacity: null, par: null, position: null, isPinned: false }

type PositionColumns = Pick<Columns<'slot_setting'>, 'position_row' | 'position_column'>

export const positionOf = ({ position_row: row, position_column: column }: PositionColumns): SlotPosition | null =>
  row === null || column === null ? null : { row, column }

const fromRow = (row: Columns<'slot_setting'>): SlotSettings => ({
  capacity: row.capacity,
  par: row.par,
  position: positionOf(row),
  isPinned: row.pinned === 1,
})

export type SettingsOf = (location: string, vendorSku: string) => SlotSettings

/** The settings of these machines. Few slots have any: reading them apart is faster than joining them to every slot. */
export async function listSlotSettings(db: Queryable, locations: readonly string[]): Promise<SettingsOf> {
  if (locations.length === 0) return () => NOTHING_STATED
  const rows = await db.selectFrom('slot_setting').selectAll().where('location', 'in', locations).execute()
  if (rows.length === 0) return () => NOTHING_STATED
  const settings = new Map(
    rows.map((row) => [slotKey({ location: row.location, vendorSku: row.vendor_sku }), fromRow(row)]),
  )
  return (location, vendorSku) => settings.get(slotKey({ location, vendorSku })) ?? NOTHING_STATED
}

export async function saveSlotSettings(
  tx: Tx,
  { location, vendorSku }: SlotKey,
  { capacity, par, position, isPinned }: SlotSettings,
  now: number,
): Promise<void> {
  const stated = {
    capacity,
    par,
    position_row: position?.row ?? null,
    position_column: position?.column ?? null,
    pinned: isPinned ? 1 : null,
    updated_at: now,
  }
  await tx
    .insertInto('slot_setting')
    .values({ location, vendor_sku: vendorSku, ...stated })
    .onConflict((conflict) => conflict.columns(['location', 'vendor_sku']).doUpdateSet(stated))
    .execute()
}

/** The capacity alone: the level of the slot, and when it was read, stay. */
export async function updateSlotCapacity(
  tx: Tx,
  { location, vendorSku }: SlotKey,
  { capacity, source }: KnownCapacity,
): Promise<void> {
  await tx
    .updateTable('slot')
    .set({ capacity, capacity_source: source })
    .where((eb) => matchColumns(eb, { location, vendor_sku: vendorSku }))
    .execute()
}

/** The capacity that a slot has from now on, beside its other settings. */
export async function stateCapacity(tx: Tx, key: SlotKey, capacity: number, now: number): Promise<void> {
  const settings = (await listSlotSettings(tx, [key.location]))(key.location, key.vendorSku)
  await saveSlotSettings(tx, key, { ...settings, capacity }, now)
  await updateSlotCapacity(tx, key, { capacity, source: 'counted' })
}
