/**
 * The trips of the days ahead, in driving order. Today's are firm: they visit the machines that a run created now would
 * order for. For later days the expected stock is rolled forward and the same rule applied; those trips will change.
 */
import { drivingMinutes, STOP_MINUTES_DEFAULT } from '../../../../kernel/driving.ts'
import { levelAfterDelivery } from '../demand/cycle.ts'
import { openDays } from '../demand/horizon.ts'
import type { Geo, PlanSettings } from '../input.ts'
import {
  type MachineRhythm,
  type RatedMachine,
  type SizedMachine,
  openDaysAhead,
  sizeMachine,
} from '../machine-plan.ts'
import type { AreaPlan, Plan } from '../plan.ts'
import { candidateOf, decideTrip, driveTour, minutesOf, reviewOnServiceDay, tripRules } from './trip.ts'
import type { Visit } from './visit.ts'
import { ESTIMATED_COST_SHARE } from '../../../../kernel/plan-params.ts'

export interface TripStop {
  readonly site: string
  readonly machines: readonly StopMachine[]
  /** From the stop before, or the depot; undefined where coordinates are missing. */
  readonly legM: number | undefined
  /** Driving there, and the stop. */
  readonly minutes: number
}

export interface StopMachine {
  readonly location: string
  readonly visit: Visit
  readonly lines: number
}

export interface Trip {
  /** Days from today. */
  readonly day: number
  /** Days since 1970-01-01 on the local calendar of its first machine. */
  readonly date: number
  readonly arrivalDate: number
  readonly areas: readonly string[]
  readonly stops: readonly TripStop[]
  readonly lossByWaitingFen: number
  readonly tripThresholdFen: number
  readonly units: number
  readonly lines: number
  readonly productCostFen: number
  readonly distanceM: number | undefined
  readonly minutes: number
  readonly costFen: number
}

export interface WaitingMachine {
  readonly location: string
  readonly visit: Visit
  /** The first later trip that visits it, as a local date like those of trips; null: none within the days. */
  readonly nextDate: number | null
}

export interface TripPlan {
  readonly trips: readonly Trip[]
  /** The machines that no trip of today visits, sorted by location. */
  readonly waiting: readonly WaitingMachine[]
}

/** Machines rolled forward between two yields. */
const MACHINES_AT_ONCE = 20

/** When the machines are next visited, as local dates like those of trips; without those that no trip visits in time. */
export function* nextVisitDates(
  settings: PlanSettings,
  { areas }: Pick<Plan, 'areas'>,
  wanted: ReadonlySet<string>,
  days: number,
): Generator<undefined, ReadonlyMap<string, number>> {
  const { driving } = settings
  const hasLimits = [driving?.maxStops, driving?.maxUnits, driving?.maxMinutes].some((limit) => limit !== undefined)
  const relevant = areas.flatMap((area): AreaPlan[] => {
    const placeOf = ({ rated }: SizedMachine) => rated.machine
    const sites = new Set(
      area.machines.flatMap((machine) => {
        const { location, place } = placeOf(machine)
        return wanted.has(location) ? [place.site] : []
      }),
    )
    if (sites.size === 0) return []
    // Whoever shares trips, or the room of a van, depends on all others of the area; otherwise only on those of its site.
    if (hasLimits || area.rules.tripDays !== undefined) return [area]
    const kept = area.machines.flatMap((machine, i) => (sites.has(placeOf(machine).place.site) ? [i] : []))
    return [{ ...area, machines: kept.map((i) => area.machines[i]!), rhythms: kept.map((i) => area.rhythms[i]!) }]
  })
  return (yield* draftTrips(settings, relevant, days)).nextDates
}

