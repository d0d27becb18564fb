import { expect, test } from 'vitest'
import { playKilledDays } from './killed-days.ts'

test('days of a route while the service is killed at any moment: nothing is ordered or received twice, nothing is lost', async () => {
  const { outcome, comparison, kills, failures } = await playKilledDays({
    days: 5,
    machines: 4,
    seed: 1,
    killShare: 0.3,
  })
  expect({ ...comparison, failures, refusals: outcome.refusals, orderedTwice: outcome.orderedTwice }).toEqual({
    orders: expect.any(Number),
    stops: expect.any(Number),
    units: expect.any(Number),
    problems: [],
    failures: [],
    refusals: [],
    orderedTwice: 0,
  })
  expect(Math.min(comparison.orders, comparison.stops, comparison.units, kills.size)).toBeGreaterThan(0)
})
