import { describe, expect, test } from 'vitest'
import type { SupplyLineStatus } from '../../src/vendors/supply-vendor.ts'
import { MINUTE } from '../../src/kernel/clock.ts'
import { complete, line, ready, start, TEA, WATER } from '../checkout/support.ts'
import type { Json, Service } from '../support/service.ts'

const bought = async (service: Service, line_items = [line(WATER, 10, 'BX'), line(TEA, 4)]): Promise<string> => {
  const id = await ready(service, { line_items })
  await complete(service, id)
  return id
}

async function report(
  service: Service,
  id: string,
  lines: readonly SupplyLineStatus[],
  more: { state?: 'arrived' | 'cancelled'; raw?: string } = {},
): Promise<Json> {
  Object.assign(service.supply.orders.get(id)!, { lineStatuses: lines, ...more })
  service.clock.advance(MINUTE)
  return (await service.get(`/orders/${id}`)).body
}

const linesOf = ({ line_items }: Json) =>
  line_items.map(({ status, quantity }: Json) => [status, quantity.original, quantity.total, quantity.fulfilled])

describe('3.4 lines of which the supplier ships less', () => {
  test('shipped in part, dropped, and as ordered', async () => {
    const service = await start()
    const id = await bought(service)
    const shipped = await report(service, id, [
      { vendorSku: 'SP1001', shipped: 7, cancelled: 0 },
      { vendorSku: 'SP3003', shipped: 0, cancelled: 4 },
    ])
    expect(linesOf(shipped)).toEqual([
      ['partial', 10, 10, 7],
      ['removed', 4, 0, 0],
    ])
    expect(shipped.adjustments).toMatchObject([
      {
        type: 'cancellation',
        status: 'completed',
        line_items: [{ id: 'li_2', quantity: -4 }],
        totals: [{ type: 'total', amount: -2200 }],
      },
    ])
    const events = await service.events('order')
    expect(events[0]).toMatchObject({
      code: 'purchase_short',
      summary: `Purchase ${id} (AS000001): 1 line will not be delivered in full`,
      reasoning: 'Tea: 4 of 4 will not come',
    })
  })

  test('a line that came short is fulfilled with a smaller total; the shortage is reported once', async () => {
    const service = await start()
    const id = await bought(service)
    const short = [{ vendorSku: 'SP1001', shipped: 7, cancelled: 3 }]
    await report(service, id, short)
    const arrived = await report(service, id, short, { state: 'arrived' })
    expect(linesOf(arrived)).toEqual([
      ['fulfilled', 10, 7, 7],
      ['fulfilled', 4, 4, 4],
    ])
    expect((await service.events('order')).filter(({ code }) => code === 'purchase_short')).toHaveLength(1)
  })

  test('a cancelled order removes every line, whatever was shipped before', async () => {
    const service = await start()
    const id = await bought(service)
    const body = await report(service, id, [{ vendorSku: 'SP1001', shipped: 7, cancelled: 3 }], { state: 'cancelled' })
    expect(linesOf(body)).toEqual([
      ['removed', 10, 0, 0],
      ['removed', 4, 0, 0],
    ])
    expect(body.adjustments).toHaveLength(1)
  })

  test('one report for a product in two lines: shipments fill the first, shortages the last', async () => {
    const service = await start()
    const id = await bought(service, [line(TEA, 3), line(TEA, 5)])
    const body = await report(service, id, [{ vendorSku: 'SP3003', shipped: 4, cancelled: 2 }])
    expect(linesOf(body)).toEqual([
      ['fulfilled', 3, 3, 3],
      ['partial', 5, 3, 1],
    ])
  })

  test('nonsense is bounded by what was ordered', async () => {
    const service = await start()
    const id = await bought(service)
    const body = await report(service, id, [
      { vendorSku: 'SP1001', shipped: 99, cancelled: -1 },
      { vendorSku: 'SP9999', shipped: 1, cancelled: 1 },
    ])
    expect(linesOf(body)).toEqual([
      ['fulfilled', 10, 10, 10],
      ['processing', 4, 4, 0],
    ])
  })

  test("2.7 the supplier's own word for the status", async () => {
    const service = await start()
    const id = await bought(service)
    const body = await report(service, id, [], { raw: 'IR' })
    expect(body.supplier_status).toEqual({ code: 10, description: '已下单', mapped: 'ordered', raw: 'IR' })
  })
})

test('an order that was recorded under our own number gets the number of the supplier once it is known', async () => {
  const service = await start()
  const id = await ready(service)
  service.supply.script.next('createOrder', { instead: { ok: true, value: { externalRef: id } } as never })
  await complete(service, id)
  await service.supply.vendor.createOrder({
    ref: id,
    lines: [],
    fulfillment: { method: 'pickup', pickupAt: 0 },
  } as never)
  service.clock.advance(MINUTE)
  expect((await service.get(`/orders/${id}`)).body.label).toBe('AS000001')
})
