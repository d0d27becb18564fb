/** Limits that add up: small purchases and small price steps do not get past them. */
import { describe, expect, test } from 'vitest'
import { complete, create, DEAR, get, line, ready, start, WATER } from '../checkout/support.ts'
import {
  change,
  COLA,
  decisionOf,
  line as price,
  priceRequest,
  pricesOnMachine,
  startPricing,
} from '../pricing/machines.ts'
import { failure } from '../support/scripted-vendors.ts'
import { RULES } from '../support/service.ts'
import type { Service } from '../support/service.ts'

const withRules = (more: object) => ({ ...RULES, rules: { ...RULES.rules, ...more } })
const HOUR = 3_600_000

/** One single bottle costs the same each time. */
const ONE = { line_items: [line(WATER, 1, 'BX')] }

async function totalOf(service: Service, id: string): Promise<number> {
  const { totals } = await get(service, id)
  return totals.find(({ type }: { type: string }) => type === 'total').amount
}

const usage = async (service: Service, rule: string) =>
  (await service.get('/guardrails')).body.limits.find((limit: { rule: string }) => limit.rule === rule)

describe('missing limits', () => {
  const missing = async (service: Service) => (await service.get('/guardrails')).body.missing_limits as unknown
  const live = { config: { env: 'live' as const } }

  test('in live the limits over time that are not set are named', async () => {
    const service = await start(live)
    expect(await missing(service)).toEqual(['spendingLimitPerDay', 'spendingLimitPerWeek', 'priceDriftPerWeek'])
    service.writeRules(withRules({ spendingLimitPerDay: 1 }))
    expect(await missing(service)).toEqual(['priceDriftPerWeek'])
    service.writeRules(withRules({ spendingLimitPerWeek: 1, priceDriftPerWeek: 1 }))
    expect(await missing(service)).toEqual([])
    const drift = await start({ ...live, rules: withRules({ priceDriftPerWeek: 1 }) })
    expect(await missing(drift)).toEqual(['spendingLimitPerDay', 'spendingLimitPerWeek'])
  })

  test('staging cannot spend, so nothing is missing there', async () => {
    expect(await missing(await start({ config: { env: 'staging' } }))).toEqual([])
  })
})

