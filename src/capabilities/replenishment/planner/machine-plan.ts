/** The plan of one machine: rate and quantity of each slot, the decision on a visit, and the entries. */
import { DAY } from '../../../kernel/clock.ts'
import { dailyRate } from './demand.ts'
import type { SalesTotals, SlotObservation } from './demand.ts'
import { daysUntil, openDays } from './horizon.ts'
import type { Horizon } from './horizon.ts'
import { orderQuantity } from './quantity.ts'
import type { Boxes, ExpectedDemand, Quantity } from './quantity.ts'
import type { KnownSlot, PlanSettings, SlotSummary } from './input.ts'
import { decideVisit } from './visit.ts'
import type { Visit, VisitSlot } from './visit.ts'

export type Action = 'order' | 'watch' | 'none' | 'locked' | 'in_transit'

export interface Recommendation {
  readonly action: Action
  readonly quantity?: number
  readonly boxes?: Boxes
}

export interface Demand {
  readonly dailyRate: number
  readonly naiveDailyRate: number
  readonly availableDays: number
  readonly emptyDays: number
  readonly closedDays: number
  readonly measured: boolean
}

export interface PlanEntry {
  readonly slotId: string
  readonly location: string
  readonly sku: string
  readonly stock: number
  readonly demand: Demand
  readonly daysOfCover: number | null
  readonly stockoutAt: number | null
  /** Since when the slot is empty, where the history shows it. */
  readonly emptySince: number | null
  readonly recommendation: Recommendation
  /** The numbers behind the recommendation, to explain it. */
  readonly basis: Basis
  /** Units expected over the next seven days. */
  readonly weekAhead: number
}

export interface Basis {
  readonly atRisk: boolean
  /** Units a visit would bring, whether or not there is a visit. */
  readonly wanted: number
  readonly target: number
  /** Null: no known limit. */
  readonly room: number | null
  readonly leadDays: number
  readonly visit: Visit
}

/** A machine whose history has been summarised. */
export interface ObservedMachine {
  readonly location: string
  readonly lastVisit: number | null
  /** Those with a known stock, sorted by slot id; `observed` has the same order. */
  readonly slots: readonly KnownSlot[]
  readonly windowDays: number
  readonly horizon: Horizon
  readonly observed: readonly SlotObservation[]
  /** The totals of `observed`. */
  readonly totals: SalesTotals
}

/** Share of the retail price, where the supplier's price is unknown. */
const ASSUMED_MARGIN = 0.45

interface SizedSlot extends VisitSlot {
  readonly slot: KnownSlot
  readonly observation: SlotObservation
  readonly quantity: Quantity
}

