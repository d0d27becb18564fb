/** Trips through the service: which machines go together, and runs for an area or chosen machines. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DEFAULT_PLAN_PARAMS } from '../../src/kernel/plan-params.ts'
import { fen } from '../../src/kernel/fen.ts'
import { machineSlot } from '../support/scripted-vendors.ts'
import type { Json, Service } from '../support/service.ts'
import { codes, plan, salesOf, startRoute, sync } from './route.ts'

const PLACES: Readonly<Record<string, Json>> = {
  M1: { profile: { city: '上海', address: 'Road 1' }, geo: { latitude: 31.23, longitude: 121.47 } },
  M2: { profile: { city: '上海', address: 'road  1' }, geo: { latitude: 31.23, longitude: 121.47 } },
  M3: { profile: { city: '上海', address: 'Road 9' }, geo: { latitude: 31.2, longitude: 121.4 } },
  M4: { profile: { city: '苏州', address: 'Lane 4' }, area: '园区' },
}

/** Two machines at one address and one elsewhere in Shanghai, and a full one in Suzhou. */
async function startTrips(params: object = { trip_cost: 3000, stop_cost: 500 }): Promise<Service> {
  const slots = (stock: number) =>
    ['G-1', 'G-2'].map((sku) => machineSlot(sku, { title: sku, priceFen: fen(500), stock, capacity: 20 }))
  const service = await startRoute({
    slotsByMachine: { M1: slots(0), M2: slots(12), M3: slots(0), M4: slots(20) },
    trades: Object.keys(PLACES).flatMap((location) =>
      ['G-1', 'G-2'].flatMap((vendorSku) => salesOf({ location, vendorSku, perDay: 4 })),
    ),
    config: { planParams: { ...DEFAULT_PLAN_PARAMS, ...params } },
  })
  for (const [id, place] of Object.entries(PLACES)) {
    const saved = await service.put(`/locations/${id}`, { name: id, ...place })
    expect([saved.status, saved.body.location.geo, saved.body.location.area]).toEqual([200, place.geo, place.area])
  }
  return service
}
const trips = async (service: Service, query = '') => (await service.get(`/replenishment/trips${query}`)).body
const machinesOf = (trip: Json): string[] =>
  trip.stops.flatMap(({ locations }: Json) => locations.map(({ location }: Json) => location))

describe('4.7 trips', () => {
  test('machines of one address are one stop, areas are apart, and who does not go waits with a reason', async () => {
    const service = await startTrips()
    const body = await trips(service, '?days=1')
    expect(body.params).toMatchObject({ trip_cost: 3000, stop_cost: 500, days: 1 })
    expect(body.trips).toHaveLength(1)
    const [trip] = body.trips
    expect(trip).toMatchObject({ firm: true, area: '上海', date: '2026-09-10', arrives_on: '2026-09-12' })
    // An empty machine misses 8 sales a day with a margin of 225, of which 60 % are lost; a trip goes every third day.
    expect(trip.stops[0].locations).toMatchObject([
      { location: 'M3', waiting: 1080, waiting_until_next: 3 * 1080, rhythm_days: 3 },
    ])
    const { visits } = await plan(service)
    const going = visits.filter(({ go }: Json) => go)
    const sum = (member: string) => going.reduce((total: number, visit: Json) => total + visit[member], 0)
    expect(trip.due_because.waiting).toBe(sum('waiting'))
    expect(Math.abs(trip.due_because.worth - (sum('worth') + 3000 / 3))).toBeLessThanOrEqual(2)
    // A stop costs 500: M1 shares it with M2, M3 bears it alone, each once per rhythm.
    const [first, , third] = going
    expect([first, third]).toMatchObject([{ rhythm_days: 3 }, { rhythm_days: 3 }])
    expect(third.worth - first.worth).toBe(Math.round(250 / 3))
    expect(trip.stops).toHaveLength(2)
    expect(machinesOf(trip).toSorted()).toEqual(['M1', 'M2', 'M3'])
    expect(trip.driving).toMatchObject({ cost: 4000, distance_m: expect.any(Number) })
    expect(body.waiting.map(({ location, why }: Json) => [location, why])).toEqual([['M4', 'not_due']])
    expect(await trips(service, '?days=1')).toEqual(body)
  })

  test('the trips of today are what a run created now visits, in the same order, whatever the machines hold', async () => {
    const service = await startTrips()
    const stocks = fc.array(fc.constantFrom(0, 0, 2, 6, 12, 20), { minLength: 8, maxLength: 8 })
    const visited = new Set<string>()
    for (const levels of [[0, 0, 12, 12, 0, 0, 20, 20], ...fc.sample(stocks, { numRuns: 4, seed: 12 })]) {
      Object.values(service.machine.slotsByMachine).forEach((slots, m) =>
        slots.forEach((slot, k) => Object.assign(slot, { stock: levels[2 * m + k] })),
      )
      await sync(service)
      const { trips: planned } = await trips(service, '?days=1')
      expect((await trips(service, '?days=1')).trips).toEqual(planned)
      const { body } = await service.post('/replenishment/runs')
      const stops = body.fulfillment?.expectations ?? []
      expect(stops.map(({ id }: Json) => id.replace('visit-', ''))).toEqual(planned.flatMap(machinesOf))
      expect(stops.map(({ sequence }: Json) => sequence)).toEqual(stops.map((_: Json, i: number) => i + 1))
      expect(stops.every(({ fulfillable_on: on }: Json) => typeof on === 'string')).toBe(true)
      for (const [m, location] of Object.keys(PLACES).entries()) {
        const lines = body.line_items.filter((line: Json) => line.location === location)
        const loads = planned.flatMap(({ stops: own }: Json) =>
          own.flatMap(({ locations }: Json) => locations.filter((each: Json) => each.location === location)),
        )
        expect(lines.reduce((total: number, { quantity }: Json) => total + quantity.total, 0)).toBe(loads[0]?.load ?? 0)
        if (lines.length > 0) visited.add(`${m}`)
      }
      if (body.status !== 'nothing_to_do') await service.post(`/replenishment/runs/${body.id}/cancel`)
    }
    expect(visited.size).toBe(4)
  })

  test('the days ahead are a forecast, and say when a waiting machine is visited', async () => {
    const service = await startTrips()
    const body = await trips(service, '?days=14')
    expect(body.trips.filter(({ firm }: Json) => firm)).toHaveLength(1)
    expect(body.trips.length).toBeGreaterThan(1)
    const dates = body.trips.map(({ date }: Json) => date)
    expect(dates).toEqual(dates.toSorted())
    expect(body.waiting[0]).toMatchObject({ location: 'M4', next_due_on: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) })
    expect((await trips(service, `?area=${encodeURIComponent('园区')}`)).waiting).toHaveLength(1)
    expect((await service.get('/replenishment/trips?days=15')).status).toBe(400)
  })

  test('the plan names site, reason and amounts of each visit', async () => {
    const { visits } = await plan(await startTrips())
    expect(visits[0]).toMatchObject({ location: 'M1', go: true, why: 'due', site: '上海, road 1' })
    expect(visits[1].site).toBe(visits[0].site)
    expect(visits[0].waiting).toBeGreaterThan(visits[0].worth)
  })
})

