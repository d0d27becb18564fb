import { describe, expect, test } from 'vitest'
import { audit } from '../../src/views/audit/audit.ts'
import { HOUR, MINUTE } from '../../src/kernel/clock.ts'
import type { FailureReason } from '../../src/vendors/contract.ts'
import { failure, supplyOrder } from '../support/scripted-vendors.ts'
import type { Service } from '../support/service.ts'
import { checkoutEvents, codes, complete, create, DEAR, get, line, ready, start, TEA } from './support.ts'

const TIMEOUT_MS = 1000
const rejected = (text = 'no credit') => failure('rejected', text, { documented: true })
/** What a proxy in front of the supplier answers: the HTTP status, and nothing in the supplier's own words. */
const gateway = failure('unauthorized', 'the upstream answered HTTP 403')

/** The order reaches the supplier's books without us. */
const landOrder = (service: Service, id: string) =>
  service.supply.vendor.createOrder(
    supplyOrder(id, [{ vendorSku: 'SP1001', quantity: 2, unit: 'pack' }], {
      method: 'shipping',
      contactName: '',
      contactPhone: '',
      address: '',
    }),
  )

const questionsAbout = (service: Service, id: string): number =>
  service.supply.script.calls.filter(({ name, args }) => name === 'orderStatus' && args[0] === id).length

/** Sent, never answered, absent after the grace: back to ready, though the order may still land. */
async function takenForAbsent(service: Service): Promise<string> {
  const id = await ready(service)
  service.supply.script.next('createOrder', { instead: failure('unknown', 'time-out') })
  expect((await complete(service, id)).status).toBe(502)
  service.clock.advance(TIMEOUT_MS)
  await service.job('effects.purchase')
  expect((await get(service, id)).status).toBe('ready_for_complete')
  return id
}

async function refused(service: Service, id: string, answer = rejected()): Promise<void> {
  service.supply.script.next('createOrder', { instead: answer })
  await complete(service, id)
  expect((await get(service, id)).status).toBe('ready_for_complete')
}

describe('3.1 a refusal is believed only after the supplier was asked', () => {
  test.each([
    ['rejected in its own words', rejected()],
    ['credentials refused in its own words', failure('unauthorized', 'app key disabled', { documented: true })],
    ['a gateway’s 401 or 403', gateway],
  ])('%s although the order was placed: completed with that order', async (_, answer) => {
    const service = await start()
    const id = await ready(service)
    service.supply.script.next('createOrder', { afterwards: answer })
    const { status, body } = await complete(service, id)
    expect([status, body.status, body.order?.label]).toEqual([200, 'completed', 'AS000001'])
    expect(await checkoutEvents(service)).toEqual([`${id} completed: order AS000001`])
    expect((await service.get(`/orders/${id}`)).body.label).toBe('AS000001')
    expect((await audit(service.ctx, { askSupplier: true })).problems).toEqual([])
  })

  test('a documented refusal, and the supplier has no order: final at once, and the basket stays editable', async () => {
    const service = await start()
    const id = await ready(service)
    service.supply.script.next('createOrder', { instead: rejected() })
    const { status, body } = await complete(service, id)
    expect([status, codes(body), body.messages[0].content]).toEqual([502, ['supplier_rejected'], 'no credit'])
    expect((await get(service, id)).status).toBe('ready_for_complete')
    expect((await service.put(`/checkout-sessions/${id}`, { line_items: [line(TEA)] })).status).toBe(200)
  })

  test('a gateway’s 403, and no order yet: in doubt for the grace, then ready again', async () => {
    const service = await start()
    const id = await ready(service)
    service.supply.script.next('createOrder', { instead: gateway })
    const answer = await complete(service, id)
    expect([answer.status, codes(answer)]).toEqual([502, ['upstream_unreachable']])
    expect((await get(service, id)).status).toBe('complete_in_progress')
    service.clock.advance(TIMEOUT_MS)
    await service.job('effects.purchase')
    expect((await get(service, id)).status).toBe('ready_for_complete')
  })

  test.each(['rejected', 'unauthorized'] as FailureReason[])(
    '%s, and the supplier cannot be asked: in doubt, until it can',
    async (reason) => {
      const service = await start()
      const id = await ready(service)
      service.supply.script.next('createOrder', { afterwards: failure(reason, 'no', { documented: true }) })
      service.supply.script.next('orderStatus', 'pass', { instead: failure('unknown') })
      const answer = await complete(service, id)
      expect([answer.status, codes(answer)]).toEqual([502, ['upstream_unreachable']])
      expect((await get(service, id)).status).toBe('complete_in_progress')
      service.clock.advance(TIMEOUT_MS)
      await service.job('effects.purchase')
      expect((await get(service, id)).order.label).toBe('AS000001')
    },
  )

  test('an order under the number of a session that was refused is that session’s, never "open another"', async () => {
    const service = await start()
    const id = await ready(service)
    await refused(service, id)
    await landOrder(service, id)
    const { status, body } = await complete(service, id)
    expect([status, body.status, body.order?.label]).toEqual([200, 'completed', 'AS000001'])
    expect(service.supply.script.count('createOrder'), 'ours, and the one that landed').toBe(2)
  })

  test('while the supplier cannot be asked, a session that was refused is not sent again', async () => {
    const service = await start()
    const id = await ready(service)
    await refused(service, id)
    service.supply.script.always('orderStatus', failure('unknown'))
    expect((await complete(service, id)).status).toBe(502)
    expect(service.supply.script.count('createOrder')).toBe(1)
  })

  test('an order that arrives after its basket was changed is recorded as it was sent', async () => {
    const service = await start()
    const id = await ready(service)
    await refused(service, id)
    await service.put(`/checkout-sessions/${id}`, { line_items: [line(TEA)] })
    await landOrder(service, id)
    service.clock.advance(TIMEOUT_MS)
    await service.job('effects.purchase')
    const session = await get(service, id)
    expect([session.status, session.line_items[0].item.id, session.totals.at(-1).amount]).toEqual([
      'completed',
      'acme-supply:SP1001',
      5760,
    ])
    expect((await audit(service.ctx, { askSupplier: true })).problems).toEqual([])
  })
})

