/** The limit of new approvals a minute: every operation that creates one is charged, and nothing else waits for it. */
import { describe, expect, test } from 'vitest'
import { fen } from '../../src/kernel/fen.ts'
import { create, place, run, startRoute, withRules } from '../replenishment/route.ts'
import { supplyProduct, scriptedSupply } from '../support/scripted-vendors.ts'
import { RULES, startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'
import { change, COLA, decisionOf, line, priceRequest, startPricing, TEA, writes } from '../pricing/machines.ts'

/** Two new approvals a minute, and twenty writes. */
const config = { rateLimitPerMinute: 100 }
const STRICT = { ...RULES, rules: { ...RULES.rules, spendingLimitPerRun: 1 } }

const checkout = (quantity = 1) => ({
  line_items: [{ item: { id: 'acme-supply:SP1' }, quantity }],
  fulfillment: {
    methods: [
      { type: 'shipping', destinations: [{ street_address: '1 Road', first_name: 'Wu', phone_number: '13800000000' }] },
    ],
  },
})
const startShop = () =>
  startService({ config, supply: scriptedSupply([supplyProduct('SP1', { eachPriceFen: fen(1000) })]) })
const openSession = async (service: Service, quantity = 1) =>
  (await service.post('/checkout-sessions', checkout(quantity))).body.id as string
const complete = (service: Service, id: string) => service.post(`/checkout-sessions/${id}/complete`, { confirm: true })
const statusOf = async (service: Service, id: string) => (await service.get(`/checkout-sessions/${id}`)).body.status
const decisions = async (service: Service) =>
  (await service.ctx.store.db.selectFrom('decision').select('seq').where('status', '=', 'pending').execute()).length

const tooMany = { status: 429, body: { messages: [{ code: 'rate_limited', severity: 'recoverable' }] } }

describe('approvals that completing a purchase creates', () => {
  test('are charged: above the limit 429 with an event, nothing changed, nothing bought', async () => {
    const service = await startShop()
    const ids = [await openSession(service), await openSession(service), await openSession(service)] as const
    service.writeRules(STRICT)
    for (const id of ids.slice(0, 2)) expect((await complete(service, id)).body.status).toBe('requires_escalation')
    const refused = await complete(service, ids[2])
    expect(refused).toMatchObject(tooMany)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect([await statusOf(service, ids[2]), await decisions(service)]).toEqual(['ready_for_complete', 2])
    expect((await service.events('checkout'))[0].summary).toContain('rate limited')
    expect(service.supply.orders.size).toBe(0)
    service.clock.advance(60_000)
    expect((await complete(service, ids[2])).body.status).toBe('requires_escalation')
  })

  test('asking again for one that is pending costs nothing', async () => {
    const service = await startShop()
    const id = await openSession(service, 100)
    for (let i = 0; i < 3; i++) expect((await complete(service, id)).body.status).toBe('requires_escalation')
    expect(await statusOf(service, await openSession(service, 100))).toBe('requires_escalation')
  })
})

describe('approvals that placing a run creates', () => {
  test('are charged, and with none left the run stays as it was', async () => {
    const service = await startRoute({ config })
    const { body: created } = await create(service)
    expect(created.status).toBe('approved')
    service.writeRules(withRules({ spendingLimitPerRun: 1000 }))
    expect(await place(service, created.id)).toMatchObject({
      status: 409,
      body: { messages: [{ code: 'approval_required' }] },
    })
    service.writeRules(RULES)
    const { body: second } = await create(service)
    expect(second.status).toBe('approved')
    service.writeRules(withRules({ spendingLimitPerRun: 1000 }))
    expect((await create(service)).body.status, 'the second of two').toBe('pending_approval')
    expect(await place(service, second.id)).toMatchObject(tooMany)
    expect((await run(service, second.id)).status).toBe('approved')
    expect(await decisions(service)).toBe(2)
  })
})

describe('with no new approvals left', () => {
  test('purchases within the rules are created, changed and completed', async () => {
    const service = await startShop()
    for (let i = 0; i < 2; i++) await openSession(service, 100)
    expect(await service.post('/checkout-sessions', checkout(100))).toMatchObject(tooMany)
    const id = await openSession(service)
    expect((await service.put(`/checkout-sessions/${id}`, checkout(2))).status).toBe(200)
    expect((await complete(service, id)).body.status).toBe('completed')
    expect(service.supply.orders.size).toBe(1)
  })

  test('price changes within the cap are made', async () => {
    const service = await startPricing({ config })
    for (const price of [400, 410])
      expect(decisionOf(await change(service, priceRequest(line(COLA, price))))).toMatch(/^dec-/)
    expect(await change(service, priceRequest(line(COLA, 420)))).toMatchObject(tooMany)
    expect((await change(service, priceRequest(line(TEA, 310)))).status).toBe(200)
    expect(writes(service)).toBe(1)
  })
})
