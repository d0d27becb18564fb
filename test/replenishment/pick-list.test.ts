import { describe, expect, test } from 'vitest'
import { DAY, localDay } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import { bookService } from '../../src/route/locations/service/book-service.ts'
import { machineSlot, scriptedSupply, supplyProduct } from '../support/scripted-vendors.ts'
import type { Json, Service } from '../support/service.ts'
import { COLA, entryOf, inFull, place, placed, receive, salesOf, slotOf, startRoute } from './route.ts'

const MACHINES = ['M1001', 'M1002'] as const

const slots = () => [
  machineSlot('G-1', { title: '可乐', priceFen: fen(300), stock: 2, capacity: 20, barcode: '6901234567892' }),
  machineSlot('G-2', { title: '茶', priceFen: fen(500), stock: 1, capacity: 20, barcode: '6901234567908' }),
]

const startTwo = () =>
  startRoute({
    slotsByMachine: Object.fromEntries(MACHINES.map((id) => [id, slots()])),
    trades: MACHINES.flatMap((location) => [
      ...salesOf({ location, vendorSku: 'G-1', perDay: 3 }),
      ...salesOf({ location, vendorSku: 'G-2', perDay: 2 }),
    ]),
    supply: scriptedSupply([
      supplyProduct('SP1', {
        title: '可乐 330ml',
        barcode: '6901234567892',
        eachPriceFen: fen(120),
        packSize: 6,
        category: '汽水',
      }),
      supplyProduct('SP2', { title: '茶 500ml', barcode: '6901234567908', eachPriceFen: fen(200), packSize: 1 }),
    ]),
  })

const pick = async (service: Service, id: string, query = ''): Promise<Json> =>
  (await service.get(`/replenishment/runs/${id}/pick-list${query}`)).body

const unitsAt = (list: Json, location: string, skuId: string): number =>
  list.stops.find((stop: Json) => stop.location === location).lines.find(({ item }: Json) => item.id === skuId).quantity

describe('GET /replenishment/runs/{id}/pick-list', () => {
  test('lists products for the van and a tote per machine, in tour order', async () => {
    const service = await startTwo()
    const run = await placed(service)
    const list = await pick(service, run.id)
    const total = (skuId: string) =>
      run.line_items
        .filter(({ item }: Json) => item.id === skuId)
        .reduce((sum: number, { quantity }: Json) => sum + quantity.total, 0)
    expect(list).toMatchObject({ run: run.id, status: 'placed', refreshed: false })
    const [cola] = list.products
    expect(cola).toMatchObject({
      item: { id: COLA, title: '可乐' },
      category: '汽水',
      bought: total(COLA),
      units: total(COLA),
      boxes: { count: Math.floor(total(COLA) / 6), contains: 6 },
      singles: total(COLA) % 6,
      spare: 0,
      locations: [...MACHINES],
    })
    // A pack of one is not a box.
    expect(list.products[1]).not.toHaveProperty('boxes')
    expect(list.stops.map(({ sequence, location, status }: Json) => [sequence, location, status])).toEqual([
      [1, 'M1001', 'open'],
      [2, 'M1002', 'open'],
    ])
    const [line] = list.stops[0].lines
    expect(line).toMatchObject({
      slot_id: slotOf(COLA),
      expected_stock: 2,
      capacity: 20,
      last_read_at: expect.any(String),
    })
    expect(line.fill_to).toBe(Math.min(20, 2 + line.quantity))
  })

  test('refresh: units follow the present stock, the sum per product stays, the run is not changed', async () => {
    const service = await startTwo()
    const run = await placed(service)
    const before = await pick(service, run.id)
    // Meanwhile somebody filled cola in the first machine.
    await service.put(`/locations/M1001/slots/${slotOf(COLA)}`, { stock: 18, confirm_count: true })
    const fresh = await pick(service, run.id, '?refresh=true')
    expect(fresh.refreshed).toBe(true)
    expect(unitsAt(fresh, 'M1001', COLA)).toBeLessThanOrEqual(2)
    expect(unitsAt(fresh, 'M1002', COLA)).toBeGreaterThanOrEqual(unitsAt(before, 'M1002', COLA))
    const bought = (list: Json) => list.products.map((product: Json) => [product.item.id, product.bought])
    expect(bought(fresh)).toEqual(bought(before))
    for (const { bought: all, spare, item } of fresh.products)
      expect(MACHINES.reduce((sum, id) => sum + unitsAt(fresh, id, item.id), spare)).toBe(all)
    expect(await pick(service, run.id)).toMatchObject({ products: before.products })
  })

  test('a received stop shows what it got, and the van what is left', async () => {
    const service = await startTwo()
    const run = await placed(service)
    const delivered = [{ slot_id: slotOf(COLA), quantity: 1 }]
    await service.post(`/replenishment/runs/${run.id}/visits/M1001/receive`, { delivered })
    const list = await pick(service, run.id)
    expect(list.stops[0]).toMatchObject({ status: 'received', units: 1 })
    const [cola] = list.products
    expect(cola.units).toBe(unitsAt(list, 'M1002', COLA))
    expect([cola.from_storeroom, cola.from_delivery]).toEqual([0, cola.units])
    expect(cola.spare).toBe(cola.bought - 1 - unitsAt(list, 'M1002', COLA))
    expect(cola.locations).toEqual(['M1002'])
  })

  test('an unknown run: 404; a run that is not placed yet has its list, too', async () => {
    const service = await startTwo()
    expect((await service.get('/replenishment/runs/run-1/pick-list')).status).toBe(404)
    const { body } = await service.post('/replenishment/runs')
    expect((await pick(service, body.id)).units).toBeGreaterThan(0)
    await place(service, body.id)
  })
})

