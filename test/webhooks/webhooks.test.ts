import { describe, expect, test } from 'vitest'
import { DAY, HOUR, MINUTE, rfc3339, SECOND } from '../../src/kernel/clock.ts'
import { complete, line, ready, start, WATER } from '../checkout/support.ts'
import { trade } from '../support/scripted-vendors.ts'
import { NOW } from '../support/service.ts'
import type { Service } from '../support/service.ts'
import { isVerified, newKey } from './receiver.ts'
import { buy, report, startWithTarget } from './support.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const profileKeys = async (service: Service) => (await service.get('//.well-known/ucp', { token: null })).body.keys

describe('6.6 order webhooks', () => {
  test('without configuration nothing is written and the profile has no keys', async () => {
    const service = await start()
    await buy(service)
    expect((await service.get('/webhooks')).body).toMatchObject({ targets: [], deliveries: [] })
    expect(await profileKeys(service)).toEqual([])
  })

  test('a purchase is sent whole, signed, once when it is created and once per change', async () => {
    const { receiver, service, deliver } = await startWithTarget()
    const id = await buy(service)
    await deliver()
    await deliver()
    expect(receiver.received).toHaveLength(1)
    const [first] = receiver.received
    if (!first) throw new Error('nothing received')
    const { supplier_status: _, logistics: _none, ...asOrdered } = (await service.get(`/orders/${id}`)).body
    expect(first.body).toEqual(asOrdered)
    expect(first.headers).toMatchObject({
      'ucp-agent': 'profile="https://vending.example.com/.well-known/ucp"',
      'webhook-timestamp': String(NOW / SECOND),
      'content-type': 'application/json',
    })
    expect(first.headers['webhook-id']).toMatch(UUID)
    expect(await isVerified(first, receiver.origin, await profileKeys(service))).toBe(true)

    await report(service, id, 'arrived')
    await deliver()
    expect(receiver.received.map(({ body }) => body.supplier_status?.mapped)).toEqual([undefined, 'arrived'])
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(2)
    // The same report again changes nothing that a reader would see.
    service.clock.advance(20 * MINUTE)
    await service.get(`/orders/${id}`)
    await deliver()
    expect(receiver.received).toHaveLength(2)
  })

  test('a cancelled purchase arrives with its adjustment', async () => {
    const { receiver, service, deliver } = await startWithTarget()
    const id = await buy(service)
    await deliver()
    await report(service, id, 'cancelled')
    await deliver()
    expect(receiver.received.at(-1)?.body.adjustments).toMatchObject([{ type: 'cancellation' }])
  })

  test('a sale and its refund each arrive once, without cost figures', async () => {
    const { receiver, service, deliver } = await startWithTarget()
    await service.job('poll-ledger')
    service.clock.advance(5 * MINUTE)
    service.machine.trades.push(trade('T1', NOW + MINUTE))
    await service.job('poll-ledger')
    await deliver()
    service.clock.advance(5 * MINUTE)
    const [sold] = service.machine.trades
    if (!sold) throw new Error('no sale')
    service.machine.trades[0] = {
      ...sold,
      status: 'TRADE_REFUND',
      lines: sold.lines.map((each) => ({ ...each, status: 'refunded' as const })),
    }
    await service.job('poll-ledger')
    await service.job('poll-ledger')
    await deliver()
    expect(receiver.received.map(({ body }) => [body.id, body.kind, body.adjustments?.[0]?.type])).toEqual([
      ['T1', 'sale', undefined],
      ['T1', 'sale', 'refund'],
    ])
    expect(receiver.received.map(({ raw }) => raw.toString()).join()).not.toMatch(/cost|profit/i)
  })

  test('a target gets only the kinds, the agent and the time it names', async () => {
    const { receiver, service, deliver } = await startWithTarget(
      { agent: 'https://platform.example/profile', from: NOW + HOUR },
      ['purchase'],
    )
    const agent = { 'ucp-agent': 'profile="https://platform.example/profile"' }
    await buy(service, agent)
    service.clock.advance(2 * HOUR)
    const other = await buy(service)
    const own = await buy(service, agent)
    await report(service, other, 'arrived')
    await report(service, own, 'arrived')
    await deliver()
    await deliver()
    expect(receiver.received.map(({ body }) => body.id)).toEqual([own, own])
  })

  test('a failed delivery is tried again: the same id and time, the present state, a new signature', async () => {
    const { receiver, service, deliver, list } = await startWithTarget()
    receiver.answers.push(500)
    const id = await buy(service)
    service.clock.advance(SECOND)
    await deliver()
    const time = (at: number) => rfc3339(at, 'Asia/Shanghai')
    const failed = await list()
    expect(failed.targets).toMatchObject([
      {
        id: 'platform',
        url: receiver.url.split('?')[0],
        waiting: 1,
        oldest_waiting_at: time(NOW),
        last_delivery: failed.deliveries[0],
      },
    ])
    expect(failed.deliveries).toMatchObject([
      { state: 'waiting', attempts: 1, last_status: 500, last_error: 'HTTP 500', order_id: id },
    ])
    // Five seconds, spread by a fifth.
    const wait = Date.parse(failed.deliveries[0].due_at) - service.clock.now()
    expect([wait >= 4 * SECOND, wait <= 6 * SECOND]).toEqual([true, true])
    await deliver()
    expect(receiver.received).toHaveLength(1)
    service.clock.advance(7 * SECOND)
    await deliver()
    const [first, second] = receiver.received
    for (const name of ['webhook-id', 'webhook-timestamp']) expect(second?.headers[name]).toBe(first?.headers[name])
    expect(second?.headers['signature-input']).not.toBe(first?.headers['signature-input'])
    const { deliveries, targets } = await list()
    expect(deliveries).toMatchObject([
      { state: 'delivered', attempts: 2, last_status: 204, finished_at: time(NOW + 8 * SECOND) },
    ])
    expect(['due_at' in deliveries[0], 'last_error' in deliveries[0]]).toEqual([false, false])
    expect(targets).toMatchObject([{ waiting: 0, last_delivery: deliveries[0] }])
  })

  test('when several changes wait, "created" is sent and of the others the newest', async () => {
    const { receiver, service, deliver, list } = await startWithTarget()
    receiver.usual = 503
    const id = await buy(service)
    await deliver()
    service.supply.orders.get(id)?.logistics.push({ at: NOW, text: 'on its way', carrier: 'SF', trackingNumber: 'SF1' })
    service.clock.advance(6 * MINUTE)
    await service.job('purchase-status')
    await report(service, id, 'arrived')
    receiver.usual = 204
    receiver.received.length = 0
    service.clock.advance(HOUR)
    await deliver()
    await deliver()
    expect(receiver.received.map(({ body }) => body.supplier_status.mapped)).toEqual(['arrived', 'arrived'])
    expect((await list()).deliveries.map(({ state }: { state: string }) => state)).toEqual([
      'delivered',
      'superseded',
      'delivered',
    ])
  })

  test('Retry-After is obeyed; a receiver that is gone, or silent for 5 days, is given up with an event', async () => {
    const { receiver, service, deliver, list } = await startWithTarget()
    receiver.answers.push({ status: 429, headers: { 'retry-after': '600' } })
    await buy(service)
    await deliver()
    service.clock.advance(9 * MINUTE)
    await deliver()
    expect(receiver.received).toHaveLength(1)
    service.clock.advance(2 * MINUTE)
    receiver.answers.push(410)
    await deliver()
    expect((await list()).deliveries).toMatchObject([{ state: 'dead', last_status: 410 }])
    expect(await service.events('webhook')).toMatchObject([{ code: 'webhook_given_up' }])

    receiver.usual = 500
    await buy(service)
    for (let hours = 0; hours < 140; hours += 4) {
      await deliver()
      service.clock.advance(4 * HOUR)
    }
    expect((await list()).deliveries[0]).toMatchObject({ state: 'dead', last_status: 500 })
    expect((await list()).deliveries[0].attempts).toBeGreaterThan(10)
    expect(await service.events('webhook')).toHaveLength(2)

    receiver.usual = 204
    const { id } = (await list()).deliveries[0]
    expect((await service.post(`/webhooks/${id}/redeliver`)).body).toMatchObject({ id, state: 'waiting', attempts: 0 })
    await deliver()
    expect(receiver.received.at(-1)?.headers['webhook-id']).toBe(id)
    expect((await list()).deliveries[0]).toMatchObject({ state: 'delivered' })
    expect((await service.post('/webhooks/no-such-delivery/redeliver')).status).toBe(404)
  })

  test('a receiver that is down for an hour is not called once per order', async () => {
    const { receiver, service, deliver, list } = await startWithTarget()
    receiver.usual = 503
    for (let i = 0; i < 10; i += 1) await buy(service)
    for (let second = 0; second < 60; second += 1) {
      await deliver()
      service.clock.advance(MINUTE)
    }
    expect(receiver.received.length).toBeLessThan(15)
    receiver.usual = 204
    receiver.received.length = 0
    service.clock.advance(2 * HOUR)
    for (let i = 0; i < 3; i += 1) await deliver()
    expect(receiver.received).toHaveLength(10)
    expect((await list()).targets).toMatchObject([{ waiting: 0 }])
  })

  test('metrics count outcomes and what waits', async () => {
    const { receiver, service, deliver } = await startWithTarget()
    receiver.answers.push(500)
    await buy(service)
    await deliver()
    const metrics = (
      await service.server.inject({ url: '/metrics', headers: { authorization: 'Bearer test-token-0123456789' } })
    ).body
    expect(metrics).toContain('vendops_webhook_deliveries_total{target="platform",outcome="retry"} 1')
    expect(metrics).toContain('vendops_webhook_waiting{target="platform"} 1')
    expect(metrics).toContain('vendops_webhook_oldest_waiting_seconds{target="platform"} 0')
  })
})