/** The trips of each day, not yet in driving order. */
function* draftTrips(settings: PlanSettings, areas: readonly AreaPlan[], days: number) {
  const byDay: DraftTrip[][] = Array.from({ length: days }, () => [])
  const nextDates = new Map<string, number>()
  for (const area of areas) {
    let machines = area.machines
    /** The day on which each machine was last looked at. */
    const seenOn = new Uint16Array(machines.length)
    for (let day = 0; day < days; day++) {
      if (day > 0) {
        const rolled: SizedMachine[] = []
        let sized = 0
        for (const [i, machine] of machines.entries()) {
          if (isWaitingForDelivery(settings, machine, day)) {
            rolled.push(machine)
            continue
          }
          rolled.push(rollForward(settings, machine, area.rhythms[i]!, seenOn[i]!, day))
          seenOn[i] = day
          if (++sized % MACHINES_AT_ONCE === 0) yield
        }
        machines = rolled
      }
      const draft = draftTrip(settings, area, machines, day)
      if (!draft) continue
      byDay[day]!.push(draft)
      const going = new Set(draft.machines.map(({ location }) => location))
      if (day > 0) for (const location of going) if (!nextDates.has(location)) nextDates.set(location, draft.date)
      machines = machines.map((machine) =>
        going.has(machine.rated.machine.location) ? markOrdered(machine, day + settings.leadTime.days) : machine,
      )
      yield
    }
  }
  return { byDay, nextDates }
}

export function* planTrips(
  settings: PlanSettings,
  { areas }: Pick<Plan, 'areas'>,
  days: number,
): Generator<undefined, TripPlan> {
  const { byDay, nextDates } = yield* draftTrips(settings, areas, days)
  const trips: Trip[] = []
  for (const drafts of byDay) trips.push(...(yield* mergeAreas(drafts, settings)))
  const today = new Set(
    trips
      .flatMap(({ day, stops }) => (day === 0 ? stops.flatMap(({ machines }) => machines) : []))
      .map(({ location }) => location),
  )
  const waiting = areas
    .flatMap(({ trip }) => [...trip.visits])
    .filter(([location]) => !today.has(location))
    .map(([location, visit]) => ({ location, visit, nextDate: nextDates.get(location) ?? null }))
    .toSorted((a, b) => (a.location < b.location ? -1 : 1))
  return { trips, waiting }
}

const arrivalOf = (settings: PlanSettings, { arriving }: RatedMachine['slots'][number]): number =>
  arriving?.day ?? settings.leadTime.days

/** A machine with a delivery in transit is not visited again before it arrives. */
const isWaitingForDelivery = (
  settings: PlanSettings,
  { rated: { slots }, visit }: SizedMachine,
  day: number,
): boolean =>
  settings.params.one_visit_at_a_time &&
  visit.why === 'in_transit' &&
  slots.some((each) => each.slot.isInTransit && arrivalOf(settings, each) > day)

/** The machine on a later day: what it is expected to sell is gone, and what was in transit has arrived after the lead time. */
function rollForward(
  settings: PlanSettings,
  { rated, slots, visit }: SizedMachine,
  rhythm: MachineRhythm,
  from: number,
  day: number,
): SizedMachine {
  const { horizon, arrivalDay, openWeekdays } = rated.machine
  const open = openDays(horizon, day) - openDays(horizon, from)
  const rolled = { ...rated.machine, arrivalDay: arrivalDay + day - from, rolledDays: day }
  const leadTimeDays = openDaysAhead(rolled, settings.leadTime.days)
  const later: RatedMachine = {
    ...rated,
    machine: rolled,
    slots: rated.slots.map((each, i) => {
      const { slot } = each
      const hasArrived = slot.isInTransit && day >= arrivalOf(settings, each)
      const left = Math.max(0, slot.stock + (each.fraction ?? 0) - each.rate * open)
      const whole = Math.floor(left)
      // How much is in transit is known only of trips planned here.
      const stock = !hasArrived
        ? whole
        : each.arriving
          ? Math.min(Math.max(whole, slot.capacity ?? Infinity), whole + each.arriving.units)
          : Math.max(whole, Math.min(levelAfterDelivery(slots[i]!), whole + slots[i]!.maxUnits))
      return {
        ...each,
        ...(rolled.knownDays?.length ? { leadTimeDemand: each.rate * leadTimeDays } : {}),
        fraction: left - whole,
        arriving: hasArrived ? undefined : each.arriving,
        slot: { ...slot, stock, isInTransit: slot.isInTransit && !hasArrived },
      }
    }),
  }
  const { visitThresholdFen, rhythmDays } = visit
  const { reviewDays } = reviewOnServiceDay(settings, arrivalDay, openWeekdays)
  const knownCycle =
    visitThresholdFen === null || rhythmDays === null
      ? undefined
      : { days: rhythmDays, costPerDay: visitThresholdFen / reviewDays }
  const onDay = reviewOnServiceDay(settings, rolled.arrivalDay, openWeekdays)
  return sizeMachine(onDay, later, { ...rhythm, knownCycle })
}

