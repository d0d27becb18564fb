/**
 * Which machines are visited on one trip. A trip costs `trip_cost`, each stop `stop_cost`; machines of one site share a
 * stop. While no trip costs anything, each machine is decided on its own. Otherwise the area has a rhythm: the days between
 * trips at which trips, stops and missed sales together cost least. A trip is due when what its machines lose by waiting,
 * above what their rhythm costs anyway, pays for the trip of a day. A due trip also visits each machine that would lose
 * more than its threshold before the next trip.
 */
import { drivingMinutes, STOP_MINUTES_DEFAULT } from '../../../../kernel/driving.ts'
import { weekdayOf } from '../demand/calendar.ts'
import { type Cycle, type CycleSlot, lostMargin } from '../demand/cycle.ts'
import type { Driving, Geo, PlanSettings } from '../input.ts'
import { type RatedMachine, type SizedMachine, RHYTHM_DAYS_MAX } from '../machine-plan.ts'
import { type Tour, shortestTour } from './tour.ts'
import type { Visit } from './visit.ts'

/** The days between trips that are tried. A slow area may be worth a trip a quarter. */
const TRIP_DAYS = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 26, 32, 40, 64, 100, 160, 250, 400]
/** A machine is visited with every trip, or with every second … up to every eighth. */
const EVERY_TRIPS_MAX = 8

export interface AreaRhythm {
  readonly tripDays: number
  /** Days between the visits to each machine, in the order of the machines. */
  readonly visitDays: readonly number[]
}

/** Machines whose missed sales are worked out between two yields: without areas, one may have thousands. */
const MACHINES_AT_ONCE = 10

/** `stopCosts`: what a stop at each machine costs. Undefined when nothing sells. */
export function* areaRhythm(
  machines: readonly RatedMachine[],
  stopCosts: readonly number[],
  tripCostFen: number,
  leadDays: number,
): Generator<undefined, AreaRhythm | undefined> {
  const selling = machines.flatMap((machine, i) => (machine.isSelling ? [i] : []))
  if (selling.length === 0) return undefined
  // A machine loses the same after 12 days, whether that is two trips of six days or six of two.
  const lost = machines.map(({ slots, openShare }) => memoize((days) => lostMargin(slots, openShare * days)))
  let best = { tripDays: 1, costPerDay: Infinity }
  for (const tripDays of TRIP_DAYS) {
    let costPerDay = tripCostFen / tripDays
    for (const [at, i] of selling.entries()) {
      if (at % MACHINES_AT_ONCE === 0) yield
      costPerDay += bestMultiple(tripDays, leadDays, (days) => stopCosts[i]! + lost[i]!(days)).costPerDay
      if (costPerDay >= best.costPerDay) break
    }
    if (costPerDay < best.costPerDay) best = { tripDays, costPerDay }
  }
  const { tripDays } = best
  return {
    tripDays,
    visitDays: machines.map(({ isSelling }, i) =>
      isSelling ? bestMultiple(tripDays, leadDays, (days) => stopCosts[i]! + lost[i]!(days)).days : tripDays,
    ),
  }
}

/** The best cycle of a machine that is visited with every k-th trip. */
function bestMultiple(tripDays: number, leadDays: number, cost: (days: number) => number): Cycle {
  // Slots in transit are not ordered again, so no cycle is shorter than the lead time.
  const first = Math.max(1, Math.ceil(leadDays / tripDays))
  let best: Cycle = { days: first * tripDays, costPerDay: Infinity }
  for (let k = first; k < first + EVERY_TRIPS_MAX; k++) {
    const days = k * tripDays
    if (days > RHYTHM_DAYS_MAX && k > first) break
    const costPerDay = cost(days) / days
    if (costPerDay < best.costPerDay) best = { days, costPerDay }
  }
  return best
}

