import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { navigationLink, projectMachines } from './map-projection.ts'

const SIZE = { width: 800, height: 500, margin: 40 }
const at = (latitude: number, longitude: number) => ({ latitude, longitude })

describe('positions on a canvas', () => {
  test('north is up and east is right', () => {
    const { points } = projectMachines([at(31.2, 121.4), at(31.3, 121.5)], SIZE)
    expect(points[1]!.y).toBeLessThan(points[0]!.y)
    expect(points[1]!.x).toBeGreaterThan(points[0]!.x)
  })

  test('a single machine stands in the middle', () => {
    expect(projectMachines([at(31.2, 121.4)], SIZE).points).toEqual([{ x: 400, y: 250 }])
  })

  test('machines at one address can be told apart', () => {
    const { points } = projectMachines([at(31.2, 121.4), at(31.2, 121.4), at(31.2, 121.4)], SIZE)
    expect(new Set(points.map(({ x, y }) => `${Math.round(x)} ${Math.round(y)}`)).size).toBe(3)
  })

  test('wherever the machines are: all lie within the canvas, and the scale fits', () => {
    const place = fc.record({
      latitude: fc.double({ min: -60, max: 60, noNaN: true }),
      longitude: fc.double({ min: -170, max: 170, noNaN: true }),
    })
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 12 }), (places) => {
        const { points, scale } = projectMachines(places, SIZE)
        for (const { x, y } of points) {
          expect(x).toBeGreaterThanOrEqual(-40)
          expect(x).toBeLessThanOrEqual(SIZE.width + 40)
          expect(y).toBeGreaterThanOrEqual(-40)
          expect(y).toBeLessThanOrEqual(SIZE.height + 40)
        }
        expect(scale.length).toBeGreaterThan(0)
        expect(scale.length).toBeLessThanOrEqual(SIZE.width / 2)
      }),
    )
  })
})

test('the link opens the navigation of the phone', () => {
  expect(navigationLink(at(31.2, 121.4), 'Gym & Co', false)).toBe('geo:31.2,121.4?q=31.2,121.4(Gym%20%26%20Co)')
  expect(navigationLink(at(31.2, 121.4), 'Gym', true)).toBe('https://maps.apple.com/?daddr=31.2,121.4&q=Gym')
})
