/**
 * What visits cost. The stops of one day in one area are one trip, the machines of one site share one stop, as in planning.
 * Pure.
 */
import { shareOut } from '../../lib/shares.ts'

export interface Visit {
  readonly location: string
  readonly day: string
}

export interface Place {
  readonly area: string
  readonly site: string
}

export interface DrivingCosts {
  /** Of leaving the depot and coming back. */
  readonly tripFen: number
  readonly stopFen: number
}

export interface VisitedMachine extends Visit {
  readonly visits: number
  readonly costFen: number
}

interface Visited {
  readonly location: string
  readonly site: string
  visits: number
}

/** One entry for each machine and day. */
export function costVisits(
  visits: readonly Visit[],
  placeOf: (location: string) => Place,
  costs: DrivingCosts,
): VisitedMachine[] {
  const days = new Map<string, Map<string, Map<string, Visited>>>()
  for (const { location, day } of visits) {
    const { area, site } = placeOf(location)
    const trip = getOrAdd(getOrAdd(days, day), area)
    const known = trip.get(location)
    if (known) known.visits += 1
    else trip.set(location, { location, site, visits: 1 })
  }
  return [...days].flatMap(([day, trips]) =>
    [...trips.values()].flatMap((trip) => {
      const machines = [...trip.values()].toSorted((a, b) => (a.location < b.location ? -1 : 1))
      const shares = shareTrip(machines, costs)
      return machines.map(({ location, visits: count }, i) => ({ location, day, visits: count, costFen: shares[i]! }))
    }),
  )
}

function getOrAdd<K, Inner>(map: Map<string, Map<K, Inner>>, key: string): Map<K, Inner> {
  let inner = map.get(key)
  if (!inner) map.set(key, (inner = new Map()))
  return inner
}

function shareTrip(machines: readonly Visited[], { tripFen, stopFen }: DrivingCosts): number[] {
  const atSite = new Map<string, number>()
  for (const { site } of machines) atSite.set(site, (atSite.get(site) ?? 0) + 1)
  return shareOut(
    Math.round(tripFen + atSite.size * stopFen),
    machines.map(({ site }) => 1 / atSite.get(site)!),
  )
}