describe('spending limits of a day and a week', () => {
  test('150 small purchases spend no more than the limit of a day; the next ones ask', async () => {
    const service = await start()
    const unit = await totalOf(service, await ready(service, ONE))
    service.writeRules(withRules({ spendingLimitPerDay: 20 * unit }))
    const statuses: string[] = []
    for (let n = 0; n < 150; n++) {
      const created = await create(service, ONE)
      statuses.push(
        created.body.status === 'ready_for_complete'
          ? (await complete(service, created.body.id)).body.status
          : created.body.status,
      )
    }
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill('completed'))
    expect(new Set(statuses.slice(20))).toEqual(new Set(['requires_escalation']))
    expect(await usage(service, 'spendingLimitPerDay')).toMatchObject({
      used: 20 * unit,
      limit: 20 * unit,
      window: 'day',
    })
  })

  test('ten purchases at once, over three instances, for the last of a budget: exactly the allowed ones pass', async () => {
    const first = await start()
    const unit = await totalOf(first, await ready(first, ONE))
    const rules = withRules({ spendingLimitPerDay: 3 * unit })
    const shared = { store: first.ctx.store, clock: first.clock, supply: first.supply, rules }
    const instances = [first, await start(shared), await start(shared)]
    // All are ready while the budget is free.
    const ids: string[] = []
    for (let n = 0; n < 10; n++) ids.push(await ready(first, ONE))
    first.writeRules(rules)
    const answers = await Promise.all(ids.map((id, n) => complete(instances[n % 3]!, id)))
    const statuses = answers.map(({ body }) => body.status)
    expect(statuses.filter((status) => status === 'completed')).toHaveLength(3)
    expect(statuses.filter((status) => status === 'requires_escalation')).toHaveLength(7)
  })

  test('the budget is free again after 24 hours, that of a week after 7 days', async () => {
    const service = await start()
    const id = await ready(service, ONE)
    const unit = await totalOf(service, id)
    service.writeRules(withRules({ spendingLimitPerDay: unit, spendingLimitPerWeek: 2 * unit }))
    expect((await complete(service, id)).body.status).toBe('completed')
    expect((await create(service, ONE)).body.status).toBe('requires_escalation')
    const { frees_at: freesAt } = await usage(service, 'spendingLimitPerDay')
    expect(Date.parse(freesAt) - service.clock.now()).toBe(24 * HOUR)
    service.clock.advance(24 * HOUR)
    expect((await complete(service, await ready(service, ONE))).body.status).toBe('completed')
    service.clock.advance(24 * HOUR)
    expect((await create(service, ONE)).body.status, 'the week is used up').toBe('requires_escalation')
    service.clock.advance(5 * 24 * HOUR)
    expect((await create(service, ONE)).body.status).toBe('ready_for_complete')
  })

  test('what the supplier refused does not count; what was approved counts and widens nothing', async () => {
    const service = await start()
    const id = await ready(service, ONE)
    const unit = await totalOf(service, id)
    service.writeRules(withRules({ spendingLimitPerDay: unit }))
    service.supply.script.next('createOrder', { instead: failure('rejected', 'no', { documented: true }) })
    expect((await complete(service, id)).body.messages[0].code).toBe('supplier_rejected')
    expect((await usage(service, 'spendingLimitPerDay')).used).toBe(0)
    const dear = (await create(service, DEAR)).body
    expect(dear.status).toBe('requires_escalation')
    const decision = dear.actions['com.example.vending.approval'][0].id
    await service.post(`/approvals/${decision}`, { approved: true })
    expect((await complete(service, dear.id)).body.status).toBe('completed')
    expect((await usage(service, 'spendingLimitPerDay')).used).toBe(await totalOf(service, dear.id))
    expect((await complete(service, id)).body.status).toBe('requires_escalation')
  })

  test('a limit per supplier and per key ask for their own purchases only', async () => {
    const service = await start()
    service.writeRules(
      withRules({
        spendingLimitBySupplier: { 'other-supply': { perRun: 0 } },
        spendingLimitByKey: { somebody: { perDay: 0 } },
      }),
    )
    expect((await create(service, ONE)).body.status).toBe('ready_for_complete')
    service.writeRules(withRules({ spendingLimitByKey: { operator: { perRun: 0 } } }))
    const asked = (await create(service, ONE)).body
    expect(asked.status).toBe('requires_escalation')
    const { approvals } = (await service.get('/approvals')).body
    expect(approvals.at(-1)).toMatchObject({
      code: 'key_limit',
      reasoning: expect.stringContaining('limit per purchase of operator'),
    })
  })

  test('a rules file with an unknown limit cannot be relied on', async () => {
    const service = await start()
    const id = await ready(service, ONE)
    service.writeRules(withRules({ spendingLimitByKey: { operator: { perCentury: 1 } } }))
    expect((await complete(service, id)).status).toBe(503)
  })
})

describe('price drift', () => {
  test('98 allowed steps no longer lead from ¥2.50 to ¥100.50', async () => {
    const service = await startPricing({ rules: withRules({ priceDriftPerWeek: 300 }) })
    const answers: unknown[] = []
    for (let amount = 350; amount <= 10_050; amount += 100)
      answers.push((await change(service, priceRequest(price(COLA, amount)))).body.messages?.[0]?.code)
    expect(answers.slice(0, 3)).toEqual([undefined, undefined, undefined])
    expect(new Set(answers.slice(3))).toEqual(new Set(['approval_required']))
    const { approvals } = (await service.get('/approvals')).body
    expect(approvals.find(({ code }: { code: string }) => code === 'price_drift').reasoning).toContain(
      'A price ¥4.00 away from ¥2.50 within 7 days exceeds the ¥3.00 limit per week',
    )
    service.clock.advance(7 * 24 * HOUR)
    expect((await change(service, priceRequest(price(COLA, 650)))).body.updated).toHaveLength(1)
  })

  test('a change that waited longer than a week counts from when it was executed', async () => {
    const service = await startPricing({ rules: withRules({ priceDriftPerWeek: 250 }) })
    const asked = await change(service, priceRequest(price(COLA, 450)))
    service.clock.advance(8 * 24 * HOUR)
    expect((await service.post(`/approvals/${decisionOf(asked)}`, { approved: true })).status).toBe(200)
    expect(pricesOnMachine(service)[COLA]).toBe(450)
    // ¥1.00 is within the cap of one change, but ¥3.00 away from the price before the approved one.
    expect((await change(service, priceRequest(price(COLA, 550)))).body.messages[0].code).toBe('approval_required')
    expect((await change(service, priceRequest(price(COLA, 500)))).body.updated).toHaveLength(1)
    service.clock.advance(8 * 24 * HOUR)
    expect((await change(service, priceRequest(price(COLA, 600)))).body.updated).toHaveLength(1)
  })
})
