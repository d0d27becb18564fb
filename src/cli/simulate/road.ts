/** The roads of a simulation: which machines a van visits on one trip, in which order, when it is there and what that costs. */
import { MINUTE } from '../../kernel/clock.ts'
import { type Geo, distanceM, drivingMinutes } from '../../kernel/driving.ts'
import type { DrivingCosts } from './simulated-service.ts'

/** A machine to load, with the units for it. */
export interface Drop {
  readonly location: string
  readonly area: string
  readonly site: string
  readonly geo: Geo
  /** Position in the tour that the service worked out. */
  readonly sequence: number
  readonly units: number
}

/** One trip per area, or more where the van does not hold everything. All vans leave at the same time. */
export const driveTrips = (drops: readonly Drop[], leavesAt: number, driving: DrivingCosts) =>
  [...Map.groupBy(drops, ({ area }) => area).values()].flatMap((own) =>
    vanLoads(own, driving.maxUnits ?? Infinity).map((load) => driveTrip(load, leavesAt, driving)),
  )

/** Splits the drops of an area, in driving order, into loads of the van. A site is split only where it must be. */
function vanLoads(drops: readonly Drop[], maxUnits: number): readonly (readonly Drop[])[] {
  const ordered = drops.toSorted((a, b) => a.sequence - b.sequence || (a.location < b.location ? -1 : 1))
  const loads: Drop[][] = []
  let units = 0
  for (const site of Map.groupBy(ordered, (drop) => drop.site).values()) {
    const atSite = site.reduce((total, drop) => total + drop.units, 0)
    if (loads.length === 0 || units + atSite > maxUnits) {
      loads.push([])
      units = 0
    }
    loads.at(-1)!.push(...site)
    units += atSite
  }
  return loads
}

function driveTrip(drops: readonly Drop[], leavesAt: number, driving: DrivingCosts) {
  let place = driving.depot
  let meters = 0
  let at = leavesAt
  /** In order of arrival; machines of one site at once. */
  const arrivals: { at: number; drop: Drop }[] = []
  const sites = [...Map.groupBy(drops, ({ site }) => site).values()]
  for (const site of sites) {
    const { geo } = site[0]!
    const leg = place ? distanceM(place, geo) : 0
    meters += leg
    at += Math.round(drivingMinutes(leg) * MINUTE)
    for (const drop of site) arrivals.push({ at, drop })
    at += driving.stopMinutes * MINUTE
    place = geo
  }
  if (driving.depot && place) meters += distanceM(place, driving.depot)
  const { tripCostFen, stopCostFen, kmCostFen } = driving
  return {
    arrivals,
    stops: sites.length,
    meters: Math.round(meters),
    drivingFen: Math.round(tripCostFen + sites.length * stopCostFen + (meters / 1000) * kmCostFen),
  }
}
