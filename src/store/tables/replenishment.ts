/** Runs, their lines and events, and the forecasts that are scored later. */
import type { ByColumns } from '../caller-columns.ts'

export interface ReplenishmentRunTable extends ByColumns {
  id: string
  created_at: number
  status: 'blocked' | 'nothing_to_do' | 'pending_approval' | 'approved' | 'rejected' | 'placed' | 'delivered'
  placed_at: number | null
  delivered_at: number | null
  /** `simulated`, or the namespaces that were asked. */
  supplier: string | null
  /** The owner's decision, or the one the rules took when it was placed. */
  decision: string | null
  strategy_version: string
  line_count: number
  /** Units that really came; null until delivered. A run that brought nothing says nothing about lead time. */
  delivered_units: number | null
  note: string | null
  /** JSON: what a placement is about to ask of which supplier. On disk before anybody is asked. */
  placing: string | null
  /** JSON: the machines to visit, and the messages for callers. */
  body: string
}

/** What was planned never changes; `source`, `checkout` and `removed` are set by placing, `delivered` by receiving. */
export interface RunLineTable {
  run: string
  n: number
  location: string
  vendor_sku: string
  slot_id: string
  sku_id: string
  title: string
  quantity: number
  /** Fen for one. */
  cost: number
  cost_estimated: number
  source: string | null
  /** The session that buys it, where a real supplier does. */
  checkout: string | null
  /** Why it was not ordered, or `canceled` when its purchase ended without it; null while it is to be, or was. */
  removed: 'unresolved_sku' | 'item_unavailable' | 'hard_no_go' | 'already_placed' | 'canceled' | null
  /** As counted; null while in transit and for lines nobody counted. */
  delivered: number | null
  /** When its stop was received; null while in transit. */
  delivered_at: number | null
  /** The service that received it; null before services were recorded. */
  service: string | null
  /** When that was booked: later than `delivered_at` for a visit entered without a network. */
  booked_at: number | null
  /** What the plan said of the slot when the run was made; null in runs from before. */
  stock: number | null
  rate_hundredths: number | null
  /** Null, too, where no stock-out was expected. */
  cover_tenths: number | null
}

/** Appended, never written again. Which lines an event is about follows from its type, unless it names them. */
export interface RunEventTable extends ByColumns {
  run: string
  n: number
  type: 'planned' | 'approved' | 'canceled' | 'ordered' | 'delivered' | 'delivery_undone'
  occurred_at: number
  /** JSON, of receipts: the numbers of their lines, each with its quantity. */
  line_items: string | null
}

/** Rates in ten-thousandths, as a plan states them, so that both databases keep them exactly. */
export interface ForecastTable {
  location: string
  vendor_sku: string
  /** Local day of the machine. */
  day: string
  made_at: number
  daily_rate_e4: number
  naive_rate_e4: number
  measured: number
}

/** A product that was accepted for a slot: one row per slot and product; at most one of a slot is pending or approved. */
export interface SlotSwapTable {
  location: string
  vendor_sku: string
  slot_id: string
  to_sku: string
  /** The owner's decision about it. */
  decision: string
  /** `done`: the machine holds the product. `canceled`: it will not be changed. */
  status: 'pending' | 'approved' | 'rejected' | 'done' | 'canceled'
  /** Expected margin more per week, in minor units. */
  weekly_gain: number
  at: number
  /** When its status last changed. */
  changed_at: number
}

export interface ReplenishmentTables {
  replenishment_run: ReplenishmentRunTable
  run_line: RunLineTable
  run_event: RunEventTable
  forecast: ForecastTable
  slot_swap: SlotSwapTable
}