test('3.2 while the emergency stop is on, trips are still worked out, and a run is blocked', async () => {
  const service = await startTrips()
  const before = await trips(service)
  await service.post('/guardrails/stop', { reason: 'test' })
  expect((await trips(service)).trips).toEqual(before.trips)
  expect((await service.post('/replenishment/runs', { area: '上海' })).body.status).toBe('blocked')
})

test('4.7 a machine that moves to another city keeps its stop in a run, and is planned where it is now', async () => {
  const service = await startTrips()
  const { body } = await service.post('/replenishment/runs', { area: '上海' })
  const { body: placed } = await service.post(`/replenishment/runs/${body.id}/place`)
  expect(placed.status).toBe('placed')
  await service.put('/locations/M1', { name: 'M1', profile: { city: '杭州', address: 'Lake 1' }, geo: null })
  const { body: run } = await service.get(`/replenishment/runs/${body.id}`)
  expect(run.fulfillment.expectations).toEqual(placed.fulfillment.expectations)
  expect((await trips(service, `?area=${encodeURIComponent('杭州')}`)).waiting).toMatchObject([
    { location: 'M1', why: 'in_transit' },
  ])
  const delivered = run.line_items
    .filter(({ location }: Json) => location === 'M1')
    .map(({ slot_id, quantity }: Json) => ({ slot_id, quantity: quantity.total }))
  const received = await service.post(`/replenishment/runs/${body.id}/visits/M1/receive`, { delivered })
  expect(received.body.visits.find(({ location }: Json) => location === 'M1').status).toBe('received')
})

describe('4.7 runs for an area or chosen machines', () => {
  const locationsOf = (body: Json) => [...new Set(body.line_items.map(({ location }: Json) => location))]

  test('of an area only its machines that are due', async () => {
    const service = await startTrips()
    const { body } = await service.post('/replenishment/runs', { area: '上海' })
    expect(locationsOf(body)).toEqual(['M1', 'M2', 'M3'])
    expect(codes(body)).not.toContain('not_due')
    expect((await service.post('/replenishment/runs', { area: 'Mars' })).status).toBe(404)
  })

  test('a machine that is not due may be chosen, and the run says so', async () => {
    const service = await startTrips({ trip_cost: 900_000, stop_cost: 500 })
    expect((await service.post('/replenishment/runs')).body.status).toBe('nothing_to_do')
    const { body } = await service.post('/replenishment/runs', { locations: ['M2'] })
    expect(locationsOf(body)).toEqual(['M2'])
    expect(codes(body)).toContain('not_due')
    expect((await service.post('/replenishment/runs', { locations: ['M2', 'M9'] })).status).toBe(404)
    expect((await service.post('/replenishment/runs', { locations: ['M2'], area: '上海' })).status).toBe(400)
  })
})

test('4.3 coordinates off the map are refused; null removes them', async () => {
  const service = await startTrips()
  for (const geo of [{ latitude: 0, longitude: 0 }, { latitude: 91, longitude: 1 }, { latitude: 1 }])
    expect((await service.put('/locations/M1', { name: 'M1', geo })).status).toBe(400)
  const { body } = await service.put('/locations/M1', { name: 'M1', geo: null, area: null })
  expect(body.location.geo).toBeUndefined()
  const [trip] = (await trips(service, '?days=1')).trips
  expect(trip.stops).toHaveLength(2)
})
