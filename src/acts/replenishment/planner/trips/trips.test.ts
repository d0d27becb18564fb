/** What holds for the trips of any route. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type PlanParams, DEFAULT_PLAN_PARAMS } from '../../../../kernel/plan-params.ts'
import { DAY, HOUR } from '../../../../kernel/clock.ts'
import type { Driving, MachineInput, RouteInput, SlotInput } from '../input.ts'
import { machineInput, slotInput } from '../inputs.test-support.ts'
import { placeOf } from './places.ts'
import { type Plan, planRoute } from '../plan.ts'
import { type TripPlan, planTrips } from './coming-trips.ts'
import { propertyRuns } from '../../../../../test/support/property-runs.ts'

/** A Wednesday morning. */
const NOW = Date.parse('2026-03-18T08:00:00+08:00')
const MIDNIGHT = NOW - 8 * HOUR
const ROUTES = propertyRuns(2000)
/** Ninety days each. */
const QUARTERS = propertyRuns(500)

const slot = fc.record({
  perDay: fc.constantFrom(0, 1, 1, 2, 3, 5),
  stock: fc.integer({ min: 0, max: 15 }),
  capacity: fc.constantFrom(null, 8, 12, 20),
  priceFen: fc.constantFrom(200, 300, 500, 900),
  flag: fc.constantFrom('', '', '', '', '', '', 'locked', 'in transit'),
})
const machine = fc.record({
  slots: fc.array(slot, { minLength: 1, maxLength: 6 }),
  site: fc.integer({ min: 0, max: 5 }),
  area: fc.constantFrom('north', 'south'),
  geo: fc.boolean(),
  open: fc.constantFrom(undefined, undefined, undefined, [0, 1, 2, 3], [0, 5]),
})
const driving: fc.Arbitrary<Driving | undefined> = fc.option(
  fc.record({
    kmCostFen: fc.constantFrom(0, 100),
    depot: fc.constantFrom(undefined, { latitude: 31.2, longitude: 121.4 }),
    stopMinutes: fc.constantFrom(5, 20),
    maxStops: fc.constantFrom(undefined, 1, 3),
    maxUnits: fc.constantFrom(undefined, 30, 200),
    maxMinutes: fc.constantFrom(undefined, 45, 240),
    serviceWeekdays: fc.constantFrom(undefined, [0, 3], [4, 5]),
  }),
  { nil: undefined },
)
const routes = fc.record({
  machines: fc.array(machine, { minLength: 1, maxLength: 8 }),
  params: fc.record({
    trip_cost: fc.constantFrom(null, 0, 2000, 8000, 1_000_000),
    stop_cost: fc.constantFrom(null, 500, 2000),
    small_machine_slots: fc.constantFrom(0, 0, 3),
  }),
  driving,
  leadDays: fc.integer({ min: 0, max: 5 }),
  reviewDays: fc.constantFrom(1, 1, 2, 7),
})
type Arbitrary = typeof routes extends fc.Arbitrary<infer T> ? T : never
type RandomRoute = Omit<Arbitrary, 'params'> & {
  readonly params: Pick<PlanParams, 'trip_cost' | 'stop_cost' | 'small_machine_slots'>
}

function sales(perDay: number): SlotInput['sales'] {
  const at: number[] = []
  for (let day = 25; day >= 1; day--) for (let k = 0; k < perDay; k++) at.push(MIDNIGHT - day * DAY + (9 + k) * HOUR)
  return { at: Float64Array.from(at) }
}