describe('PUT /skus/{sku_id}/shelf-life', () => {
  test('the plan fills for that time, the pick list says what is too old, and aliases share it', async () => {
    const service = await startTwo()
    const entry = async () => entryOf((await service.get('/replenishment/plan')).body, slotOf(COLA))
    const before = await entry()
    const stated = await service.put('/skus/acme-supply:SP1/shelf-life', { shelf_days: 3 })
    expect(stated.body.shelf_days).toBe(3)
    expect((await service.get(`/skus/${COLA}`)).body.shelf_days).toBe(3)
    expect((await entry()).target).toBeLessThan(before.target)
    expect((await service.events('replenishment'))[0]).toMatchObject({ code: 'shelf_life_stated', params: { days: 3 } })
    const run = await placed(service)
    const list = await pick(service, run.id)
    expect(list.products[0].shelf_days).toBe(3)
    expect(list.stops[0].lines[0].pull_if_older_than).toBe('2026-09-07')
    // What the other machine does not need is spare: split again, no slot holds more than sells while it keeps.
    await service.put(`/locations/M1001/slots/${slotOf(COLA)}`, { stock: 18, confirm_count: true })
    const { target } = entryOf((await service.get('/replenishment/plan')).body, slotOf(COLA, 'M1002'))
    const fresh = await pick(service, run.id, '?refresh=true')
    expect(unitsAt(fresh, 'M1002', COLA)).toBe(target - 2)
    expect(fresh.products[0].spare).toBe(fresh.products[0].bought - (target - 2))
    await service.put('/skus/acme-supply:SP1/shelf-life', { shelf_days: null })
    expect(unitsAt(await pick(service, run.id, '?refresh=true'), 'M1002', COLA)).toBeGreaterThan(target - 2)
    expect((await service.get(`/skus/${COLA}`)).body).not.toHaveProperty('shelf_days')
    expect((await service.put('/skus/acme-supply:NONE/shelf-life', { shelf_days: 3 })).status).toBe(404)
    expect((await service.put(`/skus/${COLA}/shelf-life`, { shelf_days: 0 })).status).toBe(400)
  })

  test('is learned from units that a driver takes out as expired, until a person states it', async () => {
    const service = await startTwo()
    const shelfLife = async () => {
      const { shelf_days, shelf_days_source } = (await service.get(`/skus/${COLA}`)).body
      return { shelf_days, shelf_days_source }
    }
    const run = await placed(service)
    expect((await receive(service, run.id, inFull(run))).status).toBe(200)
    service.clock.advance(9 * DAY)
    // Two were there before the run; the third that expires came with it.
    const expire = (quantity: number) =>
      service.post('/locations/M1001/service', { removed: [{ slot_id: slotOf(COLA), quantity, reason: 'expired' }] })
    const { id: unknown } = (await expire(2)).body.service
    expect((await service.post(`/locations/M1001/service/${unknown}/undo`)).status).toBe(200)
    expect((await shelfLife()).shelf_days).toBeUndefined()
    const { target } = entryOf((await service.get('/replenishment/plan')).body, slotOf(COLA))
    const { id } = (await expire(3)).body.service
    expect(await shelfLife()).toEqual({ shelf_days: 9, shelf_days_source: 'learned' })
    expect((await service.get('/skus/acme-supply:SP1')).body.shelf_days).toBe(9)
    // Undone, it is unlearned.
    expect((await service.post(`/locations/M1001/service/${id}/undo`)).status).toBe(200)
    expect((await shelfLife()).shelf_days).toBeUndefined()
    expect((await expire(3)).status).toBe(200)
    service.clock.advance(3 * DAY)
    expect((await expire(1)).status).toBe(200)
    expect((await shelfLife()).shelf_days).toBe(9)
    expect(entryOf((await service.get('/replenishment/plan')).body, slotOf(COLA)).target).toBeLessThanOrEqual(target)
    await service.put('/skus/acme-supply:SP1/shelf-life', { shelf_days: 30 })
    expect(await shelfLife()).toEqual({ shelf_days: 30, shelf_days_source: 'stated' })
  })
})

