/**
 * Whether to visit a machine. A visit costs the same for one slot or for all, so it is decided per machine, and then it
 * tops up every slot that needs it.
 */
import { expectedLoss } from './negative-binomial.ts'
import { DISPERSION } from './quantity.ts'
import type { VisitRule } from '../../../kernel/plan-params.ts'

export interface VisitSlot {
  /** Neither locked nor in transit. */
  readonly isOrderable: boolean
  readonly rate: number
  readonly priceFen: number
  readonly marginFen: number
  readonly stock: number
  readonly atRisk: boolean
  readonly units: number
  /** Expected demand until an order placed now arrives, and until one placed at the next review does. */
  readonly leadTimeDemand: number
  readonly leadTimeAndReviewDemand: number
  /** The level to which an order fills the slot when empty; 0 when it is locked or the smallest order does not fit. */
  readonly orderUpTo: number
}

export interface VisitSettings {
  readonly rule: VisitRule
  /** Null: not configured. */
  readonly costFen: number | null
  readonly daysSinceVisit: number
  readonly reviewDays: number
  readonly leadDays: number
  /** Share of days on which the machine is open. */
  readonly openShare: number
}

export interface Visit {
  readonly go: boolean
  readonly rule: VisitRule | 'small_machine'
  /** Share of the machine's expected revenue in slots at risk. */
  readonly riskShare: number
  /** Units a visit would bring. */
  readonly load: number
  /** Margin lost by waiting for the next review, and the loss from which a visit pays; null under rules without them. */
  readonly lossByWaitingFen: number | null
  readonly visitThresholdFen: number | null
}

/** In a machine with fewer selling slots than this, any slot at risk is reason enough. */
const SMALL_MACHINE_SLOTS = 5

export function decideVisit(slots: readonly VisitSlot[], settings: VisitSettings): Visit {
  const totals = machineTotals(slots)
  const figures = {
    riskShare: totals.revenue > 0 ? totals.revenueAtRisk / totals.revenue : 0,
    load: totals.load,
    lossByWaitingFen: null,
    visitThresholdFen: null,
  }
  if (totals.sellingSlots < SMALL_MACHINE_SLOTS) return { ...figures, go: totals.hasSlotAtRisk, rule: 'small_machine' }
  const soldOut = isSoldOut(slots)
  if (totals.revenue <= 0) return { ...figures, go: soldOut, rule: settings.rule }
  if (settings.rule === 'share' || (settings.rule === 'since_visit' && settings.costFen === null)) {
    return { ...figures, go: soldOut || isWorthByShare(totals), rule: 'share' }
  }
  const cost = settings.costFen ?? assumedCost(slots, totals)
  const lossByWaitingFen = lossOfWaiting(slots, settings.rule)
  const visitThresholdFen =
    settings.rule === 'since_visit'
      ? cost / settings.daysSinceVisit
      : settings.reviewDays * lowestDailyCost(slots, cost, settings)
  return {
    ...figures,
    go: soldOut || lossByWaitingFen >= visitThresholdFen,
    rule: settings.rule,
    lossByWaitingFen,
    visitThresholdFen,
  }
}

const SOLD_OUT_SHARE = 0.75

/**
 * Three quarters of the machine's sales, by units, would be missing on the day a delivery arrives, and a visit could bring
 * them. Such a machine is visited whatever the amounts say: one whose visits never pay should be removed, not left empty.
 * Slots in transit count as filled; slots that no order fits do not count.
 */
function isSoldOut(slots: readonly VisitSlot[]): boolean {
  let total = 0
  let missing = 0
  for (const slot of slots) {
    if (slot.orderUpTo === 0) continue
    total += slot.rate
    // While little fits, waiting gives a fuller load.
    if (slot.isOrderable && slot.units > 0 && (slot.stock === 0 || slot.units >= slot.orderUpTo / 2))
      missing += slot.rate * missingShare(slot)
  }
  return total > 0 && missing >= SOLD_OUT_SHARE * total
}

/** The share of sales lost between a delivery ordered now and one ordered at the next review. */
function missingShare({ stock, leadTimeDemand, leadTimeAndReviewDemand }: VisitSlot): number {
  if (stock === 0) return 1
  const demand = leadTimeAndReviewDemand - leadTimeDemand
  return demand > 0
    ? (expectedLoss(leadTimeAndReviewDemand, stock, DISPERSION) - expectedLoss(leadTimeDemand, stock, DISPERSION)) /
        demand
    : 0
}

