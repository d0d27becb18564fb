/**
 * What the strategy would order now, slot by slot, with the numbers behind it. A pure function of its input. Each
 * machine passes four stages: observed (its history summarized), rated (units per open day), sized (what a visit brings),
 * decided (visit or wait). The work is split into slices, so that a service can answer other requests in between.
 */
import { DAY } from '../../../kernel/clock.ts'
import type { PlanParams } from '../../../kernel/plan-params.ts'
import { compareText } from '../../../kernel/text.ts'
import { calendarCache, dayAt, learnedOpenWeekdays } from './demand/calendar.ts'
import {
  type SalesTotals,
  type SlotObservation,
  machineRate,
  observeDays,
  observeSlot,
  peerRate,
  STOCKED_DAYS_MIN,
} from './demand/demand.ts'
import { HORIZON_DAYS, horizonCache } from './demand/horizon.ts'
import {
  type PlanSlot,
  type LeadTime,
  type MachineInput,
  type RouteInput,
  type PlanSettings,
  type SlotInput,
  type SlotSummary,
  stockToCountOn,
} from './input.ts'
import {
  type MachineRhythm,
  type ObservedMachine,
  type PlanEntry,
  type RatedMachine,
  type SizedMachine,
  planEntries,
  rateMachine,
  rhythmOf,
  sizeMachine,
} from './machine-plan.ts'
import {
  type TripDecision,
  type TripRules,
  areaRhythm,
  candidateOf,
  decideTrip,
  reviewOnServiceDay,
  sharedCycleOf,
  stopCosts,
  tripRules,
} from './trips/trip.ts'
import type { Visit } from './trips/visit.ts'

/** Changes whenever the same input could give another plan. */
export const STRATEGY_VERSION = 'trips-6'

export interface Plan {
  readonly strategyVersion: string
  readonly params: PlanParams
  readonly leadTime: LeadTime
  /** Sorted by slot id. */
  readonly plans: readonly PlanEntry[]
  /** One decision per machine. */
  readonly visits: readonly { readonly location: string; readonly site: string; readonly visit: Visit }[]
  /** The machines by area, sized, with the trip of today: what days ahead and tours are worked out from. */
  readonly areas: readonly AreaPlan[]
  /** Slots that are left out because their stock is unknown, sorted by slot id. */
  readonly unknown: readonly { readonly slotId: string; readonly location: string }[]
  /** Machines whose ledger is incomplete, with the days of the window that are complete. */
  readonly truncated: readonly { readonly location: string; readonly windowDays: number }[]
}

export interface AreaPlan {
  readonly area: string
  readonly machines: readonly SizedMachine[]
  /** In the order of the machines. */
  readonly rhythms: readonly MachineRhythm[]
  readonly rules: TripRules
  readonly trip: TripDecision
}

/** Slots per slice: a few milliseconds of work. A machine is never split. */
const SLICE_SLOTS = 256

export function planRoute({ machines, ...settings }: RouteInput): Plan {
  const planner = routePlanner(settings)
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
  /**
   * Returns the ids of slots that were in stock on too few days. Where earlier ones can be read, the machine may be observed
   * again with a longer history, which replaces this one.
   */
  observe(machine: MachineInput): readonly string[]
  /** Call after all machines were observed. */
  steps(): Generator<undefined, Plan>
}

