/** The planner's input: plain values without references to anything outside. Instants are epoch ms; lists are unordered. */
import type { Driving, Geo } from '../../../kernel/driving.ts'
import type { PlanParams } from '../../../kernel/plan-params.ts'
import type { KnownDays } from './demand/known-days.ts'

export type { Driving, Geo }

/** Defines local days: an IANA zone, or a fixed offset where only that is known. */
export type Zone = { readonly timeZone: string } | { readonly offsetMin: number }

/**
 * Paid sales of one slot. Without `units` each instant is one unit. With `units` there may be one instant per local day,
 * that of the day's last sale: a slot can only run out with its last sale, so stockouts are found all the same.
 */
export interface Sales {
  readonly at: Float64Array
  readonly units?: Uint32Array
}

/** Units that were loaded into a slot. */
export interface Receipt {
  readonly at: number
  readonly units: number
}

/** Units that were taken out of a slot: expired, damaged, recalled. They were not sold. */
export interface Removal {
  readonly at: number
  readonly units: number
}

/** A known stock level: as the machine reported it, or as a receipt left it. */
export interface Reading {
  readonly at: number
  readonly stock: number
  /** Booked with a receipt: it shows what fits once units of it were sold. */
  readonly isReceipt?: boolean
}

/** A slot without its history: what planning still needs once the history has been summarized. */
export interface SlotSummary {
  readonly slotId: string
  /** The product. Slots with the same one are peers. */
  readonly sku: string
  readonly priceFen: number
  /** The supplier's price for one unit, where known. */
  readonly costFen?: number | undefined
  /** Null: unknown. Such a slot is left out of the plan. */
  readonly stock: number | null
  readonly capacity: number | null
  /** While the capacity is unknown: the most to count on, after a count far above anything seen before. */
  readonly plausibleMax?: number | undefined
  /** The level to which an operator wants the slot filled; undefined: what demand needs. */
  readonly par?: number | undefined
  readonly locked: boolean
  /** Nothing more is ordered of it; what is there sells off. */
  readonly isPhasedOut?: boolean | undefined
  /** No run may take the product: it is on the no-go list, or no supplier is linked to it. */
  readonly blocked?: 'hard_no_go' | 'unresolved_sku' | undefined
  readonly isInTransit: boolean
  readonly firstSeenAt: number | null
  /**
   * A delivery loaded less than was ordered, because the slot was full: at the highest level seen, or before the levels
   * that are known.
   */
  readonly deliveredShort?: 'full' | 'full_before' | undefined
  /** Refills before this were not recorded, so levels are not reconstructed past it. Undefined: all are known. */
  readonly recordedFrom?: number | undefined
  /** Of a newly registered machine: the level of a well-filled slot, a guess while little is known of the slot itself. */
  readonly neighbourLevel?: number | undefined
  /** Days that a unit may stay in the slot, where stated. */
  readonly shelfDays?: number | undefined
  /** Order in boxes of this many units, where they fit. */
  readonly boxOf?: number | undefined
  /** Order in multiples of this many units. */
  readonly increment?: number | undefined
}

/** A slot that can be planned. */
export interface PlanSlot extends SlotSummary {
  /** What planning counts on: no more than the slot can hold, whatever was counted. */
  readonly stock: number
  /** The stock as it was given, where that is more: what the entry shows. */
  readonly givenStock?: number | undefined
}

/** No more can be in a slot than it holds. A person confirmed the count above that; a plan does not rely on it. */
export function stockToCountOn(stock: number, { capacity, plausibleMax }: SlotLimits): number {
  const holds = capacity !== null && capacity > 0 ? capacity : plausibleMax
  return Math.min(stock, holds ?? Infinity)
}

type SlotLimits = Pick<SlotSummary, 'capacity' | 'plausibleMax'>

export interface SlotInput extends SlotSummary {
  readonly sales: Sales
  readonly receipts: readonly Receipt[]
  readonly removals?: readonly Removal[] | undefined
  readonly readings: readonly Reading[]
}

/** Where a machine stands, as far as trips depend on it. */
export interface Place {
  /** Trips are planned area by area. */
  readonly area: string
  /** Machines of one site are one stop. */
  readonly site: string
  readonly geo?: Geo | undefined
}

export interface MachineInput {
  readonly location: string
  /** Undefined: a site of its own, in the one area of the route. */
  readonly place?: Place | undefined
  readonly zone: Zone
  /** Weekdays (0 = Monday) on which the machine can be reached; undefined while its hours are unknown. */
  readonly openWeekdays?: readonly number[] | undefined
  /** What an operator stated about single days, past and coming. */
  readonly knownDays?: readonly KnownDays[] | undefined
  /** The ledger is complete from here on; null when nothing is missing. */
  readonly ledgerFrom: number | null
  /** Later sales are not known yet: the machine is read from time to time. Undefined: all up to now are known. */
  readonly ledgerTo?: number | undefined
  /** The sales and readings of the slots begin here: earlier ones were not asked for. Undefined: all are there. */
  readonly historyFrom?: number | undefined
  readonly slots: readonly SlotInput[]
}

export interface LeadTime {
  readonly days: number
  readonly source: 'measured' | 'stated'
  readonly samples: number
}

export interface PlanSettings {
  readonly now: number
  readonly params: PlanParams
  readonly leadTime: LeadTime
  /** Days between two runs, 1 to 7. */
  readonly reviewDays: number
  /** How trips are driven; undefined: without limits, on any day. */
  readonly driving?: Driving | undefined
}

export interface RouteInput extends PlanSettings {
  readonly machines: readonly MachineInput[]
}
