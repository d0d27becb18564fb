/**
 * The order in which the stops of a trip are driven: the shortest closed tour from the depot, or the shortest path where no
 * depot is known. Exact up to ten stops; above that nearest insertion, improved by 2-opt and Or-opt to a local optimum.
 * More stops than anybody drives in a day are only sorted along a curve that keeps neighbours together, so that a route
 * without limits is still planned at once. The same stops always give the same tour.
 */
import { distanceM } from '../../../../kernel/driving.ts'
import type { Geo } from '../input.ts'

const EXACT_STOPS_MAX = 10
const IMPROVED_STOPS_MAX = 300

export interface Tour {
  /** Indexes of the stops in driving order. */
  readonly order: readonly number[]
  /** From the stop before, or from the depot; 0 for the first stop of a path. By position in the tour. */
  readonly legsM: readonly number[]
  /** With the way back to the depot, where there is one. */
  readonly distanceM: number
}

/** Distances between points; point 0 is the depot. A path without depot has a depot at distance 0 from everything. */
type Distance = (a: number, b: number) => number

/** `stops` should come in a fixed order, such as by id: it decides between tours of the same length. */
export function shortestTour(stops: readonly Geo[], depot?: Geo): Tour {
  const n = stops.length
  if (n > IMPROVED_STOPS_MAX) return curveTour(stops, depot)
  const table = new Float64Array((n + 1) * (n + 1))
  for (let i = 0; i <= n; i++)
    for (let j = i + 1; j <= n; j++) {
      const from = i === 0 ? depot : stops[i - 1]!
      const d = from === undefined ? 0 : distanceM(from, stops[j - 1]!)
      table[i * (n + 1) + j] = d
      table[j * (n + 1) + i] = d
    }
  const distance: Distance = (a, b) => table[a * (n + 1) + b]!
  const points = n <= EXACT_STOPS_MAX ? exactTour(n, distance) : improvedTour(n, distance)
  const legsM = points.map((point, i) => distance(i === 0 ? 0 : points[i - 1]!, point))
  return { order: points.map((point) => point - 1), legsM, distanceM: tourLength(points, distance) }
}

/** Along a Hilbert curve over the rectangle of all stops. */
function curveTour(stops: readonly Geo[], depot: Geo | undefined): Tour {
  const [south, north] = rangeOf(stops.map(({ latitude }) => latitude))
  const [west, east] = rangeOf(stops.map(({ longitude }) => longitude))
  const cell = (value: number, from: number, to: number) =>
    to > from ? Math.round(((value - from) / (to - from)) * (CURVE_CELLS - 1)) : 0
  const positions = stops.map(({ latitude, longitude }) =>
    positionOnCurve(cell(longitude, west, east), cell(latitude, south, north)),
  )
  const order = stops.map((_, i) => i).toSorted((a, b) => positions[a]! - positions[b]! || a - b)
  const legsM = order.map((stop, i) => {
    const from = i === 0 ? depot : stops[order[i - 1]!]!
    return from ? distanceM(from, stops[stop]!) : 0
  })
  const last = stops[order.at(-1)!]!
  const back = depot ? distanceM(last, depot) : 0
  return { order, legsM, distanceM: legsM.reduce((total, leg) => total + leg, 0) + back }
}

const rangeOf = (values: readonly number[]): readonly [from: number, to: number] => [
  values.reduce((least, value) => Math.min(least, value), Infinity),
  values.reduce((most, value) => Math.max(most, value), -Infinity),
]

/** Cells on each side of the curve's square. */
const CURVE_CELLS = 1 << 16

function positionOnCurve(column: number, row: number): number {
  let [x, y, position] = [column, row, 0]
  for (let side = CURVE_CELLS >> 1; side > 0; side >>= 1) {
    const right = x & side ? 1 : 0
    const up = y & side ? 1 : 0
    position += side * side * ((3 * right) ^ up)
    if (up === 1) continue
    if (right === 1) [x, y] = [CURVE_CELLS - 1 - x, CURVE_CELLS - 1 - y]
    ;[x, y] = [y, x]
  }
  return position
}

function tourLength(points: readonly number[], distance: Distance): number {
  let total = 0
  let at = 0
  for (const point of points) {
    total += distance(at, point)
    at = point
  }
  return total + distance(at, 0)
}

/** Held and Karp: the shortest way through each subset of stops that ends at each of its stops. */
export function exactTour(n: number, distance: Distance): number[] {
  if (n === 0) return []
  const size = 1 << n
  const best = new Float64Array(size * n).fill(Infinity)
  const before = new Int8Array(size * n).fill(-1)
  for (let j = 0; j < n; j++) best[(1 << j) * n + j] = distance(0, j + 1)
  for (let set = 1; set < size; set++)
    for (let last = 0; last < n; last++) {
      const sofar = best[set * n + last]!
      if (sofar === Infinity) continue
      for (let next = 0; next < n; next++) {
        if (set & (1 << next)) continue
        const at = (set | (1 << next)) * n + next
        const length = sofar + distance(last + 1, next + 1)
        if (length < best[at]!) {
          best[at] = length
          before[at] = last
        }
      }
    }
  let last = 0
  const all = size - 1
  for (let j = 1; j < n; j++)
    if (best[all * n + j]! + distance(j + 1, 0) < best[all * n + last]! + distance(last + 1, 0)) last = j
  const points: number[] = []
  for (let set = all; last >= 0;) {
    points.push(last + 1)
    const previous = before[set * n + last]!
    set &= ~(1 << last)
    last = previous
  }
  return points.toReversed()
}