function inputOf(route: RandomRoute, over: { params?: Partial<PlanParams>; price?: number } = {}): RouteInput {
  const price = over.price ?? 1
  const cost = (fen: number | null) => (fen === null ? null : fen * price)
  return {
    now: NOW,
    params: {
      ...DEFAULT_PLAN_PARAMS,
      ...route.params,
      trip_cost: cost(route.params.trip_cost),
      stop_cost: cost(route.params.stop_cost),
      ...over.params,
    },
    leadTime: { days: route.leadDays, source: 'stated', samples: 0 },
    reviewDays: route.reviewDays,
    driving: route.driving && { ...route.driving, kmCostFen: route.driving.kmCostFen * price },
    machines: route.machines.map(({ slots, site, area, geo, open }, m): MachineInput =>
      machineInput(
        slots.map(({ perDay, stock, capacity, priceFen, flag }, k) =>
          slotInput(`m${m}-${k}`, {
            sku: `p${k}`,
            priceFen: priceFen * price,
            stock,
            capacity,
            locked: flag === 'locked',
            isInTransit: flag === 'in transit',
            firstSeenAt: NOW - 100 * DAY,
            sales: sales(perDay),
          }),
        ),
        {
          location: `m${m}`,
          openWeekdays: open,
          place: placeOf(`m${m}`, {
            area,
            city: area,
            address: `Road ${site}`,
            geo: geo
              ? { latitude: 31 + site / 50 + (area === 'north' ? 0.1 : 0), longitude: 121.3 + site / 30 }
              : undefined,
          }),
        },
      ),
    ),
  }
}

function tripsOf(input: RouteInput, days: number): { plan: Plan; trips: TripPlan } {
  const plan = planRoute(input)
  const steps = planTrips(input, plan, days)
  let step = steps.next()
  while (!step.done) step = steps.next()
  return { plan, trips: step.value }
}
const ordersOf = (plan: Plan) =>
  plan.plans.flatMap(({ slotId, recommendation: { action, quantity } }) =>
    action === 'order' ? [[slotId, quantity]] : [],
  )
const locationsOf = ({ stops }: TripPlan['trips'][number]) =>
  stops.flatMap(({ machines }) => machines.map(({ location }) => location))

interface Planned {
  readonly visits: Plan['visits']
  readonly orders: ReturnType<typeof ordersOf>
  readonly trips: TripPlan
}

