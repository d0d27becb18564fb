import { describe, expect, test } from 'vitest'
import { HOUR } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import { plainCode } from '../../src/kernel/text.ts'
import { RULES } from '../support/service.ts'
import type { Service } from '../support/service.ts'
import { failure, supplyOrder, supplyProduct } from '../support/scripted-vendors.ts'
import { checkoutEvents, codes, complete, create, CRISPS, DEAR, get, line, ready, start, WATER } from './support.ts'

const stopped = { ...RULES, rules: { ...RULES.rules, killSwitchEngaged: true } }

describe('3.1 complete', () => {
  test('ready_for_complete, the supplier accepts: completed, order appears, an event is written', async () => {
    const service = await start()
    const id = await ready(service)
    const { status, body } = await complete(service, id)
    expect([status, body.status]).toEqual([200, 'completed'])
    expect(body.order).toEqual({ id, permalink_url: `https://vending.example.com/purchases/${id}`, label: 'AS000001' })
    expect(body.continue_url).toBeUndefined()
    expect(service.supply.orders.get(id)).toMatchObject({
      lines: [{ vendorSku: 'SP1001', quantity: 2, unit: 'pack' }],
      fulfillment: {
        method: 'shipping',
        contactName: '伟 王',
        contactPhone: '13800000000',
        address: '上海市 世纪大道 100 号',
      },
    })
    expect(await checkoutEvents(service)).toEqual([`${id} completed: order AS000001`])
  })

  test('completed, again: the same order, no second one, an event, whatever the kill switch says', async () => {
    const service = await start()
    const id = await ready(service)
    const first = await complete(service, id)
    service.writeRules(stopped)
    const again = await complete(service, id)
    expect([again.status, again.body]).toEqual([200, first.body])
    service.writeRules('{')
    expect((await complete(service, id)).status).toBe(200)
    expect(service.supply.script.count('createOrder')).toBe(1)
    expect(await checkoutEvents(service)).toEqual([
      `${id} is already completed: order AS000001`,
      `${id} is already completed: order AS000001`,
      `${id} completed: order AS000001`,
    ])
  })

  test('the supplier rejects: 502 supplier_rejected with its text, ready again, an event is written', async () => {
    const service = await start()
    const id = await ready(service)
    service.supply.script.next('createOrder', { instead: failure('rejected', '账户信用额度不足') })
    const { status, body } = await complete(service, id)
    expect([status, body.messages]).toMatchObject([
      502,
      [{ code: 'supplier_rejected', severity: 'unrecoverable', content: '账户信用额度不足' }],
    ])
    expect((await get(service, id)).status).toBe('ready_for_complete')
    expect(await checkoutEvents(service)).toHaveLength(1)
    expect((await complete(service, id)).body.status).toBe('completed')
  })

  test('the supplier refuses our credentials: 401 with its text, ready again, nothing else is frozen', async () => {
    const service = await start()
    const [id, other] = [await ready(service), await ready(service)]
    service.supply.script.next('createOrder', {
      instead: failure('unauthorized', 'app key disabled', { documented: true }),
    })
    const { status, body, headers } = await complete(service, id)
    expect([status, body.messages]).toMatchObject([
      401,
      [{ code: 'unauthorized', params: { whose: 'supplier', connection: 'acme-supply' } }],
    ])
    expect(body.messages[0].content).toMatch(/acme-supply.*app key disabled/)
    expect(headers).not.toHaveProperty('www-authenticate')
    expect((await get(service, id)).status).toBe('ready_for_complete')
    expect((await complete(service, other)).body.status).toBe('completed')
  })

  test('nothing was sent: 502 upstream_unreachable, ready again at once, the supplier is not asked', async () => {
    const service = await start()
    const id = await ready(service)
    service.supply.script.next('createOrder', { instead: failure('unsent', 'connection refused') })
    const { status, body } = await complete(service, id)
    expect([status, codes(body)]).toEqual([502, ['upstream_unreachable']])
    expect(body.messages[0]).toMatchObject({ content: 'connection refused', params: { may_exist: false } })
    expect((await get(service, id)).status).toBe('ready_for_complete')
    expect(service.supply.script.calls.at(-1)?.name).toBe('createOrder')
  })

  test('a process that is suspended after its claim sends nothing: ready again, and one order in the end', async () => {
    let isSuspended = true
    const service = await start({
      onCheckpoint: (at) => {
        if (at === 'claimed' && isSuspended) service.clock.advance(service.config.upstreamTimeoutMs + 1)
      },
    })
    const id = await ready(service)
    const { status, body } = await complete(service, id)
    expect([status, codes(body)]).toEqual([502, ['upstream_unreachable']])
    expect(body.messages[0].params).toEqual({ may_exist: false })
    expect(service.supply.script.count('createOrder')).toBe(0)
    expect((await get(service, id)).status).toBe('ready_for_complete')
    isSuspended = false
    expect((await complete(service, id)).body.status).toBe('completed')
    expect(service.supply.script.count('createOrder')).toBe(1)
  })

  test('the supplier knows the number from elsewhere: 502 supplier_rejected, no order is taken for ours', async () => {
    const service = await start()
    const id = await ready(service)
    const elsewhere = { method: 'pickup', pickupAt: 0 } as const
    await service.supply.vendor.createOrder(
      supplyOrder(id, [{ vendorSku: 'SP3003', quantity: 1, unit: 'each' }], elsewhere),
    )
    const { status, body } = await complete(service, id)
    expect([status, codes(body)]).toEqual([502, ['supplier_rejected']])
    expect(body.messages[0].content).toContain('AS000001')
    expect(await get(service, id)).toMatchObject({ status: 'ready_for_complete' })
    expect(service.supply.script.count('createOrder')).toBe(1)
    expect(await checkoutEvents(service)).toEqual([`${id} not completed: supplier rejected`])
    const another = await complete(service, await ready(service))
    expect([another.body.status, another.body.order.label]).toEqual(['completed', 'AS000002'])
  })

  test('it is unknown whether the supplier knows the number: the order is sent nevertheless', async () => {
    const service = await start()
    const id = await ready(service)
    service.supply.script.next('orderStatus', { instead: failure('unknown') })
    expect((await complete(service, id)).body.status).toBe('completed')
  })
})

