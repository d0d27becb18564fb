/**
 * What the strategy would order now, slot by slot, with the numbers that led there (2.8). A pure function of its state.
 * The work is cut into steps, so that a service can answer others between them.
 */
import { DAY } from '../../kernel/clock.ts'
import { calendars } from './days.ts'
import type { Calendar } from './days.ts'
import { dailyRate, machineDays, machineRate, observe, peerRate } from './demand.ts'
import type { MachineDays, Observed, Pool } from './demand.ts'
import { daysUntil, horizon, HORIZON_DAYS, openDays } from './horizon.ts'
import type { Horizon } from './horizon.ts'
import { quantityFor } from './quantity.ts'
import type { Quantity } from './quantity.ts'
import type { LeadTime, MachineState, PlanParams, RouteState, SlotState } from './state.ts'
import { visit } from './visit.ts'
import type { Visit, VisitSlot } from './visit.ts'

/** Names the rules. It changes whenever the same state could give another plan. */
export const STRATEGY_VERSION = 'visit-1'

export type Action = 'order' | 'watch' | 'none' | 'locked' | 'in_transit'

export interface Recommendation {
  readonly action: Action
  readonly quantity?: number
  readonly boxes?: { readonly count: number; readonly contains: number }
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
  readonly basis: {
    readonly atRisk: boolean
    readonly wanted: number
    readonly room: number | null
    readonly leadDays: number
    readonly coverDays: number
    readonly visit: Visit
  }
  /** Units expected over the next seven days. */
  readonly weekAhead: number
}

export interface Plan {
  readonly strategyVersion: string
  readonly params: PlanParams
  readonly leadTime: LeadTime
  /** Sorted by slot id. */
  readonly plans: readonly PlanEntry[]
  /** Machines whose ledger was cut, with the days that were left to look at. */
  readonly truncated: readonly { readonly location: string; readonly windowDays: number }[]
}

/** Slots handled between two chances to do something else: a few milliseconds. */
const SLICE = 256