describe('trips of any route', () => {
  const DAYS_AHEAD = 3
  const planned = new Map<string, Planned>()
  const planOf = (input: RouteInput): Planned => {
    const { plan, trips } = tripsOf(input, DAYS_AHEAD)
    return { visits: plan.visits, orders: ordersOf(plan), trips }
  }
  /** The routes are the same for every test, so that each is planned once; seeded, because two amounts may nearly be equal. */
  const holds = (check: (route: RandomRoute, planned: Planned) => void) => {
    const checkRoute = (route: RandomRoute) => {
      const key = JSON.stringify(route)
      const known = planned.get(key) ?? planOf(inputOf(route))
      planned.set(key, known)
      check(route, known)
    }
    fc.assert(fc.property(routes, checkRoute), { numRuns: ROUTES, seed: 15 })
  }
  const firmOf = ({ trips }: TripPlan) => trips.filter(({ day }) => day === 0)

  test('every machine that goes is in one firm trip, every other one waits with a reason, and none does both', () =>
    expect(() =>
      holds((route, { visits, trips }) => {
        const firm = firmOf(trips).flatMap(locationsOf)
        const going = visits.filter(({ visit }) => visit.go).map(({ location }) => location)
        assert.deepEqual(firm.toSorted(), going)
        const all = [...firm, ...trips.waiting.map(({ location }) => location)]
        assert.deepEqual(all.toSorted(), route.machines.map((_, m) => `m${m}`).toSorted())
        for (const { visit } of trips.waiting)
          assert.ok(['not_due', 'limit', 'in_transit', 'closed', 'locked'].includes(visit.why), visit.why)
      }),
    ).not.toThrow())

  test('no stop without load; no slot that is locked or in transit in any line', () =>
    expect(() =>
      holds((route, { orders, trips }) => {
        for (const { stops, units, lines } of trips.trips) {
          for (const { machines } of stops) for (const { visit } of machines) assert.ok(visit.load > 0)
          assert.ok(units > 0 && lines > 0)
        }
        const taken = new Set(orders.map(([slotId]) => slotId))
        route.machines.forEach(({ slots }, m) =>
          slots.forEach(({ flag }, k) => assert.ok(flag === '' || !taken.has(`m${m}-${k}`))),
        )
      }),
    ).not.toThrow())

  test('a trip is within all limits, on every day, and what did not fit today is named', () =>
    expect(() =>
      holds((route, { visits, trips }) => {
        const { maxStops = Infinity, maxUnits = Infinity, maxMinutes = Infinity } = route.driving ?? {}
        for (const { stops, units, minutes } of trips.trips) {
          assert.ok(stops.length <= maxStops && units <= maxUnits)
          assert.ok(minutes <= maxMinutes + 1)
        }
        for (const { location, visit } of visits)
          if (visit.why === 'limit') assert.ok(trips.waiting.some((each) => each.location === location))
      }),
    ).not.toThrow())

  test('machines of one site are visited together, or the other has nothing to load or cannot be visited', () =>
    expect(() =>
      holds((_route, { visits }) => {
        for (const a of visits)
          for (const b of visits) {
            if (a.site !== b.site || !a.visit.go || b.visit.go) continue
            assert.ok(b.visit.load === 0 || ['in_transit', 'closed', 'locked'].includes(b.visit.why), b.visit.why)
          }
      }),
    ).not.toThrow())

  test('multiplying all prices and costs by one factor changes nothing', () =>
    expect(() =>
      holds((route, { orders }) => {
        for (const price of [2, 4]) assert.deepEqual(ordersOf(planRoute(inputOf(route, { price }))), orders)
      }),
    ).not.toThrow())

  test('the order of machines and slots changes nothing, and neither do whole weeks', () =>
    expect(() =>
      holds((route, { orders, trips }) => {
        const input = inputOf(route)
        const reversed = {
          ...input,
          machines: input.machines.map((each) => ({ ...each, slots: each.slots.toReversed() })).toReversed(),
        }
        assert.deepEqual(planOf(reversed).trips, trips)
        const weeks = 28 * DAY
        const later = {
          ...input,
          now: NOW + weeks,
          machines: input.machines.map((each) => ({
            ...each,
            slots: each.slots.map((own) => ({
              ...own,
              firstSeenAt: own.firstSeenAt! + weeks,
              sales: { at: own.sales.at.map((at) => at + weeks) },
            })),
          })),
        }
        assert.deepEqual(ordersOf(planRoute(later)), orders)
      }),
    ).not.toThrow())

  test('while a trip costs nothing and no site has two machines, each machine is planned as if it were alone', () =>
    expect(() =>
      holds((route) => {
        const apart = {
          ...route,
          driving: undefined,
          machines: route.machines.map((each, site) => ({ ...each, site })),
        }
        const together = planRoute(inputOf(apart, { params: { trip_cost: route.leadDays % 2 === 0 ? null : 0 } }))
        for (const area of together.areas)
          for (const { visit, rated } of area.machines)
            assert.deepEqual(area.trip.visits.get(rated.machine.location), visit)
      }),
    ).not.toThrow())

  test('asked twice, the same trips; the trips of today are what is ordered now', () =>
    expect(() =>
      holds((route, { visits, orders, trips }) => {
        assert.deepEqual(planOf(inputOf(route)), { visits, orders, trips })
        const loads = new Map<string, number>()
        for (const [slotId, quantity] of orders) {
          const [location = ''] = String(slotId).split('-')
          loads.set(location, (loads.get(location) ?? 0) + Number(quantity))
        }
        const stops = firmOf(trips).flatMap((trip) => trip.stops.flatMap(({ machines }) => machines))
        assert.deepEqual(new Map(stops.map(({ location, visit }) => [location, visit.load])), loads)
      }),
    ).not.toThrow())
})