/** The better of two starts, each improved: the nearest neighbour is never beaten by what comes out. */
export function improvedTour(n: number, distance: Distance): number[] {
  const tours = [nearestInsertion(n, distance), nearestNeighbour(n, distance)].map((points) =>
    improve(points, distance),
  )
  return tourLength(tours[1]!, distance) < tourLength(tours[0]!, distance) - GAIN_MIN ? tours[1]! : tours[0]!
}

export function nearestNeighbour(n: number, distance: Distance): number[] {
  const left = new Set(Array.from({ length: n }, (_, i) => i + 1))
  const points: number[] = []
  for (let at = 0; left.size > 0;) {
    let nearest = 0
    for (const point of left) if (nearest === 0 || distance(at, point) < distance(at, nearest)) nearest = point
    left.delete(nearest)
    points.push(nearest)
    at = nearest
  }
  return points
}

/** Adds the stop nearest to the tour where it lengthens the tour least. */
function nearestInsertion(n: number, distance: Distance): number[] {
  const points: number[] = []
  const gap = Float64Array.from({ length: n + 1 }, (_, i) => (i === 0 ? -1 : distance(0, i)))
  for (let added = 0; added < n; added++) {
    let point = 0
    for (let i = 1; i <= n; i++) if (gap[i]! >= 0 && (point === 0 || gap[i]! < gap[point]!)) point = i
    let at = 0
    let least = Infinity
    for (let i = 0; i <= points.length; i++) {
      const from = i === 0 ? 0 : points[i - 1]!
      const to = i === points.length ? 0 : points[i]!
      const detour = distance(from, point) + distance(point, to) - distance(from, to)
      if (detour < least) {
        least = detour
        at = i
      }
    }
    points.splice(at, 0, point)
    gap[point] = -1
    for (let i = 1; i <= n; i++) if (gap[i]! >= 0) gap[i] = Math.min(gap[i]!, distance(point, i))
  }
  return points
}

/** Smaller gains are rounding errors, and could alternate for ever. */
const GAIN_MIN = 1e-6

/** Reverses parts of the tour (2-opt) and moves segments of up to three stops (Or-opt) until neither shortens it. */
function improve(start: readonly number[], distance: Distance): number[] {
  const points = [...start]
  for (let improved = true; improved;) {
    const reversed = reverseParts(points, distance)
    const moved = moveSegments(points, distance)
    improved = reversed || moved
  }
  return points
}

function reverseParts(points: number[], distance: Distance): boolean {
  const n = points.length
  const at = (i: number) => (i < 0 || i >= n ? 0 : points[i]!)
  let improved = false
  for (let i = 0; i < n - 1; i++)
    for (let j = i + 1; j < n; j++) {
      const before = distance(at(i - 1), at(i)) + distance(at(j), at(j + 1))
      const after = distance(at(i - 1), at(j)) + distance(at(i), at(j + 1))
      if (after >= before - GAIN_MIN) continue
      for (let a = i, b = j; a < b; a++, b--) [points[a], points[b]] = [points[b]!, points[a]!]
      improved = true
    }
  return improved
}

const SEGMENT_MAX = 3

/** Moves each segment to where it makes the tour shortest, as it is or reversed. */
function moveSegments(points: number[], distance: Distance): boolean {
  const n = points.length
  const at = (i: number) => (i < 0 || i >= n ? 0 : points[i]!)
  let improved = false
  for (let length = 1; length <= Math.min(SEGMENT_MAX, n - 1); length++)
    for (let i = 0; i + length <= n; i++) {
      const first = points[i]!
      const last = points[i + length - 1]!
      const freed = distance(at(i - 1), first) + distance(last, at(i + length)) - distance(at(i - 1), at(i + length))
      let best = { gain: GAIN_MIN, to: -1, isReversed: false }
      for (let j = 0; j <= n; j++) {
        if (j >= i && j <= i + length) continue
        const gap = distance(at(j - 1), at(j))
        const straight = freed + gap - distance(at(j - 1), first) - distance(last, at(j))
        const reversed = freed + gap - distance(at(j - 1), last) - distance(first, at(j))
        const gain = Math.max(straight, reversed)
        if (gain > best.gain) best = { gain, to: j, isReversed: reversed > straight }
      }
      if (best.to < 0) continue
      const segment = points.splice(i, length)
      if (best.isReversed) segment.reverse()
      points.splice(best.to > i ? best.to - length : best.to, 0, ...segment)
      improved = true
    }
  return improved
}
