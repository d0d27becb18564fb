import { describe, expect, test } from 'vitest'
import { MINUTE, SECOND } from '../../src/kernel/clock.ts'
import { failure } from '../support/scripted-vendors.ts'
import type { Json, Service } from '../support/service.ts'
import { complete, CRISPS, line, ready, start, WATER } from './support.ts'

async function bought(service: Service): Promise<string> {
  const id = await ready(service, { line_items: [line(WATER, 2, 'BX'), line(CRISPS, 3)] })
  await complete(service, id)
  return id
}

function report(service: Service, id: string, state: 'ordered' | 'arrived' | 'cancelled', rawStatus: number): void {
  const order = service.supply.orders.get(id)
  if (!order) throw new Error(`no order ${id}`)
  Object.assign(order, { state, rawStatus, description: `status ${rawStatus}` })
}

const order = async (service: Service, id: string): Promise<Json> => (await service.get(`/orders/${id}`)).body

describe('3.4 purchases', () => {
  test('ordered: processing', async () => {
    const service = await start()
    const id = await bought(service)
    const body = await order(service, id)
    expect(body).toMatchObject({
      id,
      checkout_id: id,
      kind: 'purchase',
      label: 'AS000001',
      permalink_url: `https://vending.example.com/purchases/${id}`,
      supplier_status: { code: 10, description: '已下单', mapped: 'ordered' },
      logistics: [],
      adjustments: [],
    })
    expect(body.line_items.map(({ status, quantity }: Json) => [status, quantity])).toEqual([
      ['processing', { original: 2, total: 2, fulfilled: 0 }],
      ['processing', { original: 3, total: 3, fulfilled: 0 }],
    ])
    expect(body.fulfillment.events.map(({ type }: Json) => type)).toEqual(['processing'])
    expect(body.totals.at(-1)).toEqual({ type: 'total', amount: 2 * 2880 + 3 * 310 })
  })

  test('arrived: fulfilled, delivered; logistics as received, and the shipment on the fulfillment events', async () => {
    const service = await start()
    const id = await bought(service)
    report(service, id, 'arrived', 40)
    const objects = [
      { zone: 7, time: '2026-09-11 09:12:00', text: '已出库', carrier: '顺丰', trackingNo: 'SF1' },
      { time: '?', note: ['a', { b: null }] },
    ]
    const at = Date.parse('2026-09-11T09:12:00+08:00')
    const tracking = { carrier: '顺丰', trackingNumber: 'SF1', trackingUrl: 'https://sf.example/SF1' }
    service.supply.orders
      .get(id)
      ?.logistics.push(
        { at, text: '已出库', ...tracking, received: objects[0] ?? {} },
        { at: null, text: '', received: objects[1] ?? {} },
      )
    const body = await order(service, id)
    expect(body.supplier_status).toEqual({ code: 40, description: 'status 40', mapped: 'arrived' })
    expect(body.line_items.map(({ status, quantity }: Json) => [status, quantity])).toEqual([
      ['fulfilled', { original: 2, total: 2, fulfilled: 2 }],
      ['fulfilled', { original: 3, total: 3, fulfilled: 3 }],
    ])
    // Every field, in the order received.
    expect(JSON.stringify(body.logistics)).toBe(JSON.stringify(objects))
    const shipment = { carrier: '顺丰', tracking_number: 'SF1', tracking_url: 'https://sf.example/SF1' }
    const [first, ...later] = body.fulfillment.events
    expect(first.type).toBe('processing')
    expect(first).not.toHaveProperty('carrier')
    expect(later).toMatchObject([
      { type: 'shipped', occurred_at: '2026-09-11T09:12:00.000+08:00', ...shipment },
      { type: 'delivered', ...shipment },
    ])
    service.clock.advance(60 * MINUTE)
    expect((await order(service, id)).fulfillment.events).toEqual(body.fulfillment.events)
  })

  test('cancelled: removed, canceled with the original quantity, a cancellation returns the total', async () => {
    const service = await start()
    const id = await bought(service)
    report(service, id, 'cancelled', 90)
    const body = await order(service, id)
    expect(body.line_items.map(({ status, quantity }: Json) => [status, quantity])).toEqual([
      ['removed', { original: 2, total: 0, fulfilled: 0 }],
      ['removed', { original: 3, total: 0, fulfilled: 0 }],
    ])
    expect(body.fulfillment.events.at(-1)).toMatchObject({
      type: 'canceled',
      line_items: [{ quantity: 2 }, { quantity: 3 }],
    })
    expect(body.adjustments).toMatchObject([
      {
        type: 'cancellation',
        status: 'completed',
        totals: [{ type: 'total', amount: -6690 }],
        line_items: [{ quantity: -2 }, { quantity: -3 }],
      },
    ])
    expect(body.totals.at(-1).amount).toBe(6690)
  })

  test('an undocumented status number is kept with the supplier’s text, and the order stays open', async () => {
    const service = await start()
    const id = await bought(service)
    report(service, id, 'ordered', 35)
    expect((await order(service, id)).supplier_status).toEqual({
      code: 35,
      description: 'status 35',
      mapped: 'ordered',
    })
  })

  test('2.7 fulfillment events are appended once and never created again', async () => {
    const service = await start()
    const id = await bought(service)
    const first = (await order(service, id)).fulfillment.events
    service.clock.advance(MINUTE)
    report(service, id, 'arrived', 40)
    const [one, two] = await Promise.all([order(service, id), order(service, id)])
    expect(one.fulfillment.events).toEqual(two.fulfillment.events)
    expect(one.fulfillment.events.slice(0, 1)).toEqual(first)
    service.clock.advance(60 * MINUTE)
    expect((await order(service, id)).fulfillment.events).toEqual(one.fulfillment.events)
    expect(await service.events('order')).toHaveLength(1)
  })
})

