import { describe, expect, onTestFinished, test } from 'vitest'
import { slotsOf } from './slots.ts'
import { HOUR, manualClock, MINUTE } from '../../src/kernel/clock.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { acmeMachine } from '../../src/vendors/acme/machine.ts'
import { acmeSupply } from '../../src/vendors/acme/supply.ts'
import { cachedMachine, cachedSupply } from '../../src/vendors/cache/cached-vendors.ts'
import { registerLive } from '../../src/vendors/registry.ts'
import { acmeMachineUpstream, CLIENT_ID, CLIENT_SECRET, rawSlot, rawTrade } from '../contracts/acme-machine-upstream.ts'
import { acmeSupplyUpstream, APP_KEY, APP_SECRET, rawGoods } from '../contracts/acme-supply-upstream.ts'
import { NOW, startService } from '../support/service.ts'
import type { Json, Service } from '../support/service.ts'

const messages = ({ body }: { readonly body: Json }): string[] =>
  (body.messages ?? []).map(({ type, code, content }: Json) => `${type} ${code}: ${content}`)

/** The service on both Acme adapters, over stand-ins that answer real HTTP. */
async function started() {
  const clock = manualClock(NOW)
  const [supplier, platform] = await Promise.all([acmeSupplyUpstream(clock), acmeMachineUpstream()])
  supplier.goods = Array.from({ length: 71 }, (_, i) => rawGoods({ goodsNo: `SP${i}`, barCode: null }))
  platform.slots.set('M1001', slots())
  platform.trades = sales()
  const options = { timeoutMs: 2000, clock, sleep: () => Promise.resolve() }
  const supply = acmeSupply({ url: supplier.url, appKey: APP_KEY, appSecret: APP_SECRET, ...options })
  const machine = acmeMachine({ url: platform.url, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, ...options })
  onTestFinished(async () => {
    await Promise.all([supply.close(), machine.close()])
    await Promise.all([supplier.close(), platform.close()])
  })
  const service = await startService({
    clock,
    entries: [
      registerLive('acme-supply' as Namespace, cachedSupply(supply, clock)),
      registerLive('acme-machine' as Namespace, cachedMachine(machine, clock)),
    ],
  })
  await service.put('/locations/M1001', { name: 'Hall' })
  return { service, supplier, platform }
}

const slots = () => Array.from({ length: 6 }, (_, i) => rawSlot({ goodsCode: `G-${i}`, barCode: null, stock: 5 }))
const sales = () =>
  Array.from({ length: 6 }, (_, i) => rawTrade({ tradeNo: `T${i}`, createTime: `2026-09-10 07:0${i}:00` })).toReversed()

const buy = async (service: Service, sku: string) =>
  service.post('/checkout-sessions', {
    line_items: [{ item: { id: `acme-supply:${sku}` }, quantity: 1 }],
    fulfillment: {
      methods: [
        {
          type: 'shipping',
          line_item_ids: ['*'],
          destinations: [{ street_address: '世纪大道 1', first_name: '王', phone_number: '138' }],
        },
      ],
    },
  })

const refusals = async (service: Service): Promise<string[]> =>
  (await service.events('sync')).map(({ summary }) => summary).filter((text) => text.includes('cannot be read'))

describe('2.9 one of 71 products with the price N/A', () => {
  test('every other product can be bought; the bad one is item_unavailable; it is named once', async () => {
    const { service, supplier } = await started()
    Object.assign(supplier.goods[9] ?? {}, { packPrice: 'N/A' })
    const { status, body } = await buy(service, 'SP3')
    expect([status, body.status]).toEqual([201, 'ready_for_complete'])
    const done = await service.post(`/checkout-sessions/${body.id}/complete`, { confirm: true })
    expect([done.status, done.body.status]).toEqual([200, 'completed'])
    expect(messages(await buy(service, 'SP9'))[0]).toMatch(/^error item_unavailable/)

    const listed = await service.post('/catalog/search', { pagination: { limit: 100 } })
    expect(listed.body.products).toHaveLength(70)
    expect(messages(listed)).toEqual([
      'info sync_problem: 1 product of acme-supply cannot be read and is left out: SP9 (its price cannot be read)',
    ])
    service.clock.advance(2 * MINUTE)
    await service.post('/catalog/search', {})
    expect(await refusals(service)).toEqual(['1 product of acme-supply cannot be read: SP9 (its price cannot be read)'])
    expect(service.log.filter(({ sentence }) => sentence.startsWith('rows of an upstream'))).toMatchObject([
      { level: 'warn', fields: { rows: ['SP9: packPrice is not an amount in yuan'] } },
    ])
    for (const text of [listed.text, JSON.stringify(await service.events())]) expect(text).not.toContain('packPrice')
  })

  test('a corrected row is listed again, and the same problem later is a new one', async () => {
    const { service, supplier } = await started()
    for (const packPrice of ['N/A', '28.80', 'N/A']) {
      Object.assign(supplier.goods[9] ?? {}, { packPrice })
      service.clock.advance(2 * MINUTE)
      const listed = await service.post('/catalog/search', {})
      expect(listed.body.pagination.total_count).toBe(packPrice === 'N/A' ? 70 : 71)
      expect(messages(listed)).toHaveLength(packPrice === 'N/A' ? 1 : 0)
    }
    expect(await refusals(service)).toHaveLength(2)
  })

  test('when more than a fifth of the products cannot be read, the read fails as a whole: 502', async () => {
    const { service, supplier } = await started()
    for (const products of supplier.goods.slice(0, 16)) Object.assign(products, { packPrice: 'N/A' })
    expect((await service.post('/catalog/search', {})).status).toBe(502)
    expect((await buy(service, 'SP60')).status).toBe(502)
  })
})