describe('complete, order of checks', () => {
  test.each([[{ confirm: 'true' }], [{ confirm: 1 }], [{ confirm: false }], [{ confirm: null }], [{}]])(
    '7 confirmation_required for %j, even where there is no session',
    async (body) => {
      const service = await start()
      for (const id of [await ready(service), 'nope']) {
        const refused = await complete(service, id, body)
        expect([refused.status, refused.body.messages]).toMatchObject([
          400,
          [{ code: 'confirmation_required', severity: 'requires_buyer_review', path: '$.confirm' }],
        ])
      }
      expect(service.supply.script.count('createOrder')).toBe(0)
    },
  )

  test('payment is on account: one instrument or none, no other handler', async () => {
    const service = await start()
    const instrument = { id: 'x', handler_id: 'supplier_account', type: 'on_account' }
    const pay = async (...instruments: object[]) =>
      (await complete(service, await ready(service), { confirm: true, payment: { instruments } })).status
    expect(await pay(instrument)).toBe(200)
    expect(await pay(instrument, instrument)).toBe(400)
    expect(await pay({ ...instrument, handler_id: 'card' })).toBe(400)
    expect(await pay({ ...instrument, type: 'card' })).toBe(400)
  })

  test('expired comes before the rules: 200, canceled, with an event', async () => {
    const service = await start()
    const id = await ready(service)
    service.clock.advance(24 * HOUR)
    service.writeRules('{')
    const { status, body } = await complete(service, id)
    expect([status, body.status, codes(body)]).toEqual([200, 'canceled', ['expired']])
    expect(await checkoutEvents(service)).toEqual([`${id} expired`])
  })

  test('expired is reported the same way when the job, or a read, noticed first', async () => {
    const service = await start()
    const id = await ready(service)
    service.clock.advance(24 * HOUR)
    await service.job('checkout-expiry')
    const { status, body } = await complete(service, id)
    expect([status, body.status, codes(body)]).toEqual([200, 'canceled', ['expired']])
    expect(await checkoutEvents(service)).toEqual([`${id} not completed: expired`, `${id} expired`])
  })

  test('unreadable rules come before everything they could allow: 503 guard_unverifiable', async () => {
    const service = await start()
    const ids = [await ready(service), (await create(service, DEAR)).body.id]
    service.writeRules('{')
    for (const id of ids) {
      const { status, body, headers } = await complete(service, id)
      expect([status, codes(body)]).toEqual([503, ['guard_unverifiable']])
      expect(headers['retry-after']).toBeDefined()
    }
    expect(await checkoutEvents(service)).toHaveLength(2)
  })

  test('the kill switch comes before the approval: 409, the session stays as it was, with an event', async () => {
    const service = await start()
    const ids = [await ready(service), (await create(service, DEAR)).body.id]
    service.writeRules(stopped)
    for (const id of ids) {
      const before = await get(service, id)
      const { status, body } = await complete(service, id)
      expect([status, codes(body)]).toEqual([409, ['kill_switch_engaged']])
      expect(await get(service, id)).toEqual(before)
    }
    expect(await checkoutEvents(service)).toHaveLength(2)
    expect(service.supply.script.count('createOrder')).toBe(0)
  })

  test('the kill switch engaged at run time counts as well, also while the supplier is being read', async () => {
    const service = await start()
    const id = await ready(service)
    const { promise, resolve } = Promise.withResolvers<void>()
    service.supply.script.next('catalog', { wait: promise })
    const pending = complete(service, id)
    await service.post('/guardrails/stop', { reason: 'something is wrong' })
    resolve()
    expect((await pending).status).toBe(409)
    expect(service.supply.script.count('createOrder')).toBe(0)
  })

  const lastMoments: readonly (readonly [string, (service: Service) => Promise<unknown>, number, string])[] = [
    ['pulled', (service) => service.post('/guardrails/stop', { reason: 'smoke' }), 409, 'kill_switch_engaged'],
    ['in the file', async (service) => service.writeRules(stopped), 409, 'kill_switch_engaged'],
    ['unreadable rules', async (service) => service.writeRules('{'), 503, 'guard_unverifiable'],
    [
      'a database that cannot be asked',
      async ({ ctx }) => Object.assign(ctx.store, { actUnderLock: () => Promise.reject(new Error('down')) }),
      503,
      'guard_unverifiable',
    ],
  ]
  test.each(lastMoments)(
    'after the claim and before the first byte: %s. Nothing is sent, the session is ready again, with its event',
    async (_name, happen, status, code) => {
      const service = await start()
      const id = await ready(service)
      const { promise, resolve } = Promise.withResolvers<void>()
      service.supply.script.next('createOrder', { wait: promise })
      const pending = complete(service, id)
      await expect.poll(() => service.supply.script.count('createOrder')).toBeGreaterThan(0)
      await happen(service)
      resolve()
      const answer = await pending
      expect([answer.status, codes(answer.body)]).toEqual([status, [code]])
      expect([...service.supply.orders.keys()]).toEqual([])
      expect((await get(service, id)).status).toBe('ready_for_complete')
      expect((await service.events('checkout'))[0].summary).toBe(`${id} not completed: ${plainCode(code)}`)
    },
  )

  test('approval pending: 200 unchanged with approval_required, an event, and not kept under the key', async () => {
    const service = await start()
    const { body: session } = await create(service, DEAR)
    const headers = { 'idempotency-key': 'once' }
    const { status, body } = await complete(service, session.id, { confirm: true }, headers)
    expect([status, body]).toEqual([200, session])
    expect(codes(body)).toContain('approval_required')
    expect(await checkoutEvents(service)).toHaveLength(1)
    const [{ id: decision }] = session.actions['com.example.vending.approval']
    await service.post(`/approvals/${decision}`, { approved: true })
    expect((await complete(service, session.id, { confirm: true }, headers)).body.status).toBe('completed')
  })

  test('incomplete or hard no-go: 200 unchanged with its messages, and an event', async () => {
    const service = await start()
    for (const more of [{ fulfillment: undefined }, { line_items: [line('acme-supply:SP9009')] }]) {
      const { body: session } = await create(service, more)
      const { status, body } = await complete(service, session.id)
      expect([status, body]).toEqual([200, session])
    }
    expect(await checkoutEvents(service)).toHaveLength(2)
  })

  test('canceled: 409 not_editable, and an event', async () => {
    const service = await start()
    const id = await ready(service)
    await service.post(`/checkout-sessions/${id}/cancel`)
    const { status, body } = await complete(service, id)
    expect([status, codes(body)]).toEqual([409, ['not_editable']])
    expect(await checkoutEvents(service)).toEqual([`${id} not completed: not editable`, `${id} canceled`])
  })
})