export function planMachine(
  { now, params, leadTime, reviewDays }: PlanSettings,
  { location, lastVisit, slots, windowDays, horizon, observed }: ObservedMachine,
  peerRateOf: (slot: SlotSummary, observation: SlotObservation) => number,
): { readonly entries: readonly PlanEntry[]; readonly visit: Visit } {
  const untilNextDelivery = leadTime.days + reviewDays - 1
  const open = {
    leadTime: openDays(horizon, leadTime.days),
    leadTimeAndReview: openDays(horizon, leadTime.days + reviewDays),
    risk: openDays(horizon, untilNextDelivery + params.safety_days),
    cover: openDays(horizon, untilNextDelivery + params.cover_days),
    coverAndSafety: openDays(horizon, untilNextDelivery + params.cover_days + params.safety_days),
    week: openDays(horizon, 7),
  }
  const typicalLevel = typicalLevelOf(slots, observed)
  const sized = slots.map((slot, i): SizedSlot => {
    const observation = observed[i]!
    const rate = dailyRate(observation, peerRateOf(slot, observation))
    const leadTimeDemand = rate * open.leadTime
    const demand: ExpectedDemand = {
      leadTime: leadTimeDemand,
      risk: rate * open.risk,
      cover: rate * open.cover,
      coverAndSafety: rate * open.coverAndSafety,
    }
    const quantity = orderQuantity(slot, observation.highestLevel, rate, params, demand, typicalLevel)
    return {
      slot,
      observation,
      quantity,
      rate,
      isOrderable: !slot.locked && !slot.inTransit,
      priceFen: slot.priceFen,
      marginFen: slot.costFen === undefined ? ASSUMED_MARGIN * slot.priceFen : slot.priceFen - slot.costFen,
      stock: Math.max(0, slot.stock),
      atRisk: quantity.atRisk,
      units: quantity.units,
      leadTimeDemand,
      leadTimeAndReviewDemand: rate * open.leadTimeAndReview,
      orderUpTo: slot.locked ? 0 : quantity.orderUpTo,
    }
  })
  const visit = decideVisit(sized, {
    rule: params.visit_rule,
    costFen: params.visit_cost,
    daysSinceVisit: lastVisit === null ? params.window_days : Math.max(1, (now - lastVisit) / DAY),
    reviewDays,
    leadDays: leadTime.days,
    openShare: open.week / 7,
  })
  const entries = sized.map(({ slot, observation, stock, rate, quantity }): PlanEntry => {
    const cover = daysOfCover(horizon, stock, rate)
    return {
      slotId: slot.slotId,
      location,
      sku: slot.sku,
      stock,
      demand: {
        dailyRate: Math.round(rate * 1e4) / 1e4,
        naiveDailyRate: windowDays > 0 ? Math.round((observation.units / windowDays) * 1e4) / 1e4 : 0,
        availableDays: observation.availableDays,
        emptyDays: observation.emptyDays,
        closedDays: observation.closedDays,
        measured: observation.availableDays >= 1,
      },
      // Rounding must not turn some cover into none.
      daysOfCover: cover === null || cover === 0 ? cover : Math.max(0.01, Math.round(cover * 100) / 100),
      stockoutAt: cover === null ? null : Math.floor((now + cover * DAY) / 1000) * 1000,
      emptySince: observation.emptySince,
      recommendation: recommend(slot, quantity, visit.go),
      basis: {
        atRisk: quantity.atRisk,
        wanted: quantity.units,
        target: quantity.target,
        room: Number.isFinite(quantity.room) ? quantity.room : null,
        leadDays: leadTime.days,
        visit,
      },
      weekAhead: rate * open.week,
    }
  })
  return { entries, visit }
}

/** Three slots in four of a machine hold no more than the typical level when full. */
const TYPICAL_QUANTILE = 0.75

/** The level of a well-filled slot of the machine, from known capacities and the highest levels seen. */
function typicalLevelOf(slots: readonly SlotSummary[], observed: readonly SlotObservation[]): number {
  if (slots.every(({ capacity }) => capacity !== null)) return 0
  const levels = slots.map(({ capacity }, i) => capacity ?? observed[i]!.highestLevel).toSorted((a, b) => a - b)
  return levels[Math.floor((levels.length - 1) * TYPICAL_QUANTILE)] ?? 0
}

function daysOfCover(horizon: Horizon, stock: number, rate: number): number | null {
  if (stock <= 0) return 0
  return rate <= 1e-9 ? null : daysUntil(horizon, stock / rate)
}

const LOCKED: Recommendation = { action: 'locked' }
const IN_TRANSIT: Recommendation = { action: 'in_transit' }
const WATCH: Recommendation = { action: 'watch' }
const NONE: Recommendation = { action: 'none' }

function recommend(slot: SlotSummary, { units, boxes, atRisk }: Quantity, go: boolean): Recommendation {
  if (slot.locked) return LOCKED
  if (slot.inTransit) return IN_TRANSIT
  if (go && units > 0) return boxes ? { action: 'order', quantity: units, boxes } : { action: 'order', quantity: units }
  return atRisk ? WATCH : NONE
}
