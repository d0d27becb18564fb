import { describe, expect, test } from 'vitest'
import { DAY, MINUTE } from '../../src/kernel/clock.ts'
import { addKey } from '../people/keys.ts'
import { codes } from '../replenishment/route.ts'
import type { Json, Service } from '../support/service.ts'
import { NOW } from '../support/service.ts'
import { collect, startCounting } from './machines.ts'

const cash = async (service: Service, query = ''): Promise<Json> => (await service.get(`/cash${query}`)).body
const machineIn = (body: Json, location: string): Json =>
  body.machines.find((machine: Json) => machine.location === location)

describe('GET /cash', () => {
  test('compares each collection with the counters since the one before', async () => {
    const { service, clock, count } = await startCounting()
    await count('M1', -60, 0, [[-60, 0]])
    expect((await cash(service)).machines).toMatchObject([{ location: 'M1', expected: null, last_collected_at: null }])
    await collect(service, 'M1', 900, { bag: 'A' })
    clock.advance(10 * MINUTE)
    await count('M1', -60, 10, [
      [-30, 4000],
      [5, 1000],
      [10, 250],
    ])
    expect(machineIn(await cash(service), 'M1')).toMatchObject({ expected: 1250, amount: 900, difference: null })
    await collect(service, 'M1', 1200, { bag: 'B' })
    clock.advance(10 * MINUTE)
    await count('M1', -60, 20, [
      [5, 1000],
      [10, 250],
      [20, 300],
    ])
    const body = await cash(service)
    expect(body.currency).toBe('CNY')
    expect(machineIn(body, 'M1')).toMatchObject({
      name: 'Hall M1',
      expected: 300,
      amount: 1200,
      difference: -50,
      running_difference: -50,
    })
    expect(body.collections).toMatchObject([
      { location: 'M1', name: 'Hall M1', amount: 1200, bag: 'B', expected: 1250, difference: -50 },
      { location: 'M1', amount: 900, bag: 'A', expected: null, difference: null },
    ])
  })

  test('a machine that counts nothing is expected to hold nothing known, and is listed once it was collected', async () => {
    const { service, count } = await startCounting()
    await count('M1', -60, 0, [[-60, 0]])
    expect((await cash(service)).machines.map(({ location }: Json) => location)).toEqual(['M1'])
    await collect(service, 'M3', 500)
    await collect(service, 'M3', 700)
    expect(machineIn(await cash(service), 'M3')).toMatchObject({ expected: null, amount: 700, difference: null })
    expect((await cash(service, '?location=M2')).machines).toMatchObject([{ location: 'M2', running_difference: 0 }])
  })

  test('a counter that was reset, a gap, or counters that began later make what is expected unknown', async () => {
    const { service, clock, count } = await startCounting()
    for (const id of ['M1', 'M2', 'M3']) await collect(service, id, 100)
    clock.advance(30 * MINUTE)
    // A reset in the middle; known from after the collection on; known before and again after, but not between.
    await count('M1', -60, 20, [
      [5, 1000],
      [10, null],
      [20, 300],
    ])
    await count('M2', 1, 20, [[10, 500]])
    await count('M3', -60, 2, [[1, 50]])
    await count('M3', 10, 20, [[15, 70]])
    const { machines } = await cash(service)
    expect(machines.map(({ location, expected }: Json) => [location, expected]).toSorted()).toEqual([
      ['M1', null],
      ['M2', null],
      ['M3', null],
    ])
    for (const id of ['M1', 'M2', 'M3']) await collect(service, id, 100)
    clock.advance(30 * MINUTE)
    for (const id of ['M1', 'M2', 'M3']) await count(id, 20, 60, [[45, 80]])
    expect((await cash(service)).machines.map(({ expected }: Json) => expected)).toEqual([80, 80, 80])
  })

  test('a reading that arrives late counts for the collection it was before', async () => {
    const { service, clock, count } = await startCounting()
    await collect(service, 'M1', 100)
    clock.advance(20 * MINUTE)
    await collect(service, 'M1', 1000)
    expect((await cash(service)).collections[0]).toMatchObject({ expected: null })
    clock.advance(20 * MINUTE)
    await count('M1', -5, 40, [
      [15, 990],
      [30, 60],
    ])
    const body = await cash(service)
    expect(body.collections[0]).toMatchObject({ expected: 990, difference: 10 })
    expect(machineIn(body, 'M1').expected).toBe(60)
  })

  test('what is undone was never collected', async () => {
    const { service, clock, count } = await startCounting()
    await collect(service, 'M1', 100)
    clock.advance(5 * MINUTE)
    await count('M1', -5, 5, [[4, 40]])
    const { body } = await collect(service, 'M1', 40)
    await service.post(`/locations/M1/service/${body.service.id}/undo`)
    const after = await cash(service)
    expect(after.collections).toHaveLength(1)
    expect(machineIn(after, 'M1')).toMatchObject({ expected: 40, amount: 100 })
  })

  test('the running difference is of 90 days, and collections come in pages', async () => {
    const { service, clock, count } = await startCounting()
    await collect(service, 'M1', 100)
    for (const [day, amount] of [
      [1, 70],
      [50, 130],
      [100, 90],
    ] as const) {
      clock.set(NOW + day * DAY)
      const minute = day * 24 * 60
      await count('M1', -5, minute, [
        [24 * 60, 100],
        ...(day >= 50 ? ([[50 * 24 * 60, 100]] as const) : []),
        ...(day >= 100 ? ([[100 * 24 * 60, 100]] as const) : []),
      ])
      await collect(service, 'M1', amount)
    }
    const first = await cash(service, '?limit=3')
    expect(machineIn(first, 'M1')).toMatchObject({ difference: -10, running_difference: 20 })
    expect(first.collections.map(({ difference }: Json) => difference)).toEqual([-10, 30, -30])
    const second = await cash(service, `?limit=3&cursor=${first.pagination.cursor}`)
    expect(second.collections.map(({ amount }: Json) => amount)).toEqual([100])
    expect(second.pagination).toEqual({ has_next_page: false })
  })

  test('is for owner and operator; an unknown machine and a foreign cursor are refused', async () => {
    const { service } = await startCounting()
    const statusOf = async (role: 'owner' | 'operator' | 'driver' | 'viewer' | 'bridge') =>
      (await service.get('/cash', { token: (await addKey(service, role)).key })).status
    const roles = ['owner', 'operator', 'driver', 'viewer', 'bridge'] as const
    expect(await Promise.all(roles.map(statusOf))).toEqual([200, 200, 403, 403, 403])
    const unknown = await service.get('/cash?location=M9')
    expect([unknown.status, codes(unknown.body)]).toEqual([404, ['not_found']])
    expect((await service.get('/cash?cursor=xyz')).status).toBe(400)
  })
})