describe('trips of the days ahead', () => {
  test('visit no machine again before what was ordered for it has arrived', () =>
    expect(() =>
      fc.assert(
        fc.property(routes, (route) => {
          const { trips } = tripsOf(inputOf(route), 9)
          const lastDay = new Map<string, number>()
          for (const trip of trips.trips.toSorted((a, b) => a.day - b.day))
            for (const location of locationsOf(trip)) {
              const before = lastDay.get(location)
              assert.ok(
                before === undefined || trip.day - before >= Math.max(1, route.leadDays),
                `${location} ${before}`,
              )
              lastDay.set(location, trip.day)
            }
        }),
        { numRuns: propertyRuns(400) },
      ),
    ).not.toThrow())

  test('find a machine filled once its order has arrived: it is not visited every few days', () => {
    const slots = Array.from(
      { length: 6 },
      () => ({ perDay: 1, stock: 0, capacity: 20, priceFen: 500, flag: '' }) as const,
    )
    const route: RandomRoute = {
      machines: [{ slots, site: 0, area: 'north', geo: true, open: undefined }],
      params: { trip_cost: null, stop_cost: 1000, small_machine_slots: 0 },
      driving: undefined,
      leadDays: 3,
      reviewDays: 1,
    }
    const days = tripsOf(inputOf(route), 12).trips.trips.map(({ day }) => day)
    expect(days[0]).toBe(0)
    expect(days.slice(1).every((day) => day >= 8)).toBe(true)
  })

  test('are on service days only; between two of them a machine may lose more before the first', () => {
    const busy = Array.from(
      { length: 6 },
      () => ({ perDay: 2, stock: 9, capacity: 20, priceFen: 500, flag: '' }) as const,
    )
    const route = (serviceWeekdays: readonly number[] | undefined): RandomRoute => ({
      machines: [{ slots: busy, site: 0, area: 'north', geo: true, open: undefined }],
      params: { trip_cost: null, stop_cost: 3000, small_machine_slots: 0 },
      driving: { kmCostFen: 0, stopMinutes: 10, ...(serviceWeekdays ? { serviceWeekdays } : {}) },
      leadDays: 2,
      reviewDays: 1,
    })
    // Ordered on a Wednesday, it arrives on Friday (4).
    const visitOn = (weekdays: readonly number[] | undefined) => planRoute(inputOf(route(weekdays))).visits[0]!.visit
    expect(visitOn(undefined)).toMatchObject({ go: false, why: 'not_due' })
    expect(visitOn([4, 5])).toMatchObject({ go: false, why: 'not_due' })
    expect(visitOn([4])).toMatchObject({ go: true, why: 'due' })
    expect(visitOn([3])).toMatchObject({ go: false, why: 'closed' })
    const loss = (weekdays: readonly number[]) => visitOn(weekdays).lossByWaitingFen!
    expect(loss([4, 0])).toBeGreaterThan(loss([4, 5]))
    expect(loss([4])).toBeGreaterThan(loss([4, 0]))
    const arrivals = tripsOf(inputOf(route([0, 4])), 14).trips.trips.map(({ arrivalDate }) => (arrivalDate + 3) % 7)
    expect(arrivals.length).toBeGreaterThan(0)
    expect(arrivals.every((weekday) => weekday === 0 || weekday === 4)).toBe(true)
  })
})

