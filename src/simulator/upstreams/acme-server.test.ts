import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DAY, HOUR, manualClock, MINUTE } from '../../kernel/clock.ts'
import { type Calls, callsTo } from './calling.test-support.ts'
import { parseLocal } from '../world/local-time.ts'
import { type Simulator, startSimulator } from '../start.ts'

const NOW = Date.parse('2026-09-10T10:30:00+08:00')
const clock = manualClock(NOW)
let sim: Simulator
let call: Calls

beforeAll(async () => {
  sim = await startSimulator({ seed: 1, clock })
  call = callsTo(sim, clock)
})
afterAll(() => sim.close())

const order = (outOrderNo: string, more: object = {}) => ({
  outOrderNo,
  deliverType: 1,
  consignee: '王',
  mobile: '13800000000',
  address: '上海市浦东新区',
  items: [{ goodsNo: 'SP1001', num: 2, unitType: 'PACK' }],
  ...more,
})

describe('the supplier', () => {
  test.each([
    ['an unknown key', { appKey: 'nobody' }],
    ['another secret', { appSecret: 'guess' }],
    ['another body than was signed', { signedBody: '{}' }],
    ['a clock 301 s ahead', { skewSeconds: 301 }],
    ['a clock 302 s behind', { skewSeconds: -302 }],
  ])('refuses %s with 40101 and places nothing', async (_, signing) => {
    const { status, body } = await call.supply('POST', '/open/orders', order('po_unsigned'), signing)
    expect(status).toBe(200)
    expect(body).toMatchObject({ code: 40101, data: null })
    expect(sim.orders()).toEqual([])
  })

  test('a sign covers the query, too, and a small skew passes', async () => {
    const path = '/open/goods?keyword=%E6%B0%B4&pageNo=1&pageSize=100'
    expect((await call.supply('GET', path, undefined, { skewSeconds: 290 })).body).toMatchObject({ code: 0 })
  })

  test('pages through its products, in its forms', async () => {
    const list: Record<string, unknown>[] = []
    for (let pageNo = 1; ; pageNo++) {
      const { body } = await call.supply('GET', `/open/goods?pageNo=${pageNo}&pageSize=25`)
      const { data } = body as { data: { total: number; list: Record<string, unknown>[] } }
      list.push(...data.list)
      expect(data.total).toBe(sim.world.products.length)
      if (data.list.length < 25) break
    }
    expect(list.map((row) => row['goodsNo'])).toEqual(sim.world.products.map((product) => product.supply.goodsNo))
    expect(Object.keys(list[0] ?? {})).toEqual([
      'goodsNo',
      'brandName',
      'goodsName',
      'spec',
      'cateName',
      'imgUrl',
      'packNum',
      'packPrice',
      'unitPrice',
      'stockNum',
      'barCode',
      'status',
    ])
    const prices = list.map((row) => String(row['packPrice']))
    for (const form of [/^\d+$/, /^\d+\.\d$/, /^\d+\.\d\d$/])
      expect(prices.some((price) => form.test(price))).toBe(true)
    list.forEach((row, i) =>
      expect(Math.round(Number(row['packPrice']) * 100)).toBe(sim.world.products[i]?.supply.packPriceFen),
    )
  })

  test('finds by keyword, loosely, and refuses pages above 100', async () => {
    const { body } = await call.supply('GET', `/open/goods?keyword=${encodeURIComponent('红牛 薯片')}&pageSize=100`)
    const { list } = (body as { data: { list: { brandName: string }[] } }).data
    expect(new Set(list.map((row) => row.brandName))).toEqual(new Set(['红牛', '乐事']))
    expect((await call.supply('GET', '/open/goods?pageSize=101')).body).toMatchObject({ code: 40001 })
  })

  test('has two sites', async () => {
    const { body } = await call.supply('GET', '/open/sites')
    expect((body as { data: { siteId: string }[] }).data.map((site) => site.siteId)).toEqual(['S01', 'S02'])
  })

  test('takes an order once, whatever is sent under its number later', async () => {
    const first = (await call.supply('POST', '/open/orders', order('po_once'))).body
    expect(first).toMatchObject({
      code: 0,
      data: { orderNo: expect.stringMatching(/^AS20260910\d{5}$/), outOrderNo: 'po_once' },
    })
    const other = order('po_once', { items: [{ goodsNo: 'SP1002', num: 1, unitType: 'EACH' }] })
    expect((await call.supply('POST', '/open/orders', other)).body).toEqual(first)
    expect(sim.orders().filter(({ outOrderNo }) => outOrderNo === 'po_once')).toHaveLength(1)
    expect((await call.supply('GET', '/open/orders/po_once')).body).toMatchObject({
      code: 0,
      data: { status: 10, statusDesc: '已下单', createTime: '2026-09-10 10:30:00', logistics: [] },
    })
    expect((await call.supply('GET', '/open/orders/po_never')).body).toMatchObject({ code: 40400 })
  })

  test.each([
    ['no number', { outOrderNo: '' }],
    ['no lines', { items: [] }],
    ['a fraction', { items: [{ goodsNo: 'SP1001', num: 0.5, unitType: 'PACK' }] }],
    ['another unit', { items: [{ goodsNo: 'SP1001', num: 1, unitType: 'BOX' }] }],
    ['delivery without an address', { address: undefined }],
    ['pickup without a time', { deliverType: 2, siteId: 'S01' }],
    ['a third way of delivery', { deliverType: 3 }],
  ])('refuses an order with %s: 40001', async (_, more) => {
    expect((await call.supply('POST', '/open/orders', order('po_bad', more))).body).toMatchObject({ code: 40001 })
  })

  test('takes an order for pickup', async () => {
    const pickup = order('po_pickup', { deliverType: 2, siteId: 'S02', pickupTime: '2026-09-12 09:00:00' })
    expect((await call.supply('POST', '/open/orders', pickup)).body).toMatchObject({ code: 0 })
  })
})

