/**
 * What the strategy would order now, slot by slot, with the numbers that led there (2.8). A pure function of its state.
 * The work is cut into steps, so that a service can answer others between them.
 */
import { calendars } from './calendar.ts'
import { machineDays, machineRate, observe, peerRate } from './demand.ts'
import type { Observed, Pool } from './demand.ts'
import { horizons, HORIZON_DAYS } from './horizon.ts'
import { planMachine } from './machine-plan.ts'
import type { PlanEntry, ObservedMachine } from './machine-plan.ts'
import type { PlanParams } from '../../../kernel/plan-params.ts'
import type { LeadTime, MachineInput, RouteInput, RouteTerms, SlotSummary, SlotInput } from './input.ts'
import type { Visit } from './visit.ts'

/** Names the rules. It changes whenever the same state could give another plan. */
export const STRATEGY_VERSION = 'visit-cycle-2'

export interface Plan {
  readonly strategyVersion: string
  readonly params: PlanParams
  readonly leadTime: LeadTime
  /** Sorted by slot id. */
  readonly plans: readonly PlanEntry[]
  /** One decision per machine. */
  readonly visits: readonly { readonly location: string; readonly visit: Visit }[]
  /** Machines whose ledger was cut, with the days that were left to look at. */
  readonly truncated: readonly { readonly location: string; readonly windowDays: number }[]
}

/** Slots handled before others get a turn: a few milliseconds of work. A machine is never cut in two. */
const SLICE = 256

export function planRoute({ machines, ...terms }: RouteInput): Plan {
  const planner = routePlanner(terms)
  for (const machine of machines) planner.watch(machine)
  const steps = planner.steps()
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/** The rest of the way from what was watched to the plan, giving way between slices. */
export async function planInSlices(planner: RoutePlanner, giveWay: () => Promise<unknown>): Promise<Plan> {
  const steps = planner.steps()
  let step = steps.next()
  while (!step.done) {
    await giveWay()
    step = steps.next()
  }
  return step.value
}

/** The route is handed over machine by machine; what was seen of one is kept, its traces are not. */
export interface RoutePlanner {
  watch(machine: MachineInput): void
  /** Once all were watched. */
  steps(): Generator<undefined, Plan>
}

/** Three passes: what each slot sold while it could; what peers say; then, machine by machine, quantities and visits. */
export function routePlanner(terms: RouteTerms): RoutePlanner {
  const { now, params, leadTime } = terms
  const watched: Pooled[] = []
  const calendarOf = calendars(now, params.window_days + 1, HORIZON_DAYS)
  const horizonOf = horizons(now)
  const scratch = new Uint8Array(params.window_days)

  function watch(given: MachineInput): void {
    const machine = isOrdered(given.slots) ? given : { ...given, slots: given.slots.toSorted(bySlotId) }
    const calendar = calendarOf(machine.zone)
    const days = machineDays(machine, calendar, params.window_days)
    const pool = { units: 0, days: 0 }
    const observed = machine.slots.map((slot, row) => {
      const seen = observe(slot, row, days, calendar, now, scratch)
      pool.units += seen.units
      pool.days += seen.availableDays
      return seen
    })
    watched.push({
      location: machine.location,
      lastVisit: machine.lastVisit,
      slots: machine.slots.map(factsOf),
      windowDays: days.window.today - days.window.from,
      ahead: horizonOf(calendar, days.closures.weekdays),
      observed,
      pool,
    })
  }

  function* steps(): Generator<undefined, Plan> {
    watched.sort(byLocation)
    const enough = counter()
    const routeRate = paceOf(watched)
    const bySku = new Map<string, Pool>()
    for (const each of watched) {
      addToSkus(bySku, each, machineRate(each.pool, routeRate))
      if (enough(each.slots.length / 8)) yield
    }

    const plans: PlanEntry[] = []
    const visits: { location: string; visit: Visit }[] = []
    for (const each of watched) {
      const pace = machineRate(each.pool, routeRate)
      const priorOf = ({ sku }: SlotSummary, { units, availableDays }: Observed): number => {
        const all = bySku.get(sku)!
        return peerRate(pace, all.units - units, Math.max(0, all.days - availableDays * pace))
      }
      const { entries, visit } = planMachine(terms, each, priorOf)
      for (const entry of entries) plans.push(entry)
      visits.push({ location: each.location, visit })
      if (enough(each.slots.length)) yield
    }
    if (!isOrdered(plans)) plans.sort(bySlotId)
    const truncated = watched
      .filter(({ windowDays }) => windowDays < params.window_days)
      .map(({ location, windowDays }) => ({ location, windowDays }))
    return { strategyVersion: STRATEGY_VERSION, params, leadTime, plans, visits, truncated }
  }

  return { watch, steps }
}

type Pooled = ObservedMachine & { readonly pool: Pool }

const factsOf = (slot: SlotInput): SlotSummary => ({
  slotId: slot.slotId,
  sku: slot.sku,
  priceFen: slot.priceFen,
  costFen: slot.costFen,
  stock: slot.stock,
  capacity: slot.capacity,
  locked: slot.locked,
  inTransit: slot.inTransit,
  firstSeen: slot.firstSeen,
  deliveredShort: slot.deliveredShort,
  recordedFrom: slot.recordedFrom,
  neighbourLevel: slot.neighbourLevel,
  boxOf: slot.boxOf,
  increment: slot.increment,
})

/** True once a slice of work has come together. */
function counter(): (work: number) => boolean {
  let done = 0
  return (work) => {
    done += work
    if (done < SLICE) return false
    done = 0
    return true
  }
}

/** Units per available day over the whole route. */
function paceOf(watched: readonly { readonly pool: Pool }[]): number {
  let units = 0
  let days = 0
  for (const { pool } of watched) {
    units += pool.units
    days += pool.days
  }
  return units / Math.max(days, 1)
}

/** For each product, what it sold and what its machines' pace would have let expect. */
function addToSkus(bySku: Map<string, Pool>, { slots, observed }: ObservedMachine, pace: number): void {
  for (let i = 0; i < observed.length; i++) {
    const { units, availableDays } = observed[i]!
    const { sku } = slots[i]!
    const sum = bySku.get(sku)
    if (sum) {
      sum.units += units
      sum.days += availableDays * pace
    } else bySku.set(sku, { units, days: availableDays * pace })
  }
}

// A fixed order everywhere, so that sums of fractions come out the same however the state was listed.
const byLocation = (a: ObservedMachine, b: ObservedMachine) =>
  a.location < b.location ? -1 : a.location > b.location ? 1 : 0
const bySlotId = (a: { readonly slotId: string }, b: { readonly slotId: string }) =>
  a.slotId < b.slotId ? -1 : a.slotId > b.slotId ? 1 : 0

function isOrdered(list: readonly { readonly slotId: string }[]): boolean {
  for (let i = 1; i < list.length; i++) if (list[i - 1]!.slotId > list[i]!.slotId) return false
  return true
}