/** The machine after a trip was ordered for it: nothing is ordered again until that arrives. */
const markOrdered = (machine: SizedMachine, arrives: number): SizedMachine => ({
  ...machine,
  visit: { ...machine.visit, go: false, why: 'in_transit' },
  rated: {
    ...machine.rated,
    slots: machine.rated.slots.map((each, i) => {
      const { isOrderable, units } = machine.slots[i]!
      if (!isOrderable || units === 0) return each
      return { ...each, arriving: { day: arrives, units }, slot: { ...each.slot, isInTransit: true } }
    }),
  },
})

type DraftFields = 'day' | 'date' | 'arrivalDate' | 'areas' | 'lossByWaitingFen' | 'tripThresholdFen'

interface DraftTrip extends Pick<Trip, DraftFields> {
  readonly machines: readonly DraftMachine[]
}

interface DraftMachine extends StopMachine {
  readonly site: string
  readonly geo: Geo | undefined
  readonly productCostFen: number
}

function draftTrip(
  settings: PlanSettings,
  area: AreaPlan,
  machines: readonly SizedMachine[],
  day: number,
): DraftTrip | undefined {
  const first = area.machines[0]?.rated.machine
  if (!first) return undefined
  const arrivalDate = first.arrivalDay + day
  const { visits, lossByWaitingFen, tripThresholdFen } =
    day === 0 ? area.trip : decideTrip(machines.map(candidateOf), tripRules(settings, arrivalDate, area.rules.tripDays))
  const going = machines.flatMap(({ rated, slots }): DraftMachine[] => {
    const { location, place } = rated.machine
    const visit = visits.get(location)!
    if (!visit.go || visit.load === 0) return []
    const ordered = slots.filter(({ isOrderable, units }) => isOrderable && units > 0)
    const productCostFen = ordered.reduce(
      (total, { slot, units }) => total + units * (slot.costFen ?? Math.round(ESTIMATED_COST_SHARE * slot.priceFen)),
      0,
    )
    return [{ location, visit, lines: ordered.length, site: place.site, geo: place.geo, productCostFen }]
  })
  if (going.length === 0) return undefined
  return {
    day,
    date: first.today + day,
    arrivalDate,
    areas: [area.area],
    lossByWaitingFen,
    tripThresholdFen,
    machines: going,
  }
}

/** A working day: no longer trip is made by merging where no limit is configured. */
const MERGED_MINUTES_MAX = 480

interface RoutedTrip {
  readonly draft: DraftTrip
  readonly trip: Trip
}

/**
 * Trips of one day become one where that saves distance and all limits hold. The first by area takes in the next. Yields
 * between tours, which take longest.
 */
function* mergeAreas(drafts: readonly DraftTrip[], settings: PlanSettings): Generator<undefined, readonly Trip[]> {
  const merged: RoutedTrip[] = []
  for (const draft of drafts.toSorted((a, b) => (a.areas[0]! < b.areas[0]! ? -1 : 1))) {
    const drafted = { draft, trip: tripOf(draft, settings) }
    yield
    let joint: RoutedTrip | undefined
    for (const [at, other] of settings.driving?.depot ? merged.entries() : []) {
      joint = mergeTwo(other, drafted, settings)
      if (!joint) continue
      merged[at] = joint
      yield
      break
    }
    if (!joint) merged.push(drafted)
  }
  return merged.map(({ trip }) => trip)
}

