import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { manualClock, MINUTE } from '../../src/kernel/clock.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { plainCode } from '../../src/kernel/text.ts'
import { cachedSupply } from '../../src/vendors/cache/cached-vendors.ts'
import { registerLive } from '../../src/vendors/registry.ts'
import { failure } from '../support/scripted-vendors.ts'
import { NOW } from '../support/service.ts'
import { checkoutEvents, codes, complete, create, DEAR, get, ready, start, supplier } from './support.ts'

describe('4.4 every attempt to complete writes one event', () => {
  test('a repeated complete of a completed session', async () => {
    const service = await start()
    const id = await ready(service)
    await complete(service, id)
    await complete(service, id)
    await complete(service, id)
    const events = await checkoutEvents(service)
    expect(events).toHaveLength(3)
    for (const summary of events) expect(summary).toContain(id)
  })

  test('each of several concurrent ones, and one order', async () => {
    const service = await start()
    const id = await ready(service)
    await Promise.all(Array.from({ length: 10 }, () => complete(service, id)))
    expect(await checkoutEvents(service)).toHaveLength(10)
    expect(service.supply.script.count('createOrder')).toBe(1)
  })

  test.each([
    ['without confirm', {}, 'confirmation_required'],
    ['confirm as text', { confirm: 'true' }, 'confirmation_required'],
    ['a bad body', { confirm: true, payment: { instruments: 5 } }, 'invalid'],
    ['a body that is no JSON', '{', 'invalid'],
    ['no body', undefined, 'confirmation_required'],
  ])('%s', async (_, body, code) => {
    const service = await start()
    const id = await ready(service)
    expect((await service.post(`/checkout-sessions/${id}/complete`, body)).status).toBe(400)
    expect(await checkoutEvents(service)).toEqual([`${id} not completed: ${plainCode(code)}`])
  })

  test('an unknown id, also one that could be no id', async () => {
    const service = await start()
    expect((await complete(service, 'po_nope')).status).toBe(404)
    expect((await complete(service, 'a%20b')).status).toBe(400)
    expect((await complete(service, 'a%00b')).status).toBe(400)
    expect(await checkoutEvents(service)).toEqual([
      'ab not completed: invalid',
      'a b not completed: invalid',
      'po_nope not completed: not found',
    ])
  })

  test('one that gives up because the session keeps changing: 503, and nothing was sent', async () => {
    const supply = supplier()
    const clock = manualClock(NOW)
    const catalog: typeof supply.vendor.catalog = async (options) => {
      await service.ctx.store.db
        .updateTable('checkout')
        .set((eb) => ({ version: eb('version', '+', 1) }))
        .execute()
      return supply.vendor.catalog(options)
    }
    const vendor = cachedSupply({ ...supply.vendor, catalog }, clock)
    const service = await start({ supply, clock, entries: [registerLive('acme-supply' as Namespace, vendor)] })
    const id = await ready(service)
    let now = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 6000))
    onTestFinished(() => void vi.restoreAllMocks())
    expect((await complete(service, id)).status).toBe(503)
    expect(await checkoutEvents(service)).toEqual([`${id} not completed: service unavailable`])
    expect(supply.orders.size).toBe(0)
  })

  test('a replay by Idempotency-Key writes none, a mismatch writes one', async () => {
    const service = await start()
    const id = await ready(service)
    const headers = { 'idempotency-key': 'k' }
    for (let n = 0; n < 3; n++) await complete(service, id, { confirm: true }, headers)
    expect(await checkoutEvents(service)).toHaveLength(1)
    expect((await complete(service, id, { confirm: true, other: 1 }, headers)).status).toBe(409)
    expect((await checkoutEvents(service))[0]).toBe(`${id} not completed: idempotency mismatch`)
  })

  test('two calls that both notice the expiry', async () => {
    const service = await start()
    const id = await ready(service)
    service.clock.advance(24 * 60 * MINUTE)
    const answers = await Promise.all([complete(service, id), complete(service, id)])
    expect(answers.map(({ status, body }) => [status, codes(body)])).toEqual([
      [200, ['expired']],
      [200, ['expired']],
    ])
    expect((await checkoutEvents(service)).toSorted()).toEqual([`${id} expired`, `${id} not completed: expired`])
  })

  test('a call without the token is not an attempt', async () => {
    const service = await start()
    await service.post(`/checkout-sessions/${await ready(service)}/complete`, {}, { token: null })
    expect(await checkoutEvents(service)).toEqual([])
  })
})

describe('identical refusals are one event each', () => {
  test('without confirm, one after the other and at once', async () => {
    const service = await start()
    const id = await ready(service)
    for (const body of [{}, {}, { confirm: 'true' }]) await complete(service, id, body)
    await Promise.all(Array.from({ length: 4 }, () => complete(service, id, {})))
    expect(await checkoutEvents(service)).toEqual(
      Array.from({ length: 7 }, () => expect.stringContaining(`${id} not completed`)),
    )
    expect((await service.events('checkout')).filter((event) => 'count' in event)).toEqual([])
  })

  test('a bad body and an unknown session', async () => {
    const service = await start()
    const id = await ready(service)
    for (let n = 0; n < 2; n++) await complete(service, id, { confirm: true, payment: { instruments: 5 } })
    for (let n = 0; n < 2; n++) await complete(service, 'po_20260910_999')
    expect(await checkoutEvents(service)).toHaveLength(4)
  })

  test('what the session itself says: approval_required', async () => {
    const service = await start()
    const { body } = await create(service, DEAR)
    for (let n = 0; n < 3; n++) await complete(service, body.id)
    expect(await checkoutEvents(service)).toEqual(
      Array.from({ length: 3 }, () => `${body.id} not completed: approval required`),
    )
  })

  test('attempts that reached the supplier', async () => {
    const service = await start()
    const id = await ready(service)
    service.supply.script.always('createOrder', failure('rejected', 'no', { documented: true }))
    await complete(service, id)
    await complete(service, id)
    expect(await checkoutEvents(service)).toHaveLength(2)
  })
})

describe('4.4 complete of a canceled session', () => {
  test('rejected by the owner: 200, the canceled session with approval_rejected', async () => {
    const service = await start()
    const { body } = await create(service, DEAR)
    await service.post(`/approvals/${body.actions['com.example.vending.approval'][0].id}`, { approved: false })
    const { status, body: after } = await complete(service, body.id)
    expect([status, after.status, codes(after)]).toEqual([200, 'canceled', ['approval_rejected']])
    expect((await checkoutEvents(service))[0]).toBe(`${body.id} not completed: approval rejected`)
    expect(after).toEqual(await get(service, body.id))
  })

  test('called off by the caller: 409 not_editable', async () => {
    const service = await start()
    const id = await ready(service)
    await service.post(`/checkout-sessions/${id}/cancel`)
    const { status, body } = await complete(service, id)
    expect([status, codes(body)]).toEqual([409, ['not_editable']])
  })
})
