/**
 * What visits cost. The stops of one day in one area are one trip, the machines of one site share one stop, as in planning.
 * Pure.
 */
import { shareOut } from '../../lib/shares.ts'

export interface Place {
  readonly location: string
  readonly area: string
  readonly site: string
}

/** Visits of one machine have the same place, the same object. */
export interface Visit {
  readonly place: Place
  readonly day: string
}

export interface DrivingCosts {
  /** Of leaving the depot and coming back. */
  readonly tripFen: number
  readonly stopFen: number
}

export interface VisitedMachine {
  readonly location: string
  readonly day: string
  readonly visits: number
  readonly costFen: number
}

/** One entry for each machine and day. */
export function costVisits(visits: readonly Visit[], costs: DrivingCosts): VisitedMachine[] {
  const days = new Map<string, Map<string, Map<Place, number>>>()
  for (const { place, day } of visits) {
    const trip = getOrAdd(getOrAdd(days, day), place.area)
    trip.set(place, (trip.get(place) ?? 0) + 1)
  }
  const machines: VisitedMachine[] = []
  for (const [day, trips] of days)
    for (const trip of trips.values()) {
      const places = [...trip.keys()].toSorted((a, b) => (a.location < b.location ? -1 : 1))
      const shares = shareTrip(places, costs)
      for (const [i, place] of places.entries())
        machines.push({ location: place.location, day, visits: trip.get(place)!, costFen: shares[i]! })
    }
  return machines
}

function getOrAdd<K, Inner>(map: Map<string, Map<K, Inner>>, key: string): Map<K, Inner> {
  let inner = map.get(key)
  if (!inner) map.set(key, (inner = new Map()))
  return inner
}

function shareTrip(places: readonly Place[], { tripFen, stopFen }: DrivingCosts): number[] {
  const atSite = new Map<string, number>()
  for (const { site } of places) atSite.set(site, (atSite.get(site) ?? 0) + 1)
  return shareOut(
    Math.round(tripFen + atSite.size * stopFen),
    places.map(({ site }) => 1 / atSite.get(site)!),
  )
}
