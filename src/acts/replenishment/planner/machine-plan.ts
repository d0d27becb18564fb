/** The plan of one machine: rate and quantity of each slot, the decision on a visit, and the entries. */
import { DAY } from '../../../kernel/clock.ts'
import { weekdayOf } from './demand/calendar.ts'
import { type SalesTotals, type SlotObservation, dailyRate, isDeadStock } from './demand/demand.ts'
import { type Horizon, daysUntil, openDays } from './demand/horizon.ts'
import { type Cycle, type CycleSlot, ASSUMED_MARGIN_SHARE, assumedVisitCost, bestCycle } from './demand/cycle.ts'
import { type KnownDays, isClosedDay } from './demand/known-days.ts'
import {
  type Boxes,
  type ExpectedDemand,
  type Quantity,
  FIRST_FILL_SHARE,
  fillableLevel,
  orderQuantity,
  shelfLimit,
} from './quantity.ts'
import type { PlanSlot, Place, PlanSettings, SlotSummary } from './input.ts'
import { type Visit, type VisitSlot, decideVisit } from './trips/visit.ts'

export type Action = 'order' | 'watch' | 'none' | 'locked' | 'in_transit' | 'phase_out'

export interface Recommendation {
  readonly action: Action
  /** With `none`: why a run may not take the product. */
  readonly because?: NonNullable<SlotSummary['blocked']>
  readonly quantity?: number
  readonly boxes?: Boxes
}

export interface Demand {
  readonly dailyRate: number
  readonly naiveDailyRate: number
  readonly availableDays: number
  readonly emptyDays: number
  readonly closedDays: number
  /** In stock within the window. */
  readonly measured: boolean
  /** Days in stock before the window that the rate is learned from, because the window has too few. */
  readonly earlierDays: number
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
  readonly nextWeekDemand: number
}

export interface Basis {
  readonly atRisk: boolean
  /** Units a visit would bring, whether or not there is a visit. */
  readonly unitsIfVisited: number
  readonly target: number
  /** Null: no known limit. */
  readonly room: number | null
  /** The most that should be in the slot, by shelf life; infinite where nothing limits it. */
  readonly levelMax?: number
  /** The units that the plan counts on, where the stock is more than the slot can hold. */
  readonly countedOn?: number
  /** Days in stock since the last sale, where they are so many that nothing more is ordered. */
  readonly unsoldDays?: number
  readonly leadDays: number
  readonly visit: Visit
}

/** A machine whose history has been summarized. */
export interface ObservedMachine {
  readonly location: string
  readonly place: Place
  /** The local day of now, and that on which an order placed now would arrive. */
  readonly today: number
  readonly arrivalDay: number
  /** Weekdays on which the machine can be reached; undefined while its hours are unknown. */
  readonly openWeekdays: readonly number[] | undefined
  /** Those with a known stock, sorted by slot id; `observed` has the same order. */
  readonly slots: readonly PlanSlot[]
  readonly windowDays: number
  /** What an operator stated about single days. */
  readonly knownDays?: readonly KnownDays[] | undefined
  /** Of a machine rolled forward: by how many days. */
  readonly rolledDays?: number | undefined
  readonly horizon: Horizon
  /** The horizon without the known days: a rhythm is that of usual weeks. */
  readonly usualHorizon: Horizon
  readonly observed: readonly SlotObservation[]
  /** The totals of `observed`. */
  readonly totals: SalesTotals
}

/** A slot with its rate, and the level to which a visit could fill it. */
interface RatedSlot extends CycleSlot {
  readonly slot: PlanSlot
  /** Of a machine rolled forward: the fraction of a unit in `stock`, and a delivery that has not arrived. */
  readonly fraction?: number
  readonly arriving?: { readonly day: number; readonly units: number } | undefined
  readonly observation: SlotObservation
  readonly priceFen: number
}

/** A machine whose rates are known: what a visit is worth follows from it, how much it brings from its rhythm. */
export type RatedMachine = Readonly<ReturnType<typeof rateMachine>>

export interface SizedSlot extends VisitSlot {
  readonly slot: PlanSlot
  readonly observation: SlotObservation
  readonly quantity: Quantity
}

