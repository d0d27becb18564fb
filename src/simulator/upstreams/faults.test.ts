import { request } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../kernel/clock.ts'
import { type Calls, callsTo } from './calling.test-support.ts'
import { type Fault, createFaults, parseFault } from './faults.ts'
import { type Simulator, startSimulator } from '../start.ts'

const clock = manualClock(Date.parse('2026-09-10T10:30:00+08:00'))
let sim: Simulator
let call: Calls
/** A caller that leaves when it is told to. */
let impatient: Calls
let leave = new AbortController()

beforeAll(async () => {
  sim = await startSimulator({ seed: 1, clock, historyDays: 1 })
  call = callsTo(sim, clock)
  impatient = callsTo(sim, clock, () => leave.signal)
})
afterEach(() => {
  sim.faults.clear()
  sim.resetCounts()
  leave = new AbortController()
})
afterAll(() => sim.close())

let count = 0
const place = (calls: Calls = call) => {
  const outOrderNo = `po_fault_${++count}`
  const items = [{ goodsNo: 'SP1001', num: 1, unitType: 'EACH' }]
  const body = { outOrderNo, deliverType: 1, consignee: '王', mobile: '138', address: '上海市', items }
  return {
    reply: calls.supply('POST', '/open/orders', body),
    accepted: () => sim.orders().some((order) => order.outOrderNo === outOrderNo),
  }
}
/** Handled at once, so that it is not reported while the test still waits for something else. */
const messageOf = (reply: Promise<unknown>): Promise<string> =>
  reply.then(
    () => 'answered',
    (failure: Error) => failure.message,
  )
const arrived = () => sim.calls()['POST /open/orders'] ?? 0
const onOrders = { method: 'POST', path: '/open/orders' }

describe('instead of an answer', () => {
  test.each([429, 502, 503, 504] as const)('gateway %d: no JSON, and nothing placed', async (status) => {
    sim.faults.add({ match: onOrders, do: `gateway ${status}`, retryAfter: 3 })
    const { reply, accepted } = place()
    const answer = await reply
    expect(answer.status).toBe(status)
    expect(answer.body).toBeUndefined()
    expect(answer.headers.get('retry-after')).toBe('3')
    expect(accepted()).toBe(false)
  })

  test('gateway 504 after the order was accepted', async () => {
    sim.faults.add({ match: onOrders, do: 'gateway 504', after: true })
    const { reply, accepted } = place()
    expect(await reply).toMatchObject({ status: 504, text: '' })
    expect(accepted()).toBe(true)
  })

  test.each([
    [{ do: 'timeout' }, false],
    [{ do: 'timeout', after: true }, true],
    [{ do: 'drop before' }, false],
    [{ do: 'drop after' }, true],
    [{ do: 'truncate' }, true],
  ] as const)('%o: the call fails, order placed: %s', async (fault, placed) => {
    sim.faults.add({ match: onOrders, ...fault })
    const { reply, accepted } = place(impatient)
    const failure = messageOf(reply)
    await expect.poll(arrived).toBe(1)
    if (fault.do === 'timeout') {
      await expect.poll(accepted).toBe(placed)
      leave.abort()
    }
    expect(await failure).toMatch(/fetch failed|terminated|aborted/)
    expect(accepted()).toBe(placed)
  })

  test('slow: the order is taken after the caller has gone', async () => {
    sim.faults.add({ match: onOrders, do: 'slow', ms: 5000 })
    const { reply, accepted } = place(impatient)
    const failure = messageOf(reply)
    await expect.poll(arrived).toBe(1)
    leave.abort()
    expect(await failure).toMatch(/fetch failed|terminated|aborted/)
    expect(accepted()).toBe(false)
    await expect.poll(accepted).toBe(true)
  })

  test('slow for a patient caller is only slow', async () => {
    sim.faults.add({ match: onOrders, do: 'slow', ms: 80 })
    const began = performance.now()
    expect((await place().reply).body).toMatchObject({ code: 0 })
    expect(performance.now() - began).toBeGreaterThan(75)
  })
})

