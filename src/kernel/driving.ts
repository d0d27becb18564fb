/** How the operator drives: costs per kilometer, where trips start, and what fits into one trip. */

export interface Geo {
  readonly latitude: number
  readonly longitude: number
}

/** What is configured about trips, besides their costs in the parameters of a plan. */
export interface Driving {
  readonly kmCostFen: number
  readonly depot?: Geo | undefined
  readonly stopMinutes: number
  readonly maxStops?: number | undefined
  readonly maxUnits?: number | undefined
  readonly maxMinutes?: number | undefined
  /** Weekdays (0 = Monday) on which the van drives; undefined: all. */
  readonly serviceWeekdays?: readonly number[] | undefined
}

export const STOP_MINUTES_DEFAULT = 15

/** Roads are longer than straight lines. */
const ROAD_FACTOR = 1.3
const EARTH_RADIUS_M = 6_371_000
/** Average speed in a city, with lights and parking: 30 km/h. */
const METERS_PER_MINUTE = 500

const radians = (degrees: number): number => (degrees * Math.PI) / 180

/** Estimated road distance in meters. */
export function distanceM(a: Geo, b: Geo): number {
  const dLat = radians(b.latitude - a.latitude)
  const dLon = radians(b.longitude - a.longitude)
  const h =
    Math.sin(dLat / 2) ** 2 + Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * Math.sin(dLon / 2) ** 2
  return ROAD_FACTOR * 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(h)))
}

export const drivingMinutes = (meters: number): number => meters / METERS_PER_MINUTE

/** Coordinates on the globe. (0, 0) lies in the ocean: it is what devices without a position report. */
export const isPlace = ({ latitude, longitude }: Geo): boolean =>
  Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && !(latitude === 0 && longitude === 0)