/** One trip, if it is shorter than both and within the limits. */
function mergeTwo(a: RoutedTrip, b: RoutedTrip, settings: PlanSettings): RoutedTrip | undefined {
  const machines = [...a.draft.machines, ...b.draft.machines]
  if (!machines.every(({ geo }) => geo)) return undefined
  const { driving } = settings
  const { maxStops = Infinity, maxUnits = Infinity, maxMinutes = MERGED_MINUTES_MAX } = driving ?? {}
  // Most pairs fail here, before a tour is worked out.
  const sites = new Set(machines.map(({ site }) => site)).size
  if (sites > maxStops || sites * (driving?.stopMinutes ?? STOP_MINUTES_DEFAULT) > maxMinutes) return undefined
  const draft = {
    ...a.draft,
    areas: [...a.draft.areas, ...b.draft.areas],
    lossByWaitingFen: a.draft.lossByWaitingFen + b.draft.lossByWaitingFen,
    tripThresholdFen: a.draft.tripThresholdFen + b.draft.tripThresholdFen,
    machines,
  }
  const trip = tripOf(draft, settings)
  if (trip.stops.length > maxStops || trip.units > maxUnits || trip.minutes > maxMinutes) return undefined
  return trip.distanceM! < a.trip.distanceM! + b.trip.distanceM! ? { draft, trip } : undefined
}

function tripOf({ machines, ...draft }: DraftTrip, { params, driving }: PlanSettings): Trip {
  const sites = [...Map.groupBy(machines, ({ site }) => site)]
    .map(([site, own]) => ({ site, own, geo: own.find(({ geo }) => geo)?.geo }))
    // Without coordinates the text of the site is the order.
    .toSorted((a, b) => (a.site < b.site ? -1 : 1))
  const tour = driveTour(sites, driving)
  const stopMinutes = driving?.stopMinutes ?? STOP_MINUTES_DEFAULT
  const stops = tour.order.map((at, position): TripStop => {
    const { site, own, geo } = sites[at]!
    const legM = tour.legsM[position]!
    return {
      site,
      machines: own.map(({ location, visit, lines }) => ({ location, visit, lines })),
      legM: geo ? Math.round(legM) : undefined,
      minutes: Math.round(drivingMinutes(legM) + stopMinutes),
    }
  })
  const sum = (of: (machine: DraftMachine) => number) => machines.reduce((total, machine) => total + of(machine), 0)
  const stopCost = params.stop_cost ?? params.visit_cost ?? 0
  return {
    ...draft,
    stops,
    units: sum(({ visit }) => visit.load),
    lines: sum(({ lines }) => lines),
    productCostFen: sum(({ productCostFen }) => productCostFen),
    distanceM: tour.isComplete ? Math.round(tour.distanceM) : undefined,
    minutes: Math.round(minutesOf(tour, stops.length, driving)),
    costFen: Math.round(
      (params.trip_cost ?? 0) + stops.length * stopCost + (tour.distanceM / 1000) * (driving?.kmCostFen ?? 0),
    ),
  }
}

/** These machines of an area in driving order, for a visit that was not planned. */
export function drivingOrder(
  { machines }: AreaPlan,
  chosen: ReadonlySet<string>,
  driving: PlanSettings['driving'],
): readonly string[] {
  const visited = machines.flatMap(({ rated: { machine } }) => (chosen.has(machine.location) ? [machine] : []))
  const sites = [...Map.groupBy(visited, ({ place }) => place.site)]
    .map(([site, own]) => ({ site, own, geo: own.find(({ place }) => place.geo)?.place.geo }))
    .toSorted((a, b) => (a.site < b.site ? -1 : 1))
  return driveTour(sites, driving).order.flatMap((at) => sites[at]!.own.map(({ location }) => location))
}