export function rateMachine(
  { params, leadTime }: PlanSettings,
  machine: ObservedMachine,
  peerRateOf: (slot: SlotSummary, observation: SlotObservation) => number,
) {
  const { slots, observed, horizon, usualHorizon } = machine
  const leadTimeDays = openDays(horizon, leadTime.days)
  const typicalLevel = typicalLevelOf(slots, observed)
  let isSelling = false
  const rated = slots.map((slot, i): RatedSlot => {
    const observation = observed[i]!
    const { rateUnits, rateDays } = observation
    const rate = dailyRate({ units: rateUnits, availableDays: rateDays }, peerRateOf(slot, observation))
    const leadTimeDemand = rate * leadTimeDays
    if (rate * slot.priceFen > 0) isSelling = true
    return {
      slot,
      observation,
      rate,
      priceFen: slot.priceFen,
      marginFen: marginOf(slot),
      missedFen: params.missed_share * marginOf(slot),
      leadTimeDemand,
      maxUnits: params.max_order_qty,
      orderUpTo: isClosedToOrders(slot)
        ? 0
        : Math.min(
            fillableLevel(slot, observation.highestLevel, params, leadTimeDemand, typicalLevel),
            slot.par === undefined ? shelfLimit(shelfDemand(slot, rate, horizon)) : Infinity,
          ),
    }
  })
  return {
    machine,
    slots: rated,
    typicalLevel,
    /** What slots hold while nothing is known to sell. */
    heldLevel: isSelling ? 0 : typicalLevelOf(slots, observed, FIRST_FILL_SHARE),
    openShare: openDays(usualHorizon, 7) / 7,
    isSelling,
    /** What a stop is assumed to cost while nothing is configured. */
    assumedCostFen: assumedVisitCost(rated),
  }
}

/** What is expected to sell while a unit may stay in the slot; undefined where that is not limited. */
const shelfDemand = ({ shelfDays }: SlotSummary, rate: number, horizon: Horizon): number | undefined =>
  shelfDays === undefined ? undefined : rate * openDays(horizon, shelfDays)

/** Nothing is to be ordered for it. */
const isClosedToOrders = ({ locked, isPhasedOut, blocked }: SlotSummary): boolean =>
  locked || isPhasedOut === true || blocked !== undefined

/** A product that is sold below its cost is no reason for a visit, and none against one. */
const marginOf = ({ priceFen, costFen }: SlotSummary): number =>
  costFen === undefined ? ASSUMED_MARGIN_SHARE * priceFen : Math.max(0, priceFen - costFen)

/** Longer than this, products would be too old: no order covers more days because of the rhythm. */
export const RHYTHM_DAYS_MAX = 40

/** The days between visits that cost least when every visit fills the machine. */
export const rhythmOf = ({ slots, openShare }: RatedMachine, costFen: number, leadDays: number): number =>
  bestCycle(slots, costFen, { openShare, leadDays }, RHYTHM_DAYS_MAX).days

/** How trips bear on one machine. */
export interface MachineRhythm {
  /** Days that an order must last because of the rhythm. */
  readonly rhythmDays: number
  /** Share of the cost of a stop that the machine bears. */
  readonly costShare: number
  readonly costFen: number | null
  /** Where trips are shared: the days between trips, and the best cycle of a machine at a multiple of them. */
  readonly tripDays?: number | undefined
  readonly sharedCycle?: ((slots: readonly CycleSlot[], costFen: number) => Cycle) | undefined
  /** The best cycle, where it was found before: it does not depend on stock. */
  readonly knownCycle?: Cycle | undefined
}

export interface SizedMachine {
  readonly rated: RatedMachine
  readonly slots: readonly SizedSlot[]
  /** The decision on this machine alone. */
  readonly visit: Visit
}