export function planRoute(state: RouteState): Plan {
  const steps = planSteps(state)
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/** The same plan, giving way between slices. */
export async function planRouteInSlices(state: RouteState, giveWay: () => Promise<unknown>): Promise<Plan> {
  const steps = planSteps(state)
  let step = steps.next()
  while (!step.done) {
    await giveWay()
    step = steps.next()
  }
  return step.value
}

interface Watched {
  readonly machine: MachineState
  readonly calendar: Calendar
  readonly days: MachineDays
  readonly observed: Observed[]
  readonly pool: Pool
}

const bySlotId = (a: { readonly slotId: string }, b: { readonly slotId: string }) =>
  a.slotId < b.slotId ? -1 : a.slotId > b.slotId ? 1 : 0

/** Three passes: what each slot sold while it could; what peers say; then, machine by machine, quantities and visits. */
export function* planSteps(state: RouteState): Generator<undefined, Plan> {
  const calendarOf = calendars(state.now, state.params.windowDays + 1, HORIZON_DAYS)
  const watched: Watched[] = []
  let work = 0
  for (const machine of inOrder(state.machines)) {
    const calendar = calendarOf(machine.zone)
    const days = machineDays(machine, calendar, state.params.windowDays)
    const pool = { units: 0, days: 0 }
    const observed: Observed[] = []
    for (const [row, slot] of machine.slots.entries()) {
      const seen = observe(slot, row, days, calendar, state.now)
      observed.push(seen)
      pool.units += seen.units
      pool.days += seen.availableDays
      if (++work % SLICE === 0) yield
    }
    watched.push({ machine, calendar, days, observed, pool })
  }

  const route = { units: 0, days: 0 }
  for (const { pool } of watched) {
    route.units += pool.units
    route.days += pool.days
  }
  const routeRate = route.units / Math.max(route.days, 1)
  const bySku = new Map<string, Pool>()
  for (const { machine, observed, pool } of watched) {
    const pace = machineRate(pool, routeRate)
    for (const [i, { sku }] of machine.slots.entries()) {
      const seen = observed[i]!
      const sum = bySku.get(sku) ?? { units: 0, days: 0 }
      sum.units += seen.units
      sum.days += seen.availableDays * pace
      bySku.set(sku, sum)
      if (++work % (SLICE * 16) === 0) yield
    }
  }

  const plans: PlanEntry[] = []
  for (const each of watched) {
    const pace = machineRate(each.pool, routeRate)
    const priorOf = (slot: SlotState, seen: Observed): number => {
      const all = bySku.get(slot.sku)!
      return peerRate(pace, all.units - seen.units, Math.max(0, all.days - seen.availableDays * pace))
    }
    for (const entry of planMachine(state, each, priorOf)) {
      if (entry) plans.push(entry)
      if (++work % SLICE === 0) yield
    }
  }
  if (!isOrdered(plans)) plans.sort(bySlotId)
  const truncated = watched
    .map(({ machine, days }) => ({ location: machine.location, windowDays: days.window.today - days.window.from }))
    .filter(({ windowDays }) => windowDays < state.params.windowDays)
  return { strategyVersion: STRATEGY_VERSION, params: state.params, leadTime: state.leadTime, plans, truncated }
}

/** A fixed order, so that sums of fractions come out the same however the state was listed. */
function inOrder(machines: readonly MachineState[]): MachineState[] {
  return machines
    .map((machine) => (isOrdered(machine.slots) ? machine : { ...machine, slots: machine.slots.toSorted(bySlotId) }))
    .sort((a, b) => (a.location < b.location ? -1 : a.location > b.location ? 1 : 0))
}

function isOrdered(list: readonly { readonly slotId: string }[]): boolean {
  for (let i = 1; i < list.length; i++) if (bySlotId(list[i - 1]!, list[i]!) > 0) return false
  return true
}

interface Sized {
  readonly slot: SlotState
  readonly seen: Observed
  readonly rate: number
  readonly quantity: Quantity
}

/** First every slot's rate and quantity, then the machine's one decision, then the entries. Yields nothing in between. */
function* planMachine(
  { now, params, leadTime, reviewDays }: RouteState,
  { machine, calendar, days, observed }: Watched,
  priorOf: (slot: SlotState, seen: Observed) => number,
): Generator<PlanEntry | undefined> {
  const ahead = horizon(calendar, now, days.closures.weekdays)
  const wait = leadTime.days + reviewDays - 1
  const open = {
    lead: openDays(ahead, leadTime.days),
    leadAndReview: openDays(ahead, leadTime.days + reviewDays),
    risk: openDays(ahead, wait + params.safetyDays),
    cover: openDays(ahead, wait + params.coverDays),
    coverAndSafety: openDays(ahead, wait + params.coverDays + params.safetyDays),
    week: openDays(ahead, 7),
  }
  const sized: Sized[] = []
  const candidates: VisitSlot[] = []
  for (const [i, slot] of machine.slots.entries()) {
    const seen = observed[i]!
    const rate = dailyRate(seen, priorOf(slot, seen))
    const demand = {
      lead: rate * open.lead,
      risk: rate * open.risk,
      cover: rate * open.cover,
      coverAndSafety: rate * open.coverAndSafety,
    }
    const quantity = quantityFor(slot, seen.peak, rate, demand, params)
    sized.push({ slot, seen, rate, quantity })
    candidates.push({
      free: !slot.locked && !slot.inTransit,
      rate,
      priceFen: slot.priceFen,
      marginFen: slot.costFen === undefined ? MARGIN * slot.priceFen : slot.priceFen - slot.costFen,
      stock: Math.max(0, slot.stock),
      atRisk: quantity.atRisk,
      units: quantity.units,
      lead: demand.lead,
      leadAndReview: rate * open.leadAndReview,
      refilled: quantity.refilled,
    })
    yield
  }
  const decided = visit(candidates, {
    rule: params.visitRule,
    costFen: params.visitCostFen,
    sinceDays: machine.lastVisit === null ? params.windowDays : Math.max(1, (now - machine.lastVisit) / DAY),
    reviewDays,
    openShare: open.week / 7,
  })
  const windowDays = days.window.today - days.window.from
  for (const { slot, seen, rate, quantity } of sized) {
    const cover = coverOf(ahead, Math.max(0, slot.stock), rate)
    yield {
      slotId: slot.slotId,
      location: machine.location,
      sku: slot.sku,
      stock: Math.max(0, slot.stock),
      demand: {
        dailyRate: rounded(rate, 4),
        naiveDailyRate: windowDays > 0 ? rounded(seen.units / windowDays, 4) : 0,
        availableDays: seen.availableDays,
        emptyDays: seen.emptyDays,
        closedDays: seen.closedDays,
        measured: seen.availableDays >= 1,
      },
      ...(cover === null
        ? { daysOfCover: null, stockoutAt: null }
        : {
            // Rounding must not turn a little stock into none.
            daysOfCover: cover === 0 ? 0 : Math.max(0.01, rounded(cover, 2)),
            stockoutAt: Math.floor((now + cover * DAY) / 1000) * 1000,
          }),
      recommendation: recommend(slot, quantity, decided.go),
      basis: {
        atRisk: quantity.atRisk,
        wanted: quantity.units,
        room: Number.isFinite(quantity.room) ? quantity.room : null,
        leadDays: leadTime.days,
        coverDays: params.coverDays,
        visit: decided,
      },
      weekAhead: rate * open.week,
    }
  }
}

/** Of the retail price, where the supplier's price is unknown. */
const MARGIN = 0.45

function coverOf(ahead: Horizon, stock: number, rate: number): number | null {
  if (stock <= 0) return 0
  return rate <= 1e-9 ? null : daysUntil(ahead, stock / rate)
}

function recommend(slot: SlotState, { units, boxes, atRisk }: Quantity, go: boolean): Recommendation {
  if (slot.locked) return { action: 'locked' }
  if (slot.inTransit) return { action: 'in_transit' }
  if (go && units > 0) return { action: 'order', quantity: units, ...(boxes ? { boxes } : {}) }
  return { action: atRisk ? 'watch' : 'none' }
}

function rounded(value: number, digits: number): number {
  const scale = 10 ** digits
  return Math.round(value * scale) / scale
}
