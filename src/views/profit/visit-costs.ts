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

/** One entry for each machine and day. */
export function costVisits(
  visits: readonly Visit[],
  placeOf: (location: string) => Place,
  { tripFen, stopFen }: DrivingCosts,
): VisitedMachine[] {
  const trips = Map.groupBy(visits, ({ location, day }) => `${day} ${placeOf(location).area}`)
  return [...trips.values()].flatMap((trip) => {
    const machines = [...Map.groupBy(trip, ({ location }) => location)].toSorted(([a], [b]) => (a < b ? -1 : 1))
    const atSite = new Map<string, number>()
    for (const [location] of machines) {
      const { site } = placeOf(location)
      atSite.set(site, (atSite.get(site) ?? 0) + 1)
    }
    const total = Math.round(tripFen + atSite.size * stopFen)
    const shares = shareOut(
      total,
      machines.map(([location]) => 1 / atSite.get(placeOf(location).site)!),
    )
    return machines.map(([location, own], i) => ({
      location,
      day: own[0]!.day,
      visits: own.length,
      costFen: shares[i]!,
    }))
  })
}