describe('the machine platform', () => {
  const result = async <T>(promise: ReturnType<Calls['machine']>): Promise<T> => {
    const { body } = await promise
    expect(body).toMatchObject({ success: true, errCode: null })
    return (body as { result: T }).result
  }
  type Row = { goodsCode: string; salePrice: number; stock: number }

  test('gives tokens for the right secret only, and asks for a new one when theirs is over', async () => {
    const wrong = await fetch(`${sim.machineUrl}/api/token`, {
      method: 'POST',
      body: '{"clientId":"sim-1","clientSecret":"x"}',
    })
    expect(await wrong.json()).toMatchObject({ success: false, errCode: 'AUTH_FAILED' })
    const own = manualClock(NOW)
    const other = await startSimulator({ seed: 1, clock: own, historyDays: 1 })
    const calls = callsTo(other, own)
    await result(calls.machine('GET', '/api/devices/M1001/goods'))
    own.advance(2 * HOUR)
    expect((await calls.machine('GET', '/api/devices/M1001/goods')).body).toMatchObject({ errCode: 'TOKEN_EXPIRED' })
    await other.close()
  })

  test('lists a slot an entry, and an empty list for a device that does not exist', async () => {
    const rows = await result<Row[]>(call.machine('GET', '/api/devices/M1001/goods'))
    expect(rows.map(({ stock }) => stock)).toEqual(sim.world.lanes('M1001')?.map(({ stock }) => stock))
    expect(rows.every(({ goodsCode }) => /^[^:\s]+$/.test(goodsCode))).toBe(true)
    expect(await result(call.machine('GET', '/api/devices/M4711/goods'))).toEqual([])
  })

  test('some machine has two lanes of one product', () => {
    const doubled = sim.machines().filter(({ id }) => {
      const codes = (sim.world.lanes(id) ?? []).map((lane) => lane.goodsCode)
      return new Set(codes).size < codes.length
    })
    expect(doubled.length).toBeGreaterThan(0)
  })

  type Page = {
    pages: number
    total: number
    records: { tradeNo: string; createTime: string; tradeStatus: string; amount: string; goods: { price: number }[] }[]
  }
  const trades = (query: Record<string, string>) =>
    result<Page>(call.machine('GET', `/api/trades?${new URLSearchParams(query).toString()}`))

  test('pages sales newest first, within local times, amounts in yuan and prices in fen', async () => {
    const range = { beginTime: '2026-09-08 00:00:00', endTime: '2026-09-08 23:59:59', pageSize: '50' }
    const first = await trades({ ...range, pageNum: '1' })
    const all = [...first.records]
    for (let pageNum = 2; pageNum <= first.pages; pageNum++)
      all.push(...(await trades({ ...range, pageNum: String(pageNum) })).records)
    expect(all).toHaveLength(first.total)
    expect(new Set(all.map(({ tradeNo }) => tradeNo)).size).toBe(first.total)
    const times = all.flatMap(({ createTime }) => parseLocal(createTime) ?? [])
    expect(times).toEqual(times.toSorted((a, b) => b - a))
    for (const { createTime, amount, goods } of all) {
      expect(createTime).toMatch(/^2026-09-08 |^$|^0000/)
      expect(Math.round(Number(amount) * 100)).toBe(goods.reduce((sum, { price }) => sum + price, 0))
    }
    const settled = await trades({ ...range, tradeStatus: 'SETTLED' })
    expect(settled.total).toBeLessThan(first.total)
    expect(settled.records.every(({ tradeStatus }) => tradeStatus.startsWith('TRADE_SUCCESS'))).toBe(true)
  })

  test('refuses pages above 100 and times it cannot read', async () => {
    for (const query of ['pageSize=101', 'pageNum=0', 'beginTime=yesterday', 'tradeStatus=OPEN'])
      expect((await call.machine('GET', `/api/trades?${query}`)).body).toMatchObject({ errCode: 'PARAM_ERROR' })
  })

  test('keeps selling as the clock moves, and pages shift meanwhile', async () => {
    const own = manualClock(NOW)
    const other = await startSimulator({ seed: 1, clock: own, historyDays: 2 })
    const calls = callsTo(other, own)
    const newest = async () =>
      (await result<Page>(calls.machine('GET', '/api/trades?pageSize=5'))).records.map(({ tradeNo }) => tradeNo)
    const before = await newest()
    own.advance(90 * MINUTE)
    const after = await newest()
    expect(after).not.toEqual(before)
    await other.close()
  })

  test('changes the prices of its products and returns how many', async () => {
    const [slot] = await result<Row[]>(call.machine('GET', '/api/devices/M1002/goods'))
    const prices = [
      { goodsCode: slot?.goodsCode, salePrice: 777 },
      { goodsCode: 'G-9999', salePrice: 300 },
    ]
    expect(await result(call.machine('POST', '/api/devices/M1002/prices', prices))).toEqual({ count: 1 })
    const [changed] = await result<Row[]>(call.machine('GET', '/api/devices/M1002/goods'))
    expect(changed).toMatchObject({ goodsCode: slot?.goodsCode, salePrice: 777 })
    const bad = await call.machine('POST', '/api/devices/M1002/prices', [
      { goodsCode: slot?.goodsCode, salePrice: 1.5 },
    ])
    expect(bad.body).toMatchObject({ errCode: 'PARAM_ERROR' })
  })

  test('takes advice, but no remark above 100 characters', async () => {
    const [slot] = await result<Row[]>(call.machine('GET', '/api/devices/M1003/goods'))
    const advice = (remark: string) => ({ batchNo: 'B-1', items: [{ goodsCode: slot?.goodsCode, num: 2, remark }] })
    expect(await result(call.machine('POST', '/api/devices/M1003/restock-advice', advice('好'.repeat(100))))).toEqual({
      count: 1,
    })
    const long = await call.machine('POST', '/api/devices/M1003/restock-advice', advice('好'.repeat(101)))
    expect(long.body).toMatchObject({ success: false, errCode: 'PARAM_ERROR' })
  })
})

