/** How many units one slot should get, if somebody goes: enough for lead time and cover, no more than fits. */
import { quantile } from './negative-binomial.ts'
import type { PlanParams } from '../../../kernel/plan-params.ts'
import type { SlotSummary } from './input.ts'

/** Expected demand of one slot over the horizons the rules ask for. */
export interface Ahead {
  readonly lead: number
  /** Until a visit decided one review later would have helped, with the safety days. */
  readonly risk: number
  readonly cover: number
  readonly coverAndSafety: number
}

export interface Boxes {
  readonly count: number
  readonly contains: number
}

export interface Quantity {
  readonly units: number
  readonly boxes: Boxes | undefined
  /** Stock that would last through lead time and cover. */
  readonly target: number
  readonly room: number
  readonly atRisk: boolean
  /** The level an order brings an empty slot to, whatever it holds now; 0 when it can never take the smallest order. */
  readonly orderUpTo: number
}

/** Nine in ten is not enough for a slot seen once a week, and demand scatters like this. */
export const COVER_LEVEL = 0.95
export const SPREAD = 4
const PROBE = 1.5
/** In a machine drained to the last lane neighbours tell nothing: there the first order is this many times the least. */
const FIRST_ORDERS = 2
const SLACK = 1e-9

/** `neighbourLevel`: what a well-filled slot of the same machine holds. */
export function quantityFor(
  slot: SlotSummary,
  peak: number,
  rate: number,
  params: PlanParams,
  ahead: Ahead,
  neighbourLevel = 0,
): Quantity {
  const { min_order_qty, max_order_qty, room_lead_share } = params
  const stock = Math.max(0, slot.stock)
  const atRisk = rate > 0 && stock <= ahead.risk + SLACK
  const enough = quantile(ahead.cover, COVER_LEVEL, SPREAD, stock + max_order_qty + 1)
  const target = Math.max(ahead.coverAndSafety, enough)
  const soldMeanwhile = Math.floor(room_lead_share * ahead.lead)
  const capacity = capacityOf(slot, peak, min_order_qty)
  const room = Math.max(0, capacity - Math.max(0, stock - soldMeanwhile))
  const most = Math.min(max_order_qty, room)
  let units = Math.min(Math.max(0, Math.ceil(target - stock - SLACK)), most)
  if (units < min_order_qty) units = atRisk && room >= min_order_qty ? min_order_qty : 0
  const fits = isGuess(slot, peak) ? Math.max(capacity, neighbourLevel) : capacity
  const orderUpTo =
    capacity < min_order_qty ? 0 : Math.min(Math.max(target, min_order_qty), max_order_qty, fits + soldMeanwhile)
  const boxes = boxesFor(units, slot, most, min_order_qty)
  units = boxes ? boxes.count * boxes.contains : inIncrements(units, slot, most, min_order_qty)
  return { units, boxes, target, room, atRisk, orderUpTo }
}

/**
 * Unknown capacity is probed upwards from the highest level seen, until a short delivery shows that level was the end.
 * A slot nobody ever saw filled is taken for one like its neighbours; with no word of those, it has no known end.
 */
export function capacityOf(slot: SlotSummary, peak: number, minOrderQty: number): number {
  if (slot.capacity !== null) return slot.capacity
  if (peak <= 0) return Math.max(slot.neighbourLevel ?? Infinity, FIRST_ORDERS * minOrderQty)
  if (slot.deliveredShort) return peak
  return Math.max(Math.ceil(PROBE * peak), peak + minOrderQty, slot.neighbourLevel ?? 0)
}

/** Nobody counted the slot and no short delivery showed where it ends. */
const isGuess = ({ capacity, deliveredShort }: SlotSummary, peak: number): boolean =>
  capacity === null && !(deliveredShort && peak > 0)

/** Whole boxes: rounded up where they fit, else down where that is still worth ordering, else single units. */
function boxesFor(units: number, { boxOf }: SlotSummary, most: number, least: number): Boxes | undefined {
  if (units === 0 || boxOf === undefined || boxOf <= 1) return undefined
  const up = Math.ceil(units / boxOf)
  const count = up * boxOf <= most ? up : Math.floor(units / boxOf)
  return count > 0 && count * boxOf >= least ? { count, contains: boxOf } : undefined
}

function inIncrements(units: number, { increment }: SlotSummary, most: number, least: number): number {
  if (units === 0 || increment === undefined || increment <= 1) return units
  const up = Math.ceil(units / increment) * increment
  const fitting = up <= most ? up : Math.floor(units / increment) * increment
  return fitting >= least ? fitting : 0
}
