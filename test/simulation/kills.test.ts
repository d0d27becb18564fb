import { expect, test } from 'vitest'
import { addDays } from '../../src/kernel/clock.ts'
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

test('the operator is killed at its work: nothing is bought twice or lost, no rule is broken, the journal is whole', async () => {
  const days = 3
  const { outcome, comparison, kills, failures, lastShift, journal } = await playKilledDays({
    days,
    machines: 4,
    seed: 2,
    killShare: 0.1,
    jobKillShare: 0.8,
  })
  const { supplierOrders, purchases, broken } = outcome.operator!
  expect({ failures, orderedTwice: outcome.orderedTwice, problems: comparison.problems, broken, journal }).toEqual({
    failures: [],
    orderedTwice: 0,
    problems: [],
    broken: {},
    journal: [],
  })
  // One that nobody takes up again would hold up all that follow, and still have as many orders as purchases.
  expect(lastShift?.status).not.toBe('running')
  // The last night may have one of the next day.
  expect([days - 1, days].map((day) => addDays('2026-06-01', day))).toContain(lastShift?.started_at.slice(0, 10))
  expect(supplierOrders).toBe(purchases)
  expect(purchases).toBeGreaterThan(0)
  expect([...kills.keys()].some((moment) => moment.startsWith('at work'))).toBe(true)
})
