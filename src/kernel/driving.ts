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

/** Coordinates on the globe. (0, 0) lies in the ocean: it is what devices without a position report. */
export const isPlace = ({ latitude, longitude }: Geo): boolean =>
  Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && !(latitude === 0 && longitude === 0)