describe('assessed again at complete', () => {
  test('rules tightened since: a new decision is needed, nothing is bought', async () => {
    const service = await start()
    const id = await ready(service)
    service.writeRules({ ...RULES, rules: { ...RULES.rules, spendingLimitPerRun: 100 } })
    const { status, body } = await complete(service, id)
    expect([status, body.status]).toEqual([200, 'requires_escalation'])
    expect(body.actions['com.example.vending.approval']).toHaveLength(1)
    expect(service.supply.script.count('createOrder')).toBe(0)
    expect(await checkoutEvents(service)).toHaveLength(1)
  })

  test('a no-go added since stops it', async () => {
    const service = await start()
    const id = await ready(service)
    service.writeRules({ ...RULES, rules: { ...RULES.rules, hardNoGos: ['天然水'] } })
    const { body } = await complete(service, id)
    expect([body.status, codes(body)]).toEqual(['incomplete', ['hard_no_go']])
  })

  test('a price that rose is an error: the new total is shown, and bought only when confirmed again', async () => {
    const service = await start()
    const id = await ready(service)
    service.supply.products[0] = supplyProduct('SP1001', { packPriceFen: fen(3000) })
    const preview = await service.post(`/checkout-sessions/${id}/complete?dry_run=true`, { confirm: true })
    const { status, body } = await complete(service, id)
    expect([status, body.status]).toEqual([200, 'ready_for_complete'])
    expect(body.messages).toMatchObject([
      {
        type: 'error',
        code: 'price_changed',
        severity: 'requires_buyer_review',
        path: '$.totals',
        params: { before: { amount: 5760, currency: 'CNY' }, now: { amount: 6000, currency: 'CNY' } },
      },
    ])
    expect(preview.body.messages).toEqual(body.messages)
    expect(body.totals.at(-1).amount).toBe(6000)
    expect(service.supply.script.count('createOrder')).toBe(0)
    expect(await checkoutEvents(service)).toHaveLength(1)
    const again = await complete(service, id)
    expect([again.body.status, again.body.totals.at(-1).amount]).toEqual(['completed', 6000])
  })

  test('a price that fell stops nothing: bought with one confirmation at the lower total', async () => {
    const service = await start()
    const id = await ready(service)
    service.supply.products[0] = supplyProduct('SP1001', { packPriceFen: fen(2500) })
    const preview = await service.post(`/checkout-sessions/${id}/complete?dry_run=true`, { confirm: true })
    expect([preview.body.status, codes(preview), preview.body.totals.at(-1).amount]).toEqual([
      'ready_for_complete',
      [],
      5000,
    ])
    const { body } = await complete(service, id)
    expect([body.status, codes(body), body.totals.at(-1).amount]).toEqual(['completed', [], 5000])
    expect(service.supply.script.count('createOrder')).toBe(1)
    const order = (await service.get(`/orders/${id}`)).body
    expect([order.line_items[0].item.price, order.totals.at(-1).amount]).toEqual([2500, 5000])
    const attempt = await service.ctx.store.db.selectFrom('checkout_attempt').selectAll().executeTakeFirstOrThrow()
    expect([attempt.total_fen, JSON.parse(attempt.intent).totalFen]).toEqual([5000, 5000])
  })

  test('an approval holds when the price falls, also after the supplier refused the first try', async () => {
    const service = await start()
    const { body } = await create(service, DEAR)
    await service.post(`/approvals/${body.actions['com.example.vending.approval'][0].id}`, { approved: true })
    service.supply.products[0] = supplyProduct('SP1001', { packPriceFen: fen(2800) })
    service.supply.script.next('createOrder', { instead: failure('rejected', 'not today') })
    expect((await complete(service, body.id)).status).toBe(502)
    const refused = await get(service, body.id)
    expect([refused.status, refused.totals.at(-1).amount]).toEqual(['ready_for_complete', 56_000])
    service.supply.products[0] = supplyProduct('SP1001', { packPriceFen: fen(2750) })
    const { body: after } = await complete(service, body.id)
    expect([after.status, after.totals.at(-1).amount]).toEqual(['completed', 55_000])
    expect((await service.get('/approvals')).body.approvals).toEqual([])
  })

  test('a lower total of other boxes is another order: nothing is bought', async () => {
    const service = await start()
    const id = await ready(service)
    service.supply.products[0] = supplyProduct('SP1001', { packSize: 12, packPriceFen: fen(1500) })
    const { body } = await complete(service, id)
    expect([body.status, codes(body), service.supply.orders.size]).toEqual(['ready_for_complete', ['price_changed'], 0])
  })

  test('an approval does not cover a price that rose after it', async () => {
    const service = await start()
    const { body } = await create(service, DEAR)
    await service.post(`/approvals/${body.actions['com.example.vending.approval'][0].id}`, { approved: true })
    service.supply.products[0] = supplyProduct('SP1001', { packPriceFen: fen(9000) })
    const { body: after } = await complete(service, body.id)
    expect([after.status, codes(after)]).toEqual(['requires_escalation', ['price_changed', 'approval_required']])
    expect(after.actions).not.toEqual(body.actions)
    expect(service.supply.orders.size).toBe(0)
  })

  test('products gone or short since: incomplete, nothing is bought, no line is left out silently', async () => {
    const service = await start()
    const id = await ready(service, { line_items: [line(WATER, 1, 'BX'), line(CRISPS, 10)] })
    service.supply.products[1] = supplyProduct('SP2002', {
      packSize: 1,
      packPriceFen: fen(310),
      eachPriceFen: fen(310),
      eachPriceDerived: false,
      stock: 3,
    })
    const short = await complete(service, id)
    expect([short.body.status, codes(short)]).toEqual(['incomplete', ['out_of_stock']])
    const other = await ready(service)
    service.supply.products.splice(0, 1)
    const gone = await complete(service, other)
    expect([gone.body.status, codes(gone), gone.body.line_items.length]).toEqual([
      'incomplete',
      ['item_unavailable'],
      1,
    ])
  })

  test('a catalog that cannot be read: 502, nothing is claimed', async () => {
    const service = await start()
    const id = await ready(service)
    service.supply.script.always('catalog', failure('unknown'))
    const answer = await complete(service, id)
    expect([answer.status, answer.body.messages[0].params]).toEqual([502, { may_exist: false }])
    expect((await get(service, id)).status).toBe('ready_for_complete')
    expect(await checkoutEvents(service)).toHaveLength(1)
  })
})

