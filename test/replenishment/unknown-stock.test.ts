/** Platforms that report no stock, only sometimes, or lane by lane: the level is ours, or it is unknown, never zero. */
import { describe, expect, test } from 'vitest'
import { HOUR, MINUTE, SECOND } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import type { MachineSlot } from '../../src/vendors/machine-vendor.ts'
import { machineSlot, trade } from '../support/scripted-vendors.ts'
import { NOW } from '../support/service.ts'
import type { Json, Service } from '../support/service.ts'
import {
  codes,
  COLA,
  create,
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
  sync,
} from './route.ts'

/** The slots of the route, with other values for cola. */
const withCola = (cola: Partial<MachineSlot>): MachineSlot[] =>
  routeSlots().map((slot) => (slot.vendorSku === 'G-1' ? { ...slot, ...cola } : slot))
const startWith = (cola: Partial<MachineSlot>) => startRoute({ slotsByMachine: { [MACHINE]: withCola(cola) } })
const report = (service: Service, cola: Partial<MachineSlot>) => {
  service.machine.slotsByMachine[MACHINE] = withCola(cola)
}

const COLA_SLOT = `/locations/${MACHINE}/slots/${slotOf(COLA)}`
const count = (service: Service, stock: number) => service.put(COLA_SLOT, { stock })
const inventory = async (service: Service): Promise<Json> => {
  const filters = { namespace: 'acme-machine', location: MACHINE }
  const { body } = await service.post('/catalog/search', { filters, pagination: { limit: 50 } })
  return body.products.find(({ id }: Json) => id === COLA).variants[0]
}
/** On the machine's page and in the plan. */
const both = async (service: Service) => {
  const { stock, stock_source } = (await inventory(service)).inventory
  return [stock, stock_source, entryOf(await plan(service), slotOf(COLA))?.stock]
}

let sold = 0
async function sell(service: Service, units: number, at = service.clock.now()): Promise<void> {
  for (let i = 0; i < units; i += 1)
    service.machine.trades.push(
      trade(`sold-${(sold += 1)}`, at, {
        locationId: MACHINE,
        lines: [{ vendorSku: 'G-1', priceFen: fen(300), costFen: null, status: 'paid' }],
      }),
    )
  service.clock.advance(MINUTE)
  await service.job('poll-ledger')
}