describe('4.5 reading purchases', () => {
  test('the supplier is asked at most every 15 seconds, and by the job every 5 minutes', async () => {
    const service = await start()
    const id = await bought(service)
    const before = service.supply.script.count('orderStatus')
    const asked = () => service.supply.script.count('orderStatus') - before
    await order(service, id)
    await order(service, id)
    expect(asked()).toBe(1)
    service.clock.advance(15 * SECOND)
    await order(service, id)
    expect(asked()).toBe(2)
    await service.job('purchase-status')
    expect(asked()).toBe(2)
    service.clock.advance(5 * MINUTE + 1)
    report(service, id, 'arrived', 40)
    await service.job('purchase-status')
    expect(asked()).toBe(3)
    service.clock.advance(60 * MINUTE)
    await service.job('purchase-status')
    expect(asked()).toBe(3)
    expect(await service.events('order')).toHaveLength(1)
  })

  test('a supplier that cannot be asked, or denies the order: 502', async () => {
    const service = await start()
    const id = await bought(service)
    for (const reason of ['unknown', 'absent'] as const) {
      service.supply.script.next('orderStatus', { instead: failure(reason) })
      const { status, body } = await service.get(`/orders/${id}`)
      expect([status, body.messages[0].code]).toEqual([502, 'upstream_unreachable'])
    }
    expect((await service.get(`/orders/${id}`)).status).toBe(200)
  })

  test('GET /orders?kind=purchase lists newest first with a cursor and a range of time', async () => {
    const service = await start()
    const ids: string[] = []
    for (let n = 0; n < 3; n++) {
      ids.unshift(await bought(service))
      service.clock.advance(MINUTE)
    }
    const first = (await service.get('/orders?kind=purchase&limit=2')).body
    expect(first.orders.map(({ id }: Json) => id)).toEqual(ids.slice(0, 2))
    const next = (await service.get(`/orders?kind=purchase&limit=2&cursor=${first.pagination.cursor}`)).body
    expect([next.orders.map(({ id }: Json) => id), next.pagination]).toEqual([ids.slice(2), { has_next_page: false }])
    const from = encodeURIComponent('2026-09-10T08:01:00+08:00')
    const ranged = (await service.get(`/orders?kind=purchase&from=${from}&to=${from}`)).body
    expect(ranged.orders.map(({ id }: Json) => id)).toEqual([ids[1]])
    expect((await service.get('/orders?kind=purchase&cursor=x')).status).toBe(400)
  })
})