describe('2.9 a slot that cannot be read', () => {
  test('leaves the other slots: prices change, the sync goes on, and the slot is not taken for gone', async () => {
    const { service, platform } = await started()
    await service.post('/locations/sync')
    platform.slots.set(
      'M1001',
      slots().map((slot, i) => ({ ...slot, stock: i === 2 ? '?' : 3 })),
    )
    service.clock.advance(HOUR)
    const synced = await service.post('/locations/sync')
    expect([synced.status, synced.body.slots]).toEqual([200, 6])
    expect(messages(synced)).toEqual([
      'warning sync_problem: 1 slot of M1001 cannot be read and is left out: G-2 (its stock cannot be read)',
    ])
    const stored = await slotsOf(service.ctx.store.db, 'M1001')
    expect(stored.map(({ vendorSku, stock }) => `${vendorSku} ${stock}`)).toEqual([
      'G-0 3',
      'G-1 3',
      'G-2 5',
      'G-3 3',
      'G-4 3',
      'G-5 3',
    ])
    const price = (sku: string) =>
      service.put('/locations/M1001/prices', {
        prices: [{ item: { id: `acme-machine:${sku}` }, price: { amount: 260, currency: 'CNY' } }],
        confirm: true,
      })
    const changed = await price('G-1')
    expect([changed.status, changed.body.updated.length]).toEqual([200, 1])
    expect(platform.slots.get('M1001')?.[1]).toMatchObject({ salePrice: 260 })
    await price('G-2')
    expect(platform.slots.get('M1001')?.[2]).toMatchObject({ salePrice: 250 })

    const listed = await service.post('/catalog/search', {
      filters: { namespace: 'acme-machine', location: 'M1001' },
    })
    expect(listed.body.products).toHaveLength(5)
    expect(messages(listed)).toEqual([
      'info sync_problem: 1 slot of M1001 cannot be read and is left out: G-2 (its stock cannot be read)',
    ])
    await service.post('/locations/sync')
    expect(await refusals(service)).toEqual(['1 slot of M1001 cannot be read: G-2 (its stock cannot be read)'])
  })

  test('without a readable code it may be any: then no slot is taken for gone', async () => {
    const { service, platform } = await started()
    await service.post('/locations/sync')
    platform.slots.set('M1001', [...slots().slice(0, 5), { ...rawSlot(), goodsCode: null }])
    await service.post('/locations/sync')
    expect(await slotsOf(service.ctx.store.db, 'M1001')).toHaveLength(6)
    platform.slots.set('M1001', slots().slice(0, 5))
    await service.post('/locations/sync')
    expect(await slotsOf(service.ctx.store.db, 'M1001')).toHaveLength(5)
  })
})

describe('2.9 a sale that cannot be read', () => {
  test('does not end the ledger: the others are mirrored, listed and counted', async () => {
    const { service, platform } = await started()
    platform.trades.push(rawTrade({ tradeNo: 'BAD', createTime: '2026-09-10 07:06:00', amount: 'N/A' }))
    const listed = await service.get('/orders')
    expect(listed.body.orders.map(({ id }: Json) => id)).toEqual(['T5', 'T4', 'T3', 'T2', 'T1', 'T0'])
    const text = '1 sale of acme-machine cannot be read and is left out: BAD (its total cannot be read)'
    expect(messages(listed)).toEqual([`info sync_problem: ${text}`])
    const synced = await service.post('/locations/sync')
    expect([synced.body.sales, messages(synced)]).toEqual([6, [`warning sync_problem: ${text}`]])
    service.clock.advance(HOUR)
    await service.get('/orders')
    expect(await refusals(service)).toHaveLength(1)

    platform.trades.splice(-1, 1, rawTrade({ tradeNo: 'BAD', createTime: '2026-09-10 07:06:00' }))
    service.clock.advance(MINUTE)
    const mended = await service.get('/orders')
    expect([mended.body.orders[0].id, messages(mended)]).toEqual(['BAD', []])
  })

  test('alone in a quiet hour it does not stop the poll: a longer window is read then', async () => {
    const { service, platform } = await started()
    await service.get('/orders')
    service.clock.advance(5 * HOUR)
    await service.job('poll-ledger')
    platform.trades.unshift(rawTrade({ tradeNo: 'BAD', createTime: '2026-09-10 12:59:00', amount: 'N/A' }))
    service.clock.advance(MINUTE)
    expect((await service.get('/orders')).status).toBe(200)
    expect(service.log.filter(({ sentence }) => sentence === 'the ledger could not be read')).toEqual([])
  })

  test('when more than a fifth of a page cannot be read, the read fails as a whole: 502', async () => {
    const { service, platform } = await started()
    for (const sale of platform.trades.slice(0, 2)) Object.assign(sale, { amount: 'N/A' })
    expect((await service.get('/orders')).status).toBe(502)
  })
})
