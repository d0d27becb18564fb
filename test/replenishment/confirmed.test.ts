/** What a run brings is what its supplier confirmed: in order, run, pick list, receipt, plan and spending. */
import { describe, expect, test } from 'vitest'
import { MINUTE } from '../../src/kernel/clock.ts'
import type { SupplyLineStatus } from '../../src/vendors/supply-vendor.ts'
import type { Json, Service } from '../support/service.ts'
import {
  COLA,
  entryOf,
  inFull,
  MACHINE,
  placed,
  plan,
  receive,
  routeSlots,
  run,
  slotOf,
  startRoute,
  stockOf,
  TEA,
  usualSales,
} from './route.ts'

const HOME = { street_address: '仓库路 9', first_name: '仓库', phone_number: '13800000000' }
const REAL = { env: 'live', simulatedPurchasing: false, defaultDestination: HOME } as const

/** A run whose purchase was completed; `report` is what the supplier says about it then. */
async function startBought() {
  const service = await startRoute({ config: REAL })
  const body = await placed(service)
  const purchase: string = body.checkouts[0].id
  const { body: done } = await service.post(`/checkout-sessions/${purchase}/complete`, { confirm: true })
  expect(done.status).toBe('completed')
  const report = async (lines: readonly SupplyLineStatus[]): Promise<Json> => {
    Object.assign(service.supply.orders.get(purchase)!, { lineStatuses: lines })
    service.clock.advance(MINUTE)
    return (await service.get(`/orders/${purchase}`)).body
  }
  return { service, id: body.id as string, body, report }
}

const totalOf = ({ totals }: Json): number => totals.find(({ type }: Json) => type === 'total').amount
const pickList = async (service: Service, id: string): Promise<Json> =>
  (await service.get(`/replenishment/runs/${id}/pick-list`)).body
const spent = async (service: Service): Promise<number> => (await service.get('/overview')).body.spending.total

describe('3.2 a line that the supplier shortens', () => {
  test('set to 0: removed in order, run and pick list, not received with the rest, and planned again', async () => {
    const { service, id, body, report } = await startBought()
    const [cola, tea] = body.line_items
    const before = await spent(service)
    const order = await report([{ vendorSku: 'SP1', shipped: 0, cancelled: cola.quantity.total }])
    expect(order.line_items.map(({ status }: Json) => status)).toEqual(['removed', 'processing'])

    const now = await run(service, id)
    expect(now.line_items[0]).toMatchObject({ status: 'removed', quantity: { total: 0 } })
    expect(now.line_items[1]).toMatchObject({ status: 'processing', quantity: { total: tea.quantity.total } })
    expect(totalOf(now)).toBe(totalOf(body) - totalOf(cola))
    expect(inFull(now), 'as the command line receives it').toEqual([
      { slot_id: slotOf(TEA), quantity: tea.quantity.total },
    ])
    const list = await pickList(service, id)
    expect(list.units).toBe(tea.quantity.total)
    expect(entryOf(await plan(service), slotOf(COLA)).recommendation.action).toBe('order')

    expect(totalOf(order), 'the total of the order follows').toBe(before - 120 * cola.quantity.total)
    expect(await spent(service)).toBe(before - 120 * cola.quantity.total)

    const stock = await stockOf(service, 'G-1')
    await receive(service, id, inFull(now))
    expect(await stockOf(service, 'G-1')).toBe(stock)
    const received = entryOf(await plan(service), slotOf(TEA))
    expect(received).toHaveProperty('received_at')
    expect(received).not.toHaveProperty('counted_at')
  })

  test('less than ordered: the rest comes', async () => {
    const { service, id, body, report } = await startBought()
    const ordered = body.line_items[0].quantity.total
    await report([{ vendorSku: 'SP1', shipped: 0, cancelled: 2 }])
    const now = await run(service, id)
    expect(now.line_items[0]).toMatchObject({
      status: 'processing',
      quantity: { original: ordered, total: ordered - 2 },
    })
    expect((await pickList(service, id)).products.map(({ bought }: Json) => bought)).toContain(ordered - 2)
    expect(entryOf(await plan(service), slotOf(COLA)).recommendation.action).toBe('in_transit')
  })
})

test('nothing is bought while the purchase waits', async () => {
  const service = await startRoute({ config: REAL })
  const body = await placed(service)
  const { products, units } = await pickList(service, body.id)
  expect(products.map(({ bought }: Json) => bought)).toEqual([0, 0])
  expect(units, 'what it will bring').toBeGreaterThan(0)
})

test('a stop that the receipt of the run leaves out was not received', async () => {
  const second = 'M1002'
  const trades = usualSales()
  const service = await startRoute({
    slotsByMachine: { [MACHINE]: routeSlots(), [second]: routeSlots() },
    trades: [...trades, ...trades.map((each) => ({ ...each, orderNo: `2${each.orderNo}`, locationId: second }))],
  })
  const body = await placed(service)
  const { body: received } = await receive(service, body.id, [{ slot_id: slotOf(COLA), quantity: 3 }])
  expect(received.status).toBe('delivered')
  expect(received.visits.map(({ location, status }: Json) => [location, status])).toEqual([
    [MACHINE, 'received'],
    [second, 'open'],
  ])
  const others = received.line_items.filter(({ slot_id }: Json) => slot_id !== slotOf(COLA))
  expect(others.map(({ status, quantity }: Json) => [status, quantity.total])).toEqual(others.map(() => ['removed', 0]))
})