describe('an unusable response', () => {
  test.each([
    ['html', 'text/html', undefined],
    ['broken json', 'application/json', undefined],
    ['wrong json', 'application/json', { hello: 'world' }],
  ] as const)('%s, though the order was placed', async (kind, type, body) => {
    sim.faults.add({ match: onOrders, do: kind })
    const { reply, accepted } = place()
    const answer = await reply
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toContain(type)
    expect(answer.body).toEqual(body)
    expect(answer.text.length).toBeGreaterThan(10)
    expect(accepted()).toBe(true)
  })

  test('huge is more than 50 MB', async () => {
    sim.faults.add({ do: 'huge' })
    const answer = await call.supply('GET', '/open/sites')
    expect(answer.text.length).toBeGreaterThan(50 * 1024 * 1024)
  })

  test('reply sends the given status and body', async () => {
    sim.faults.add({ do: 'reply', status: 200, body: '{"code":0,"msg":"success","data":{}}' })
    expect((await call.supply('GET', '/open/sites')).body).toEqual({ code: 0, msg: 'success', data: {} })
  })
})

describe('an upstream that says no', () => {
  test.each([40001, 40101, 40102, 40400, 42900, 50000, 60001, 60002, 60003, 60004])(
    'supplier code %d',
    async (code) => {
      sim.faults.add({ match: onOrders, do: 'code', code, text: '不行', ...(code === 42900 ? { retryAfter: 7 } : {}) })
      const { reply, accepted } = place()
      const data = code === 42900 ? { retryAfter: 7 } : null
      expect((await reply).body).toEqual({ code, msg: '不行', data })
      expect(accepted()).toBe(false)
    },
  )

  test('a code can come although the order was taken', async () => {
    sim.faults.add({ match: onOrders, do: 'code', code: 50000, after: true })
    const { reply, accepted } = place()
    expect((await reply).body).toMatchObject({ code: 50000 })
    expect(accepted()).toBe(true)
  })

  test.each(['TOKEN_EXPIRED', 'AUTH_FAILED', 'PARAM_ERROR', 'DEVICE_OFFLINE', 'LIMITED', 'SYSTEM_ERROR'])(
    'platform code %s',
    async (code) => {
      sim.faults.add({ match: { upstream: 'machine', path: '/goods' }, do: 'code', code })
      expect((await call.machine('GET', '/api/devices/M1001/goods')).body).toMatchObject({
        success: false,
        errCode: code,
        result: null,
      })
    },
  )

  test('an offline device changes no price; the others do', async () => {
    sim.faults.add({ match: { path: '/devices/M1001/' }, do: 'offline device', times: 0 })
    const [lane] = sim.world.lanes('M1001') ?? []
    const prices = [{ goodsCode: lane?.goodsCode, salePrice: 999 }]
    expect((await call.machine('POST', '/api/devices/M1001/prices', prices)).body).toMatchObject({
      errCode: 'DEVICE_OFFLINE',
    })
    expect(sim.world.lanes('M1001')?.[0]?.priceFen).toBe(lane?.priceFen)
    const [other] = sim.world.lanes('M1002') ?? []
    const elsewhere = [{ goodsCode: other?.goodsCode, salePrice: 999 }]
    expect((await call.machine('POST', '/api/devices/M1002/prices', elsewhere)).body).toMatchObject({
      result: { count: 1 },
    })
  })

  test('partial changes the first half of the prices and counts those', async () => {
    sim.faults.add({ match: { path: '/prices' }, do: 'partial' })
    const codes = [...new Set(sim.world.lanes('M1004')?.map((lane) => lane.goodsCode))].slice(0, 4)
    const prices = codes.map((goodsCode) => ({ goodsCode, salePrice: 888 }))
    expect((await call.machine('POST', '/api/devices/M1004/prices', prices)).body).toMatchObject({
      result: { count: 2 },
    })
    const now = sim.world.lanes('M1004') ?? []
    expect(codes.map((code) => now.find((lane) => lane.goodsCode === code)?.priceFen === 888)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  test('expire token: the token is void, a new one works', async () => {
    const calls = callsTo(sim, clock)
    expect((await calls.machine('GET', '/api/devices/M1001/goods')).body).toMatchObject({ success: true })
    sim.faults.add({ do: 'expire token' })
    expect((await calls.machine('GET', '/api/devices/M1001/goods')).body).toMatchObject({ errCode: 'TOKEN_EXPIRED' })
    expect((await callsTo(sim, clock).machine('GET', '/api/devices/M1001/goods')).body).toMatchObject({ success: true })
    call = callsTo(sim, clock)
  })

  test('default list: an unknown device has products', async () => {
    sim.faults.add({ match: { path: '/goods' }, do: 'default list' })
    const { body } = await call.machine('GET', '/api/devices/M4711/goods')
    expect((body as { result: unknown[] }).result.length).toBeGreaterThan(10)
    expect((await call.machine('GET', '/api/devices/M4711/goods')).body).toMatchObject({ result: [] })
  })
})

describe('which call a fault meets', () => {
  const met = (faults: readonly Fault[], calls: number) => {
    const list = createFaults()
    list.add(...faults)
    return Array.from(
      { length: calls },
      () => list.take({ upstream: 'supply', method: 'GET', url: '/open/goods?pageNo=1' })?.do,
    )
  }

  test('once by default, from the nth on, as often as given, 0 for ever', () => {
    expect(met([{ do: 'html' }], 3)).toEqual(['html', undefined, undefined])
    expect(met([{ do: 'html', match: { nth: 2 } }], 3)).toEqual([undefined, 'html', undefined])
    expect(met([{ do: 'html', match: { nth: 2 }, times: 2 }], 4)).toEqual([undefined, 'html', 'html', undefined])
    expect(met([{ do: 'html', times: 0 }], 3)).toEqual(['html', 'html', 'html'])
    expect(met([{ do: 'html' }, { do: 'slow' }], 3)).toEqual(['html', 'slow', undefined])
  })

  test('by upstream, method and a piece of the address', () => {
    expect(met([{ do: 'html', match: { upstream: 'machine' } }], 1)).toEqual([undefined])
    expect(met([{ do: 'html', match: { method: 'POST' } }], 1)).toEqual([undefined])
    expect(met([{ do: 'html', match: { path: '/open/sites' } }], 1)).toEqual([undefined])
    expect(met([{ do: 'html', match: { upstream: 'supply', method: 'get', path: 'pageNo=1' } }], 1)).toEqual(['html'])
  })

  test('what is no fault is not taken for one', () => {
    expect(parseFault({ do: 'slow', ms: 5, match: { nth: 2 } })).toEqual({ do: 'slow', ms: 5, match: { nth: 2 } })
    for (const bad of [
      null,
      'html',
      {},
      { do: 'explode' },
      { do: 'slow', ms: -1 },
      { do: 'html', match: { nth: 0 } },
      { do: 'html', __proto__: null, x: 1 },
    ])
      expect(parseFault(bad)).toBeUndefined()
  })
})

describe('the controls', () => {
  const control = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = { 'content-type': 'application/json' },
  ) => fetch(sim.supplyUrl + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })

  test('faults are set and cleared over HTTP', async () => {
    expect(await (await control('POST', '/_sim/faults', [{ do: 'gateway 503' }, { do: 'html' }])).json()).toEqual({
      pending: 2,
    })
    expect((await call.supply('GET', '/open/sites')).status).toBe(503)
    expect(await (await control('DELETE', '/_sim/faults')).json()).toEqual({ pending: 0 })
    expect((await call.supply('GET', '/open/sites')).body).toMatchObject({ code: 0 })
    expect((await control('POST', '/_sim/faults', [{ do: 'explode' }])).status).toBe(400)
  })

  test('latency, deliveries and cancelled orders, too', async () => {
    await control('POST', '/_sim/latency', { ms: 60 })
    const began = performance.now()
    await call.supply('GET', '/open/sites')
    expect(performance.now() - began).toBeGreaterThan(55)
    await control('POST', '/_sim/latency', { ms: 0 })

    const lane = sim.world.lanes('M1005')?.find(({ stock, capacity }) => stock < capacity)
    const lines = [{ goodsCode: lane?.goodsCode, quantity: 1 }]
    expect(await (await control('POST', '/_sim/deliver', { location: 'M1005', lines })).json()).toMatchObject({
      loaded: [{ loaded: 1 }],
    })

    const { reply } = place()
    await reply
    const outOrderNo = sim.orders().at(-1)?.outOrderNo
    expect(await (await control('POST', '/_sim/cancel-order', { outOrderNo })).json()).toEqual({ cancelled: true })
    expect((await call.supply('GET', `/open/orders/${outOrderNo}`)).body).toMatchObject({ data: { status: 90 } })
  })

  test('a page from elsewhere cannot use them: JSON only, and a loopback name', async () => {
    expect((await control('POST', '/_sim/faults', { do: 'html' }, { 'content-type': 'text/plain' })).status).toBe(403)
    const status = await new Promise<number | undefined>((resolve, reject) => {
      request(`${sim.supplyUrl}/_sim/state`, { headers: { host: 'evil.example' } }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', reject)
        .end()
    })
    expect(status).toBe(403)
    expect((await control('GET', '/_sim/state')).status).toBe(200)
    expect((await control('GET', '/_sim/nothing')).status).toBe(404)
  })
})
