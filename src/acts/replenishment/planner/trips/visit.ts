/**
 * Whether to visit a machine. A visit costs the same for one slot or for all, so it is decided per machine, and then it
 * tops up every slot that needs it. Which machines are visited on one trip is decided in trip.ts.
 */
import { type Cycle, type CycleSlot, assumedVisitCost, bestCycle, DISPERSION } from '../demand/cycle.ts'
import { expectedLoss } from '../demand/negative-binomial.ts'
import type { VisitRule } from '../../../../kernel/plan-params.ts'

export interface VisitSlot extends CycleSlot {
  /** Neither locked nor phased out nor in transit. */
  readonly isOrderable: boolean
  readonly isInTransit: boolean
  readonly locked: boolean
  readonly priceFen: number
  readonly stock: number
  readonly atRisk: boolean
  readonly units: number
  /** Expected demand until an order placed at the next review arrives, and until one of the next trip does. */
  readonly leadTimeAndReviewDemand: number
  readonly leadTimeAndTripDemand: number
}

export interface VisitSettings {
  readonly rule: VisitRule
  /** Null: not configured. */
  readonly costFen: number | null
  /** Share of the cost that the machine bears: machines of one site share it. */
  readonly costShare: number
  readonly reviewDays: number
  readonly leadDays: number
  /** Share of days on which the machine is open. */
  readonly openShare: number
  readonly smallMachineSlots: number
  readonly oneVisitAtATime: boolean
  /** The machine is closed on the day on which an order placed now would arrive. */
  readonly isClosedAtArrival: boolean
  /** The best cycle, where it is known already: it does not depend on stock. */
  readonly knownCycle?: Cycle | undefined
  /** The best cycle where trips are shared (trip.ts); undefined: that of the machine alone. */
  readonly sharedCycle?: ((costFen: number) => Cycle) | undefined
}

/** Why a machine is visited, or why it waits. */
export type VisitReason =
  | 'due'
  | 'joins'
  | 'same_site'
  | 'small_machine'
  | 'sold_out'
  | 'not_due'
  | 'limit'
  | 'in_transit'
  | 'closed'
  | 'locked'

export interface Visit {
  readonly go: boolean
  readonly why: VisitReason
  readonly rule: VisitRule | 'small_machine'
  /** Share of the machine's expected revenue in slots at risk. */
  readonly riskShare: number
  /** Units a visit would bring. */
  readonly load: number
  /** Margin lost by waiting for the next review, and the loss from which a visit pays; null under rules without them. */
  readonly lossByWaitingFen: number | null
  readonly visitThresholdFen: number | null
  /** Margin lost by waiting for the next trip; null where trips are not shared. */
  readonly lossUntilNextTripFen: number | null
  /** Days between visits that cost least; null under rules without them. */
  readonly rhythmDays: number | null
}