describe('a platform that reports no stock', () => {
  test('the stock is unknown: null on the slot, and the slot is left out of the plan with stock_unknown', async () => {
    const service = await startWith({ stock: null })
    const variant = await inventory(service)
    expect(variant.inventory).toMatchObject({ stock: null, stock_source: 'unknown' })
    expect(variant.availability).toBeUndefined()
    const body = await plan(service)
    expect(entryOf(body, slotOf(COLA))).toBeUndefined()
    expect(body.plans).toHaveLength(2)
    expect(body.messages).toMatchObject([
      { type: 'warning', code: 'stock_unknown', params: { slots: 1 } },
      { type: 'info', code: 'dead_stock' },
    ])
    expect(body.visits).toMatchObject([{ unknown_slots: 1 }])
    const made = await create(service)
    expect(inFull(made.body).map(({ slot_id }) => slot_id)).not.toContain(slotOf(COLA))
    expect(codes(made.body)).toContain('stock_unknown')
  })

  test('a count starts the book: paid sales since are subtracted, never below 0, and both show the same', async () => {
    const service = await startWith({ stock: null })
    const counted = await count(service, 5)
    expect(counted.body.inventory).toMatchObject({ stock: 5, stock_source: 'kept' })
    expect(await both(service)).toEqual([5, 'kept', 5])
    await sell(service, 2)
    expect(await both(service)).toEqual([3, 'kept', 3])
    await sync(service)
    expect(await both(service)).toEqual([3, 'kept', 3])
    await sell(service, 9)
    expect(await both(service)).toEqual([0, 'kept', 0])
    expect(codes(await plan(service))).not.toContain('stock_unknown')
  })

  test('sales of before the count do not count, however late they are listed; refunds count back', async () => {
    const service = await startWith({ stock: null })
    const before = service.clock.now()
    service.clock.advance(HOUR)
    await count(service, 5)
    await sell(service, 2, before)
    expect(await both(service)).toEqual([5, 'kept', 5])
    await sell(service, 1)
    expect(await both(service)).toEqual([4, 'kept', 4])
    const last = service.machine.trades.at(-1)!
    service.machine.trades.splice(-1, 1, {
      ...last,
      lines: last.lines.map((line) => ({ ...line, status: 'refunded' as const })),
    })
    service.clock.advance(MINUTE)
    await service.job('poll-ledger')
    expect(await both(service)).toEqual([5, 'kept', 5])
  })

  test('3.2 receiving a run raises the kept level, up to a known capacity', async () => {
    const service = await startWith({ stock: null })
    await count(service, 2)
    const ordered = await placed(service)
    const [line] = inFull(ordered)
    expect(line?.slot_id).toBe(slotOf(COLA))
    service.clock.advance(MINUTE)
    await receive(service, ordered.id, inFull(ordered))
    const raised = 2 + line!.quantity
    expect(await both(service)).toEqual([raised, 'kept', raised])
    service.clock.advance(MINUTE)
    await sell(service, 1)
    expect(await both(service)).toEqual([raised - 1, 'kept', raised - 1])
    await setCapacity(service, 'G-1', 4)
    expect(await both(service)).toEqual([3, 'kept', 3])
  })

  test('a sale listed after a receipt that followed it is subtracted before the receipt was added', async () => {
    const service = await startWith({ stock: null })
    await count(service, 2)
    service.clock.advance(MINUTE)
    const early = service.clock.now()
    const ordered = await placed(service)
    service.clock.advance(MINUTE)
    const quantity = inFull(ordered)[0]!.quantity
    await receive(service, ordered.id, inFull(ordered))
    // Five sales, but only two could come out of the slot before it was refilled.
    await sell(service, 5, early)
    expect(await both(service)).toEqual([quantity, 'kept', quantity])
  })

  test('a second count replaces the first; each is an event with the level before', async () => {
    const service = await startWith({ stock: null })
    await count(service, 5)
    await sell(service, 2)
    await count(service, 8)
    expect(await both(service)).toEqual([8, 'kept', 8])
    const events = (await service.events('location')).filter(({ code }: Json) => code === 'slot_counted')
    expect(events.map(({ summary, reasoning }: Json) => [summary, reasoning])).toEqual([
      [`可乐 counted in Hall ${MACHINE} (${MACHINE}): 8`, 'Stock before the count: 3.'],
      [`可乐 counted in Hall ${MACHINE} (${MACHINE}): 5`, 'Stock before the count: unknown.'],
    ])
  })

  test('4.3 a search by item finds the machine while the kept level is above 0', async () => {
    const service = await startWith({ stock: null })
    const found = async () =>
      (await service.post('/locations/search', { filters: { items: [{ id: COLA }] } })).body.locations.length
    expect(await found()).toBe(0)
    await count(service, 1)
    expect(await found()).toBe(1)
    await sell(service, 1)
    expect(await found()).toBe(0)
  })

  test('when the platform reports it again, that counts; when it stops, the last report starts the book', async () => {
    const service = await startWith({ stock: 9 })
    expect(await both(service)).toEqual([9, 'told', 9])
    report(service, { stock: null })
    await sync(service)
    expect(await both(service)).toEqual([9, 'kept', 9])
    await sell(service, 4)
    expect(await both(service)).toEqual([5, 'kept', 5])
    report(service, { stock: 7 })
    await sync(service)
    expect(await both(service)).toEqual([7, 'told', 7])
  })

  test('a product that left the machine comes back with an unknown stock', async () => {
    const service = await startWith({ stock: null })
    await count(service, 5)
    service.machine.slotsByMachine[MACHINE] = routeSlots().slice(1)
    await sync(service)
    report(service, { stock: null })
    await sync(service)
    expect(await both(service)).toEqual([null, 'unknown', undefined])
  })

  test('removing the machine removes the book', async () => {
    const service = await startWith({ stock: null })
    await count(service, 5)
    await service.call('DELETE', `/locations/${MACHINE}`)
    await service.put(`/locations/${MACHINE}`, { name: 'Hall' })
    await sync(service)
    expect(await both(service)).toEqual([null, 'unknown', undefined])
  })
})

