/** Machines, what stands in them, and the mirror of their platforms' ledgers. */

export interface LocationTable {
  id: string
  name: string
  /** The machine platform it belongs to. */
  namespace: string
  /** MachineProfile as JSON. */
  profile: string
  /** What the platform calls the site, as the ledger last told. */
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
}

export interface SlotTable {
  location: string
  vendor_sku: string
  slot_id: string
  sku_id: string
  title: string
  barcode: string | null
  price: number
  stock: number
  /** Counted on site or inferred from observed history, never a default. */
  capacity: number | null
  capacity_source: 'counted' | 'inferred' | null
  image_url: string | null
  first_seen_at: number
  updated_at: number
}

/** Apart from the slots, because a sync replaces those wholesale and a lock stays. */
export interface SlotLockTable {
  location: string
  vendor_sku: string
  locked_at: number
}

/** Change points of stock: a sync forgets the level before, so we keep our own. */
export interface StockLogTable {
  location: string
  vendor_sku: string
  at: number
  stock: number
  /** Read from the machine, or booked by us when goods were received. */
  source: 'sync' | 'receipt'
}

export interface TradeTable {
  namespace: string
  order_no: string
  location: string
  location_name: string | null
  status: string
  status_label: string | null
  settled: number
  total: number
  /** 0 when the platform's time cannot be read: such trades are listed last. */
  at: number
  at_raw: string
  /** JSON, each line with the instant since which it is known in its status. */
  lines: string
  first_seen_at: number
  changed_at: number
  /** 1 until the event stream was told of this status. */
  to_announce: number
}

/** Paid lines with a readable time: all that counts in statistics. */
export interface SaleLineTable {
  namespace: string
  order_no: string
  line: number
  location: string
  vendor_sku: string
  at: number
  /** Local day of the deployment's zone. */
  day: string
  price: number
  cost: number | null
}

export interface SalesDailyTable {
  location: string
  vendor_sku: string
  day: string
  units: number
  revenue: number
  /** The day's last sale: where emptiness may begin. */
  last_at: number
}

/**
 * The sales of a slot in one block of 32 days, counted from 1970, joined into one text: their milliseconds since the block
 * began, in order. A plan reads weeks of every slot, and a row per sale would cost it more than the planning.
 */
export interface SlotSalesTable {
  location: string
  vendor_sku: string
  block: number
  sold: string
}

/** What the stock log of a slot and block tells a plan: `ms:stock`, with an `r` for a receipt. The first may be from before. */
export interface SlotLevelsTable {
  location: string
  vendor_sku: string
  block: number
  levels: string
}

/** How far a platform's ledger is mirrored: from `covered_from` to `covered_to`, except the gap. */
export interface LedgerMirrorTable {
  namespace: string
  covered_from: number
  covered_to: number
  gap_from: number | null
  gap_to: number | null
  /** Re-reading known history for later refunds goes backwards and has come to here. */
  swept_to: number | null
  /** What is left of the last look back over known history; a long one takes several readings. */
  recheck_from: number | null
  recheck_to: number | null
  /** When the last long look back began. */
  deep_read_at: number | null
  /** Trades before it were history when the mirror began, and are not announced. */
  announce_from: number
  read_at: number
  /** Counted up by every writer first: on PostgreSQL that is the lock between instances. */
  writes: number
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
  stock_log: StockLogTable
  trade: TradeTable
  sale_line: SaleLineTable
  sales_daily: SalesDailyTable
  slot_sales: SlotSalesTable
  slot_levels: SlotLevelsTable
  ledger_mirror: LedgerMirrorTable
  refused_row: RefusedRowTable
}