/** Three passes: what each slot sold while it could; what its peers sold; then quantities and visits per machine. */
export function routePlanner(settings: PlanSettings): RoutePlanner {
  const { now, params, leadTime } = settings
  const observedMachines = new Map<string, ObservedMachine>()
  const unknownSlots = new Map<string, readonly string[]>()
  const calendarOf = calendarCache(now, Math.max(params.window_days, params.look_back_days) + 1, HORIZON_DAYS)
  const horizonOf = horizonCache(now)
  const scratch = new Uint8Array(params.window_days)

  function observe(input: MachineInput): readonly string[] {
    const slots = isSorted(input.slots) ? input.slots : input.slots.toSorted(bySlotId)
    const machine = slots === input.slots ? input : { ...input, slots }
    const calendar = calendarOf(machine.zone)
    const observedDays = observeDays(machine, calendar, params)
    const days = observedDays.window
    const totals: SalesTotals = { units: 0, availableDays: 0 }
    const known: PlanSlot[] = []
    const observed: SlotObservation[] = []
    const unknown: string[] = []
    const hardlyStocked: string[] = []
    slots.forEach((slot, row) => {
      const { slotId, stock } = slot
      // Its empty days are unknown, too, so it would only blur the rates of the others.
      if (stock === null) return void unknown.push(slotId)
      const countedOn = stockToCountOn(stock, slot)
      const ofHistory = countedOn === stock ? slot : { ...slot, stock: countedOn }
      const observation = observeSlot(ofHistory, row, observedDays, calendar, now, scratch)
      if (observation.availableDays + observation.earlierDays < STOCKED_DAYS_MIN) hardlyStocked.push(slotId)
      totals.units += observation.rateUnits
      totals.availableDays += observation.rateDays
      known.push(summaryOf(slot, countedOn, stock))
      observed.push(observation)
    })
    const arrivalDay = dayAt(calendar, now + leadTime.days * DAY)
    if (unknown.length > 0) unknownSlots.set(machine.location, unknown)
    observedMachines.set(machine.location, {
      location: machine.location,
      place: machine.place ?? { area: '', site: machine.location },
      today: calendar.today,
      arrivalDay,
      // Orders for a fixed number of days go by what is known, not by what is learned.
      openWeekdays: machine.openWeekdays ?? (params.cover_rule === 'rhythm' ? learnedOpenWeekdays(days) : undefined),
      slots: known,
      windowDays: days.window.today - days.window.from,
      knownDays: machine.knownDays,
      usualHorizon: horizonOf(calendar, days.closures.weekdays),
      horizon: horizonOf(calendar, days.closures.weekdays, machine.knownDays),
      observed,
      totals,
    })
    return hardlyStocked
  }

  function* steps(): Generator<undefined, Plan> {
    const machines = [...observedMachines.values()].toSorted(byLocation)
    const isSliceDone = sliceCounter()
    const rate = routeRate(machines)
    const bySku = new Map<string, ProductTotals>()
    for (const machine of machines) {
      addToProducts(bySku, machine, machineRate(machine.totals, rate))
      if (isSliceDone(machine.slots.length / 8)) yield
    }

    const peerRateOf =
      (ownRate: number) =>
      ({ sku }: SlotSummary, { rateUnits, rateDays }: SlotObservation): number => {
        const all = bySku.get(sku)!
        return peerRate(ownRate, all.units - rateUnits, Math.max(0, all.expectedUnits - rateDays * ownRate))
      }
    const areas: AreaPlan[] = []
    for (const [area, members] of Map.groupBy(machines, ({ place }) => place.area)) {
      const rated: RatedMachine[] = []
      for (const machine of members) {
        rated.push(rateMachine(settings, machine, peerRateOf(machineRate(machine.totals, rate))))
        if (isSliceDone(machine.slots.length)) yield
      }
      const { rhythms, tripDays } = yield* machineRhythms(settings, rated)
      yield
      const sized: SizedMachine[] = []
      for (const [i, each] of rated.entries()) {
        const { arrivalDay, openWeekdays } = each.machine
        sized.push(sizeMachine(reviewOnServiceDay(settings, arrivalDay, openWeekdays), each, rhythms[i]!))
        if (isSliceDone(each.slots.length)) yield
      }
      const rules = tripRules(settings, members[0]!.arrivalDay, tripDays)
      areas.push({ area, machines: sized, rhythms, rules, trip: decideTrip(sized.map(candidateOf), rules) })
    }

    const plans: PlanEntry[] = []
    const visits: { location: string; site: string; visit: Visit }[] = []
    for (const { machines: sized, trip } of areas)
      for (const machine of sized) {
        const { location, place } = machine.rated.machine
        const visit = trip.visits.get(location)!
        for (const entry of planEntries(settings, machine, visit)) plans.push(entry)
        visits.push({ location, site: place.site, visit })
        if (isSliceDone(machine.slots.length)) yield
      }
    visits.sort((a, b) => (a.location < b.location ? -1 : 1))
    if (!isSorted(plans)) plans.sort(bySlotId)
    const truncated = machines
      .filter(({ windowDays }) => windowDays < params.window_days)
      .map(({ location, windowDays }) => ({ location, windowDays }))
    const unknown = [...unknownSlots]
      .flatMap(([location, slotIds]) => slotIds.map((slotId) => ({ slotId, location })))
      .toSorted(bySlotId)
    return { strategyVersion: STRATEGY_VERSION, params, leadTime, plans, visits, areas, unknown, truncated }
  }

  return { observe, steps }
}

