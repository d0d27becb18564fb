/**
 * Which product deserves which lane of a machine. Every lane more of a product saves some of its missed sales, each less
 * than the one before, and a machine with the right lanes needs fewer visits. The lanes are changed one by one, always
 * the one that saves most, until a change would not pay for its work. Pure.
 */
import { DISPERSION } from '../demand/cycle.ts'
import { lossByLevel } from '../demand/negative-binomial.ts'

export interface LayoutLane {
  readonly lane: string
  readonly sku: string
  /** Units that fit. */
  readonly capacity: number
  /** It stays as it is: locked, phased out, in transit, or not known for long enough. */
  readonly isFixed: boolean
}

export interface LayoutProduct {
  readonly sku: string
  /** Units per open day. */
  readonly rate: number
  /** What one unit that is estimated to be missed costs. */
  readonly missedFen: number
  /** A machine keeps at least one product of each; undefined: a category of its own. */
  readonly category?: string | undefined
  /** It keeps at least one lane. */
  readonly isPinned: boolean
  /** False: it gets no further lane. */
  readonly mayGrow: boolean
  /** The most that sells before it is too old. */
  readonly levelMax?: number | undefined
}

export interface LayoutMachine {
  readonly lanes: readonly LayoutLane[]
  /** All that stand in the lanes. */
  readonly products: readonly LayoutProduct[]
  readonly visitCostFen: number
  /** Share of the days on which the machine sells. */
  readonly openShare: number
  readonly leadDays: number
}

export interface LaneChange {
  readonly lane: string
  readonly from: string
  readonly to: string
  /** With all changes before it. */
  readonly weeklyGainFen: number
}

export interface Layout {
  /** The largest gain first. */
  readonly changes: readonly LaneChange[]
  readonly weeklyGainFen: number
  /** The days between two visits that cost least, now and with all changes. */
  readonly visitDays: { readonly now: number; readonly after: number }
}

/** The days between visits that are tried. Longer ones are no rhythm to lay a machine out for. */
const VISIT_DAYS = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 21, 26, 32, 40]
/** With each change only rhythms this many steps from the best one are tried. */
const NEAR = 3
/** Emptying, cleaning and labelling a lane, as a share of a visit. */
const LANE_WORK_SHARE = 0.1
/** A gain that nothing measured yet may as well be half as much. */
export const GAIN_ERROR_SHARE = 0.5
/** A change has to earn its work within this time. */
const PAYBACK_WEEKS = 8

export function layOut(machine: LayoutMachine): Layout {
  const state = startState(machine)
  const now = cheapest(state.perDay)
  const workFen = (LANE_WORK_SHARE * machine.visitCostFen) / PAYBACK_WEEKS
  const changes: LaneChange[] = []
  let current = now
  // A lane that was changed stays: each is changed once at most.
  const open = machine.lanes.filter(({ isFixed, capacity }) => !isFixed && capacity > 0)
  while (open.length > 0) {
    const best = bestChange(state, open, current.index)
    const weekly = best ? 7 * (current.perDay - best.perDay) : 0
    if (!best || !(weekly > Math.max(workFen, 1))) break
    const { lane, to } = best
    apply(state, state.indexOf.get(lane.sku)!, to, lane.capacity)
    open.splice(open.indexOf(lane), 1)
    const next = cheapest(state.perDay)
    const weeklyGainFen = Math.round(7 * (current.perDay - next.perDay))
    changes.push({ lane: lane.lane, from: lane.sku, to: state.products[to]!.sku, weeklyGainFen })
    current = next
  }
  return {
    changes,
    weeklyGainFen: Math.round(7 * (now.perDay - current.perDay)),
    visitDays: { now: VISIT_DAYS[now.index]!, after: VISIT_DAYS[current.index]! },
  }
}

interface State {
  readonly products: readonly LayoutProduct[]
  readonly indexOf: ReadonlyMap<string, number>
  /** By product: units that fit in its lanes, and how many lanes it has. */
  readonly capacity: number[]
  readonly laneCount: number[]
  /** How many products of each category have a lane. */
  readonly ofCategory: Map<string, number>
  /** By rhythm, then by product: the margin missed between two visits with this many units in its lanes. */
  readonly missed: (rhythm: number, product: number, capacity: number) => number
  /** By rhythm: what visits and missed sales cost each day. */
  readonly perDay: number[]
}

function startState({ lanes, products, visitCostFen, openShare, leadDays }: LayoutMachine): State {
  const indexOf = new Map(products.map(({ sku }, index) => [sku, index]))
  const capacity = products.map(() => 0)
  const laneCount = products.map(() => 0)
  for (const lane of lanes) {
    const product = indexOf.get(lane.sku)
    if (product === undefined) continue
    capacity[product]! += lane.capacity
    laneCount[product]! += 1
  }
  const ofCategory = new Map<string, number>()
  products.forEach((product, index) => {
    if (laneCount[index]! > 0) ofCategory.set(categoryOf(product), (ofCategory.get(categoryOf(product)) ?? 0) + 1)
  })
  const tables = VISIT_DAYS.map((days) =>
    products.map(({ rate, missedFen }) =>
      lossByLevel(rate * openShare * days, DISPERSION).map((units) => units * missedFen),
    ),
  )
  const missed: State['missed'] = (rhythm, product, units) => {
    const table = tables[rhythm]![product]!
    const orderUpTo = Math.min(units, products[product]!.levelMax ?? Infinity)
    const level = levelOnDelivery(orderUpTo, products[product]!.rate * openShare, VISIT_DAYS[rhythm]!, leadDays)
    return level < table.length ? table[level]! : 0
  }
  const perDay = VISIT_DAYS.map((days, rhythm) => {
    // Slots in transit are not ordered again, so no rhythm is shorter than the lead time.
    if (days < leadDays) return Infinity
    const lost = capacity.reduce((total, units, product) => total + missed(rhythm, product, units), 0)
    return (visitCostFen + lost) / days
  })
  return { products, indexOf, capacity, laneCount, ofCategory, missed, perDay }
}

