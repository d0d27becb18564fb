/** One stock per slot: what the machine's page shows and what the plan counts with are the same number. */
import { describe, expect, test } from 'vitest'
import { MINUTE, SECOND } from '../../src/kernel/clock.ts'
import { machineSlot } from '../support/scripted-vendors.ts'
import type { Json, Service } from '../support/service.ts'
import {
  COLA,
  entryOf,
  inFull,
  MACHINE,
  placed,
  plan,
  receive,
  setCapacity,
  routeSlots,
  slotOf,
  startRoute,
  stockOf,
  sync,
} from './route.ts'

const onThePage = async (service: Service): Promise<number> => {
  const filters = { namespace: 'acme-machine', location: MACHINE }
  const { body } = await service.post('/catalog/search', { filters, pagination: { limit: 50 } })
  return body.products.find(({ id }: Json) => id === COLA).variants[0].inventory.stock
}
const inThePlan = async (service: Service): Promise<number> => entryOf(await plan(service), slotOf(COLA)).stock
const both = async (service: Service) => [await onThePage(service), await inThePlan(service)]

/** The machine counts this much cola from now on. */
const count = (service: Service, stock: number) => {
  service.machine.slotsByMachine[MACHINE] = routeSlots().map((slot) =>
    slot.vendorSku === 'G-1' ? { ...slot, stock } : slot,
  )
}

describe('2.4 inventory of a slot', () => {
  test('after a receipt both show the booked level, though the machine was read just before', async () => {
    const service = await startRoute()
    const ordered = await placed(service)
    expect(await both(service)).toEqual([2, 2])
    service.clock.advance(SECOND)
    await receive(service, ordered.id, inFull(ordered))
    const booked = 2 + inFull(ordered)[0]!.quantity
    expect(await both(service)).toEqual([booked, booked])
  })

  test('a reading that is newer wins, in the plan as well, without a sync', async () => {
    const service = await startRoute()
    const ordered = await placed(service)
    await receive(service, ordered.id, inFull(ordered))
    count(service, 11)
    service.clock.advance(MINUTE)
    expect(await both(service)).toEqual([11, 11])
    expect(await stockOf(service, 'G-1')).toBe(11)
    await sync(service)
    expect(await both(service)).toEqual([11, 11])
  })

  test('what was sold since the last sync is seen by both', async () => {
    const service = await startRoute()
    count(service, 1)
    service.clock.advance(MINUTE)
    expect(await both(service)).toEqual([1, 1])
    const log = await service.ctx.store.db
      .selectFrom('stock_log')
      .select(['stock', 'source'])
      .where('vendor_sku', '=', 'G-1')
      .orderBy('at')
      .execute()
    expect(log).toEqual([
      { stock: 2, source: 'sync' },
      { stock: 1, source: 'sync' },
    ])
  })

  test('a level above an inferred capacity proves it wrong, a counted one stays; products that no sync has read wait for one', async () => {
    const service = await startRoute()
    await setCapacity(service, 'G-1', 5)
    count(service, 9)
    service.machine.slotsByMachine[MACHINE]!.push(machineSlot('G-9', { stock: 4 }))
    service.clock.advance(MINUTE)
    expect(await both(service)).toEqual([9, 9])
    expect(entryOf(await plan(service), slotOf(COLA))).toMatchObject({ stock: 9, capacity: 5 })
    await service.ctx.store.db.updateTable('slot').set({ capacity_source: 'inferred' }).execute()
    count(service, 10)
    service.clock.advance(MINUTE)
    await onThePage(service)
    expect(entryOf(await plan(service), slotOf(COLA))).toMatchObject({ stock: 10, capacity: null })
    expect(entryOf(await plan(service), `${MACHINE}-G-9`)).toBeUndefined()
  })

  test('a count of ours stands beside what the machine says, until the machine has counted later', async () => {
    const service = await startRoute()
    const inventory = async (): Promise<Json> => {
      const filters = { namespace: 'acme-machine', location: MACHINE }
      const { body } = await service.post('/catalog/search', { filters, pagination: { limit: 50 } })
      return body.products.find(({ id }: Json) => id === COLA).variants[0].inventory
    }
    /** The machine last counted at this instant, however often it is read. */
    const countedBy = (stock: number, asOf: number) => {
      service.machine.slotsByMachine[MACHINE] = routeSlots().map((slot) =>
        slot.vendorSku === 'G-1' ? { ...slot, stock, asOf } : slot,
      )
    }
    expect(await inventory()).not.toHaveProperty('counted_at')
    countedBy(2, service.clock.now() - MINUTE)
    await service.put(`/locations/${MACHINE}/slots/${slotOf(COLA)}`, { stock: 7 })
    service.clock.advance(MINUTE)
    expect(await inventory()).toMatchObject({
      stock: 7,
      counted_at: '2026-09-10T08:01:00.000+08:00',
      reported_stock: 2,
    })
    expect(await both(service)).toEqual([7, 7])
    const inPlan = async () => entryOf(await plan(service), slotOf(COLA))
    const counted = { stock: 7, counted_at: '2026-09-10T08:01:00.000+08:00' }
    expect(await inPlan()).toMatchObject({ ...counted, reported_stock: 2 })
    // A sync reads it again; the count stays, and what the machine says now is shown beside it.
    countedBy(3, service.clock.now() - 2 * MINUTE)
    await service.post('/locations/sync')
    expect(await inPlan()).toMatchObject({ ...counted, reported_stock: 3 })
    countedBy(7, service.clock.now() - 2 * MINUTE)
    await service.post('/locations/sync')
    expect(await inPlan()).toMatchObject(counted)
    expect(await inPlan()).not.toHaveProperty('reported_stock')

    countedBy(6, service.clock.now())
    service.clock.advance(MINUTE)
    const later = await inventory()
    expect(later.stock).toBe(6)
    expect(later).not.toHaveProperty('reported_stock')
    expect(later).not.toHaveProperty('counted_at')
    expect(await inPlan()).not.toHaveProperty('counted_at')
    expect(await inPlan()).not.toHaveProperty('reported_stock')
  })
})
