/**
 * Whether somebody drives to a machine. Slot by slot there is always a reason to go; what a visit costs is paid once per
 * machine, so the machine decides, and a visit tops up every slot that has use for it.
 */
import { expectedLoss } from './negative-binomial.ts'
import { SPREAD } from './quantity.ts'
import type { VisitRule } from '../../../kernel/plan-params.ts'

export interface VisitSlot {
  /** Neither locked nor already on its way. */
  readonly free: boolean
  readonly rate: number
  readonly priceFen: number
  readonly marginFen: number
  readonly stock: number
  readonly atRisk: boolean
  readonly units: number
  /** Expected demand until goods ordered now arrive, and until those ordered one review later do. */
  readonly lead: number
  readonly leadAndReview: number
  /** The level an order brings an empty slot to; 0 when the slot is locked or can never take the smallest order. */
  readonly orderUpTo: number
}

export interface VisitTerms {
  readonly rule: VisitRule
  /** Null: nobody said what a visit costs. */
  readonly costFen: number | null
  readonly sinceDays: number
  readonly reviewDays: number
  readonly leadDays: number
  /** Share of days on which the machine sells at all. */
  readonly openShare: number
}

export interface Visit {
  readonly go: boolean
  readonly rule: VisitRule | 'small_machine'
  /** Share of the machine's expected revenue in slots at risk. */
  readonly riskShare: number
  /** Units a visit would bring. */
  readonly load: number
  /** Margin lost by deciding one review later, and what it must reach; null under rules that do not ask. */
  readonly waitingFen: number | null
  readonly worthFen: number | null
}

/** With fewer selling slots than this, one empty slot is most of the machine. */
const SMALL_MACHINE_SLOTS = 5

export function decideVisit(slots: readonly VisitSlot[], terms: VisitTerms): Visit {
  const sum = summed(slots)
  const told = {
    riskShare: sum.revenue > 0 ? sum.atRisk / sum.revenue : 0,
    load: sum.load,
    waitingFen: null,
    worthFen: null,
  }
  if (sum.selling < SMALL_MACHINE_SLOTS) return { ...told, go: sum.anyRisk, rule: 'small_machine' }
  const soldOut = isSoldOut(slots)
  if (sum.revenue <= 0) return { ...told, go: soldOut, rule: terms.rule }
  if (terms.rule === 'share' || (terms.rule === 'since_visit' && terms.costFen === null)) {
    return { ...told, go: soldOut || goByShare(sum), rule: 'share' }
  }
  const cost = terms.costFen ?? assumedCost(slots, sum)
  const waitingFen = lossOfWaiting(slots, terms.rule)
  const worthFen =
    terms.rule === 'since_visit' ? cost / terms.sinceDays : terms.reviewDays * cheapestDay(slots, cost, terms)
  return { ...told, go: soldOut || waitingFen >= worthFen, rule: terms.rule, waitingFen, worthFen }
}

const SOLD_OUT_SHARE = 0.75

/**
 * Three quarters of what the machine sells, by units, would be missing on the day a delivery arrives, and a visit could
 * bring it. Such a machine is due whatever the amounts say: one whose visits never pay should be taken away, not left
 * standing empty. Slots in transit count as filled; those no order can ever fill are left out.
 */
function isSoldOut(slots: readonly VisitSlot[]): boolean {
  let all = 0
  let gone = 0
  for (const slot of slots) {
    if (slot.orderUpTo === 0) continue
    all += slot.rate
    // While little fits in, waiting brings a fuller load.
    if (slot.free && slot.units > 0 && (slot.stock === 0 || slot.units >= slot.orderUpTo / 2))
      gone += slot.rate * missingShare(slot)
  }
  return all > 0 && gone >= SOLD_OUT_SHARE * all
}

/** Of what the slot would sell between a delivery ordered now and one ordered at the next review. */
function missingShare({ stock, lead, leadAndReview }: VisitSlot): number {
  if (stock === 0) return 1
  const demand = leadAndReview - lead
  return demand > 0 ? (expectedLoss(leadAndReview, stock, SPREAD) - expectedLoss(lead, stock, SPREAD)) / demand : 0
}