describe('PUT /locations/{id}/slots/{slot_id} with a count', () => {
  test('a count where the platform reports stock counts until a report brings news', async () => {
    const service = await startWith({ stock: 9 })
    expect(await both(service)).toEqual([9, 'told', 9])
    service.clock.advance(SECOND)
    expect((await count(service, 4)).body.inventory).toMatchObject({ stock: 4, stock_source: 'told' })
    expect(await both(service)).toEqual([4, 'told', 4])
    // The same report again is none.
    await sync(service)
    expect(await both(service)).toEqual([4, 'told', 4])
    report(service, { stock: 10 })
    await sync(service)
    expect(await both(service)).toEqual([10, 'told', 10])
  })

  test('lock and count are independent, and may come together', async () => {
    const service = await startWith({ stock: null })
    await service.put(COLA_SLOT, { locked: true })
    expect((await count(service, 4)).body.inventory).toMatchObject({ stock: 4, locked: true })
    const together = await service.put(COLA_SLOT, { locked: false, stock: 6 })
    expect(together.body.inventory).toMatchObject({ stock: 6, locked: false })
  })

  test.for<[string, object, string]>([
    ['nothing', {}, 'missing'],
    ['a negative count', { stock: -1 }, 'invalid'],
    ['half a unit', { stock: 1.5 }, 'invalid'],
    ['a text', { stock: '4' }, 'invalid'],
  ])('%s is refused', async ([, body, code]) => {
    const service = await startWith({ stock: null })
    const answer = await service.put(COLA_SLOT, body)
    expect([answer.status, answer.body.messages[0].code]).toEqual([400, code])
    expect((await inventory(service)).inventory.stock_source).toBe('unknown')
  })
})

describe('a stock that was counted earlier', () => {
  test('a receipt after the platform’s count stays until the platform counted again', async () => {
    const service = await startWith({ stock: 2, asOf: NOW - HOUR })
    const ordered = await placed(service)
    await receive(service, ordered.id, inFull(ordered))
    const raised = 2 + inFull(ordered)[0]!.quantity
    service.clock.advance(HOUR)
    await sync(service)
    expect(await both(service)).toEqual([raised, 'told', raised])
    report(service, { stock: 3, asOf: service.clock.now() })
    service.clock.advance(HOUR)
    await sync(service)
    expect(await both(service)).toEqual([3, 'told', 3])
  })
})

describe('the capacity', () => {
  test('stated by the platform is used, in the plan as well, before an inferred one', async () => {
    const service = await startWith({ stock: 2, capacity: 6 })
    const shown = async () => [
      (await inventory(service)).inventory.capacity,
      entryOf(await plan(service), slotOf(COLA)).capacity,
    ]
    expect(await shown()).toEqual([6, 6])
    expect(entryOf(await plan(service), slotOf(COLA)).recommendation).toEqual({ action: 'order', quantity: 4 })
    report(service, { stock: 2, capacity: 8 })
    await sync(service)
    expect(await shown()).toEqual([8, 8])
    report(service, { stock: 2 })
    await sync(service)
    expect(await shown()).toEqual([null, null])
  })

  test('counted on site counts before what the platform states', async () => {
    const service = await startWith({ stock: 2 })
    await setCapacity(service, 'G-1', 5)
    report(service, { stock: 2, capacity: 8 })
    await sync(service)
    expect((await inventory(service)).inventory.capacity).toBe(5)
  })
})

describe('lanes', () => {
  const LANES = [
    { code: '11', priceFen: fen(300), stock: 3, capacity: 8 },
    { code: '12', priceFen: fen(350), stock: 4, capacity: 8 },
  ]
  const CNY = (amount: number) => ({ amount, currency: 'CNY' })

  test('are shown on the slot', async () => {
    const service = await startWith({ stock: 7, lanes: LANES })
    const shown = [
      { code: '11', price: CNY(300), stock: 3, capacity: 8 },
      { code: '12', price: CNY(350), stock: 4, capacity: 8 },
    ]
    expect((await inventory(service)).inventory).toMatchObject({ stock: 7, capacity: 16, lanes: shown })
    expect((await service.put(COLA_SLOT, { locked: true })).body.inventory.lanes).toEqual(shown)
  })

  test('of one product that is listed several times are added up; one unknown makes the sum unknown', async () => {
    const service = await startWith({})
    const [cola, ...others] = withCola({ stock: 3, capacity: 8 })
    service.machine.slotsByMachine[MACHINE] = [cola!, { ...cola!, stock: 4, priceFen: fen(350) }, ...others]
    await sync(service)
    expect(await both(service)).toEqual([7, 'told', 7])
    expect((await inventory(service)).inventory).toMatchObject({
      capacity: 16,
      lanes: [
        { price: CNY(300), stock: 3 },
        { price: CNY(350), stock: 4 },
      ],
    })
    service.machine.slotsByMachine[MACHINE] = [cola!, { ...machineSlot('G-1'), stock: null }, ...others]
    service.clock.advance(HOUR)
    await sync(service)
    expect((await inventory(service)).inventory).toMatchObject({ stock_source: 'kept', lanes: [{}, { stock: null }] })
  })
})
