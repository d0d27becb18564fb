/** GET /locations/{id}/history: when a machine ran out, who filled it, which prices changed, and what it lost. */
import { describe, expect, test } from 'vitest'
import { DAY, HOUR } from '../../src/kernel/clock.ts'
import {
  COLA,
  inFull,
  MACHINE,
  placed,
  receive,
  routeSlots,
  slotOf,
  startRoute,
  sync,
  TEA,
} from '../replenishment/route.ts'
import { fen } from '../../src/kernel/fen.ts'
import { failure, trade } from '../support/scripted-vendors.ts'
import type { Json, Service } from '../support/service.ts'

const history = async (service: Service, query = ''): Promise<Json> =>
  (await service.get(`/locations/${MACHINE}/history${query}`)).body
const slotIn = (body: Json, sku: string): Json => body.slots.find(({ slot_id }: Json) => slot_id === slotOf(sku))

describe('the history of a machine', () => {
  test('a slot that ran out says since when, and what it lost since', async () => {
    const slots = routeSlots()
    const service = await startRoute({ slotsByMachine: { [MACHINE]: slots } })
    service.clock.advance(DAY)
    service.machine.slotsByMachine[MACHINE] = slots.map((slot) => ({ ...slot, stock: 0 }))
    await sync(service)
    service.clock.advance(2 * DAY)
    await sync(service)
    const body = await history(service)
    const cola = slotIn(body, COLA)
    expect(cola).toMatchObject({ stock: 0, item: { id: COLA, title: '可乐' } })
    expect(cola.empty_since).toBeDefined()
    expect(cola.empty_hours).toBeGreaterThanOrEqual(48)
    // Three a day for two days at ¥3.00.
    expect(cola.lost_units).toBeGreaterThan(4)
    expect(body.lost_revenue).toBeGreaterThanOrEqual(cola.lost_revenue)
    expect(body.stock.at(-1)).toMatchObject({ stock: 0, empty_slots: 3 })
    expect(body.stock.length).toBeLessThanOrEqual(121)
  })

  test('a receipt is a visit, a refill that nobody recorded is seen in the readings', async () => {
    const service = await startRoute()
    const run = await placed(service)
    service.clock.advance(DAY)
    await receive(service, run.id, inFull(run))
    const units = inFull(run).reduce((sum, { quantity }) => sum + quantity, 0)
    expect((await history(service)).visits).toEqual([
      expect.objectContaining({ units, slots: inFull(run).length, booked: true }),
    ])
    service.clock.advance(DAY)
    service.machine.slotsByMachine[MACHINE] = routeSlots().map((slot) => ({ ...slot, stock: 90 }))
    await sync(service)
    const { visits, slots } = await history(service)
    expect(visits.map(({ booked }: Json) => booked)).toEqual([true, false])
    expect(slots.every(({ last_visit_at }: Json) => last_visit_at === visits[1].at)).toBe(true)
  })

  test('a visit that is sent after the machine was read is the refill that the reading shows, and undone it is not', async () => {
    const service = await startRoute()
    const run = await placed(service)
    service.clock.advance(DAY)
    const madeAt = service.clock.now() - HOUR
    service.machine.slotsByMachine[MACHINE] = routeSlots().map((slot) => ({ ...slot, stock: 30 }))
    await sync(service)
    const answer = await service.post(`/replenishment/runs/${run.id}/visits/${MACHINE}/receive`, {
      delivered: inFull(run),
      occurred_at: new Date(madeAt).toISOString(),
    })
    expect(answer.body.messages.map(({ code }: Json) => code)).toContain('newer_stock_kept')
    const { visits } = await history(service)
    expect(visits.map(({ at, booked }: Json) => [Date.parse(at), booked])).toEqual([[madeAt, true]])
    await service.post(`/locations/${MACHINE}/service/${answer.body.visits[0].service_id}/undo`)
    expect((await history(service)).visits.map(({ booked }: Json) => booked)).toEqual([false])
  })

  test('as many loaded as taken out is a visit, though the level is the same', async () => {
    const service = await startRoute()
    const run = await placed(service)
    service.clock.advance(DAY)
    const path = `/replenishment/runs/${run.id}/visits/${MACHINE}/receive`
    const cola = { slot_id: slotOf(COLA), quantity: 2 }
    expect((await service.post(path, { delivered: [cola], removed: [{ ...cola, reason: 'expired' }] })).status).toBe(
      200,
    )
    const body = await history(service)
    expect(slotIn(body, COLA)).toMatchObject({ stock: 2 })
    expect(body.visits).toEqual([expect.objectContaining({ units: 2, slots: 1, booked: true })])
  })

  test('what people did there is listed, the latest first, also what was undone', async () => {
    const service = await startRoute()
    const serve = (body: object) => service.post(`/locations/${MACHINE}/service`, body)
    await serve({ counted: [{ slot_id: slotOf(TEA), stock: 8 }] })
    service.clock.advance(HOUR)
    const removed = [{ slot_id: slotOf(COLA), quantity: 1, reason: 'expired' }]
    const { id } = (await serve({ removed })).body.service
    await service.post(`/locations/${MACHINE}/service/${id}/undo`)
    const { services } = await history(service)
    expect(services).toMatchObject([{ id, removed, undone_at: expect.any(String) }, { counted: [{ stock: 8 }] }])
    expect((await history(service, `?slot_id=${slotOf(TEA)}`)).services).toHaveLength(1)
  })

  test('the level at the start follows from the last reading before it and the sales since', async () => {
    const service = await startRoute()
    const sold = { vendorSku: 'G-1', priceFen: fen(300), costFen: null, status: 'paid' } as const
    service.clock.advance(HOUR)
    service.machine.trades.push(trade('before', service.clock.now(), { locationId: MACHINE, lines: [sold] }))
    service.clock.advance(3 * DAY)
    service.machine.script.next('inventory', { instead: failure('rejected') })
    await service.post('/locations/sync')
    const { stock } = await history(service, `?slot_id=${slotOf(COLA)}&days=1`)
    expect(stock[0].stock).toBe(1)
  })

  test('price changes that reached the machine are listed; one slot can be asked for alone', async () => {
    const service = await startRoute()
    const price = (amount: number, id = COLA) => ({ item: { id }, price: { amount, currency: 'CNY' } })
    await service.put(`/locations/${MACHINE}/prices`, { prices: [price(320)], confirm: true })
    const body = await history(service)
    expect(body.price_changes).toMatchObject([{ item: { id: COLA }, previous: 300, price: 320 }])
    const tea = await history(service, `?slot_id=${slotOf(TEA)}&days=7`)
    expect([tea.price_changes, tea.slots.length, tea.stock.at(-1).stock]).toEqual([[], 1, 9])
    expect(Date.parse(tea.stock[1].at) - Date.parse(tea.stock[0].at)).toBe(2 * HOUR)
  })

  test('a price change that was applied in part is listed with what was applied; one that changed nothing is not', async () => {
    const service = await startRoute()
    const send = (...prices: readonly (readonly [string, number])[]) =>
      service.put(`/locations/${MACHINE}/prices`, {
        prices: prices.map(([id, amount]) => ({ item: { id }, price: { amount, currency: 'CNY' } })),
        confirm: true,
      })
    service.machine.stubborn.add(TEA.split(':')[1] ?? '')
    const current = (await history(service)).price_changes
    expect(current).toEqual([])
    expect((await send([COLA, 320], [TEA, 310])).body.messages).toHaveLength(1)
    expect((await send([COLA, 320])).body.updated).toHaveLength(1)
    service.machine.script.next('updatePrices', { instead: failure('rejected') })
    expect((await send([COLA, 330])).status).toBe(502)
    expect((await history(service)).price_changes).toMatchObject([{ item: { id: COLA }, previous: 300, price: 320 }])
  })

  test.each([
    ['/locations/M9/history', 404],
    [`/locations/${MACHINE}/history?slot_id=M1001-nope`, 404],
    [`/locations/${MACHINE}/history?days=91`, 400],
    [`/locations/${MACHINE}/history?days=0`, 400],
  ])('%s is %i', async (path, status) => {
    expect((await (await startRoute()).get(path)).status).toBe(status)
  })
})
