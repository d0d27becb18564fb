/** One stock per slot: what the machine's page shows and what the plan counts with are the same number. */
import { describe, expect, test } from 'vitest'
import { MINUTE, SECOND } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import { machineSlot, trade } from '../support/scripted-vendors.ts'
import type { Json, Service } from '../support/service.ts'
import {
  COLA,
  create,
  entryOf,
  inFull,
  MACHINE,
  place,
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

const sellCola = async (service: Service, units: number): Promise<void> => {
  const sold = { vendorSku: 'G-1', priceFen: fen(300), costFen: null, status: 'paid' } as const
  for (let i = 0; i < units; i++)
    service.machine.trades.push(
      trade(`sold-${service.machine.trades.length}`, service.clock.now(), { locationId: MACHINE, lines: [sold] }),
    )
  service.clock.advance(MINUTE)
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

  test('a read changes no stock: only a sync takes over what the machine says', async () => {
    const service = await startRoute()
    count(service, 1)
    service.clock.advance(MINUTE)
    expect(await both(service)).toEqual([1, 2])
    expect(await stockOf(service, 'G-1')).toBe(2)
    await sync(service)
    expect(await both(service)).toEqual([1, 1])
  })

  test('4.3 a receipt stands while the machine reports what it reported before, and a sync brings no news', async () => {
    const service = await startRoute()
    const ordered = await placed(service)
    await receive(service, ordered.id, inFull(ordered))
    const booked = 2 + inFull(ordered)[0]!.quantity
    for (let times = 0; times < 3; times++) {
      service.clock.advance(MINUTE)
      expect(await both(service)).toEqual([booked, booked])
      await sync(service)
      expect(await both(service)).toEqual([booked, booked])
    }
    const entry = entryOf(await plan(service), slotOf(COLA))
    expect(entry).toMatchObject({ reported_stock: 2, recommendation: { action: 'watch' } })
    expect(entry.received_at, 'a receipt is no count').toBeDefined()
    expect(entry).not.toHaveProperty('counted_at')
  })

  test('a fall lowers what was received, a rise replaces it', async () => {
    const service = await startRoute()
    const ordered = await placed(service)
    await receive(service, ordered.id, inFull(ordered))
    const booked = 2 + inFull(ordered)[0]!.quantity
    await sellCola(service, 1)
    count(service, 1)
    await sync(service)
    expect(await both(service)).toEqual([booked - 1, booked - 1])
    await sync(service)
    expect(await both(service)).toEqual([booked - 1, booked - 1])
    count(service, 8)
    expect(await both(service), 'the next sync takes it over').toEqual([8, booked - 1])
    await sync(service)
    expect(await both(service)).toEqual([8, 8])
  })

  test('a fall that nobody bought replaces what was received, once the ledger was read past it', async () => {
    const service = await startRoute()
    const ordered = await placed(service)
    await receive(service, ordered.id, inFull(ordered))
    const booked = 2 + inFull(ordered)[0]!.quantity
    count(service, 1)
    await sync(service)
    expect(await both(service)).toEqual([booked - 1, booked - 1])
    service.clock.advance(MINUTE)
    await sync(service)
    expect(await both(service)).toEqual([1, 1])
  })

  test('a machine that says 0 and never learns of refills: the sales lower what was received', async () => {
    const service = await startRoute()
    count(service, 0)
    await sync(service)
    const ordered = await placed(service)
    await receive(service, ordered.id, inFull(ordered))
    const booked = inFull(ordered)[0]!.quantity
    service.clock.advance(MINUTE)
    await sellCola(service, 3)
    await sync(service)
    expect(await both(service)).toEqual([booked - 3, booked - 3])
    await sellCola(service, 2)
    await sync(service)
    expect(await both(service)).toEqual([booked - 5, booked - 5])
    count(service, 4)
    await sync(service)
    expect(await both(service)).toEqual([4, 4])
  })

  test('2.4 three runs in two minutes: what was received is not ordered again, and guesses no larger slot', async () => {
    const service = await startRoute()
    const quantities: number[] = []
    for (let times = 0; times < 3; times++) {
      const { body: made } = await create(service)
      quantities.push(made.line_items.length)
      if (made.status !== 'nothing_to_do') {
        const ordered = (await place(service, made.id)).body
        expect((await receive(service, made.id, inFull(ordered))).status).toBe(200)
      }
      service.clock.advance(20_000)
      await onThePage(service)
      await sync(service)
      const body = await plan(service)
      expect(body.plans.filter(({ recommendation }: Json) => recommendation.action === 'order')).toEqual([])
    }
    expect(quantities).toEqual([2, 0, 0])
  })

  test('a level above an inferred capacity proves it wrong, a counted one stays; products that no sync has read wait for one', async () => {
    const service = await startRoute()
    await setCapacity(service, 'G-1', 5)
    count(service, 9)
    service.machine.slotsByMachine[MACHINE]!.push(machineSlot('G-9', { stock: 4 }))
    expect(await onThePage(service)).toBe(9)
    expect(entryOf(await plan(service), `${MACHINE}-G-9`)).toBeUndefined()
    await sync(service)
    expect(await both(service)).toEqual([9, 9])
    expect(entryOf(await plan(service), slotOf(COLA))).toMatchObject({ stock: 9, capacity: 5 })
    await service.ctx.store.db.updateTable('slot').set({ capacity_source: 'inferred' }).execute()
    count(service, 10)
    await sync(service)
    expect(entryOf(await plan(service), slotOf(COLA))).toMatchObject({ stock: 10, capacity: null })
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
    await service.put(`/locations/${MACHINE}/slots/${slotOf(COLA)}`, { stock: 7, confirm_count: true })
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

    // What it counted later: 2 fewer than before are 2 fewer, one more is news.
    countedBy(5, service.clock.now())
    await sync(service)
    expect(await inPlan()).toMatchObject({ ...counted, stock: 5 })
    countedBy(6, service.clock.now())
    await sync(service)
    const later = await inventory()
    expect(later.stock).toBe(6)
    expect(later).not.toHaveProperty('reported_stock')
    expect(later).not.toHaveProperty('counted_at')
    expect(await inPlan()).not.toHaveProperty('counted_at')
    expect(await inPlan()).not.toHaveProperty('reported_stock')
  })
})
