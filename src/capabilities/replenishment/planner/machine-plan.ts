/** One machine's part of a plan: rate and quantity of each slot, the machine's one decision, then the entries. */
import { DAY } from '../../../kernel/clock.ts'
import { dailyRate } from './demand.ts'
import type { Observed } from './demand.ts'
import { daysUntil, openDays } from './horizon.ts'
import type { Horizon } from './horizon.ts'
import { quantityFor } from './quantity.ts'
import type { Boxes, Quantity } from './quantity.ts'
import type { RouteTerms, SlotSummary } from './input.ts'
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
  readonly recommendation: Recommendation
  /** Why: the numbers behind the recommendation, for whoever has to explain it. */
  readonly basis: Basis
  /** Units expected over the next seven days. */
  readonly weekAhead: number
}

export interface Basis {
  readonly atRisk: boolean
  /** Units a visit would bring, whether or not there is one. */
  readonly wanted: number
  readonly target: number
  /** Null: no end in sight. */
  readonly room: number | null
  readonly leadDays: number
  readonly visit: Visit
}

/** What the route's passes found out about a machine. */
export interface ObservedMachine {
  readonly location: string
  readonly lastVisit: number | null
  /** By slot id; `observed` goes with it. */
  readonly slots: readonly SlotSummary[]
  readonly windowDays: number
  readonly ahead: Horizon
  readonly observed: readonly Observed[]
}

/** Of the retail price, where the supplier's price is unknown. */
const MARGIN = 0.45

interface Sized extends VisitSlot {
  readonly slot: SlotSummary
  readonly seen: Observed
  readonly quantity: Quantity
}

export function planMachine(
  { now, params, leadTime, reviewDays }: RouteTerms,
  { location, lastVisit, slots, windowDays, ahead, observed }: ObservedMachine,
  priorOf: (slot: SlotSummary, seen: Observed) => number,
): { readonly entries: readonly PlanEntry[]; readonly visit: Visit } {
  const wait = leadTime.days + reviewDays - 1
  const open = {
    lead: openDays(ahead, leadTime.days),
    leadAndReview: openDays(ahead, leadTime.days + reviewDays),
    risk: openDays(ahead, wait + params.safety_days),
    cover: openDays(ahead, wait + params.cover_days),
    coverAndSafety: openDays(ahead, wait + params.cover_days + params.safety_days),
    week: openDays(ahead, 7),
  }
  const neighbourLevel = typicalLevel(slots, observed)
  const sized = slots.map((slot, i): Sized => {
    const seen = observed[i]!
    const rate = dailyRate(seen, priorOf(slot, seen))
    const lead = rate * open.lead
    const demand = {
      lead,
      risk: rate * open.risk,
      cover: rate * open.cover,
      coverAndSafety: rate * open.coverAndSafety,
    }
    const quantity = quantityFor(slot, seen.peak, rate, params, demand, neighbourLevel)
    return {
      slot,
      seen,
      quantity,
      rate,
      free: !slot.locked && !slot.inTransit,
      priceFen: slot.priceFen,
      marginFen: slot.costFen === undefined ? MARGIN * slot.priceFen : slot.priceFen - slot.costFen,
      stock: Math.max(0, slot.stock),
      atRisk: quantity.atRisk,
      units: quantity.units,
      lead,
      leadAndReview: rate * open.leadAndReview,
      orderUpTo: slot.locked ? 0 : quantity.orderUpTo,
    }
  })
  const decided = decideVisit(sized, {
    rule: params.visit_rule,
    costFen: params.visit_cost,
    sinceDays: lastVisit === null ? params.window_days : Math.max(1, (now - lastVisit) / DAY),
    reviewDays,
    leadDays: leadTime.days,
    openShare: open.week / 7,
  })
  const entries = sized.map(({ slot, seen, stock, rate, quantity }): PlanEntry => {
    const cover = coverOf(ahead, stock, rate)
    return {
      slotId: slot.slotId,
      location,
      sku: slot.sku,
      stock,
      demand: {
        dailyRate: Math.round(rate * 1e4) / 1e4,
        naiveDailyRate: windowDays > 0 ? Math.round((seen.units / windowDays) * 1e4) / 1e4 : 0,
        availableDays: seen.availableDays,
        emptyDays: seen.emptyDays,
        closedDays: seen.closedDays,
        measured: seen.availableDays >= 1,
      },
      // Rounding must not turn a little stock into none.
      daysOfCover: cover === null || cover === 0 ? cover : Math.max(0.01, Math.round(cover * 100) / 100),
      stockoutAt: cover === null ? null : Math.floor((now + cover * DAY) / 1000) * 1000,
      recommendation: recommend(slot, quantity, decided.go),
      basis: {
        atRisk: quantity.atRisk,
        wanted: quantity.units,
        target: quantity.target,
        room: Number.isFinite(quantity.room) ? quantity.room : null,
        leadDays: leadTime.days,
        visit: decided,
      },
      weekAhead: rate * open.week,
    }
  })
  return { entries, visit: decided }
}

/** Three slots in four of a machine hold no more than this when full. */
const TYPICAL = 0.75

/** What a well-filled slot of the machine holds, from what is known and what was seen of all of them. */
function typicalLevel(slots: readonly SlotSummary[], observed: readonly Observed[]): number {
  if (slots.every(({ capacity }) => capacity !== null)) return 0
  const levels = slots.map(({ capacity }, i) => capacity ?? observed[i]!.peak).toSorted((a, b) => a - b)
  return levels[Math.floor((levels.length - 1) * TYPICAL)] ?? 0
}

function coverOf(ahead: Horizon, stock: number, rate: number): number | null {
  if (stock <= 0) return 0
  return rate <= 1e-9 ? null : daysUntil(ahead, stock / rate)
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
