/** How many units a visit should bring to one slot: enough for the lead time and the cover days, no more than fit. */
import { ASSUMED_MARGIN_SHARE, DISPERSION } from './demand/cycle.ts'
import { quantile } from './demand/negative-binomial.ts'
import type { PlanParams } from '../../../kernel/plan-params.ts'
import type { PlanSlot, SlotSummary } from './input.ts'

/** Expected demand of one slot over the periods that the rules use. */
export interface ExpectedDemand {
  readonly leadTime: number
  /** Until an order placed at the next review arrives, and the safety days after it. */
  readonly risk: number
  readonly cover: number
  readonly coverAndSafety: number
  /** While a unit may stay in the slot; undefined: without limit. */
  readonly shelf?: number | undefined
}

export interface Boxes {
  readonly count: number
  readonly contains: number
}

export interface Quantity {
  readonly units: number
  readonly boxes: Boxes | undefined
  /** The stock that lasts through the lead time and the cover days, or the par level where one is stated. */
  readonly target: number
  readonly room: number
  readonly atRisk: boolean
  /** The level to which orders fill the slot; 0 when the smallest order does not fit. */
  readonly orderUpTo: number
  /** The most that should be in the slot, by shelf life; may be infinite. */
  readonly levelMax: number
}

/** The probability that the target covers demand. */
export const SERVICE_LEVEL = 0.95
/** An unknown capacity is assumed to be this many times the highest level seen. */
const ASSUMED_CAPACITY_FACTOR = 1.5
/** Stock and order together stay below this many times the highest level seen. */
const HIGHEST_LEVELS_MAX = 2
/** The capacity assumed where no level was ever seen: this many smallest orders. */
const UNSEEN_CAPACITY_ORDERS = 2
/** A slot of known capacity that nobody knows the demand of is filled to this share of it. */
export const FIRST_FILL_SHARE = 0.5
const EPSILON = 1e-9

/**
 * `typicalLevel`: the level of a well-filled slot in the same machine. An empty slot of which nothing is known, not even from
 * others, has no demand to fill for: it is filled to what its neighbours hold (`heldLevel`), for a first time.
 */
export function orderQuantity(
  slot: PlanSlot,
  highestLevel: number,
  rate: number,
  params: PlanParams,
  expected: ExpectedDemand,
  typicalLevel = 0,
  heldLevel?: number,
): Quantity {
  const { min_order_qty, max_order_qty } = params
  const stock = Math.max(0, slot.stock)
  const atRisk = rate > 0 && stock <= expected.risk + EPSILON
  const soldMeanwhile = unitsSoldBeforeArrival(params, expected.leadTime)
  const fillLevel = fillLevelOf(slot, highestLevel, min_order_qty, typicalLevel)
  // A stated par level is not limited by shelf life.
  const limit = slot.par === undefined ? shelfLimit(expected.shelf) : Infinity
  // Room that is made by sales before arrival must not add to a guess.
  const unseenLimit =
    slot.par === undefined && highestLevel > 0 && isCapacityAssumed(slot, highestLevel)
      ? Math.max(fillLevel, HIGHEST_LEVELS_MAX * highestLevel)
      : Infinity
  const fillable = fillableLevel(slot, highestLevel, params, expected.leadTime, typicalLevel)
  // More than this neither fits nor is ordered.
  const enough = Math.max(fillable, stock + max_order_qty) + 1
  const wanted = heldLevel === undefined ? likelyTarget(expected, enough) : firstFill(slot, heldLevel, min_order_qty)
  const target = Math.min(slot.par === undefined ? wanted : fillLevel, limit)
  const room = Math.max(0, Math.min(fillLevel - Math.max(0, stock - soldMeanwhile), unseenLimit - stock))
  const maxUnits = Math.min(max_order_qty, room, Math.max(0, limit - stock))
  const minUnits = smallestOrder(params)
  let units = Math.min(Math.max(0, Math.ceil(target - stock - EPSILON)), maxUnits)
  if (units < min_order_qty && atRisk) units = maxUnits >= minUnits ? Math.min(min_order_qty, maxUnits) : 0
  if (units < minUnits) units = 0
  const orderUpTo = fillable === 0 ? 0 : Math.min(Math.max(target, min_order_qty), fillable, limit)
  const boxes = boxesFor(units, slot, maxUnits, minUnits)
  units = boxes ? boxes.count * boxes.contains : roundToIncrement(units, slot, maxUnits, minUnits)
  return { units, boxes, target, room, atRisk, orderUpTo, levelMax: limit }
}