interface MachineTotals {
  readonly revenue: number
  readonly revenueAtRisk: number
  readonly rate: number
  readonly load: number
  readonly sellingSlots: number
  readonly hasSlotAtRisk: boolean
}

function machineTotals(slots: readonly VisitSlot[]): MachineTotals {
  const totals = { revenue: 0, revenueAtRisk: 0, rate: 0, load: 0, sellingSlots: 0, hasSlotAtRisk: false }
  for (const slot of slots) {
    const revenue = slot.rate * slot.priceFen
    totals.revenue += revenue
    totals.rate += slot.rate
    if (slot.rate > 0) totals.sellingSlots++
    if (!slot.isOrderable) continue
    totals.load += slot.units
    if (!slot.atRisk) continue
    totals.revenueAtRisk += revenue
    totals.hasSlotAtRisk = true
  }
  return totals
}

const RISK_SHARE_MIN = 0.15
/** From this share on, any load is enough. */
const RISK_SHARE_ANY_LOAD = 0.5
const LOAD_MIN = 20

/** Enough of the machine's revenue is at risk, and there are enough units to deliver. */
const isWorthByShare = ({ revenue, revenueAtRisk, load }: MachineTotals): boolean =>
  revenueAtRisk >= RISK_SHARE_MIN * revenue && (load >= LOAD_MIN || revenueAtRisk >= RISK_SHARE_ANY_LOAD * revenue)

/** Margin lost by waiting for the next review, in the slots that a visit could fill. */
function lossOfWaiting(slots: readonly VisitSlot[], rule: VisitRule): number {
  let total = 0
  for (const { isOrderable, units, stock, leadTimeDemand, leadTimeAndReviewDemand, marginFen } of slots) {
    if (!isOrderable || (rule === 'cycle' && units === 0)) continue
    total +=
      marginFen *
      (expectedLoss(leadTimeAndReviewDemand, stock, DISPERSION) - expectedLoss(leadTimeDemand, stock, DISPERSION))
  }
  return total
}

/** The assumed cost of a visit while none is configured: the price of this many average sales … */
const ASSUMED_COST_SALES = 5
/** … but no more than this share of the margin of one full load, because filling a machine must pay at all. */
const ASSUMED_COST_LOAD_SHARE = 0.4

function assumedCost(slots: readonly VisitSlot[], { revenue, rate }: MachineTotals): number {
  let load = 0
  for (const slot of slots) if (slot.rate > 0) load += slot.marginFen * slot.orderUpTo
  return Math.min(ASSUMED_COST_SALES * (revenue / rate), ASSUMED_COST_LOAD_SHARE * Math.max(0, load))
}

/** The days between visits that are tried: a slow machine may be worth one visit a quarter, or a year. */
const CYCLE_DAYS = [
  1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 21, 26, 32, 40, 50, 64, 80, 100, 128, 160, 200, 256, 320, 400,
]
const CYCLE_MAX = CYCLE_DAYS[CYCLE_DAYS.length - 1]!

/**
 * The cost per day (visits and lost margin) of the best regular cycle from delivery to delivery. Waiting a day that loses
 * more than this costs more than starting the next cycle. Over the length of the cycle the cost per day first falls, then
 * rises, and the search stops at the turn; it does not turn before a visit pays for itself, so a cycle that pays is found
 * if there is one. It does not depend on the present stock: as stock falls, only the loss of waiting grows.
 */
function lowestDailyCost(slots: readonly VisitSlot[], cost: number, { openShare, leadDays }: VisitSettings): number {
  let best = Infinity
  for (const days of CYCLE_DAYS) {
    // Slots in transit are not ordered again, so no cycle is shorter than the lead time.
    if (days < Math.min(leadDays, CYCLE_MAX)) continue
    let lost = 0
    for (const slot of slots) {
      if (slot.orderUpTo === 0) continue
      lost += slot.marginFen * expectedLoss(slot.rate * openShare * days, levelAfterDelivery(slot), DISPERSION)
    }
    const perDay = (cost + lost) / days
    if (perDay >= best) break
    best = perDay
  }
  return best
}

/**
 * The level just after a delivery in a regular cycle: full, less what sells between order and delivery. Where that is more
 * than the slot had when the order was placed, the level x solves x = full - x.
 */
const levelAfterDelivery = ({ orderUpTo, leadTimeDemand }: VisitSlot): number =>
  Math.max(Math.floor(orderUpTo - leadTimeDemand), Math.ceil(orderUpTo / 2))
