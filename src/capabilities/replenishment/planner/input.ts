/**
 * What the planner looks at: one plain value, gathered once, holding no handle to anything outside. Instants are epoch
 * milliseconds. Lists may come in any order.
 */
import type { PlanParams } from '../../../kernel/plan-params.ts'

/** Where local days begin and end: an IANA zone, or a fixed offset when only that is known. */
export type Zone = { readonly timeZone: string } | { readonly offsetMin: number }

/**
 * Paid sales of one slot. Without `units` each instant is one unit. A compact form carries one instant per local day,
 * that of the day's last sale, with the day's units: emptiness begins with the last sale, so nothing that matters is lost.
 */
export interface Sales {
  readonly at: Float64Array
  readonly units?: Uint32Array
}

/** A change of stock: goods received (`units` > 0 in `Receipt`), or a level read (`Reading`). */
export interface Receipt {
  readonly at: number
  readonly units: number
}
export interface Reading {
  readonly at: number
  readonly stock: number
}

/** A slot without its traces: all that is still asked once those have been looked at. */
export interface SlotSummary {
  readonly slotId: string
  /** The product, the same word wherever it stands: peers are found by it. */
  readonly sku: string
  readonly priceFen: number
  /** What the supplier takes for one, where known. */
  readonly costFen?: number | undefined
  readonly stock: number
  readonly capacity: number | null
  readonly locked: boolean
  readonly inTransit: boolean
  readonly firstSeen: number | null
  /** A delivery brought less than was ordered: the slot was full at its highest level. */
  readonly deliveredShort: boolean
  /** Refills before this went unrecorded, so levels are not reconstructed past it; undefined when all are known. */
  readonly recordedFrom?: number | undefined
  /** What its neighbours in the machine were seen to hold: a guess while little is known of the slot itself. */
  readonly neighbourLevel?: number | undefined
  /** Order in boxes of this many, where they fit. */
  readonly boxOf?: number | undefined
  /** Order in multiples of this many. */
  readonly increment?: number | undefined
}

export interface SlotInput extends SlotSummary {
  readonly sales: Sales
  readonly receipts: readonly Receipt[]
  readonly readings: readonly Reading[]
}

export interface MachineInput {
  readonly location: string
  readonly zone: Zone
  /** Weekdays (0 = Monday) on which the machine can be reached; undefined while its hours are unknown. */
  readonly openWeekdays?: readonly number[] | undefined
  readonly lastVisit: number | null
  /** The ledger is complete from here on; null when it was not cut. */
  readonly ledgerFrom: number | null
  readonly slots: readonly SlotInput[]
}

export interface LeadTime {
  readonly days: number
  readonly source: 'measured' | 'stated'
  readonly samples: number
}

export interface RouteTerms {
  readonly now: number
  readonly params: PlanParams
  readonly leadTime: LeadTime
  /** Days between two calls that build runs, 1 to 7. */
  readonly reviewDays: number
}

export interface RouteInput extends RouteTerms {
  readonly machines: readonly MachineInput[]
}
