/** How many units one slot should get, if somebody goes: enough for lead time and cover, no more than fits. */
import { quantile } from './negative-binomial.ts'
import type { PlanParams, SlotState } from './state.ts'

/** Expected demand of one slot over the horizons the rules ask for. */
export interface Ahead {
  readonly lead: number
  /** Until a visit decided one review later would have helped, with the safety days. */
  readonly risk: number
  readonly cover: number
  readonly coverAndSafety: number
}

export interface Quantity {
  readonly units: number
  readonly boxes?: { readonly count: number; readonly contains: number }
  readonly target: number
  readonly room: number
  readonly atRisk: boolean
  /** The level to expect just after a delivery, when the slot is ordered up to its target. */
  readonly refilled: number
}

/** Nine in ten is not enough for a slot seen once a week, and demand scatters like this. */
export const COVER_LEVEL = 0.95
export const SPREAD = 4
const PROBE = 1.5
const SLACK = 1e-9

export function quantityFor(slot: SlotState, peak: number, rate: number, ahead: Ahead, params: PlanParams): Quantity {
  const { minOrderQty, maxOrderQty, roomLeadShare } = params
  const stock = Math.max(0, slot.stock)
  const atRisk = rate > 0 && stock <= ahead.risk + SLACK
  const enough = quantile(ahead.cover, COVER_LEVEL, SPREAD, stock + maxOrderQty + 1)
  const target = Math.max(ahead.coverAndSafety, enough)
  const soldMeanwhile = Math.floor(roomLeadShare * ahead.lead)
  const capacity = capacityOf(slot, peak, minOrderQty)
  const room = Math.max(0, capacity - Math.max(0, stock - soldMeanwhile))
  const most = Math.min(maxOrderQty, room)
  let units = Math.min(Math.max(0, Math.ceil(target - stock - SLACK)), most)
  if (units < minOrderQty) units = atRisk && room >= minOrderQty ? minOrderQty : 0
  const refilled = Math.max(1, Math.floor(Math.min(target, capacity + soldMeanwhile) - ahead.lead))
  return { ...inUnitsOfSale(units, slot, most, minOrderQty), target, room, atRisk, refilled }
}

/**
 * Unknown capacity is probed upwards from the highest level seen, until a short delivery shows that level was the end.
 * A slot nobody ever saw filled has no known end at all.
 */
export function capacityOf(slot: SlotState, peak: number, minOrderQty: number): number {
  if (slot.capacity !== null) return slot.capacity
  if (peak <= 0) return Infinity
  return slot.deliveredShort ? peak : Math.max(Math.ceil(PROBE * peak), peak + minOrderQty)
}

function inUnitsOfSale(units: number, { boxOf, increment }: SlotState, most: number, least: number) {
  if (units === 0) return { units }
  if (boxOf !== undefined && boxOf > 1) {
    const up = Math.ceil(units / boxOf)
    const count = up * boxOf <= most ? up : Math.floor(units / boxOf)
    if (count > 0 && count * boxOf >= least) return { units: count * boxOf, boxes: { count, contains: boxOf } }
  }
  if (increment === undefined || increment <= 1) return { units }
  const up = Math.ceil(units / increment) * increment
  const fitting = up <= most ? up : Math.floor(units / increment) * increment
  return { units: fitting >= least ? fitting : 0 }
}