/** The best cycle of a machine at a multiple of the days between trips. */
export const sharedCycleOf =
  (tripDays: number, openShare: number, leadDays: number) =>
  (slots: readonly CycleSlot[], costFen: number): Cycle =>
    bestMultiple(tripDays, leadDays, (days) => costFen + lostMargin(slots, openShare * days))

function memoize(compute: (days: number) => number): (days: number) => number {
  const known = new Map<number, number>()
  return (days) => {
    const found = known.get(days) ?? compute(days)
    known.set(days, found)
    return found
  }
}

/** Whether the van drives on the day on which an order placed today would arrive. */
const mayDriveOn = (arrivalDay: number, { serviceWeekdays }: Pick<Driving, 'serviceWeekdays'>): boolean =>
  serviceWeekdays === undefined || serviceWeekdays.includes(weekdayOf(arrivalDay))

/** A week has every weekday. */
const WEEK = 7

/**
 * Where the van drives on some weekdays only, or the machine is closed on some, the next order that can still be delivered
 * is the next review: what waits today waits until then.
 */
export function reviewOnServiceDay(
  settings: PlanSettings,
  arrivalDay: number,
  openWeekdays?: readonly number[],
): PlanSettings {
  const { driving, reviewDays } = settings
  const canVisit = (day: number) =>
    (driving === undefined || mayDriveOn(day, driving)) && (openWeekdays?.includes(weekdayOf(day)) ?? true)
  for (let days = reviewDays; days < reviewDays + WEEK; days++)
    if (canVisit(arrivalDay + days)) return days === reviewDays ? settings : { ...settings, reviewDays: days }
  return settings
}

/** `arrivalDay`: the day on which what is ordered today arrives. */
export function tripRules(settings: PlanSettings, arrivalDay: number, tripDays: number | undefined) {
  const { params, driving } = settings
  return {
    tripCostFen: params.trip_cost ?? 0,
    reviewDays: reviewOnServiceDay(settings, arrivalDay).reviewDays,
    /** Undefined: trips are not shared. */
    tripDays,
    driving,
    mayDriveToday: driving === undefined || mayDriveOn(arrivalDay, driving),
  }
}

/** A machine whose visit was decided on its own. */
export interface Candidate {
  readonly location: string
  readonly site: string
  readonly geo?: Geo | undefined
  readonly visit: Visit
}

export interface TripDecision {
  /** Margin that the due machines lose by waiting, and what their visits and the trip cost meanwhile. */
  readonly lossByWaitingFen: number
  readonly tripThresholdFen: number
  readonly visits: ReadonlyMap<string, Visit>
}

export type TripRules = Readonly<ReturnType<typeof tripRules>>

const isBlocked = ({ why }: Visit): boolean => why === 'in_transit' || why === 'closed' || why === 'locked'

/** What a machine loses above the cost of its rhythm, until the next review and until the next trip. */
const lossAboveRhythmNow = ({ lossByWaitingFen, visitThresholdFen }: Visit): number =>
  (lossByWaitingFen ?? 0) - (visitThresholdFen ?? 0)
const lossAboveRhythmUntilNextTrip = (visit: Visit, { tripDays, reviewDays }: TripRules): number =>
  visit.lossUntilNextTripFen === null || visit.visitThresholdFen === null || tripDays === undefined
    ? lossAboveRhythmNow(visit)
    : visit.lossUntilNextTripFen - (visit.visitThresholdFen / reviewDays) * tripDays