interface Summed {
  readonly revenue: number
  readonly atRisk: number
  readonly rate: number
  readonly load: number
  readonly selling: number
  readonly anyRisk: boolean
}

function summed(slots: readonly VisitSlot[]): Summed {
  const sum = { revenue: 0, atRisk: 0, rate: 0, load: 0, selling: 0, anyRisk: false }
  for (const slot of slots) {
    const revenue = slot.rate * slot.priceFen
    sum.revenue += revenue
    sum.rate += slot.rate
    if (slot.rate > 0) sum.selling++
    if (!slot.free) continue
    sum.load += slot.units
    if (!slot.atRisk) continue
    sum.atRisk += revenue
    sum.anyRisk = true
  }
  return sum
}

const WORTH_A_LOOK = 0.15
const WORTH_ANY_LOAD = 0.5
const WORTH_THE_DRIVE = 20

/** Goes by shares and loads: enough of the machine's revenue at risk, and enough to carry. */
const goByShare = ({ revenue, atRisk, load }: Summed): boolean =>
  atRisk >= WORTH_A_LOOK * revenue && (load >= WORTH_THE_DRIVE || atRisk >= WORTH_ANY_LOAD * revenue)

/** Margin lost by deciding one review later. Slots a visit could not help do not speak for it. */
function lossOfWaiting(slots: readonly VisitSlot[], rule: VisitRule): number {
  let sum = 0
  for (const { free, units, stock, lead, leadAndReview, marginFen } of slots) {
    if (!free || (rule === 'cycle' && units === 0)) continue
    sum += marginFen * (expectedLoss(leadAndReview, stock, SPREAD) - expectedLoss(lead, stock, SPREAD))
  }
  return sum
}

/** What a visit is taken to cost while nobody says: the price of this many average sales, the margin of about eleven. */
const WORTH_IN_PRICES = 5
/** No more than this share of the margin in one full load: whoever keeps a machine earns something by filling it. */
const WORTH_OF_A_LOAD = 0.4

function assumedCost(slots: readonly VisitSlot[], { revenue, rate }: Summed): number {
  let load = 0
  for (const slot of slots) if (slot.rate > 0) load += slot.marginFen * slot.orderUpTo
  return Math.min(WORTH_IN_PRICES * (revenue / rate), WORTH_OF_A_LOAD * Math.max(0, load))
}

/** Days between visits that are tried. Slow machines are worth a visit a quarter, or a year. */
const CYCLES = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 21, 26, 32, 40, 50, 64, 80, 100, 128, 160, 200, 256, 320, 400]
const LONGEST = CYCLES[CYCLES.length - 1]!

/**
 * The cost per day, visit and lost margin, of the best regular rhythm from delivery to delivery. A day of waiting that
 * loses more than this is dearer than starting the next cycle; one that loses less is not. The cost per day falls, then
 * rises, and the search stops at the turn. It never turns while a visit does not yet pay for itself, so a rhythm that
 * pays is found if there is one. It depends on the machine, not on its present stock: as stock falls only the loss of
 * waiting grows.
 */
function cheapestDay(slots: readonly VisitSlot[], cost: number, { openShare, leadDays }: VisitTerms): number {
  let best = Infinity
  for (const days of CYCLES) {
    // Slots in transit are not ordered again, so no rhythm is faster than deliveries.
    if (days < Math.min(leadDays, LONGEST)) continue
    let lost = 0
    for (const slot of slots) {
      if (slot.orderUpTo === 0) continue
      lost += slot.marginFen * expectedLoss(slot.rate * openShare * days, levelAfterDelivery(slot), SPREAD)
    }
    const perDay = (cost + lost) / days
    if (perDay >= best) break
    best = perDay
  }
  return best
}

/**
 * The level just after a delivery in a regular rhythm. What sells between order and delivery comes out of the stock
 * there is: with enough of it the lead demand is gone, and where the lead demand is more than the slot holds, the level x
 * solves x = full - x.
 */
const levelAfterDelivery = ({ orderUpTo, lead }: VisitSlot): number =>
  Math.max(Math.floor(orderUpTo - lead), Math.ceil(orderUpTo / 2))
