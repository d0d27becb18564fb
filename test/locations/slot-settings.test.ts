/** What an operator states about a slot: capacity, par level and position (beyond the contract). */
import { describe, expect, test } from 'vitest'
import { machineSlot } from '../support/scripted-vendors.ts'
import type { Json } from '../support/service.ts'
import { COLA, entryOf, MACHINE, plan, routeSlots, slotOf, startRoute, sync } from '../replenishment/route.ts'

const slotPath = (skuId: string) => `/locations/${MACHINE}/slots/${slotOf(skuId)}`

const inventoryOf = async (service: Awaited<ReturnType<typeof startRoute>>, skuId: string): Promise<Json> => {
  const answer = await service.post('/catalog/search', { filters: { namespace: 'acme-machine', location: MACHINE } })
  return answer.body.products.find(({ id }: Json) => id === skuId).variants[0].inventory
}

describe('4.3 capacity, par level and position of a slot', () => {
  test('are kept by a sync, and the operator is believed before the platform', async () => {
    const reported = [machineSlot('G-1', { title: '可乐', stock: 2, capacity: 9 })]
    const service = await startRoute({ slotsByMachine: { [MACHINE]: reported } })
    expect(await inventoryOf(service, COLA)).toMatchObject({ capacity: 9, capacity_source: 'told' })

    const stated = { capacity: 14, par: 10, position: { row: 'B', column: 3 } }
    const { status, body } = await service.put(slotPath(COLA), stated)
    expect([status, body.inventory]).toEqual([200, expect.objectContaining({ ...stated, capacity_source: 'counted' })])
    await sync(service)
    expect(await inventoryOf(service, COLA)).toMatchObject({ ...stated, capacity_source: 'counted' })

    const removed = await service.put(slotPath(COLA), { capacity: null, position: null })
    expect(removed.body.inventory).toMatchObject({ capacity: null, par: 10 })
    expect(removed.body.inventory).not.toHaveProperty('position')
    await sync(service)
    expect(await inventoryOf(service, COLA)).toMatchObject({ capacity: 9, capacity_source: 'told', par: 10 })
  })

  test('stay with the product while it is away from the machine', async () => {
    const service = await startRoute()
    await service.put(slotPath(COLA), { capacity: 14, par: 10 })
    const [cola, ...others] = routeSlots()
    service.machine.slotsByMachine[MACHINE] = others
    await sync(service)
    service.machine.slotsByMachine[MACHINE] = [cola!, ...others]
    await sync(service)
    expect(await inventoryOf(service, COLA)).toMatchObject({ capacity: 14, par: 10 })
  })

  test('2.8 the plan fills to the par level, and no further than the capacity', async () => {
    const service = await startRoute()
    await service.put(slotPath(COLA), { par: 8 })
    const low = entryOf(await plan(service), slotOf(COLA))
    expect(low).toMatchObject({ par: 8, target: 8, recommendation: { action: 'order', quantity: 6 } })
    await service.put(slotPath(COLA), { par: 30, capacity: 20 })
    const high = entryOf(await plan(service), slotOf(COLA))
    expect(high).toMatchObject({ par: 30, capacity: 20, target: 20, recommendation: { quantity: 18 } })
  })

  test('write one event when something changes, and none when nothing does', async () => {
    const service = await startRoute()
    const changed = async () => {
      const { body } = await service.get('/events?kind=location&limit=100')
      return body.events.filter(({ code }: Json) => code === 'slot_settings_changed')
    }
    await service.put(slotPath(COLA), { par: 8 })
    await service.put(slotPath(COLA), { par: 8 })
    expect(await changed()).toMatchObject([{ params: { slot: slotOf(COLA), par: 8, capacity: '–' } }])
  })

  test('out of range, half a position and an empty request are refused', async () => {
    const service = await startRoute()
    const refused = async (body: unknown) => (await service.put(slotPath(COLA), body)).body.messages[0]
    expect(await refused({})).toMatchObject({ code: 'missing' })
    expect(await refused({ capacity: 0 })).toMatchObject({ code: 'invalid', path: '$.capacity' })
    expect(await refused({ par: -1 })).toMatchObject({ code: 'invalid', path: '$.par' })
    expect(await refused({ par: '8' })).toMatchObject({ code: 'invalid', path: '$.par' })
    expect((await refused({ position: { row: 'A' } })).path).toMatch(/^\$\.position/)
  })

  test('go with their machine', async () => {
    const service = await startRoute()
    await service.put(slotPath(COLA), { par: 8 })
    await service.call('DELETE', `/locations/${MACHINE}`)
    expect(await service.ctx.store.db.selectFrom('slot_setting').selectAll().execute()).toEqual([])
  })
})