/** Whether a visit to this machine alone is worth it. */
export function decideVisit(slots: readonly VisitSlot[], settings: VisitSettings): Visit {
  const totals = machineTotals(slots)
  const { rule } = settings
  const figures = {
    riskShare: totals.revenue > 0 ? totals.revenueAtRisk / totals.revenue : 0,
    load: totals.load,
    lossByWaitingFen: null,
    visitThresholdFen: null,
    lossUntilNextTripFen: null,
    rhythmDays: null,
  }
  const blocked = reasonToWait(slots, settings)
  const decide = (why: VisitReason | undefined): Pick<Visit, 'go' | 'why'> =>
    blocked !== undefined
      ? { go: false, why: blocked }
      : why !== undefined && totals.load > 0
        ? { go: true, why }
        : { go: false, why: 'not_due' }

  const soldOut = isSoldOut(slots) ? 'sold_out' : undefined
  if (totals.sellingSlots < settings.smallMachineSlots) {
    const why = totals.hasSlotAtRisk ? 'small_machine' : totals.sellingSlots === 0 ? soldOut : undefined
    return { ...figures, ...decide(why), rule: 'small_machine' }
  }
  if (totals.revenue <= 0) return { ...figures, ...decide(soldOut), rule }
  if (rule === 'share') return { ...figures, ...decide(isWorthByShare(totals) ? 'due' : soldOut), rule }

  const cost = settings.costShare * (settings.costFen ?? assumedVisitCost(slots))
  const lossByWaitingFen = lossOfWaiting(slots, ({ leadTimeAndReviewDemand }) => leadTimeAndReviewDemand)
  const cycle =
    settings.knownCycle ?? (settings.sharedCycle ? settings.sharedCycle(cost) : bestCycle(slots, cost, settings))
  const visitThresholdFen = settings.reviewDays * cycle.costPerDay
  // Where trips are shared, a trip that never pays is not made for one machine; the plan then says how much is missing.
  const due = lossByWaitingFen >= visitThresholdFen ? 'due' : settings.sharedCycle ? undefined : soldOut
  return {
    ...figures,
    ...decide(due),
    rule,
    lossByWaitingFen,
    visitThresholdFen,
    lossUntilNextTripFen: settings.sharedCycle
      ? lossOfWaiting(slots, ({ leadTimeAndTripDemand }) => leadTimeAndTripDemand)
      : null,
    rhythmDays: cycle.days,
  }
}

/** Why the machine cannot be visited now, whatever a visit is worth. */
function reasonToWait(slots: readonly VisitSlot[], settings: VisitSettings): VisitReason | undefined {
  if (settings.oneVisitAtATime && slots.some(({ isInTransit }) => isInTransit)) return 'in_transit'
  if (slots.length > 0 && slots.every(({ locked, isInTransit }) => locked && !isInTransit)) return 'locked'
  return settings.isClosedAtArrival ? 'closed' : undefined
}

const SOLD_OUT_SHARE = 0.75

/**
 * Three quarters of the machine's sales, by units, would be missing on the day a delivery arrives, and a visit could bring
 * them. Such a machine is visited whatever the amounts say: one whose visits never pay should be removed, not left empty.
 * Slots in transit count as filled; slots that no order fits do not count. While nothing is known to sell, as in the first
 * machine of a new operator, all slots count alike.
 */
function isSoldOut(slots: readonly VisitSlot[]): boolean {
  const isSelling = slots.some(({ rate, orderUpTo }) => orderUpTo > 0 && rate > 0)
  let total = 0
  let missing = 0
  for (const slot of slots) {
    if (slot.orderUpTo === 0) continue
    const weight = isSelling ? slot.rate : 1
    total += weight
    // While little fits, waiting gives a fuller load.
    const fullLoad = Math.min(slot.orderUpTo, slot.maxUnits)
    if (slot.isOrderable && slot.units > 0 && (slot.stock === 0 || slot.units >= fullLoad / 2))
      missing += weight * missingShare(slot)
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

type MachineTotals = Readonly<ReturnType<typeof machineTotals>>

function machineTotals(slots: readonly VisitSlot[]) {
  const totals = { revenue: 0, revenueAtRisk: 0, load: 0, sellingSlots: 0, hasSlotAtRisk: false }
  for (const slot of slots) {
    const revenue = slot.rate * slot.priceFen
    totals.revenue += revenue
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

/** Margin lost by waiting until `demandOf` instead of ordering now, in the slots that a visit could fill. */
function lossOfWaiting(slots: readonly VisitSlot[], demandOf: (slot: VisitSlot) => number): number {
  let total = 0
  for (const slot of slots) {
    const { isOrderable, units, stock, leadTimeDemand, missedFen } = slot
    if (!isOrderable || units === 0) continue
    total +=
      missedFen * (expectedLoss(demandOf(slot), stock, DISPERSION) - expectedLoss(leadTimeDemand, stock, DISPERSION))
  }
  return total
}