describe('shared trips', () => {
  const busy = (stock: number, m: number): RandomRoute['machines'][number] => ({
    slots: Array.from({ length: 6 }, () => ({ perDay: 2, stock, capacity: 20, priceFen: 500, flag: '' })),
    site: m,
    area: 'north',
    geo: true,
    open: undefined,
  })
  const route = (stocks: readonly number[], trip_cost: number | null): RandomRoute => ({
    machines: stocks.map(busy),
    params: { trip_cost, stop_cost: 1000, small_machine_slots: 0 },
    driving: undefined,
    leadDays: 2,
    reviewDays: 1,
  })
  const goes = (of: RandomRoute) => planRoute(inputOf(of)).visits.map(({ visit }) => [visit.go, visit.why])

  test('a machine that is not due comes along while waiting for the next trip would cost more; alone it would wait', () => {
    const stocks = Array.from({ length: 15 }, (_, i) => 6 + i)
    const reasons = (trip_cost: number | null) => [
      ...new Set(stocks.map((stock) => goes(route([0, 0, stock, 20], trip_cost))[2]!.join(' '))),
    ]
    expect(reasons(6000)).toEqual(['true due', 'true joins', 'false not_due'])
    expect(reasons(null)).toEqual(['true due', 'false not_due'])
  })

  test('a trip that costs more than everything it could bring is never due, and the plan says how much is missing', () => {
    const { trips } = tripsOf(inputOf(route([0, 0, 0], 100_000_000)), 7)
    expect(trips.trips).toEqual([])
    expect(trips.waiting).toHaveLength(3)
    for (const { visit, nextDate } of trips.waiting) {
      expect(nextDate).toBeNull()
      expect(visit.lossByWaitingFen).toBeGreaterThan(0)
    }
  })

  test('over a quarter, trips that cost four times as much are fewer, on random routes', () => {
    const quarters = fc.record({
      stocks: fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 2, maxLength: 6 }),
      perDay: fc.array(fc.constantFrom(1, 2, 3, 4), { minLength: 6, maxLength: 6 }),
      tripCost: fc.constantFrom(1000, 2000, 3000, 5000),
    })
    const counts = fc.sample(quarters, { numRuns: QUARTERS, seed: 8 }).map(({ stocks, perDay, tripCost }) => {
      const tripsIn = (trip_cost: number) => {
        const own = route(stocks, trip_cost)
        const machines = own.machines.map((machine, m) => ({
          ...machine,
          slots: machine.slots.map((each, k) => ({ ...each, perDay: perDay[(m + k) % 6]! })),
        }))
        return tripsOf(inputOf({ ...own, machines } as RandomRoute), 90).trips.trips.length
      }
      return [tripsIn(tripCost), tripsIn(4 * tripCost)] as const
    })
    const total = (of: 0 | 1) => counts.reduce((sum, pair) => sum + pair[of], 0)
    expect(total(1)).toBeGreaterThan(0)
    expect(total(1)).toBeLessThan(total(0))
    expect(counts.filter(([cheap, dear]) => dear < cheap).length).toBeGreaterThan((QUARTERS * 5) / 6)
  })

  test('two areas of one day become one trip where that saves distance, within a working day', () => {
    const depot = { latitude: 31.2, longitude: 121.4 }
    const both = {
      ...route([0, 0], 2000),
      driving: { kmCostFen: 0, depot, stopMinutes: 10 },
    }
    const machines = both.machines.map((each, m) => ({ ...each, area: m === 0 ? 'north' : ('south' as const) }))
    const { trips } = tripsOf(inputOf({ ...both, machines } as RandomRoute), 1)
    expect(trips.trips.map(({ areas }) => areas)).toEqual([['north', 'south']])
    const short = { ...both.driving, maxMinutes: 30 }
    const apart = tripsOf(inputOf({ ...both, machines, driving: short } as RandomRoute), 1).trips
    expect(apart.trips.every(({ areas }) => areas.length === 1)).toBe(true)
  })
})

test('sites and areas: address and city decide, however they are written; without them a machine stands alone', () => {
  expect(placeOf('a', { city: 'Shanghai', address: ' Nanjing  Road 1' })).toEqual(
    placeOf('b', { city: 'Shanghai', address: 'nanjing road 1' }),
  )
  expect(placeOf('a', {})).toEqual({ area: '', site: 'a', geo: undefined })
  expect(placeOf('a', { city: '上海', area: ' 浦东 ' })).toMatchObject({ area: '浦东', site: 'a' })
})
