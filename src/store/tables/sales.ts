/** The mirrored sales ledger of the machine platform, and what is computed from it. */
import type { Generated } from 'kysely'

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
  /** 1 until the event of this status was written. */
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
  /** Local day in the zone of the machine. */
  day: string
  price: number
  cost: number | null
}

/** By namespace, because two platforms may use the same machine id. */
export interface SalesDailyTable {
  namespace: string
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
  namespace: string
  location: string
  vendor_sku: string
  block: number
  sold: string
}

/** What a plan reads of the stock log of a slot and block: `ms:stock`, with an `r` for a receipt. The first may be from before. */
export interface SlotLevelsTable {
  location: string
  vendor_sku: string
  block: number
  levels: string
}

/** What is special about the sales of one machine of a ledger; most machines have no row. */
export interface LedgerMachineTable {
  namespace: string
  location: string
  /** IANA name of the zone in which its days are counted; null: the deployment's. */
  time_zone: string | null
  /** Sales before this instant are not known; null: all are. */
  complete_from: number | null
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
  /** Counted up when the platform reports that sales older than the last ones have changed. */
  changes: Generated<number>
  /** From when on they may have changed; null when the ledger was re-read since. */
  changed_from: number | null
}

export interface SalesTables {
  trade: TradeTable
  sale_line: SaleLineTable
  sales_daily: SalesDailyTable
  slot_sales: SlotSalesTable
  slot_levels: SlotLevelsTable
  ledger_mirror: LedgerMirrorTable
  ledger_machine: LedgerMachineTable
}