describe('3.1 an order that arrives late is found within 48 hours, whatever the status of its session', () => {
  const moved: readonly (readonly [string, (service: Service, id: string) => Promise<unknown>, string])[] = [
    ['ready_for_complete', async () => {}, 'completed'],
    [
      'requires_escalation',
      (service, id) =>
        refused(service, id).then(() => service.put(`/checkout-sessions/${id}`, { line_items: DEAR.line_items })),
      'completed',
    ],
    [
      'incomplete',
      (service, id) =>
        refused(service, id).then(() =>
          service.put(`/checkout-sessions/${id}`, { line_items: [line('acme-supply:SP9009')] }),
        ),
      'completed',
    ],
    ['canceled', (service, id) => service.post(`/checkout-sessions/${id}/cancel`), 'canceled'],
    [
      'canceled',
      async (service) => {
        service.clock.advance(24 * HOUR)
        await service.job('checkout-expiry')
      },
      'canceled',
    ],
  ]
  test.each(moved)('%s: recorded, with an event, shown on the session', async (before, move, after) => {
    const service = await start()
    const id =
      before === 'ready_for_complete' || before === 'canceled' ? await takenForAbsent(service) : await ready(service)
    await move(service, id)
    expect((await get(service, id)).status).toBe(before)
    await landOrder(service, id)
    service.clock.advance(2 * MINUTE)
    await service.job('effects.purchase')
    const session = await get(service, id)
    expect([session.status, session.order?.label]).toEqual([after, 'AS000001'])
    expect((await service.get(`/orders/${id}`)).body.label).toBe('AS000001')
    expect((await checkoutEvents(service))[0]).toContain('AS000001')
    if (after === 'canceled') expect(codes(session)).toContain('late_order')
    expect((await service.get('/approvals')).body.approvals).toEqual([])
    expect((await audit(service.ctx, { askSupplier: true })).problems).toEqual([])
  })

  test('asked less and less often, still after 47 hours, and not after 49', async () => {
    const service = await start()
    const id = await takenForAbsent(service)
    const asked: number[] = []
    const from = service.clock.now()
    // Every minute at first, every 20 once the intervals are longer than that.
    for (let minute = 0; minute < 50 * 60; minute += minute < 60 ? 1 : 20) {
      const before = questionsAbout(service, id)
      service.clock.advance(minute < 60 ? MINUTE : 20 * MINUTE)
      await service.job('effects.purchase')
      if (questionsAbout(service, id) > before) asked.push((service.clock.now() - from) / HOUR)
    }
    expect(asked.length).toBeGreaterThan(48)
    expect(asked.length).toBeLessThan(80)
    expect(asked.filter((hour) => hour < 1).length).toBeGreaterThan(5)
    expect(asked.at(-1)).toBeGreaterThan(47)
    expect(asked.at(-1)).toBeLessThan(49.5)
  })

  test('hours in which the supplier did not answer do not count as watched', async () => {
    const service = await start()
    const id = await takenForAbsent(service)
    service.supply.script.always('orderStatus', failure('unknown'))
    for (let hour = 0; hour < 60; hour++) {
      service.clock.advance(HOUR)
      await service.job('effects.purchase')
    }
    service.supply.script.always('orderStatus', undefined)
    await landOrder(service, id)
    service.clock.advance(HOUR)
    await service.job('effects.purchase')
    expect((await get(service, id)).order?.label).toBe('AS000001')
  })

  test('due times survive a restart', async () => {
    const first = await start()
    const id = await takenForAbsent(first)
    const later = first.clock.now() + MINUTE
    const second = await start({ store: first.ctx.store, supply: first.supply, now: later })
    await landOrder(second, id)
    await second.job('effects.purchase')
    expect((await get(second, id)).order?.label).toBe('AS000001')
  })

  test('a clock set back a year delays no question by more than its interval', async () => {
    const service = await start()
    const id = await takenForAbsent(service)
    for (let n = 0; n < 8; n++) {
      service.clock.advance(HOUR)
      await service.job('effects.purchase')
    }
    service.clock.set(service.clock.now() - 365 * 24 * HOUR)
    await landOrder(service, id)
    service.clock.advance(HOUR)
    await service.job('effects.purchase')
    expect((await get(service, id)).order?.label).toBe('AS000001')
  })
})