/** What a visit brings to each slot, and what the visit is worth. */
export function sizeMachine(settings: PlanSettings, rated: RatedMachine, rhythm: MachineRhythm): SizedMachine {
  const { params, leadTime, reviewDays } = settings
  const { horizon } = rated.machine
  const openAhead = (days: number) => openDaysAhead(rated.machine, days)
  const untilNextDelivery = leadTime.days + reviewDays - 1
  const coverDays = params.cover_rule === 'rhythm' ? Math.max(params.cover_days, rhythm.rhythmDays) : params.cover_days
  const open = {
    leadTimeAndReview: openAhead(leadTime.days + reviewDays),
    leadTimeAndTrip: rhythm.tripDays === undefined ? 0 : openAhead(leadTime.days + rhythm.tripDays),
    risk: openAhead(untilNextDelivery + params.safety_days),
    cover: openAhead(untilNextDelivery + coverDays),
    coverAndSafety: openAhead(untilNextDelivery + coverDays + params.safety_days),
  }
  const slots = rated.slots.map((ratedSlot): SizedSlot => {
    const { slot, observation, rate, priceFen, marginFen, missedFen, leadTimeDemand } = ratedSlot
    const demand: ExpectedDemand = {
      leadTime: leadTimeDemand,
      risk: rate * open.risk,
      cover: rate * open.cover,
      coverAndSafety: rate * open.coverAndSafety,
      shelf: shelfDemand(slot, rate, horizon),
    }
    const heldLevel = rate === 0 && slot.stock <= 0 && observation.rateDays === 0 ? rated.heldLevel : undefined
    const wanted = orderQuantity(slot, observation.highestLevel, rate, params, demand, rated.typicalLevel, heldLevel)
    // A stated par level is filled to, whatever the slot sells.
    const isNotFilled = slot.isPhasedOut || slot.blocked || (slot.par === undefined && isDeadStock(observation))
    const quantity = isNotFilled ? { ...wanted, units: 0, boxes: undefined } : wanted
    return {
      slot,
      observation,
      quantity,
      rate,
      isOrderable: !isClosedToOrders(slot) && !slot.isInTransit,
      isInTransit: slot.isInTransit,
      locked: slot.locked,
      priceFen,
      marginFen,
      missedFen,
      stock: Math.max(0, slot.stock),
      atRisk: quantity.atRisk,
      units: quantity.units,
      leadTimeDemand,
      leadTimeAndReviewDemand: rate * open.leadTimeAndReview,
      leadTimeAndTripDemand: rate * open.leadTimeAndTrip,
      orderUpTo: isClosedToOrders(slot) ? 0 : quantity.orderUpTo,
      maxUnits: params.max_order_qty,
    }
  })
  const { sharedCycle } = rhythm
  const visit = decideVisit(slots, {
    rule: params.visit_rule,
    costFen: rhythm.costFen,
    costShare: rhythm.costShare,
    reviewDays,
    leadDays: leadTime.days,
    openShare: rated.openShare,
    smallMachineSlots: params.small_machine_slots,
    oneVisitAtATime: params.one_visit_at_a_time,
    isClosedAtArrival: isClosedAtArrival(rated.machine, reviewDays),
    sharedCycle: sharedCycle && ((costFen) => sharedCycle(slots, costFen)),
    knownCycle: rhythm.knownCycle,
  })
  return { rated, slots, visit }
}

/**
 * Open days within the next `days`. A machine with known days that was rolled forward looks ahead from its day; for all
 * others every week is alike.
 */
export function openDaysAhead({ horizon, knownDays, rolledDays = 0 }: ObservedMachine, days: number): number {
  if (rolledDays === 0 || !knownDays?.length) return openDays(horizon, days)
  return openDays(horizon, rolledDays + days) - openDays(horizon, rolledDays)
}

const isClosedAtArrival = ({ arrivalDay, openWeekdays, knownDays }: ObservedMachine, reviewDays: number): boolean =>
  isClosedButOpenLater(arrivalDay, openWeekdays, reviewDays) || isClosedDay(knownDays, arrivalDay)

/** Whether a machine is closed on a weekday, by its hours or by what it sold, while an order of a later review could arrive on an open one. */
function isClosedButOpenLater(day: number, openWeekdays: readonly number[] | undefined, reviewDays: number): boolean {
  if (openWeekdays === undefined || openWeekdays.includes(weekdayOf(day))) return false
  return [1, 2, 3, 4, 5, 6].some((reviews) => openWeekdays.includes(weekdayOf(day + reviews * reviewDays)))
}

