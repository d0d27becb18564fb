/** GET /overview: the set-up steps, spending over the operator's days, and products that nobody can order. */
import { describe, expect, test } from 'vitest'
import { DAY } from '../../src/kernel/clock.ts'
import { complete, line, ready, start, WATER } from '../checkout/support.ts'
import { placed, startRoute, sync } from '../replenishment/route.ts'
import { scriptedMachine } from '../support/scripted-vendors.ts'
import { startService } from '../support/service.ts'
import type { Json, Service } from '../support/service.ts'

const overview = async (service: Service): Promise<Json> => (await service.get('/overview')).body
const open = ({ setup }: Json): string[] => setup.filter(({ done }: Json) => !done).map(({ step }: Json) => step)
const spent = ({ spending: { orders, total, largest } }: Json) => ({ orders, total, largest })
const DESTINATION = { street_address: '世纪大道 100 号', first_name: '王芳', phone_number: '13800000000' }

describe('the steps of the set-up', () => {
  test('a fresh live service lacks everything, and each step closes by itself', async () => {
    const fresh = await startService({ entries: [], rules: '{', config: { env: 'live' } })
    const body = await overview(fresh)
    expect(body.environment).toBe('live')
    expect(open(body)).toEqual(['connection', 'rules', 'owner', 'machines', 'destination', 'sync'])

    const service = await startService({
      machine: scriptedMachine({ M1: [] }),
      config: { defaultDestination: DESTINATION },
    })
    expect(open(await overview(service))).toEqual(['machines', 'sync'])
    await service.put('/locations/M1', { name: '一号楼' })
    expect(open(await overview(service))).toEqual(['sync'])
    expect((await overview(service)).machines).toEqual({
      count: 1,
      unknown: 1,
      not_reporting: 1,
      first: [{ id: 'M1', name: '一号楼', presence: 'never' }],
    })
    await sync(service)
    expect(open(await overview(service))).toEqual([])
    expect((await overview(service)).machines).toMatchObject({ count: 1, not_reporting: 0, first: [] })
  })

  test('rules without an approver, and an address nobody can deliver to, leave their steps open', async () => {
    const rules = { rules: { spendingLimitPerRun: 1, priceCapPerItem: 1, hardNoGos: [], killSwitchEngaged: false } }
    const { phone_number: _, ...incomplete } = DESTINATION
    const service = await startService({ rules, config: { defaultDestination: incomplete } })
    expect(open(await overview(service))).toEqual(['owner', 'machines', 'destination', 'sync'])
  })
})

describe('spending', () => {
  test('counts what was ordered in 30 days of the operator, not what the supplier cancelled', async () => {
    const service = await start()
    expect(spent(await overview(service))).toEqual({ orders: 0, total: 0, largest: 0 })
    const small = await ready(service, { line_items: [line(WATER, 1, 'BX')] })
    const large = await ready(service, { line_items: [line(WATER, 2, 'BX')] })
    await complete(service, small)
    await complete(service, large)
    const body = await overview(service)
    expect(spent(body)).toEqual({ orders: 2, total: 3 * 2880, largest: 2 * 2880 })
    expect([body.spending.from, body.spending.currency]).toEqual(['2026-08-12T00:00:00.000+08:00', 'CNY'])

    Object.assign(service.supply.orders.get(large)!, { state: 'cancelled', rawStatus: 50 })
    await service.get(`/orders/${large}`)
    expect(spent(await overview(service))).toEqual({ orders: 1, total: 2880, largest: 2880 })
    service.clock.advance(30 * DAY)
    expect(spent(await overview(service))).toEqual({ orders: 0, total: 0, largest: 0 })
  })
})

test('a run that was placed with the simulated supplier is shown apart', async () => {
  const service = await startRoute({ config: { env: 'staging', simulatedPurchasing: true } })
  const run = await placed(service)
  const cost = run.totals.find(({ type }: Json) => type === 'total').amount
  expect(cost).toBeGreaterThan(0)
  const body = await overview(service)
  expect(spent(body)).toEqual({ orders: 0, total: 0, largest: 0 })
  expect(body.spending.simulated).toEqual({ orders: 1, total: cost })
  service.clock.advance(30 * DAY)
  expect((await overview(service)).spending).not.toHaveProperty('simulated')
})

describe('where purchases go', () => {
  const addressed = (street_address: string) => ({
    line_items: [line(WATER, 1, 'BX')],
    fulfillment: { methods: [{ type: 'shipping', destinations: [{ ...DESTINATION, street_address }] }] },
  })

  test('the address of the last purchase that was ordered; a draft changes nothing', async () => {
    const service = await start()
    expect((await overview(service)).destination).toBeUndefined()
    await complete(service, await ready(service, addressed('First Road 1')))
    service.clock.advance(DAY / 24)
    await complete(service, await ready(service, addressed('Second Road 2')))
    await ready(service, addressed('Draft Road 3'))
    expect((await overview(service)).destination).toEqual({
      source: 'last_purchase',
      address: { ...DESTINATION, street_address: 'Second Road 2' },
    })
  })

  test('the configured address comes first', async () => {
    const service = await start({ config: { defaultDestination: DESTINATION } })
    await complete(service, await ready(service, addressed('First Road 1')))
    expect((await overview(service)).destination).toEqual({ source: 'configured', address: DESTINATION })
  })
})

describe('products without a supplier', () => {
  test('are those that no confirmed alias leads to a supplier; a confirmation takes them off', async () => {
    const service = await startRoute()
    expect(await overview(service)).toMatchObject({
      unlinked_count: 1,
      unlinked_products: [{ sku_id: 'acme-machine:G-3', title: '水' }],
    })
    const listed = async () => (await service.get('/overview?products=true')).body.products
    expect(await overview(service)).not.toHaveProperty('products')
    expect((await listed()).filter(({ linked }: Json) => !linked)).toMatchObject([{ sku_id: 'acme-machine:G-3' }])
    const { length } = await listed()
    expect(length).toBeGreaterThan(1)
    await service.put('/skus/acme-machine:G-3/aliases', { aliases: [{ sku_id: 'acme-supply:SP1', source: 'manual' }] })
    expect((await listed()).filter(({ linked }: Json) => linked)).toHaveLength(length)
    expect(await overview(service)).toMatchObject({ unlinked_count: 0, unlinked_products: [] })
  })

  test('without any supplier there are none: that is what the step says', async () => {
    const service = await startService({ entries: [] })
    expect(await overview(service)).toMatchObject({ unlinked_count: 0 })
  })
})
