/** Shared trips in a simulated route: the same days with and without them, through the real service. */
import { expect, onTestFinished, test } from 'vitest'
import { driveTrips } from '../../src/cli/simulate/road.ts'
import type { Drop } from '../../src/cli/simulate/road.ts'
import { playDays } from '../../src/cli/simulate/play.ts'
import { openSimulation } from '../../src/cli/simulate/simulation.ts'
import { HOUR, MINUTE, startOfDay } from '../../src/kernel/clock.ts'

const START = '2026-09-01'
const DAYS = 16
const COSTS = {
  TRIP_COST_FEN: '6000',
  STOP_COST_FEN: '1000',
  KM_COST_FEN: '80',
  DEPOT: '{"latitude":31.2,"longitude":121.55}',
  TRIP_MAX_UNITS: '400',
}

async function play(sharedTrips: boolean) {
  const startMs = startOfDay(START, 'Asia/Shanghai')
  const simulation = await openSimulation({
    env: COSTS,
    startMs,
    stepMs: 24 * HOUR,
    seed: 7,
    machines: 4,
    traffic: 1,
    restocking: 'none',
    checkouts: false,
    database: undefined,
    sharedTrips,
  })
  onTestFinished(() => simulation.close())
  const outcome = await playDays(simulation, {
    start: START,
    startMs,
    days: DAYS,
    stepHours: 24,
    daysPerPeriod: 7,
    orders: { by: 'owner', every: 1 },
    confirmAliases: false,
  })
  return { ...outcome, simulation }
}

test('with shared trips fewer are driven and more is earned; nothing is ordered twice, and every stop is received once', async () => {
  const shared = await play(true)
  const apart = await play(false)
  for (const { total, orderedTwice, simulation, accounts, serviceLevel } of [shared, apart]) {
    expect(simulation.failures).toEqual([])
    expect(orderedTwice).toBe(0)
    expect(total.refused).toBe(0)
    expect(total.trips).toBeGreaterThan(0)
    expect(total.meters).toBeGreaterThan(total.trips * 1000)
    expect(accounts.drivingFen).toBeGreaterThanOrEqual(total.trips * 6000 + total.stops * 1000)
    expect(serviceLevel).toBeGreaterThan(0.85)
    const runs = await Array.fromAsync(simulation.client.all.listRuns({ query: { status: 'delivered' } }))
    const received = runs
      .flatMap(({ line_items }) => line_items)
      .reduce((sum, { quantity }) => sum + quantity.fulfilled, 0)
    expect(received).toBeLessThanOrEqual(total.loaded)
    expect(runs.every(({ visits }) => visits?.every(({ status }) => status === 'received'))).toBe(true)
  }
  expect(shared.total.trips).toBeLessThan(apart.total.trips)
  expect(shared.accounts.drivingFen).toBeLessThan(apart.accounts.drivingFen)
  expect(shared.accounts.profitFen).toBeGreaterThan(apart.accounts.profitFen)
}, 300_000)

const drop = (location: string, over: Partial<Drop> = {}): Drop => ({
  location,
  area: 'north',
  site: location,
  geo: { latitude: 31, longitude: 121 },
  sequence: 1,
  units: 10,
  ...over,
})
const DRIVING = { kmCostFen: 100, stopMinutes: 10, tripCostFen: 5000, stopCostFen: 1000 }

test('a van drives one area at a time, stops once per site in the order of the tour, and comes back when it is empty', () => {
  const drops = [
    drop('c', { sequence: 3, site: 'x', geo: { latitude: 31.1, longitude: 121 } }),
    drop('a', { sequence: 1 }),
    drop('b', { sequence: 2, site: 'x', geo: { latitude: 31.1, longitude: 121 } }),
    drop('far', { area: 'south' }),
  ]
  const [north, south, ...others] = driveTrips(drops, 0, DRIVING)
  expect(others).toEqual([])
  expect(north!.arrivals.map(({ drop: { location } }) => location)).toEqual(['a', 'b', 'c'])
  expect(north!.stops).toBe(2)
  expect(north!.arrivals[1]!.at).toBe(north!.arrivals[2]!.at)
  expect(north!.arrivals[1]!.at).toBeGreaterThan(10 * MINUTE)
  expect(north!.drivingFen).toBe(Math.round(5000 + 2 * 1000 + (north!.meters / 1000) * 100))
  expect(south).toMatchObject({ stops: 1, meters: 0, drivingFen: 6000 })
  const depot = { latitude: 31, longitude: 121.1 }
  const small = driveTrips(drops.slice(0, 3), 0, { ...DRIVING, depot, maxUnits: 20 })
  expect(small.map(({ arrivals }) => arrivals.map(({ drop: { location } }) => location))).toEqual([['a'], ['b', 'c']])
  expect(small.every(({ meters }) => meters > 2 * 9000)).toBe(true)
})