describe('keys', () => {
  test('the profile shows public members only, and its ETag changes with the keys', async () => {
    const { service, keys } = await startWithTarget()
    const before = await service.get('//.well-known/ucp', { token: null })
    expect(Object.keys(before.body.keys[0]).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
    expect(before.text).not.toContain('"d"')
    keys.write([newKey(NOW), newKey(NOW - DAY)])
    const after = await service.get('//.well-known/ucp', { token: null })
    expect(after.body.keys).toHaveLength(2)
    expect(after.headers['etag']).not.toBe(before.headers['etag'])
  })

  test('a rotation is never noticed by a verifier that caches the profile for 5 minutes', async () => {
    const { receiver, service, deliver, keys } = await startWithTarget()
    const [old, next] = [newKey(NOW - DAY), newKey(NOW)]
    keys.write([old])
    let cached = { at: -DAY, keys: await profileKeys(service) }
    const signers = new Set<string>()
    const check = async () => {
      if (service.clock.now() - cached.at > 5 * MINUTE)
        cached = { at: service.clock.now(), keys: await profileKeys(service) }
      await buy(service)
      await deliver()
      const last = receiver.received.at(-1)
      if (!last) throw new Error('nothing received')
      signers.add(/keyid="([^"]+)"/.exec(String(last.headers['signature-input']))?.[1] ?? '')
      expect(await isVerified(last, receiver.origin, cached.keys)).toBe(true)
    }
    await check()
    keys.write([next, old])
    for (let minute = 0; minute < 14; minute += 1) {
      await check()
      service.clock.advance(MINUTE)
    }
    expect(signers).toEqual(new Set([old.kid, next.kid]))
    keys.write([next, { ...old, retiredAt: service.clock.now() }])
    await check()
    expect((await profileKeys(service)).map(({ kid }: { kid: string }) => kid)).toEqual([next.kid, old.kid])
    service.clock.advance(8 * DAY)
    await check()
    expect((await profileKeys(service)).map(({ kid }: { kid: string }) => kid)).toEqual([next.kid])
  })

  test('a key whose file arrives long after the key was created signs 10 minutes after it was published', async () => {
    const { receiver, service, deliver, keys } = await startWithTarget()
    const [old, next] = [newKey(NOW - 9 * DAY), newKey(NOW - DAY)]
    keys.write([old])
    const signer = async () => {
      await buy(service)
      await deliver()
      return /keyid="([^"]+)"/.exec(String(receiver.received.at(-1)?.headers['signature-input']))?.[1]
    }
    expect(await signer()).toBe(old.kid)
    keys.write([next, old])
    expect(await signer()).toBe(old.kid)
    service.clock.advance(9 * MINUTE)
    expect(await signer()).toBe(old.kid)
    service.clock.advance(MINUTE)
    expect(await signer()).toBe(next.kid)
  })

  test('the response of complete is signed, over REST and MCP, also when it is replayed; other responses are not', async () => {
    const { service } = await startWithTarget()
    const id = await ready(service, { line_items: [line(WATER, 2, 'BX')] })
    const send = () =>
      service.post(`/checkout-sessions/${id}/complete`, { confirm: true }, { headers: { 'idempotency-key': 'k1' } })
    const callTool = (name: string, given: object) =>
      service.post('//ucp/mcp', {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: { id, ...given } },
      })
    const [first, again] = [await send(), await send()]
    const overMcp = await callTool('complete_checkout', { checkout: { confirm: true } })
    expect(overMcp.body.result.structuredContent.status).toBe('completed')
    const keys = await profileKeys(service)
    for (const { headers, text, status } of [first, again, overMcp]) {
      expect(status).toBe(200)
      const { httpbis } = await import('http-message-signatures')
      const { createPublicKey, verify } = await import('node:crypto')
      const { contentDigest } = await import('../../src/kernel/message-signature.ts')
      expect(headers['content-digest']).toBe(contentDigest(Buffer.from(text)))
      const key = createPublicKey({ key: keys[0], format: 'jwk' })
      const verified = await httpbis.verifyMessage(
        {
          keyLookup: async () => ({
            id: keys[0].kid,
            verify: async (data, signature) => verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature),
          }),
          requiredFields: ['@status', 'content-digest', 'content-type'],
          tolerance: 1e9,
        },
        { status, headers: headers as Record<string, string> },
      )
      expect(verified).toBe(true)
    }
    expect((await complete(service, id)).headers['signature']).toBeDefined()
    expect((await service.get(`/checkout-sessions/${id}`)).headers['signature']).toBeUndefined()
    expect((await callTool('get_checkout', {})).headers['signature']).toBeUndefined()
  })
})