describe('3.1 recovery is fair', () => {
  test('130 lost replies, the supplier silent about the oldest 100: the other 30 are found', async () => {
    const service = await start()
    const ids: string[] = []
    for (let n = 0; n < 130; n++) {
      const id = await ready(service)
      service.supply.script.next('createOrder', { afterwards: failure('unknown', 'time-out') })
      service.supply.script.next('orderStatus', 'pass', { instead: failure('unknown') })
      expect((await complete(service, id)).status).toBe(502)
      ids.push(id)
      service.clock.advance(1)
    }
    const silent = new Set(ids.slice(0, 100))
    service.supply.script.silentAbout = (ref) => silent.has(ref)
    for (let round = 0; round < 4; round++) {
      service.clock.advance(2 * TIMEOUT_MS)
      await service.job('effects.purchase')
    }
    for (const id of ids.slice(100)) expect((await get(service, id)).status).toBe('completed')
    for (const id of ids.slice(0, 100)) expect(questionsAbout(service, id)).toBeGreaterThan(1)
    service.supply.script.silentAbout = undefined
    for (let round = 0; round < 4; round++) {
      service.clock.advance(5 * MINUTE)
      await service.job('effects.purchase')
    }
    for (const id of ids) expect((await get(service, id)).status).toBe('completed')
    expect(service.supply.script.count('createOrder')).toBe(130)
  }, 240_000)
})

describe('the audit after a harmless race', () => {
  test('attempt 1 is found while attempt 2 is out: both have an outcome and an event', async () => {
    const service = await start()
    const id = await takenForAbsent(service)
    const { promise, resolve } = Promise.withResolvers<void>()
    service.supply.script.next('createOrder', { wait: promise })
    const second = complete(service, id)
    while ((await get(service, id)).status !== 'complete_in_progress') await new Promise((go) => setTimeout(go, 5))
    await landOrder(service, id)
    // The question about attempt 1 was asked before attempt 2 was claimed, and its answer is settled now.
    const { settle } = await import('../../src/acts/checkout/purchase/attempt.ts')
    const { foundSettlement } = await import('../../src/acts/checkout/purchase/outcomes.ts')
    const status = await service.supply.vendor.orderStatus(id)
    if (!status.ok) throw new Error('the order landed')
    await settle(service.ctx, id, 1, foundSettlement(status.value))
    resolve()
    expect((await second).body.order.label).toBe('AS000001')
    expect(await audit(service.ctx, { askSupplier: true })).toEqual({ checked: 1, problems: [] })
    const attempts = await service.ctx.store.db
      .selectFrom('checkout_attempt')
      .selectAll()
      .orderBy('attempt_no')
      .execute()
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['accepted', 'superseded'])
  })

  test('a session that was refused, and whose order the supplier has after all, is named until it is booked', async () => {
    const service = await start()
    const id = (await create(service)).body.id as string
    await refused(service, id)
    await landOrder(service, id)
    const { problems } = await audit(service.ctx, { askSupplier: true })
    expect(problems.map(({ code, checkout }) => [code, checkout])).toEqual([['supplier_has_stray_order', id]])
    service.clock.advance(MINUTE)
    await service.job('effects.purchase')
    expect((await audit(service.ctx, { askSupplier: true })).problems).toEqual([])
  })
})