/** Decides the trip of one area today. */
export function decideTrip(candidates: readonly Candidate[], rules: TripRules): TripDecision {
  const visits = new Map(candidates.map(({ location, visit }) => [location, visit]))
  const decide = (location: string, go: boolean, why: Visit['why']) =>
    visits.set(location, { ...visits.get(location)!, go, why })

  let lossByWaitingFen = 0
  let tripThresholdFen = rules.tripDays === undefined ? 0 : (rules.reviewDays * rules.tripCostFen) / rules.tripDays
  let isDue = rules.tripDays === undefined
  for (const { visit } of candidates) {
    if (!visit.go) continue
    if (visit.rule !== 'cycle') isDue = true
    lossByWaitingFen += visit.lossByWaitingFen ?? 0
    tripThresholdFen += visit.visitThresholdFen ?? 0
  }
  if (lossByWaitingFen > 0 && lossByWaitingFen >= tripThresholdFen) isDue = true

  for (const { location, visit } of candidates) {
    if (!rules.mayDriveToday) decide(location, false, isBlocked(visit) ? visit.why : 'closed')
    else if (!isDue) decide(location, false, isBlocked(visit) ? visit.why : 'not_due')
    else if (!visit.go && !isBlocked(visit) && visit.load > 0 && visit.lossUntilNextTripFen !== null) {
      if (lossAboveRhythmUntilNextTrip(visit, rules) >= 0) decide(location, true, 'joins')
    }
  }
  const sites = new Set(candidates.flatMap(({ location, site }) => (visits.get(location)!.go ? [site] : [])))
  for (const { location, site, visit } of candidates)
    if (sites.has(site) && !visits.get(location)!.go && !isBlocked(visit) && visit.load > 0)
      decide(location, true, 'same_site')
  for (const location of findBeyondLimits(candidates, visits, rules)) decide(location, false, 'limit')
  return { lossByWaitingFen, tripThresholdFen, visits }
}

interface Stop {
  readonly machines: readonly Candidate[]
  readonly units: number
  readonly value: number
}

/** The machines that do not fit into the trip: those of the stops that lose least by waiting, for what they cost. */
function findBeyondLimits(
  candidates: readonly Candidate[],
  visits: ReadonlyMap<string, Visit>,
  rules: TripRules,
): readonly string[] {
  const { maxStops = Infinity, maxUnits = Infinity, maxMinutes = Infinity } = rules.driving ?? {}
  if (maxStops === Infinity && maxUnits === Infinity && maxMinutes === Infinity) return []
  const going = candidates.filter(({ location }) => visits.get(location)!.go)
  const stops = [...Map.groupBy(going, ({ site }) => site).values()].map((machines): Stop => {
    const own = machines.map(({ location }) => visits.get(location)!)
    const cost = own.reduce((total, { visitThresholdFen }) => total + (visitThresholdFen ?? 0), 0)
    const excess = own.reduce((total, visit) => total + lossAboveRhythmUntilNextTrip(visit, rules), 0)
    return {
      machines,
      units: own.reduce((total, { load }) => total + load, 0),
      value: excess / Math.max(cost, 1e-9),
    }
  })
  stops.sort((a, b) => b.value - a.value || (a.machines[0]!.location < b.machines[0]!.location ? -1 : 1))
  const kept: Stop[] = []
  let units = 0
  for (const stop of stops) {
    if (kept.length >= maxStops || units + stop.units > maxUnits) continue
    kept.push(stop)
    units += stop.units
  }
  const fitting = takeWithinTime(kept, maxMinutes, rules.driving)
  const remaining = new Set(fitting.flatMap(({ machines }) => machines.map(({ location }) => location)))
  return going.flatMap(({ location }) => (remaining.has(location) ? [] : [location]))
}

/** As many of the first stops as can be driven in the time. */
function takeWithinTime(stops: readonly Stop[], maxMinutes: number, driving: Driving | undefined): readonly Stop[] {
  if (maxMinutes === Infinity) return stops
  let low = 0
  let high = stops.length
  while (low < high) {
    const middle = (low + high + 1) >> 1
    const geos = stops.slice(0, middle).map(({ machines }) => ({ geo: machines.find(({ geo }) => geo)?.geo }))
    if (minutesOf(driveTour(geos, driving), middle, driving) <= maxMinutes) low = middle
    else high = middle - 1
  }
  return stops.slice(0, low)
}