test('a simulated month passes in seconds, asked four times a day over HTTP', async () => {
  const own = manualClock(NOW)
  const month = await startSimulator({ seed: 7, clock: own })
  const calls = callsTo(month, own)
  // CPU time of this thread, which other work does not stretch.
  const before = process.threadCpuUsage()
  for (let hour = 0; hour < 30 * 24; hour += 6) {
    own.advance(6 * HOUR)
    await Promise.all(
      month.machines().map(async ({ id }) => {
        const { body } = await callsTo(month, own).machine('GET', `/api/devices/${id}/goods`)
        expect(body).toMatchObject({ success: true })
      }),
    )
    if (hour % 24 === 0) await calls.supply('GET', '/open/goods?pageSize=100')
  }
  expect(month.world.now()).toBe(NOW + 30 * DAY)
  const { user, system } = process.threadCpuUsage(before)
  expect((user + system) / 1000).toBeLessThan(30_000)
  await month.close()
})

test('the roster has a dozen machines with their profiles, and calls are counted by route', async () => {
  expect(sim.machines()).toHaveLength(12)
  expect(new Set(sim.machines().map(({ profile }) => profile.venueType)).size).toBeGreaterThanOrEqual(6)
  expect(sim.machines()[0]).toMatchObject({
    id: 'M1001',
    profile: { city: '上海', placement: 'indoor', venueType: 'office' },
  })
  sim.resetCounts()
  await call.machine('GET', '/api/devices/M1001/goods')
  await call.machine('GET', '/api/devices/M1002/goods')
  expect(sim.calls()).toEqual({ 'GET /api/devices/{deviceId}/goods': 2 })
  expect(sim.peak('machine')).toBe(1)
})

test('what is not documented is not there', async () => {
  for (const url of [`${sim.supplyUrl}/`, `${sim.supplyUrl}/open/orders/%zz`, `${sim.machineUrl}/open/goods`])
    expect((await fetch(url)).status).toBe(404)
})
