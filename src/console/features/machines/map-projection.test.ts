import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { navigationLink, placeLabels, projectMachines } from './map-projection.ts'

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

describe('names on the map', () => {
  const size = { width: 800, height: 460 }
  const random = (n: number) =>
    fc.array(fc.tuple(fc.integer({ min: 20, max: 780 }), fc.integer({ min: 20, max: 440 })), { maxLength: n })

  test('stand beside their machine, and one that would cover another is left out', () => {
    const near = [
      { x: 400, y: 200 },
      { x: 420, y: 200 },
    ]
    const labels = placeLabels(near, ['研发中心茶水间', '力健健身房'], size)
    expect(labels).toMatchObject([{ anchor: 'end' }, { anchor: 'start' }])
    const crowd = Array.from({ length: 30 }, (_, i) => ({ x: 400 + (i % 6) * 17, y: 200 + Math.floor(i / 6) * 17 }))
    expect(
      placeLabels(
        crowd,
        crowd.map(() => '研发中心茶水间'),
        size,
      ).some((label) => label === undefined),
    ).toBe(true)
  })

  test('the first always gets its name where there is room on the canvas', () => {
    fc.assert(
      fc.property(random(1), (positions) => {
        const points = positions.map(([x, y]) => ({ x, y }))
        expect(
          placeLabels(
            points,
            points.map(() => 'M1'),
            size,
          ).every((label) => label !== undefined),
        ).toBe(true)
      }),
    )
  })
})