/** Stops without coordinates come last, in the order given. */
export function driveTour(
  stops: readonly { readonly geo?: Geo | undefined }[],
  driving: Pick<Driving, 'depot'> | undefined,
): Tour & { readonly isComplete: boolean } {
  const known = stops.flatMap(({ geo }, i) => (geo ? [{ geo, i }] : []))
  const tour = shortestTour(
    known.map(({ geo }) => geo),
    driving?.depot,
  )
  const unknown = stops.flatMap(({ geo }, i) => (geo ? [] : [i]))
  return {
    order: [...tour.order.map((at) => known[at]!.i), ...unknown],
    legsM: [...tour.legsM, ...unknown.map(() => 0)],
    distanceM: tour.distanceM,
    isComplete: unknown.length === 0,
  }
}

export const minutesOf = (
  tour: Pick<Tour, 'distanceM'>,
  stops: number,
  driving: Pick<Driving, 'stopMinutes'> | undefined,
): number => drivingMinutes(tour.distanceM) + stops * (driving?.stopMinutes ?? STOP_MINUTES_DEFAULT)

/** What a stop at each machine costs: shared by the machines of a site, with the detour where kilometers cost something. */
export function stopCosts(
  machines: readonly RatedMachine[],
  sites: readonly string[],
  geos: readonly (Geo | undefined)[],
  { params, driving }: PlanSettings,
): { readonly costFen: number | null; readonly share: number; readonly totalFen: number }[] {
  const configured = params.stop_cost ?? params.visit_cost
  const machinesAt = new Map<string, number>()
  for (const site of sites) machinesAt.set(site, (machinesAt.get(site) ?? 0) + 1)
  const detours = driving && driving.kmCostFen > 0 ? siteDetoursM(sites, geos, driving.depot) : undefined
  return machines.map(({ assumedCostFen }, i) => {
    const share = 1 / machinesAt.get(sites[i]!)!
    const detourFen = detours ? ((detours.get(sites[i]!) ?? 0) / 1000) * driving!.kmCostFen : 0
    const stopFen = (configured ?? assumedCostFen) + detourFen
    return { costFen: configured === null && detourFen === 0 ? null : stopFen, share, totalFen: share * stopFen }
  })
}

/** By site: how much longer a tour between its two nearest other points becomes by this stop. */
function siteDetoursM(
  sites: readonly string[],
  geos: readonly (Geo | undefined)[],
  depot: Geo | undefined,
): ReadonlyMap<string, number> {
  const geoBySite = new Map<string, Geo>()
  sites.forEach((site, i) => {
    const geo = geos[i]
    if (geo && !geoBySite.has(site)) geoBySite.set(site, geo)
  })
  const detours = new Map<string, number>()
  for (const [site, geo] of geoBySite) {
    let [first, second] = [depot, undefined as Geo | undefined]
    const roughDistance = (other: Geo) =>
      (other.latitude - geo.latitude) ** 2 +
      ((other.longitude - geo.longitude) * Math.cos((geo.latitude * Math.PI) / 180)) ** 2
    let [nearest, next] = [depot ? roughDistance(depot) : Infinity, Infinity]
    for (const [otherSite, other] of geoBySite) {
      if (otherSite === site) continue
      const gap = roughDistance(other)
      if (gap < nearest) [first, second, nearest, next] = [other, first, gap, nearest]
      else if (gap < next) [second, next] = [other, gap]
    }
    if (first) detours.set(site, shortestDetour(geo, first, second ?? first))
  }
  return detours
}

const shortestDetour = (geo: Geo, a: Geo, b: Geo): number =>
  Math.max(0, shortestTour([geo, a], b).distanceM - shortestTour([a], b).distanceM)

export const candidateOf = ({ rated, visit }: SizedMachine): Candidate => {
  const { location, place } = rated.machine
  return { location, site: place.site, geo: place.geo, visit }
}
