import { describe, expect, test } from 'vitest'
import { HOUR } from '../../src/kernel/clock.ts'
import type { FailureReason } from '../../src/vendors/contract.ts'
import { failure, supplyOrder } from '../support/scripted-vendors.ts'
import { checkoutEvents, codes, complete, get, line, ready, start, TEA, WATER } from './support.ts'
import type { Service } from '../support/service.ts'

const TIMEOUT_MS = 1000

/** The order was accepted, or not, and its answer never came; neither did an answer to the question. */
async function inDoubt(service: Service, accepted: boolean): Promise<string> {
  const id = await ready(service)
  const lost = failure('unknown', 'no answer within 1 s')
  service.supply.script.next('createOrder', accepted ? { afterwards: lost } : { instead: lost })
  service.supply.script.next('orderStatus', 'pass', { instead: failure('unknown') })
  const { status, body } = await complete(service, id)
  expect([status, body.messages]).toMatchObject([
    502,
    [{ code: 'upstream_unreachable', content: expect.stringContaining('no answer within 1 s. The order may exist') }],
  ])
  expect((await get(service, id)).status).toBe('complete_in_progress')
  return id
}

describe('no answer to the order', () => {
  test.each(['unknown', 'limited'] as FailureReason[])('%s, asked at once and found: completed', async (reason) => {
    const service = await start()
    const id = await ready(service)
    service.supply.script.next('createOrder', { afterwards: failure(reason) })
    const { status, body } = await complete(service, id)
    expect([status, body.status, body.order.label]).toEqual([200, 'completed', 'AS000001'])
    expect(await checkoutEvents(service)).toHaveLength(1)
  })

  test('asked at once and absent: the supplier may still be working, so it stays in progress', async () => {
    const service = await start()
    const id = await ready(service)
    service.supply.script.next('createOrder', { instead: failure('unknown', 'time-out') })
    const answer = await complete(service, id)
    expect([answer.status, codes(answer)]).toEqual([502, ['upstream_unreachable']])
    expect(answer.headers['retry-after']).toBeDefined()
    // Whoever opens another session now would buy twice.
    expect(answer.body.messages[0].params).toEqual({ may_exist: true, checkout: id })
    expect(answer.body.messages[0].content).toMatch(
      /^time-out\. The order may exist.* a second session: it would buy twice/,
    )
    const again = await complete(service, id)
    expect([again.status, again.body.messages[0].params]).toEqual([502, { may_exist: true, checkout: id }])
    const session = await get(service, id)
    expect([session.status, codes(session)]).toEqual(['complete_in_progress', ['outcome_pending']])
    expect(session.messages[0].content).toContain('time-out')
    expect(await checkoutEvents(service)).toHaveLength(2)
    expect(service.supply.script.count('createOrder')).toBe(1)
  })

  test('absent a grace of one time-out after giving up is certain: the job returns it to ready', async () => {
    const service = await start()
    const id = await inDoubt(service, false)
    await service.job('effects.purchase')
    service.clock.advance(TIMEOUT_MS - 1)
    await service.job('effects.purchase')
    expect((await get(service, id)).status).toBe('complete_in_progress')
    service.clock.advance(1)
    await service.job('effects.purchase')
    expect((await get(service, id)).status).toBe('ready_for_complete')
    expect(await checkoutEvents(service)).toHaveLength(2)
    expect(service.supply.script.count('createOrder')).toBe(1)
  })

  test('recovery finds the order and completes without buying again', async () => {
    const service = await start()
    const id = await inDoubt(service, true)
    service.clock.advance(TIMEOUT_MS)
    await service.job('effects.purchase')
    const session = await get(service, id)
    expect([session.status, session.order.label]).toEqual(['completed', 'AS000001'])
    expect(service.supply.script.count('createOrder')).toBe(1)
    expect((await service.get(`/orders/${id}`)).body.label).toBe('AS000001')
  })

  test('an inconclusive answer is asked for again at growing intervals, and never buys', async () => {
    const service = await start()
    const id = await inDoubt(service, true)
    service.supply.script.always('orderStatus', failure('unknown'))
    for (let n = 0; n < 60; n++) {
      service.clock.advance(TIMEOUT_MS)
      await service.job('effects.purchase')
    }
    const asked = service.supply.script.count('orderStatus')
    expect(asked).toBeGreaterThan(4)
    expect(asked).toBeLessThan(12)
    expect((await get(service, id)).status).toBe('complete_in_progress')
    service.supply.script.always('orderStatus', undefined)
    service.clock.advance(HOUR)
    await service.job('effects.purchase')
    expect((await get(service, id)).status).toBe('completed')
    expect(service.supply.script.count('createOrder')).toBe(1)
  })

  test('a later complete asks first: found, it is completed without buying', async () => {
    const service = await start()
    const id = await inDoubt(service, true)
    const { body } = await complete(service, id)
    expect([body.status, body.order.label]).toEqual(['completed', 'AS000001'])
    expect(service.supply.script.count('createOrder')).toBe(1)
  })

  test('a later complete asks first: absent and too early, it stays, with an event', async () => {
    const service = await start()
    const id = await inDoubt(service, false)
    expect((await complete(service, id)).status).toBe(502)
    expect(service.supply.script.count('createOrder')).toBe(1)
    expect(await checkoutEvents(service)).toHaveLength(2)
  })

  test('a later complete asks first: when absence is certain, it orders again under the same reference', async () => {
    const service = await start()
    const id = await inDoubt(service, false)
    service.clock.advance(TIMEOUT_MS)
    const { body } = await complete(service, id)
    expect(body.status).toBe('completed')
    expect(service.supply.script.count('createOrder')).toBe(2)
    expect(service.supply.orders.size).toBe(1)
  })

  test('neither cancel nor PUT nor time moves it', async () => {
    const service = await start()
    const id = await inDoubt(service, true)
    expect((await service.put(`/checkout-sessions/${id}`, {})).status).toBe(409)
    expect((await service.post(`/checkout-sessions/${id}/cancel`)).status).toBe(409)
    service.clock.advance(72 * HOUR)
    await service.job('checkout-expiry')
    expect((await get(service, id)).status).toBe('complete_in_progress')
  })

  test('an answer with the number of another order is no answer', async () => {
    const service = await start()
    const first = await ready(service)
    await complete(service, first)
    const id = await ready(service)
    const wrong = { ok: true, value: { externalRef: 'AS000001' } } as never
    service.supply.script.next('createOrder', { instead: wrong })
    expect((await complete(service, id)).status).toBe(502)
    expect((await get(service, id)).status).toBe('complete_in_progress')
  })
})

