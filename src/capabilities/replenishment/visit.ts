/**
 * Whether somebody drives to a machine. Slot by slot there is always a reason to go; what a visit costs is paid once per
 * machine, so the machine decides, and a visit tops up every slot that has use for it.
 */
import { expectedLoss } from './negative-binomial.ts'
import { SPREAD } from './quantity.ts'
import type { VisitRule } from './state.ts'

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
  /** The level to expect just after a delivery. */
  readonly refilled: number
}

export interface VisitTerms {
  readonly rule: VisitRule
  /** Null: nobody said what a visit costs. */
  readonly costFen: number | null
  readonly sinceDays: number
  readonly reviewDays: number
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

export function visit(slots: readonly VisitSlot[], terms: VisitTerms): Visit {
  const sum = summed(slots)
  const told = {
    riskShare: sum.revenue > 0 ? sum.atRisk / sum.revenue : 0,
    load: sum.load,
    waitingFen: null,
    worthFen: null,
  }
  if (sum.selling < SMALL_MACHINE_SLOTS) return { ...told, go: sum.anyRisk, rule: 'small_machine' }
  if (sum.revenue <= 0) return { ...told, go: false, rule: terms.rule }
  if (terms.rule === 'share' || (terms.rule === 'since_visit' && terms.costFen === null)) {
    return { ...told, go: goByShare(sum), rule: 'share' }
  }
  const cost = terms.costFen ?? WORTH_IN_PRICES * (sum.revenue / sum.rate)
  const waitingFen = lossOfWaiting(slots, terms.rule)
  const worthFen =
    terms.rule === 'since_visit' ? cost / terms.sinceDays : terms.reviewDays * cheapestDay(slots, cost, terms.openShare)
  return { ...told, go: waitingFen >= worthFen, rule: terms.rule, waitingFen, worthFen }
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
/** Days between visits that are tried. */
const CYCLES = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 21, 26, 32, 40]

/**
 * The cost per day, visit and lost margin, of the best regular rhythm from refill to refill. A day of waiting that loses
 * more than this is dearer than starting the next cycle; one that loses less is not. Losses grow ever faster with the
 * cycle, so the cost per day falls, then rises, and the search stops at the turn.
 */
function cheapestDay(slots: readonly VisitSlot[], cost: number, openShare: number): number {
  let best = Infinity
  for (const days of CYCLES) {
    let lost = 0
    for (const { rate, refilled, marginFen } of slots) {
      lost += marginFen * expectedLoss(rate * openShare * days, refilled, SPREAD)
    }
    const perDay = (cost + lost) / days
    if (perDay >= best) break
    best = perDay
  }
  return best
}
