/**
 * What it costs to visit a machine at regular intervals: the visits, and the margin of the sales that are missed between
 * them. The best interval is the rhythm of the machine.
 */
import { expectedLoss } from './negative-binomial.ts'
import { ESTIMATED_COST_SHARE } from '../../../../kernel/plan-params.ts'

/** The size of the negative binomial distribution of demand. */
export const DISPERSION = 4

/** Of the retail price, where the supplier's price is unknown. */
export const ASSUMED_MARGIN_SHARE = 1 - ESTIMATED_COST_SHARE

export interface CycleSlot {
  readonly rate: number
  readonly marginFen: number
  /** What one unit that is estimated to be missed costs: its margin times `missed_share`. */
  readonly missedFen: number
  /** Expected demand until an order placed now arrives. */
  readonly leadTimeDemand: number
  /** The level to which visits fill the slot; 0 where no order fits, or the slot is locked. */
  readonly orderUpTo: number
  /** The most that one order brings. The level may be higher: a slot need not be empty when it is filled. */
  readonly maxUnits: number
}

/** The days between visits that are tried: a slow machine may be worth one visit a quarter, or a year. */
const CYCLE_DAYS = [
  1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 21, 26, 32, 40, 50, 64, 80, 100, 128, 160, 200, 256, 320, 400,
]
const CYCLE_MAX = CYCLE_DAYS[CYCLE_DAYS.length - 1]!

export interface Cycle {
  readonly days: number
  /** Visits and lost margin per day; infinite where nothing sells. */
  readonly costPerDay: number
}

/**
 * The best regular cycle from delivery to delivery. Waiting a day that loses more than its cost per day costs more than
 * starting the next cycle. Over the length of the cycle the cost per day first falls, then rises, and the search stops at
 * the turn; it does not turn before a visit pays for itself, so a cycle that pays is found if there is one. It does not
 * depend on the present stock: as stock falls, only the loss of waiting grows.
 */
export function bestCycle(
  slots: readonly CycleSlot[],
  costFen: number,
  { openShare, leadDays }: { readonly openShare: number; readonly leadDays: number },
  longest = CYCLE_MAX,
): Cycle {
  let best: Cycle = { days: longest, costPerDay: Infinity }
  for (const days of CYCLE_DAYS) {
    if (days > longest) break
    // Slots in transit are not ordered again, so no cycle is shorter than the lead time.
    if (days < Math.min(leadDays, longest)) continue
    const costPerDay = (costFen + lostMargin(slots, openShare * days)) / days
    if (costPerDay >= best.costPerDay) break
    best = { days, costPerDay }
  }
  return best
}

/** The margin lost between two deliveries that are this many open days apart. */
export function lostMargin(slots: readonly CycleSlot[], openDays: number): number {
  let lost = 0
  for (const slot of slots) {
    if (slot.orderUpTo === 0) continue
    const demand = slot.rate * openDays
    const missed = Math.max(expectedLoss(demand, levelAfterDelivery(slot), DISPERSION), demand - slot.maxUnits)
    lost += slot.missedFen * missed
  }
  return lost
}

/**
 * The level just after a delivery in a regular cycle: `orderUpTo`, less what sells between order and delivery. An order
 * brings what was missing when it was placed, and no more can sell until it arrives than was there then, at most this
 * level itself. So this level is at least half of `orderUpTo`.
 */
export const levelAfterDelivery = ({
  orderUpTo,
  leadTimeDemand,
}: Pick<CycleSlot, 'orderUpTo' | 'leadTimeDemand'>): number =>
  Math.round(Math.max(orderUpTo - leadTimeDemand, orderUpTo / 2))

/** The assumed cost of a visit while none is configured: the price of this many average sales … */
const ASSUMED_COST_SALES = 5
/** … but no more than this share of the margin of one full load, because filling a machine must pay at all. */
const ASSUMED_COST_LOAD_SHARE = 0.4

/** The cost of a visit while none is configured. It scales with prices, so that prices alone decide nothing. */
export function assumedVisitCost(slots: readonly (CycleSlot & { readonly priceFen: number })[]): number {
  let load = 0
  let revenue = 0
  let rate = 0
  for (const slot of slots) {
    revenue += slot.rate * slot.priceFen
    rate += slot.rate
    if (slot.rate > 0) load += slot.marginFen * Math.min(slot.orderUpTo, slot.maxUnits)
  }
  if (rate <= 0) return 0
  return Math.min(ASSUMED_COST_SALES * (revenue / rate), ASSUMED_COST_LOAD_SHARE * Math.max(0, load))
}