/** Whether trips cost something, so that machines share them. */
const hasSharedTrips = ({ visit_rule, trip_cost }: PlanParams): boolean =>
  visit_rule === 'cycle' && trip_cost !== null && trip_cost > 0

/** The rhythm of each machine of an area: its own, or with shared trips a multiple of the area's. */
function* machineRhythms(
  settings: PlanSettings,
  machines: readonly RatedMachine[],
): Generator<undefined, { readonly rhythms: readonly MachineRhythm[]; readonly tripDays: number | undefined }> {
  const { params, leadTime } = settings
  const costs = stopCosts(
    machines,
    machines.map(({ machine }) => machine.place.site),
    machines.map(({ machine }) => machine.place.geo),
    settings,
  )
  const shared = hasSharedTrips(params)
    ? yield* areaRhythm(
        machines,
        costs.map(({ totalFen }) => totalFen),
        params.trip_cost!,
        leadTime.days,
      )
    : undefined
  const rhythms = machines.map((machine, i): MachineRhythm => {
    const { costFen, share: costShare, totalFen } = costs[i]!
    if (!shared) return { rhythmDays: rhythmOf(machine, totalFen, leadTime.days), costShare, costFen }
    return {
      rhythmDays: shared.visitDays[i]!,
      costShare,
      costFen,
      tripDays: shared.tripDays,
      sharedCycle: sharedCycleOf(shared.tripDays, machine.openShare, leadTime.days),
    }
  })
  return { rhythms, tripDays: shared?.tripDays }
}

/** A new object, so that the history of the slot can be freed. */
const summaryOf = (
  slot: SlotInput,
  stock: number,
  givenStock: number,
): { [Field in keyof Required<PlanSlot>]: PlanSlot[Field] } => ({
  slotId: slot.slotId,
  sku: slot.sku,
  priceFen: slot.priceFen,
  costFen: slot.costFen,
  stock,
  givenStock: givenStock > stock ? givenStock : undefined,
  capacity: slot.capacity,
  plausibleMax: slot.plausibleMax,
  par: slot.par,
  locked: slot.locked,
  isPhasedOut: slot.isPhasedOut,
  blocked: slot.blocked,
  isInTransit: slot.isInTransit,
  firstSeenAt: slot.firstSeenAt,
  deliveredShort: slot.deliveredShort,
  recordedFrom: slot.recordedFrom,
  neighbourLevel: slot.neighbourLevel,
  shelfDays: slot.shelfDays,
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
  for (const { totals } of machines) {
    units += totals.units
    days += totals.availableDays
  }
  return units / Math.max(days, 1)
}

/** Of one product on the route: what it sold, and what an average product would have sold in the same machines. */
interface ProductTotals {
  units: number
  expectedUnits: number
}

function addToProducts(bySku: Map<string, ProductTotals>, { slots, observed }: ObservedMachine, rate: number): void {
  for (let i = 0; i < observed.length; i++) {
    const { rateUnits, rateDays } = observed[i]!
    const { sku } = slots[i]!
    const totals = bySku.get(sku)
    if (totals) {
      totals.units += rateUnits
      totals.expectedUnits += rateDays * rate
    } else bySku.set(sku, { units: rateUnits, expectedUnits: rateDays * rate })
  }
}

// A fixed order, so that totals of fractions are the same in whatever order the input lists its machines and slots.
const byLocation = (a: ObservedMachine, b: ObservedMachine) => compareText(a.location, b.location)
const bySlotId = (a: { readonly slotId: string }, b: { readonly slotId: string }) => compareText(a.slotId, b.slotId)

function isSorted(list: readonly { readonly slotId: string }[]): boolean {
  for (let i = 1; i < list.length; i++) if (list[i - 1]!.slotId > list[i]!.slotId) return false
  return true
}