describe('after an attempt that may have reached the supplier', () => {
  async function takenForAbsent(service: Service): Promise<string> {
    const id = await inDoubt(service, false)
    service.clock.advance(TIMEOUT_MS)
    await service.job('effects.purchase')
    expect((await get(service, id)).status).toBe('ready_for_complete')
    return id
  }

  test('the basket is frozen: another one under the same reference is refused', async () => {
    const service = await start()
    const id = await takenForAbsent(service)
    const changed = await service.put(`/checkout-sessions/${id}`, { line_items: [line(TEA)] })
    expect([changed.status, codes(changed)]).toEqual([409, ['not_editable']])
    const same = await service.put(`/checkout-sessions/${id}`, {
      line_items: [line(WATER, 2, 'BX')],
      buyer: { email: 'a@b' },
    })
    expect([same.status, same.body.buyer]).toEqual([200, { email: 'a@b' }])
  })

  test('an order that exists nevertheless is found before a second is sent', async () => {
    const service = await start()
    const id = await takenForAbsent(service)
    const order = { vendorSku: 'SP1001', quantity: 2, unit: 'pack' } as const
    await service.supply.vendor.createOrder(
      supplyOrder(id, [order], {
        method: 'shipping',
        contactName: '',
        contactPhone: '',
        address: '',
      }),
    )
    const { body } = await complete(service, id)
    expect([body.status, body.order.label]).toEqual(['completed', 'AS000001'])
    expect(service.supply.script.count('createOrder')).toBe(2)
  })

  test('while the supplier cannot be asked, nothing is sent', async () => {
    const service = await start()
    const id = await takenForAbsent(service)
    service.supply.script.always('orderStatus', failure('unknown'))
    expect((await complete(service, id)).status).toBe(502)
    expect((await get(service, id)).status).toBe('ready_for_complete')
    expect(service.supply.script.count('createOrder')).toBe(1)
  })

  test('canceled, and then the order is found: it is recorded with an event, the session stays canceled', async () => {
    const service = await start()
    const id = await takenForAbsent(service)
    await service.post(`/checkout-sessions/${id}/cancel`)
    const order = { vendorSku: 'SP1001', quantity: 2, unit: 'pack' } as const
    await service.supply.vendor.createOrder(
      supplyOrder(id, [order], {
        method: 'shipping',
        contactName: '',
        contactPhone: '',
        address: '',
      }),
    )
    service.clock.advance(TIMEOUT_MS)
    await service.job('effects.purchase')
    expect((await get(service, id)).status).toBe('canceled')
    expect((await checkoutEvents(service))[0]).toBe(`${id} is closed, but the supplier has order AS000001`)
    expect((await service.get(`/orders/${id}`)).body.label).toBe('AS000001')
  })
})
