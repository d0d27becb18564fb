import fc from 'fast-check'
import assert from 'node:assert/strict'
import { describe, expect, test } from 'vitest'
import { distanceM } from '../../../../kernel/driving.ts'
import { exactTour, improvedTour, nearestNeighbour, shortestTour } from './tour.ts'
import { propertyRuns } from '../../../../../test/support/property-runs.ts'

const geo = fc.record({
  latitude: fc.double({ min: 30.9, max: 31.5, noNaN: true }),
  longitude: fc.double({ min: 121, max: 122, noNaN: true }),
})
type Point = { latitude: number; longitude: number }
const distanceBetween = (depot: Point, stops: readonly Point[]) => {
  const points = [depot, ...stops]
  return (a: number, b: number) => distanceM(points[a]!, points[b]!)
}
const lengthOf = (points: readonly number[], distance: (a: number, b: number) => number) =>
  [...points, 0].reduce((total, point, i) => total + distance(i === 0 ? 0 : points[i - 1]!, point), 0)

describe('the tour of a trip', () => {
  test('distances are those of roads: a third longer than the straight line', () => {
    const shanghai = { latitude: 31.2304, longitude: 121.4737 }
    const suzhou = { latitude: 31.2989, longitude: 120.5853 }
    expect(distanceM(shanghai, suzhou) / 1000).toBeCloseTo(1.3 * 84.8, 0)
    expect(distanceM(shanghai, shanghai)).toBe(0)
    // Across the date line it is the short way.
    expect(distanceM({ latitude: 0, longitude: 179.9 }, { latitude: 0, longitude: -179.9 })).toBeLessThan(30_000)
  })

  test('visits every stop once, in the same order whenever it is asked, and is no longer than the nearest neighbour', () => {
    fc.assert(
      fc.property(fc.array(geo, { minLength: 0, maxLength: 20 }), geo, (stops, depot) => {
        const tour = shortestTour(stops, depot)
        assert.deepEqual(
          tour.order.toSorted((a, b) => a - b),
          stops.map((_, i) => i),
        )
        assert.deepEqual(shortestTour(stops, depot), tour)
        const distance = distanceBetween(depot, stops)
        assert.ok(tour.distanceM <= lengthOf(nearestNeighbour(stops.length, distance), distance) + 1e-6)
        const back = stops.length === 0 ? 0 : distance(tour.order.at(-1)! + 1, 0)
        const legs = tour.legsM.reduce((total, leg) => total + leg, 0)
        assert.ok(Math.abs(legs + back - tour.distanceM) < 1e-6)
      }),
      { numRuns: propertyRuns(2000) },
    )
  })

  test('improved step by step it is within a twentieth of the shortest, up to twelve stops', () => {
    fc.assert(
      fc.property(fc.array(geo, { minLength: 4, maxLength: 12 }), geo, (stops, depot) => {
        const distance = distanceBetween(depot, stops)
        const shortest = lengthOf(exactTour(stops.length, distance), distance)
        const improved = lengthOf(improvedTour(stops.length, distance), distance)
        assert.ok(improved >= shortest - 1e-6)
        assert.ok(improved <= 1.05 * shortest, `${improved / shortest}`)
      }),
      { numRuns: propertyRuns(300), seed: 15 },
    )
  })

  test('without a depot it is a path: the way to the first stop and from the last costs nothing', () => {
    const at = (longitude: number) => ({ latitude: 31, longitude })
    const path = shortestTour([at(121.2), at(121), at(121.1)])
    expect([
      [1, 2, 0],
      [0, 2, 1],
    ]).toContainEqual(path.order)
    expect(path.distanceM).toBeCloseTo(distanceM(at(121), at(121.2)), 1)
    expect(path.legsM[0]).toBe(0)
  })

  const random = (
    (seed) => () =>
      (seed = (seed * 16807) % 2147483647) / 2147483647
  )(15)
  /** Of this thread: other work on the machine does not count. */
  const cpuMs = () => process.threadCpuUsage().user / 1000
  const randomStops = (length: number) =>
    Array.from({ length }, () => ({ latitude: 31 + random() / 2, longitude: 121 + random() }))

  test('three hundred stops take at most five seconds of work', () => {
    const stops = randomStops(300)
    const started = cpuMs()
    expect(new Set(shortestTour(stops, stops[0]).order).size).toBe(300)
    expect(cpuMs() - started).toBeLessThan(5000)
  })

  test('thousands of stops are each visited once, neighbours together, at once', () => {
    const stops = randomStops(4000)
    const started = cpuMs()
    const { order, legsM, distanceM: length } = shortestTour(stops, stops[0])
    expect(cpuMs() - started).toBeLessThan(500)
    expect(order.toSorted((a, b) => a - b)).toEqual(stops.map((_, i) => i))
    expect(legsM.reduce((total, leg) => total + leg, 0)).toBeLessThanOrEqual(length)
    // The shortest tour over n random points of an area is close to 0.7124 × √(n × area).
    const corner = { latitude: 31, longitude: 121 }
    const area = distanceM(corner, { ...corner, latitude: 31.5 }) * distanceM(corner, { ...corner, longitude: 122 })
    expect(length).toBeLessThan(1.5 * 0.7124 * Math.sqrt(stops.length * area))
  })
})
