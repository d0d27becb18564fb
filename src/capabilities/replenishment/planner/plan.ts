/**
 * What the strategy would order now, slot by slot, with the numbers behind it (2.8). A pure function of its input. The
 * work is split into slices, so that a service can answer other requests in between.
 */
import type { PlanParams } from '../../../kernel/plan-params.ts'
import { calendarCache } from './calendar.ts'
import { machineDays, machineRate, observeSlot, peerRate } from './demand.ts'
import type { Pool, SlotObservation } from './demand.ts'
import { HORIZON_DAYS, horizonCache } from './horizon.ts'
import type { KnownSlot, LeadTime, MachineInput, RouteInput, PlanSettings, SlotInput, SlotSummary } from './input.ts'
import { planMachine } from './machine-plan.ts'
import type { ObservedMachine, PlanEntry } from './machine-plan.ts'
import type { Visit } from './visit.ts'

/** Changes whenever the same input could give another plan. */
export const STRATEGY_VERSION = 'visit-cycle-2'

export interface Plan {
  readonly strategyVersion: string
  readonly params: PlanParams
  readonly leadTime: LeadTime
  /** Sorted by slot id. */
  readonly plans: readonly PlanEntry[]
  /** One decision per machine. */
  readonly visits: readonly { readonly location: string; readonly visit: Visit }[]
  /** Slots that are left out because their stock is unknown, sorted by slot id. */
  readonly unknown: readonly { readonly slotId: string; readonly location: string }[]
  /** Machines whose ledger is incomplete, with the days of the window that are complete. */
  readonly truncated: readonly { readonly location: string; readonly windowDays: number }[]
}

/** Slots per slice: a few milliseconds of work. A machine is never split. */
const SLICE_SLOTS = 256

export function planRoute({ machines, ...terms }: RouteInput): Plan {
  const planner = routePlanner(terms)
  for (const machine of machines) planner.observe(machine)
  const steps = planner.steps()
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/** Plans the observed machines and yields between slices. */
export async function planInSlices(planner: RoutePlanner, yieldControl: () => Promise<unknown>): Promise<Plan> {
  const steps = planner.steps()
  let step = steps.next()
  while (!step.done) {
    await yieldControl()
    step = steps.next()
  }
  return step.value
}

/** Takes the route machine by machine and keeps a summary of each, not its history. */
export interface RoutePlanner {
  observe(machine: MachineInput): void
  /** Call after all machines were observed. */
  steps(): Generator<undefined, Plan>
}

/** Three passes: what each slot sold while it could; what its peers sold; then quantities and visits per machine. */
export function routePlanner(terms: PlanSettings): RoutePlanner {
  const { now, params, leadTime } = terms
  const machines: ObservedMachine[] = []
  const unknown: { slotId: string; location: string }[] = []
  const calendarOf = calendarCache(now, params.window_days + 1, HORIZON_DAYS)
  const horizonOf = horizonCache(now)
  const scratch = new Uint8Array(params.window_days)

  function observe(input: MachineInput): void {
    const slots = isSorted(input.slots) ? input.slots : input.slots.toSorted(bySlotId)
    const machine = slots === input.slots ? input : { ...input, slots }
    const calendar = calendarOf(machine.zone)
    const days = machineDays(machine, calendar, params.window_days)
    const pool = { units: 0, days: 0 }
    const known: KnownSlot[] = []
    const observed: SlotObservation[] = []
    slots.forEach((slot, row) => {
      const { slotId, stock } = slot
      // Its empty days are unknown, too, so it would only blur the rates of the others.
      if (stock === null) return void unknown.push({ slotId, location: machine.location })
      const observation = observeSlot(slot, row, days, calendar, now, scratch)
      pool.units += observation.units
      pool.days += observation.availableDays
      known.push(summaryOf(slot, stock))
      observed.push(observation)
    })
    machines.push({
      location: machine.location,
      lastVisit: machine.lastVisit,
      slots: known,
      windowDays: days.window.today - days.window.from,
      ahead: horizonOf(calendar, days.closures.weekdays),
      observed,
      pool,
    })
  }

  function* steps(): Generator<undefined, Plan> {
    machines.sort(byLocation)
    const isSliceDone = sliceCounter()
    const rate = routeRate(machines)
    const bySku = new Map<string, Pool>()
    for (const machine of machines) {
      addToSkus(bySku, machine, machineRate(machine.pool, rate))
      if (isSliceDone(machine.slots.length / 8)) yield
    }

    const plans: PlanEntry[] = []
    const visits: { location: string; visit: Visit }[] = []
    for (const machine of machines) {
      const ownRate = machineRate(machine.pool, rate)
      const priorOf = ({ sku }: SlotSummary, { units, availableDays }: SlotObservation): number => {
        const all = bySku.get(sku)!
        return peerRate(ownRate, all.units - units, Math.max(0, all.days - availableDays * ownRate))
      }
      const { entries, visit } = planMachine(terms, machine, priorOf)
      for (const entry of entries) plans.push(entry)
      visits.push({ location: machine.location, visit })
      if (isSliceDone(machine.slots.length)) yield
    }
    if (!isSorted(plans)) plans.sort(bySlotId)
    const truncated = machines
      .filter(({ windowDays }) => windowDays < params.window_days)
      .map(({ location, windowDays }) => ({ location, windowDays }))
    unknown.sort(bySlotId)
    return { strategyVersion: STRATEGY_VERSION, params, leadTime, plans, visits, unknown, truncated }
  }

  return { observe, steps }
}

/** A new object, so that the history of the slot can be freed. */
const summaryOf = (slot: SlotInput, stock: number): KnownSlot => ({
  slotId: slot.slotId,
  sku: slot.sku,
  priceFen: slot.priceFen,
  costFen: slot.costFen,
  stock,
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

/** True once the work since the last slice fills another one. */
function sliceCounter(): (slots: number) => boolean {
  let done = 0
  return (slots) => {
    done += slots
    if (done < SLICE_SLOTS) return false
    done = 0
    return true
  }
}

/** Units per slot and available day over the whole route. */
function routeRate(machines: readonly ObservedMachine[]): number {
  let units = 0
  let days = 0
  for (const { pool } of machines) {
    units += pool.units
    days += pool.days
  }
  return units / Math.max(days, 1)
}

/** Adds up, per product, what it sold and what its machines' rates let expect. */
function addToSkus(bySku: Map<string, Pool>, { slots, observed }: ObservedMachine, rate: number): void {
  for (let i = 0; i < observed.length; i++) {
    const { units, availableDays } = observed[i]!
    const { sku } = slots[i]!
    const pool = bySku.get(sku)
    if (pool) {
      pool.units += units
      pool.days += availableDays * rate
    } else bySku.set(sku, { units, days: availableDays * rate })
  }
}

// A fixed order, so that totals of fractions are the same in whatever order the input lists its machines and slots.
const byLocation = (a: ObservedMachine, b: ObservedMachine) =>
  a.location < b.location ? -1 : a.location > b.location ? 1 : 0
const bySlotId = (a: { readonly slotId: string }, b: { readonly slotId: string }) =>
  a.slotId < b.slotId ? -1 : a.slotId > b.slotId ? 1 : 0

function isSorted(list: readonly { readonly slotId: string }[]): boolean {
  for (let i = 1; i < list.length; i++) if (list[i - 1]!.slotId > list[i]!.slotId) return false
  return true
}