/** The entries of a machine once its visit is decided. */
export function planEntries(
  { now, leadTime }: PlanSettings,
  { rated, slots }: SizedMachine,
  visit: Visit,
): PlanEntry[] {
  const { location, windowDays, horizon } = rated.machine
  return slots.map(({ slot, observation, stock, rate, quantity }): PlanEntry => {
    const cover = daysOfCover(horizon, stock, rate)
    return {
      slotId: slot.slotId,
      location,
      sku: slot.sku,
      stock: slot.givenStock ?? stock,
      demand: {
        dailyRate: Math.round(rate * 1e4) / 1e4,
        naiveDailyRate: windowDays > 0 ? Math.round((observation.units / windowDays) * 1e4) / 1e4 : 0,
        availableDays: observation.availableDays,
        emptyDays: observation.emptyDays,
        closedDays: observation.closedDays,
        measured: observation.availableDays >= 1,
        earlierDays: observation.earlierDays,
      },
      // Rounding must not turn some cover into none.
      daysOfCover: cover === null || cover === 0 ? cover : Math.max(0.01, Math.round(cover * 100) / 100),
      stockoutAt: cover === null ? null : Math.floor((now + cover * DAY) / 1000) * 1000,
      emptySince: observation.emptySince,
      recommendation: recommend(slot, quantity, visit.go),
      basis: {
        atRisk: quantity.atRisk,
        unitsIfVisited: quantity.units,
        target: quantity.target,
        room: Number.isFinite(quantity.room) ? quantity.room : null,
        levelMax: quantity.levelMax,
        ...(slot.givenStock === undefined ? {} : { countedOn: stock }),
        ...(isDeadStock(observation) ? { unsoldDays: observation.unsoldDays } : {}),
        leadDays: leadTime.days,
        visit,
      },
      nextWeekDemand: rate * openDays(horizon, 7),
    }
  })
}

/** The most that fits when an order placed now arrives; null where the capacity is unknown, which only a person can tell. */
export const roomAtArrival = ({ basis }: Pick<PlanEntry, 'basis'>, capacity: number | null): number | null =>
  capacity === null || basis.room === null ? null : Math.max(Math.floor(basis.room), basis.unitsIfVisited)

/** Three slots in four of a machine hold no more than the typical level when full. */
export const TYPICAL_QUANTILE = 0.75

/** The level of a well-filled slot of the machine, from known capacities and the highest levels seen. */
function typicalLevelOf(
  slots: readonly SlotSummary[],
  observed: readonly SlotObservation[],
  capacityShare = 1,
): number {
  if (slots.every(({ capacity }) => capacity !== null)) return 0
  // A slot that was never seen filled says nothing about the others.
  const levels = slots
    .map(({ capacity }, i) => (capacity === null ? observed[i]!.highestLevel : Math.ceil(capacityShare * capacity)))
    .filter((level) => level > 0)
    .toSorted((a, b) => a - b)
  return levels[Math.floor((levels.length - 1) * TYPICAL_QUANTILE)] ?? 0
}

function daysOfCover(horizon: Horizon, stock: number, rate: number): number | null {
  if (stock <= 0) return 0
  return rate <= 1e-9 ? null : daysUntil(horizon, stock / rate)
}

const LOCKED: Recommendation = { action: 'locked' }
const IN_TRANSIT: Recommendation = { action: 'in_transit' }
const PHASE_OUT: Recommendation = { action: 'phase_out' }
const WATCH: Recommendation = { action: 'watch' }
const NONE: Recommendation = { action: 'none' }

function recommend(slot: SlotSummary, { units, boxes, atRisk }: Quantity, go: boolean): Recommendation {
  if (slot.locked) return LOCKED
  if (slot.isInTransit) return IN_TRANSIT
  if (slot.isPhasedOut) return PHASE_OUT
  if (slot.blocked) return { action: 'none', because: slot.blocked }
  if (go && units > 0) return boxes ? { action: 'order', quantity: units, boxes } : { action: 'order', quantity: units }
  return atRisk ? WATCH : NONE
}