describe('exactly one order', () => {
  test('many callers at once: one order, and all get it', async () => {
    const service = await start()
    const id = await ready(service)
    const answers = await Promise.all(Array.from({ length: 10 }, () => complete(service, id)))
    expect(answers.map(({ body }) => body.order?.label)).toEqual(Array.from({ length: 10 }, () => 'AS000001'))
    expect(service.supply.script.count('createOrder')).toBe(1)
    expect(await checkoutEvents(service), 'one for each of them').toHaveLength(10)
  })

  test('a second caller gets the same refusal as the first', async () => {
    const service = await start()
    const id = await ready(service)
    const { promise, resolve } = Promise.withResolvers<void>()
    service.supply.script.next('createOrder', { wait: promise })
    service.supply.script.always('createOrder', failure('rejected', 'no credit'))
    const first = complete(service, id)
    while ((await get(service, id)).status !== 'complete_in_progress') await new Promise((go) => setTimeout(go, 5))
    const second = complete(service, id)
    await new Promise((go) => setTimeout(go, 300))
    resolve()
    expect((await Promise.all([first, second])).map(({ status, body }) => [status, codes(body)])).toEqual([
      [502, ['supplier_rejected']],
      [502, ['supplier_rejected']],
    ])
    expect(service.supply.script.count('createOrder')).toBe(1)
  })

  test('while the supplier has not answered, PUT and cancel are refused and time does not expire it', async () => {
    const service = await start()
    const id = await ready(service)
    const { promise, resolve } = Promise.withResolvers<void>()
    service.supply.script.next('createOrder', { wait: promise })
    const pending = complete(service, id)
    while ((await get(service, id)).status !== 'complete_in_progress') await new Promise((go) => setTimeout(go, 5))
    const seen = await get(service, id)
    expect([codes(seen), seen.order]).toEqual([['outcome_pending'], undefined])
    expect((await service.put(`/checkout-sessions/${id}`, {})).status).toBe(409)
    expect((await service.post(`/checkout-sessions/${id}/cancel`)).status).toBe(409)
    service.clock.advance(48 * HOUR)
    await service.job('checkout-expiry')
    expect((await get(service, id)).status).toBe('complete_in_progress')
    resolve()
    expect((await pending).body.status).toBe('completed')
  })

  test('cancel and complete at once: one of them, never both', async () => {
    const service = await start()
    for (let round = 0; round < 5; round++) {
      const id = await ready(service)
      await Promise.all([complete(service, id), service.post(`/checkout-sessions/${id}/cancel`)])
      const { status } = await get(service, id)
      expect(service.supply.orders.has(id)).toBe(status === 'completed')
    }
  })

  test('4.4 complete with an Idempotency-Key replays the answer', async () => {
    const service = await start()
    const id = await ready(service)
    const headers = { 'idempotency-key': 'pay' }
    const first = await complete(service, id, { confirm: true }, headers)
    const again = await complete(service, id, { confirm: true }, headers)
    expect(again.text).toBe(first.text)
    expect(again.headers['idempotent-replayed']).toBe('true')
  })
})