/** Half of what fits, where that is known, else what neighbours hold, else the smallest order. */
const firstFill = ({ capacity, neighbourLevel = 0 }: SlotSummary, heldLevel: number, minOrderQty: number): number =>
  capacity === null ? Math.max(neighbourLevel, heldLevel, minOrderQty) : Math.ceil(FIRST_FILL_SHARE * capacity)

/** Covers what is likely to sell, counted up to `maxUnits`. */
const likelyTarget = ({ cover, coverAndSafety }: ExpectedDemand, maxUnits: number): number =>
  Math.max(coverAndSafety, quantile(cover, SERVICE_LEVEL, DISPERSION, maxUnits))

/** The most that should be in a slot whose units keep for a limited time (newsvendor ratio); one unit may always be there. */
export const shelfLimit = (shelfDemand: number | undefined): number =>
  shelfDemand === undefined ? Infinity : Math.max(1, quantile(shelfDemand, ASSUMED_MARGIN_SHARE, DISPERSION))

/** The least that a visit may bring to a slot. */
const smallestOrder = ({ top_up, min_order_qty }: PlanParams): number => (top_up ? 1 : min_order_qty)

/** Units of the lead-time demand that count as sold, so that their room can be filled. */
const unitsSoldBeforeArrival = ({ room_lead_share }: PlanParams, leadTimeDemand: number): number =>
  Math.floor(room_lead_share * leadTimeDemand)

/** The most that an unknown capacity is taken for where a visit is valued: no slot holds more. */
const FILLABLE_MAX = 1000

/** The level to which a visit could fill the slot: what fits, and what sells before arrival; 0 when no order fits. */
export function fillableLevel(
  slot: SlotSummary,
  highestLevel: number,
  params: PlanParams,
  leadTimeDemand: number,
  typicalLevel = 0,
): number {
  const level = fillLevelOf(slot, highestLevel, params.min_order_qty, typicalLevel)
  if (level < smallestOrder(params)) return 0
  const fits = slot.par === undefined && isCapacityAssumed(slot, highestLevel) ? Math.max(level, typicalLevel) : level
  return Math.min(fits, FILLABLE_MAX) + unitsSoldBeforeArrival(params, leadTimeDemand)
}

/**
 * An unknown capacity is assumed to be above the highest level seen, until a short delivery shows that this level was the
 * capacity. One that was short before all known levels shows only that there is a limit: visits fill to less, so taking
 * the highest level since for it would lower it again and again. A slot that was never seen filled is assumed to hold as
 * much as its neighbours; where those are unknown, too, two smallest orders.
 */
export function assumedCapacity(
  slot: SlotSummary,
  highestLevel: number,
  minOrderQty: number,
  typicalLevel = 0,
): number {
  if (slot.capacity !== null) return slot.capacity
  if (highestLevel <= 0) return Math.max(slot.neighbourLevel ?? 0, typicalLevel, UNSEEN_CAPACITY_ORDERS * minOrderQty)
  if (slot.deliveredShort === 'full') return highestLevel
  if (slot.deliveredShort === 'full_before') return highestLevel + minOrderQty
  return Math.max(
    Math.ceil(ASSUMED_CAPACITY_FACTOR * highestLevel),
    highestLevel + minOrderQty,
    slot.neighbourLevel ?? 0,
  )
}

/** The level that a visit may fill to: the par level where one is stated, but no more than is known to fit. */
function fillLevelOf(slot: SlotSummary, highestLevel: number, minOrderQty: number, typicalLevel: number): number {
  const capacity = assumedCapacity(slot, highestLevel, minOrderQty, typicalLevel)
  if (slot.par === undefined) return capacity
  return isCapacityAssumed(slot, highestLevel) ? slot.par : Math.min(capacity, slot.par)
}

/** The capacity was neither counted nor shown by a short delivery. */
const isCapacityAssumed = ({ capacity, deliveredShort }: SlotSummary, highestLevel: number): boolean =>
  capacity === null && !(deliveredShort && highestLevel > 0)

/** Whole boxes: rounded up where they fit, else down to no less than the smallest order, else single units. */
function boxesFor(units: number, { boxOf }: SlotSummary, maxUnits: number, minUnits: number): Boxes | undefined {
  if (units === 0 || boxOf === undefined || boxOf <= 1) return undefined
  const up = Math.ceil(units / boxOf)
  const count = up * boxOf <= maxUnits ? up : Math.floor(units / boxOf)
  return count > 0 && count * boxOf >= minUnits ? { count, contains: boxOf } : undefined
}

function roundToIncrement(units: number, { increment }: SlotSummary, maxUnits: number, minUnits: number): number {
  if (units === 0 || increment === undefined || increment <= 1) return units
  const up = Math.ceil(units / increment) * increment
  const fitting = up <= maxUnits ? up : Math.floor(units / increment) * increment
  return fitting >= minUnits ? fitting : 0
}