describe('4.7 moves between machines', () => {
  const [slow, quick] = MACHINES
  const cola = (stock: number) => machineSlot('G-1', { ...slots()[0]!, stock })
  /** Twelve colas came four days ago into a machine that sells none. */
  async function startUnsold() {
    const service = await startRoute({
      config: { hasStoreroom: true },
      slotsByMachine: { [slow]: [cola(0), slots()[1]!], [quick]: [cola(2), slots()[1]!] },
      trades: [
        ...salesOf({ location: slow, vendorSku: 'G-2', perDay: 3 }),
        ...salesOf({ location: quick, vendorSku: 'G-1', perDay: 6 }),
      ],
      supply: scriptedSupply([
        supplyProduct('SP1', { title: '可乐 330ml', barcode: '6901234567892', eachPriceFen: fen(250) }),
        supplyProduct('SP2', { title: '茶 500ml', barcode: '6901234567908', eachPriceFen: fen(200) }),
      ]),
    })
    await service.ctx.store.transaction((tx) =>
      bookService(service.ctx, tx, {
        location: slow,
        slotWorks: [{ vendorSku: 'G-1', loaded: { quantity: 12, ordered: 12 } }],
        note: undefined,
      }),
    )
    service.clock.advance(4 * DAY)
    return service
  }
  const stopOf = async (service: Service, run: Json, location: string) =>
    (await pick(service, run.id)).stops.find((stop: Json) => stop.location === location)
  const stored = async (service: Service): Promise<number> =>
    (await service.get('/storeroom')).body.products
      .filter(({ item }: Json) => item.id === 'acme-supply:SP1')
      .reduce((sum: number, { units }: Json) => sum + units, 0)
  const stockOf = async (service: Service, location: string): Promise<number> =>
    entryOf((await service.get('/replenishment/plan')).body, slotOf(COLA, location)).stock
  const lineTo = (run: Json, location: string): Json =>
    run.line_items.find(({ slot_id }: Json) => slot_id === slotOf(COLA, location))
  const at = (run: Json, location: string) => inFull(run).filter(({ slot_id }) => slot_id.startsWith(location))

  test('a visit takes out what will be too old before it is sold, for a machine that sells it, and less is bought for that one', async () => {
    const service = await startUnsold()
    // Not while nobody knows how long it keeps.
    const preview = (await service.post('/replenishment/runs?dry_run=true')).body
    const wanted = lineTo(preview, quick).quantity.total
    expect((await service.get('/earn')).body.steps.filter(({ step }: Json) => step === 'move')).toEqual([])
    await service.put('/skus/acme-supply:SP1/shelf-life', { shelf_days: 20 })
    const earn = (await service.get('/earn')).body.steps.filter(({ step }: Json) => step === 'move')
    expect(earn).toMatchObject([{ location: slow, units: expect.any(Number), to: { location: quick } }])

    const run = await placed(service)
    const { moves } = await stopOf(service, run, slow)
    const [{ quantity: moved }] = moves
    expect(moves).toEqual([
      {
        slot_id: slotOf(COLA, slow),
        item: { id: COLA, title: '可乐' },
        quantity: moved,
        to: { location: quick, name: `Hall ${quick}` },
        sell_before: localDay(service.clock.now() + 16 * DAY, 'Asia/Shanghai'),
      },
    ])
    expect(moved).toBeGreaterThan(3)
    expect(await stopOf(service, run, quick)).not.toHaveProperty('moves')
    // Bought is what the other machine needs beyond them.
    expect(lineTo(run, quick).quantity).toMatchObject({ original: wanted, total: wanted - moved })
    expect(unitsAt(await pick(service, run.id), quick, COLA)).toBe(wanted - moved)

    // First leg: the driver takes them out, and they lie in the store room for the other machine.
    const before = await stockOf(service, quick)
    const returned = [{ slot_id: slotOf(COLA, slow), quantity: moved }]
    const visit = { delivered: at(run, slow), returned }
    const first = await service.post(`/replenishment/runs/${run.id}/visits/${slow}/receive`, visit)
    expect(first.status).toBe(200)
    expect(await stockOf(service, slow)).toBe(12 - moved)
    expect(await stored(service)).toBe(wanted)
    expect(unitsAt(await pick(service, run.id), quick, COLA)).toBe(wanted)
    expect((await service.get('/earn')).body.steps.filter(({ step }: Json) => step === 'move')).toEqual([])

    // Second leg.
    const now = (await service.get(`/replenishment/runs/${run.id}`)).body
    expect(lineTo(now, quick)).toMatchObject({ quantity: { total: wanted }, from_storeroom: moved })
    const second = await service.post(`/replenishment/runs/${run.id}/visits/${quick}/receive`, {
      delivered: at(now, quick),
    })
    expect(second.body).toMatchObject({ status: 'delivered' })
    expect(second.body.messages ?? []).toEqual([])
    expect([await stockOf(service, quick), await stored(service)]).toEqual([before + wanted, 0])
    const { movements } = (await service.get('/storeroom/movements')).body
    const cola = movements.filter(({ item }: Json) => item.id === 'acme-supply:SP1')
    expect(cola.map(({ kind, units }: Json) => [kind, units]).toReversed()).toEqual([
      ['returned', moved],
      ['bought', wanted - moved],
      ['loaded', -wanted],
    ])
  })

  test('where the driver leaves them, nothing of them arrives; undone, they are not counted on either', async () => {
    const service = await startUnsold()
    await service.put('/skus/acme-supply:SP1/shelf-life', { shelf_days: 20 })
    const run = await placed(service)
    const [{ quantity: moved }] = (await stopOf(service, run, slow)).moves
    const bought = lineTo(run, quick).quantity.total
    const receiveSlow = (returned: Json[]) =>
      service.post(`/replenishment/runs/${run.id}/visits/${slow}/receive`, { delivered: at(run, slow), returned })

    const { visits } = (await receiveSlow([{ slot_id: slotOf(COLA, slow), quantity: moved }])).body
    expect(unitsAt(await pick(service, run.id), quick, COLA)).toBe(bought + moved)
    const id = visits.find(({ location }: Json) => location === slow).service_id
    expect((await service.post(`/locations/${slow}/service/${id}/undo`)).status).toBe(200)
    expect(unitsAt(await pick(service, run.id), quick, COLA)).toBe(bought)

    expect((await receiveSlow([])).status).toBe(200)
    expect([await stored(service), await stockOf(service, slow)]).toEqual([bought, 12])
    expect(unitsAt(await pick(service, run.id), quick, COLA)).toBe(bought)
    const after = (await service.get(`/replenishment/runs/${run.id}`)).body
    expect(lineTo(after, quick)).toMatchObject({ quantity: { total: bought } })
    expect(lineTo(after, quick)).not.toHaveProperty('from_storeroom')
  })
})
