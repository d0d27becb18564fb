/** Machines, their slots, locks, stock readings and services, and rows of the platform that could not be read. */
import type { ByColumns } from '../caller-columns.ts'

export interface LocationTable {
  id: string
  name: string
  /** The machine platform it belongs to. */
  namespace: string
  /** MachineProfile as JSON. */
  profile: string
  /** What the platform calls the site, as the ledger last named it. */
  venue_name: string | null
  registered_at: number
  updated_at: number
  last_synced_at: number | null
  /** 0 or 1 as the platform reported; null until the machine was asked once. */
  online: number | null
  /** Why the last reading failed; null when it did not. */
  sync_problem: string | null
  /** 1 from registration until the first reading was tried. */
  awaits_first_sync: number
  /** The time zone that the platform states for the machine; null when it states none. */
  platform_time_zone: string | null
  /** MachineHealth as JSON, and when it was read; null when the platform reports none. */
  health: string | null
  health_at: number | null
  /** Coordinates as JSON, and the area of its trips, as the operator stated them. */
  geo: string | null
  area: string | null
  /** CalendarEntry[] as JSON; null: nothing is stated. */
  calendar: string | null
}

export interface SlotTable {
  location: string
  vendor_sku: string
  slot_id: string
  sku_id: string
  title: string
  barcode: string | null
  price: number
  /** When a price change of ours last reached the slot; null: never. */
  price_set_at: number | null
  /** As the platform reported it, or as we booked it since. Null: the level follows from `slot_book`. */
  stock: number | null
  /** Reported by the platform, counted on site or inferred from observed history, never a default. */
  capacity: number | null
  capacity_source: 'told' | 'counted' | 'inferred' | null
  /** MachineLane[] as JSON; null when the platform names no lanes. */
  lanes: string | null
  image_url: string | null
  first_seen_at: number
  updated_at: number
  /** When the platform or a person counted `stock`. Null: before this was stored, as old as `updated_at`. */
  counted_at: number | null
  /** What the platform said at the last reading, also where a booking of ours is `stock`. Null: nothing. */
  reported_stock: number | null
  /** The first reading that said so. */
  reported_at: number | null
  /** The receipt, removal or count of ours that the stock shows, until a reading replaces it. */
  booking: 'receipt' | 'removal' | 'count' | null
  booked_at: number | null
  /** The reading up to which all falls are explained: at first the last one before the booking. */
  base_stock: number | null
  base_at: number | null
}

/** Apart from the slots, because a sync replaces those wholesale and a lock stays. */
export interface SlotLockTable {
  location: string
  vendor_sku: string
  locked_at: number
}

/** What an operator states about a slot, apart from the slots for the same reason. Null: not stated. */
export interface SlotSettingTable {
  location: string
  vendor_sku: string
  capacity: number | null
  par: number | null
  position_row: string | null
  position_column: number | null
  updated_at: number
}

/**
 * Our own book of a slot, apart from the slots because a sync replaces those wholesale: its last count, and the receipts
 * and removals since. With the sales since, it gives the level where the platform reports none.
 */
export interface SlotBookTable {
  location: string
  vendor_sku: string
  at: number
  /** A count sets the level, a receipt adds to it, a removal takes from it. */
  kind: 'count' | 'receipt' | 'removal'
  units: number
}

/** Change points of stock: a sync forgets the level before, so we keep our own. */
export interface StockLogTable {
  location: string
  vendor_sku: string
  at: number
  stock: number
  /** Read from the machine, or booked by us when units were received or counted, also where a reading lowered that. */
  source: 'sync' | 'receipt' | 'count'
}

/** What a person did at a machine at one time. Kept when the machine is removed, as its events are. */
export interface ServiceTable extends ByColumns {
  id: string
  location: string
  /** The run whose stop was received. */
  run: string | null
  /** When it was done. */
  at: number
  /** When it was reported to us: later than `at` for a visit entered without a network. */
  booked_at: number
  note: string | null
  /** JSON: what was loaded, taken out and counted, and how each slot was before. */
  body: string
  undone_at: number | null
  /** Of the request with an Idempotency-Key that booked it, outside a run. */
  write_id: string | null
}

/** A row of an upstream that its adapter could not read, until it can be read or is gone. */
export interface RefusedRowTable {
  namespace: string
  /** `catalog`, `ledger`, or `inventory` with the machine's id. */
  source: string
  /** The vendor's code of the row, or a description where it has none that can be read. */
  id: string
  problem: string
  first_seen_at: number
}

export interface LocationsTables {
  location: LocationTable
  slot: SlotTable
  slot_lock: SlotLockTable
  slot_setting: SlotSettingTable
  slot_book: SlotBookTable
  stock_log: StockLogTable
  service: ServiceTable
  refused_row: RefusedRowTable
}