/**
 * The level just after a delivery, with visits at regular intervals: the order brings what was missing when it was placed,
 * less what sells until it arrives. A lane that was empty by then is full.
 */
export function levelOnDelivery(orderUpTo: number, dailyDemand: number, days: number, leadDays: number): number {
  const untilOrder = dailyDemand * Math.max(0, days - leadDays)
  const untilDelivery = dailyDemand * leadDays
  if (orderUpTo <= untilOrder) return orderUpTo
  return Math.round(Math.max((orderUpTo + untilOrder) / 2, orderUpTo - untilDelivery, 0))
}

const categoryOf = ({ category, sku }: LayoutProduct): string => category ?? `product ${sku}`

function cheapest(perDay: readonly number[]): { readonly index: number; readonly perDay: number } {
  let index = 0
  perDay.forEach((cost, each) => {
    if (cost < perDay[index]!) index = each
  })
  return { index, perDay: perDay[index]! }
}

interface Change {
  readonly lane: LayoutLane
  readonly to: number
  readonly perDay: number
}

/** The best change at each rhythm near the present one, and of these the one that costs least at its own best rhythm. */
function bestChange(state: State, open: readonly LayoutLane[], around: number): Change | undefined {
  const rhythms = state.perDay.flatMap((cost, index) =>
    Math.abs(index - around) <= NEAR && cost < Infinity ? [index] : [],
  )
  let best: Change | undefined
  for (const rhythm of rhythms) {
    const found = bestChangeAt(state, open, rhythm)
    if (!found) continue
    const from = state.indexOf.get(found.lane.sku)!
    const perDay = Math.min(
      ...rhythms.map(
        (each) => state.perDay[each]! - savedAt(state, each, from, found.to, found.lane.capacity) / VISIT_DAYS[each]!,
      ),
    )
    if (!best || perDay < best.perDay) best = { ...found, perDay }
  }
  return best
}

function savedAt(state: State, rhythm: number, from: number, to: number, units: number): number {
  return gainOf(state, rhythm, to, units) - lossOf(state, rhythm, from, units)
}

const gainOf = ({ missed, capacity }: State, rhythm: number, product: number, units: number): number =>
  missed(rhythm, product, capacity[product]!) - missed(rhythm, product, capacity[product]! + units)

const lossOf = ({ missed, capacity }: State, rhythm: number, product: number, units: number): number =>
  missed(rhythm, product, capacity[product]! - units) - missed(rhythm, product, capacity[product]!)

function bestChangeAt(
  state: State,
  open: readonly LayoutLane[],
  rhythm: number,
): { readonly lane: LayoutLane; readonly to: number } | undefined {
  let best: { readonly lane: LayoutLane; readonly to: number; readonly saved: number } | undefined
  const takers = new Map<number, readonly Taker[]>()
  const seen = new Set<string>()
  for (const lane of open) {
    // Lanes of one product and size are alike.
    const kind = `${lane.capacity} ${lane.sku}`
    if (seen.has(kind)) continue
    seen.add(kind)
    const from = state.indexOf.get(lane.sku)
    if (from === undefined || !mayLeave(state, from)) continue
    let ranked = takers.get(lane.capacity)
    if (!ranked) takers.set(lane.capacity, (ranked = bestTakers(state, rhythm, lane.capacity)))
    const taker = ranked.find(({ product }) => product !== from)
    if (!taker) continue
    const saved = taker.gain - lossOf(state, rhythm, from, lane.capacity)
    if (saved > (best?.saved ?? 0)) best = { lane, to: taker.product, saved }
  }
  return best
}

interface Taker {
  readonly product: number
  readonly gain: number
}

/** The two products to which a lane of this size is worth most: one of them may be the one that leaves it. */
function bestTakers(state: State, rhythm: number, units: number): readonly Taker[] {
  let first: Taker | undefined
  let second: Taker | undefined
  state.products.forEach(({ mayGrow }, product) => {
    if (!mayGrow) return
    const gain = gainOf(state, rhythm, product, units)
    if (!first || gain > first.gain) [first, second] = [{ product, gain }, first]
    else if (!second || gain > second.gain) second = { product, gain }
  })
  return [first, second].filter((taker) => taker !== undefined)
}

/** The last lane of a product is kept while it is pinned, or the last of its category. */
function mayLeave({ products, laneCount, ofCategory }: State, product: number): boolean {
  if (laneCount[product]! > 1) return true
  const { isPinned } = products[product]!
  return !isPinned && ofCategory.get(categoryOf(products[product]!))! > 1
}

function apply(state: State, from: number, to: number, units: number): void {
  VISIT_DAYS.forEach((days, rhythm) => {
    state.perDay[rhythm]! -= savedAt(state, rhythm, from, to, units) / days
  })
  const { products, capacity, laneCount, ofCategory } = state
  capacity[from]! -= units
  capacity[to]! += units
  laneCount[from]! -= 1
  laneCount[to]! += 1
  const count = (product: number, by: number) => {
    const category = categoryOf(products[product]!)
    ofCategory.set(category, (ofCategory.get(category) ?? 0) + by)
  }
  if (laneCount[from] === 0) count(from, -1)
  if (laneCount[to] === 1) count(to, 1)
}
