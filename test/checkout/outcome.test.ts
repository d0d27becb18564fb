import { describe, expect, test } from 'vitest'
import { audit, auditChain } from '../../src/views/audit/index.ts'
import { repair } from '../../src/views/audit/repair.ts'
import { HOUR, MINUTE, manualClock } from '../../src/kernel/clock.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { cachedSupply } from '../../src/vendors/cache/cached-vendors.ts'
import type { VendorCapability } from '../../src/vendors/registration.ts'
import type { SupplyOrder, SupplyVendor } from '../../src/vendors/supply-vendor.ts'
import { registerLive, ROLE_CAPABILITIES } from '../../src/vendors/registry.ts'
import { type ScriptedSupply, failure, handoffSupply, unaskableSupply } from '../support/scripted-vendors.ts'
import { addKey } from '../people/keys.ts'
import { type Answered, type Json, type Service, NOW, RULES, TOKEN } from '../support/service.ts'
import { checkoutEvents, codes, complete, create, get, line, ready, SHIPPING, start, supplier, TEA } from './support.ts'

const SUPPLY = 'acme-supply' as Namespace
const TIMEOUT_MS = 1000
const PAGE = 'https://shop.example.com/checkout/1'
const WITHOUT_STATUS: readonly VendorCapability[] = ['catalog', 'createOrder']

const serve = (
  supply: ScriptedSupply,
  vendor: SupplyVendor,
  capabilities: readonly VendorCapability[] = ROLE_CAPABILITIES.supply,
): Promise<Service> => {
  const clock = manualClock(NOW)
  return start({ supply, clock, entries: [registerLive(SUPPLY, cachedSupply(vendor, clock), capabilities)] })
}

/** A supplier that cannot be asked. */
const startUnaskable = (): Promise<Service> => {
  const supply = supplier()
  return serve(supply, unaskableSupply(supply), WITHOUT_STATUS)
}

const startHandingOff = (capabilities?: readonly VendorCapability[]): Promise<Service> => {
  const supply = supplier()
  return serve(supply, handoffSupply(supply, PAGE), capabilities)
}

const record = (service: Service, id: string, body: object): Promise<Answered> =>
  service.post(`/checkout-sessions/${id}/outcome`, body)

const problemsOf = async (service: Service) =>
  (await audit(service.ctx, { askSupplier: true })).problems.map(({ code }) => code)

/** Long enough for every schedule of the recovery job. */
async function letTimePass(service: Service): Promise<void> {
  for (let n = 0; n < 30; n++) {
    service.clock.advance(n < 10 ? TIMEOUT_MS : 4 * HOUR)
    await service.tick()
  }
}

describe('a supplier that hands the purchase to a person', () => {
  async function handedOff(service: Service): Promise<string> {
    const id = await ready(service)
    const { status, body } = await complete(service, id)
    expect([status, body.status, codes(body)]).toEqual([200, 'complete_in_progress', ['handoff']])
    expect([body.continue_url, body.messages[0].type, body.order]).toEqual([PAGE, 'info', undefined])
    return id
  }

  test('completing answers with its page; nothing was bought, and an event says so', async () => {
    const service = await startHandingOff()
    const id = await handedOff(service)
    expect((await service.get(`/orders/${id}`)).status).toBe(404)
    expect(await checkoutEvents(service)).toEqual([
      `${id} not completed: a person has to complete it on the supplier's page`,
    ])
    expect(await problemsOf(service)).toEqual([])
  })

  test.each([[undefined], [WITHOUT_STATUS]])('time never makes it absent or buys it (%j)', async (capabilities) => {
    const service = await startHandingOff(capabilities)
    const id = await handedOff(service)
    await letTimePass(service)
    const again = await complete(service, id)
    expect([again.status, again.body.status, again.body.continue_url]).toEqual([200, 'complete_in_progress', PAGE])
    expect(service.supply.script.count('createOrder')).toBe(1)
    expect((await service.post(`/checkout-sessions/${id}/cancel`)).status).toBe(409)
    expect((await checkoutEvents(service))[0]).toBe(`${id} not completed: handoff`)
  })

  test('the supplier finds the order once the person completed it', async () => {
    const supply = supplier()
    const service = await serve(supply, handoffSupply(supply, PAGE))
    const id = await handedOff(service)
    supply.orders.set(id, {
      ref: id,
      externalRef: 'SHOP-1',
      lines: [],
      fulfillment: { method: 'pickup', pickupAt: 0 },
      state: 'ordered',
      rawStatus: 1,
      description: 'paid',
      logistics: [],
    })
    service.clock.advance(TIMEOUT_MS)
    await service.job('effects.purchase')
    expect(await get(service, id)).toMatchObject({ status: 'completed', order: { label: 'SHOP-1' } })
  })

  test('placed: completed with the number of the supplier, purchase and event', async () => {
    const service = await startHandingOff(WITHOUT_STATUS)
    const id = await handedOff(service)
    const { status, body } = await record(service, id, { placed: true, label: 'SHOP-1' })
    expect([status, body.status, body.order.label]).toEqual([200, 'completed', 'SHOP-1'])
    expect((await checkoutEvents(service))[0]).toBe(`${id} completed: order SHOP-1, recorded by operator`)
    const order = (await service.get(`/orders/${id}`)).body
    expect([order.label, order.totals.at(-1)]).toEqual(['SHOP-1', { type: 'total', amount: 5760 }])
    expect(await problemsOf(service)).toEqual([])
  })

  test('placed without a number: our own number stands for it', async () => {
    const service = await startHandingOff(WITHOUT_STATUS)
    const id = await handedOff(service)
    expect((await record(service, id, { placed: true })).body.order.label).toBe(id)
    expect(await problemsOf(service)).toEqual([])
  })

  test('placed, but the supplier knows of no order: the audit reports it', async () => {
    const service = await startHandingOff()
    const id = await handedOff(service)
    await record(service, id, { placed: true })
    expect(await problemsOf(service)).toEqual(['supplier_has_no_order'])
  })

  test('not placed: it can be completed again, and buys once', async () => {
    const service = await startHandingOff(WITHOUT_STATUS)
    const id = await handedOff(service)
    const { status, body } = await record(service, id, { placed: false })
    expect([status, body.status, body.continue_url]).toEqual([
      200,
      'ready_for_complete',
      `https://vending.example.com/purchases/${id}`,
    ])
    expect((await checkoutEvents(service))[0]).toBe(
      `${id} not completed: the supplier has no order, recorded by operator`,
    )
    expect(await problemsOf(service)).toEqual([])
    const again = await complete(service, id)
    expect([again.status, again.body.status]).toEqual([200, 'complete_in_progress'])
    expect((await record(service, id, { placed: true })).body.status).toBe('completed')
    expect(await problemsOf(service)).toEqual([])
  })

  test.each(['javascript:alert(1)', 'not a page'])('%s is no page to send a person to', async (page) => {
    const supply = supplier()
    const service = await serve(supply, handoffSupply(supply, page), WITHOUT_STATUS)
    const id = await ready(service)
    expect((await complete(service, id)).status).toBe(502)
    const session = await get(service, id)
    expect([session.status, codes(session)]).toEqual(['complete_in_progress', ['outcome_needed']])
    expect(session.continue_url).toBe(`https://vending.example.com/purchases/${id}`)
  })

  test('the number of another purchase is refused', async () => {
    const service = await startHandingOff(WITHOUT_STATUS)
    const first = await handedOff(service)
    await record(service, first, { placed: true, label: 'SHOP-1' })
    const second = await handedOff(service)
    const refused = await record(service, second, { placed: true, label: 'SHOP-1' })
    expect([refused.status, refused.body.messages[0]]).toMatchObject([400, { code: 'invalid', path: '$.label' }])
    expect((await get(service, second)).status).toBe('complete_in_progress')
  })

  test('the same outcome again changes nothing; another one is refused', async () => {
    const service = await startHandingOff(WITHOUT_STATUS)
    const id = await handedOff(service)
    const first = await record(service, id, { placed: false })
    expect((await record(service, id, { placed: false })).text).toBe(first.text)
    expect((await record(service, id, { placed: true })).status).toBe(409)
    await complete(service, id)
    await record(service, id, { placed: true, label: 'SHOP-1' })
    expect((await record(service, id, { placed: true, label: 'SHOP-1' })).status).toBe(200)
    expect((await record(service, id, { placed: true })).status).toBe(200)
    expect((await record(service, id, { placed: true, label: 'SHOP-2' })).status).toBe(409)
    expect((await record(service, id, { placed: false })).status).toBe(409)
    expect(await checkoutEvents(service)).toHaveLength(4)
  })

  test('recording a fact works while the emergency stop is engaged', async () => {
    const service = await startHandingOff(WITHOUT_STATUS)
    const id = await handedOff(service)
    await service.post('/guardrails/stop', { reason: 'fire drill' })
    expect((await record(service, id, { placed: true })).status).toBe(200)
  })

  test('three callers record at once: one purchase', async () => {
    const service = await startHandingOff(WITHOUT_STATUS)
    const id = await handedOff(service)
    const answers = await Promise.all([1, 2, 3].map(() => record(service, id, { placed: true, label: 'SHOP-1' })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await problemsOf(service)).toEqual([])
    expect(await checkoutEvents(service)).toHaveLength(2)
  })
})

describe('a supplier that cannot be asked', () => {
  async function unsure(service: Service, accepted: boolean): Promise<string> {
    const id = await ready(service)
    const lost = failure('unknown', 'no answer within 1 s')
    service.supply.script.next('createOrder', accepted ? { afterwards: lost } : { instead: lost })
    const { status, headers } = await complete(service, id)
    expect([status, headers['retry-after']]).toEqual([502, undefined])
    expect(codes(await get(service, id))).toEqual(['outcome_needed'])
    return id
  }

  test('an accepted order is complete; it stays as it was ordered', async () => {
    const service = await startUnaskable()
    const id = await ready(service)
    expect((await complete(service, id)).body.status).toBe('completed')
    await letTimePass(service)
    const order = (await service.get(`/orders/${id}`)).body
    expect([order.label, order.line_items[0].status]).toEqual(['AS000001', 'processing'])
    expect(await problemsOf(service)).toEqual([])
    expect((await repair(service.ctx, { days: 1, by: 'owner' })).unbooked).toEqual([])
    expect(service.log.filter(({ level }) => level === 'warn')).toEqual([])
  })

  test('no answer: it waits for a person, whatever time passes and whoever completes it again', async () => {
    const service = await startUnaskable()
    const id = await unsure(service, true)
    await letTimePass(service)
    expect((await complete(service, id)).status).toBe(502)
    expect((await get(service, id)).status).toBe('complete_in_progress')
    expect(service.supply.script.count('createOrder')).toBe(1)
    expect((await record(service, id, { placed: true, label: 'AS000001' })).body.status).toBe('completed')
    expect(await problemsOf(service)).toEqual([])
  })

  test('not placed: the next attempt tells the adapter so, and buys once', async () => {
    const supply = supplier()
    const sent: SupplyOrder[] = []
    const vendor = unaskableSupply(supply)
    const recording: SupplyVendor = {
      ...vendor,
      createOrder: (order, permit) => (sent.push(order), vendor.createOrder(order, permit)),
    }
    const service = await serve(supply, recording, WITHOUT_STATUS)
    const id = await unsure(service, false)
    await record(service, id, { placed: false })
    const changed = await service.put(`/checkout-sessions/${id}`, { line_items: [line(TEA)] })
    expect([changed.status, codes(changed)]).toEqual([409, ['not_editable']])
    expect((await complete(service, id)).body.status).toBe('completed')
    expect(sent.map(({ isRecordedAsNotPlaced }) => isRecordedAsNotPlaced)).toEqual([undefined, true])
    expect([supply.orders.size, await problemsOf(service)]).toEqual([1, []])
  })

  test('a refusal in its documented form is final: the session can be completed again', async () => {
    const service = await startUnaskable()
    const id = await ready(service)
    service.supply.script.next('createOrder', { instead: failure('rejected', 'no credit', { documented: true }) })
    const refused = await complete(service, id)
    expect([refused.status, codes(refused)]).toEqual([502, ['supplier_rejected']])
    expect((await get(service, id)).status).toBe('ready_for_complete')
    await letTimePass(service)
    const other = await ready(service)
    service.supply.script.next('createOrder', { instead: failure('rejected', 'no credit', { documented: true }) })
    await complete(service, other)
    expect((await complete(service, other)).body.status).toBe('completed')
    expect(service.supply.orders.size).toBe(1)
  })

  test('any other refusal says nothing: it waits for a person', async () => {
    const service = await startUnaskable()
    const id = await ready(service)
    service.supply.script.next('createOrder', { instead: failure('rejected', 'HTTP 400') })
    await complete(service, id)
    expect((await get(service, id)).status).toBe('complete_in_progress')
  })

  test('a process that died while it was sending: a person may decide once the call is certainly over', async () => {
    const supply = supplier()
    const service = await serve(supply, unaskableSupply(supply), WITHOUT_STATUS)
    const id = await ready(service)
    let end = (): void => {}
    supply.script.next('createOrder', { wait: new Promise<void>((resolve) => (end = resolve)) })
    const running = complete(service, id)
    while (supply.script.count('createOrder') === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    const early = await record(service, id, { placed: false })
    expect([early.status, early.body.messages[0].content]).toEqual([
      409,
      'The order is being sent. Wait for the supplier to answer',
    ])
    await service.job('effects.purchase')
    service.clock.advance(4 * TIMEOUT_MS)
    await service.job('effects.purchase')
    expect(codes(await get(service, id))).toEqual(['outcome_needed'])
    end()
    // The order that arrives after all is found in its own answer.
    expect((await running).body.status).toBe('completed')
    expect(await problemsOf(service)).toEqual([])
  })
})

describe('a supplier that can be asked and is unsure', () => {
  async function inDoubt(service: Service): Promise<string> {
    const id = await ready(service)
    service.supply.script.next('createOrder', { afterwards: failure('unknown', 'no answer') })
    service.supply.script.silentAbout = () => true
    await complete(service, id)
    return id
  }

  test('its own answer is awaited for an hour; then a person may decide', async () => {
    const service = await start()
    const id = await inDoubt(service)
    expect(codes(await get(service, id))).toEqual(['outcome_pending'])
    const early = await record(service, id, { placed: true, label: 'AS000001' })
    expect([early.status, codes(early), early.headers['retry-after']]).toEqual([409, ['not_editable'], '3600'])
    service.clock.advance(HOUR - MINUTE)
    expect((await record(service, id, { placed: true })).status).toBe(409)
    service.clock.advance(MINUTE)
    expect(codes(await get(service, id))).toEqual(['outcome_pending', 'outcome_needed'])
    expect((await record(service, id, { placed: true, label: 'AS000001' })).body.status).toBe('completed')
    service.supply.script.silentAbout = undefined
    expect(await problemsOf(service)).toEqual([])
  })

  test('a person who was wrong: the order is found, and no second one is sent', async () => {
    const service = await start()
    const id = await inDoubt(service)
    service.clock.advance(HOUR)
    expect((await record(service, id, { placed: false })).body.status).toBe('ready_for_complete')
    expect((await complete(service, id)).status).toBe(502)
    service.supply.script.silentAbout = undefined
    expect(await problemsOf(service)).toEqual(['supplier_has_stray_order'])
    expect((await complete(service, id)).body).toMatchObject({ status: 'completed', order: { label: 'AS000001' } })
    expect(service.supply.script.count('createOrder')).toBe(1)
    expect(await problemsOf(service)).toEqual([])
  })

  test('where the adapter says that only a person can know, it is accepted at once and absence is not believed', async () => {
    const service = await start()
    const id = await ready(service)
    const lost = failure('unknown', 'the e-mail broke off', { onlyPersonKnows: true })
    service.supply.script.next('createOrder', { instead: lost })
    await complete(service, id)
    expect(codes(await get(service, id))).toEqual(['outcome_needed'])
    for (let n = 0; n < 10; n++) {
      service.clock.advance(TIMEOUT_MS)
      await service.job('effects.purchase')
    }
    expect((await get(service, id)).status).toBe('complete_in_progress')
    expect((await record(service, id, { placed: false })).body.status).toBe('ready_for_complete')
    expect((await complete(service, id)).body.status).toBe('completed')
    expect(service.supply.orders.size).toBe(1)
  })
})

test('where it turns out later that only a person can know, the outcome is accepted from then on, and the audit has no finding', async () => {
  const service = await start()
  const id = await ready(service)
  service.supply.script.next('createOrder', { instead: failure('unknown') })
  await complete(service, id)
  expect((await record(service, id, { placed: false })).status).toBe(409)
  const unsure = failure('unknown', 'only the mailbox shows it', { onlyPersonKnows: true })
  service.supply.script.always('orderStatus', unsure)
  for (let n = 0; n < 4; n++) {
    service.clock.advance(TIMEOUT_MS)
    await service.job('effects.purchase')
  }
  expect((await record(service, id, { placed: true, label: 'W-1' })).body.status).toBe('completed')
  expect((await audit(service.ctx, { askSupplier: true })).problems).toEqual([])
})

test('a supplier that stays unsure, such as one that gets e-mails: after "not placed" the order is sent once more', async () => {
  const service = await start()
  const id = await ready(service)
  const unsure = failure('unknown', 'only the mailbox shows it', { onlyPersonKnows: true })
  service.supply.script.next('createOrder', { instead: unsure })
  service.supply.script.always('orderStatus', unsure)
  await complete(service, id)
  expect((await complete(service, id)).status).toBe(502)
  expect(service.supply.script.count('createOrder')).toBe(1)
  expect((await record(service, id, { placed: false })).body.status).toBe('ready_for_complete')
  expect((await complete(service, id)).body.status).toBe('completed')
  expect([service.supply.script.count('createOrder'), service.supply.orders.size]).toEqual([2, 1])
})

test('after a refusal, when only a person can know by now: the adapter is asked to buy, and the purchase waits for a person', async () => {
  const service = await start()
  const id = await ready(service)
  service.supply.script.next('createOrder', { instead: failure('rejected', 'credit limit', { documented: true }) })
  await complete(service, id)
  expect((await get(service, id)).status).toBe('ready_for_complete')
  const unsure = failure('unknown', 'answered, but not sent', { onlyPersonKnows: true })
  service.supply.script.always('orderStatus', unsure)
  service.supply.script.next('createOrder', { instead: unsure })
  expect((await complete(service, id)).status).toBe(502)
  expect(codes(await get(service, id))).toContain('outcome_needed')
  expect((await record(service, id, { placed: true, label: 'W-2' })).body.status).toBe('completed')
})

describe('what cannot be recorded', () => {
  test('an unknown session: 404; one that was never sent, or is canceled: 409; a body without the outcome: 400', async () => {
    const service = await start()
    expect((await record(service, 'po_1', { placed: true })).status).toBe(404)
    const { body } = await create(service)
    expect((await record(service, body.id, { placed: true })).status).toBe(409)
    expect((await record(service, body.id, { placed: false })).status).toBe(409)
    const wrong = await record(service, body.id, { placed: 'yes' })
    expect([wrong.status, wrong.body.messages[0]]).toMatchObject([400, { code: 'invalid', path: '$.placed' }])
    await service.post(`/checkout-sessions/${body.id}/cancel`)
    expect((await record(service, body.id, { placed: true })).status).toBe(409)
  })
})

describe('"not placed" and the limits per day and week', () => {
  const BUDGET = { ...RULES, rules: { ...RULES.rules, spendingLimitPerDay: 10_000 } }
  const ONE = { line_items: [line(TEA, 10)] } // ¥55.00 of ¥100.00 a day
  const usedOf = async (service: Service): Promise<number> =>
    (await service.get('/guardrails')).body.limits.find(({ rule }: Json) => rule === 'spendingLimitPerDay').used

  const buyAs = async (service: Service, token: string, more: object = ONE): Promise<string> => {
    const { body } = await service.post('/checkout-sessions', { ...more, fulfillment: SHIPPING }, { token })
    await completeAs(service, body.id, token)
    return body.id
  }
  const completeAs = (service: Service, id: string, token: string) =>
    service.post(`/checkout-sessions/${id}/complete`, { confirm: true }, { token })

  /** Bought at a supplier that cannot be asked, whose answer was lost; then somebody says that nothing was placed. */
  async function takeBack(service: Service, by: { buyer?: string; teller?: string } = {}): Promise<string> {
    const { buyer = TOKEN, teller = buyer } = by
    const id = await buyAs(service, buyer)
    const said = await service.post(`/checkout-sessions/${id}/outcome`, { placed: false }, { token: teller })
    expect([said.status, said.body.status]).toEqual([200, 'ready_for_complete'])
    return id
  }
  /** Of two owners the one that bought says what came of it, and the other confirms. */
  const twoOwners = async (service: Service) =>
    [(await addKey(service, 'owner')).key, (await addKey(service, 'owner', 'other')).key] as const
  const startLosing = async (): Promise<Service> => {
    const service = await startUnaskable()
    service.writeRules(BUDGET)
    service.supply.script.always('createOrder', failure('unknown', 'no answer'))
    return service
  }

  test('once an owner exists, nobody else says what came of an order: not the operator token, no other key', async () => {
    const service = await startLosing()
    const owner = await addKey(service, 'owner')
    const agent = await addKey(service, 'operator')
    const id = await buyAs(service, TOKEN)
    for (const token of [TOKEN, agent.key])
      for (const placed of [true, false]) {
        const refused = await service.post(`/checkout-sessions/${id}/outcome`, { placed }, { token })
        expect([refused.status, refused.body.messages[0].code]).toEqual([403, 'forbidden'])
      }
    expect([(await get(service, id)).status, await usedOf(service)]).toEqual(['complete_in_progress', 5500])
    const said = await service.post(`/checkout-sessions/${id}/outcome`, { placed: true }, { token: owner.key })
    expect(said.body.status).toBe('completed')
  })

  test('an owner who bought it frees nothing: the next purchase asks, also of the same session', async () => {
    const service = await startLosing()
    const [buyer] = await twoOwners(service)
    const id = await takeBack(service, { buyer })
    expect(await usedOf(service)).toBe(5500)
    expect((await complete(service, id)).body.status).toBe('requires_escalation')
    expect((await create(service, ONE)).body.status).toBe('requires_escalation')
    expect(service.supply.script.count('createOrder')).toBe(1)
    service.clock.advance(24 * HOUR)
    expect(await usedOf(service)).toBe(0)
  })

  test('an owner frees it, at once or by confirming what another said; both are events and in the chain', async () => {
    const service = await startLosing()
    const [buyer, other] = await twoOwners(service)
    const id = await takeBack(service, { buyer })
    const again = (token: string) => service.post(`/checkout-sessions/${id}/outcome`, { placed: false }, { token })
    expect((await again(buyer)).status).toBe(200)
    expect(await usedOf(service)).toBe(5500)
    expect((await again(other)).status).toBe(200)
    expect(await usedOf(service)).toBe(0)
    await takeBack(service, { teller: other })
    expect(await usedOf(service)).toBe(0)
    const said = (await service.get('/events?kind=checkout')).body.events.filter(({ code }: Json) =>
      code.startsWith('purchase_outcome_'),
    )
    expect(said.map(({ by, code }: Json) => [by.name, code])).toEqual([
      ['other', 'purchase_outcome_not_placed'],
      ['other', 'purchase_outcome_confirmed'],
      ['owner', 'purchase_outcome_not_placed'],
    ])
    expect((await auditChain(service.ctx.store)).problems).toEqual([])
  })

  test('the purchase is bought after all: both attempts count until an owner repeats the outcome, then the order alone', async () => {
    const service = await startLosing()
    service.writeRules({ ...BUDGET, rules: { ...BUDGET.rules, spendingLimitPerDay: 11_000 } })
    const [buyer, other] = await twoOwners(service)
    const id = await takeBack(service, { buyer })
    expect(codes(await get(service, id))).toContain('outcome_unconfirmed')
    service.supply.script.always('createOrder', undefined)
    expect((await completeAs(service, id, buyer)).body.status).toBe('completed')
    expect(await usedOf(service), 'the first may have been placed as well').toBe(11_000)
    const say = (placed: boolean, token: string) =>
      service.post(`/checkout-sessions/${id}/outcome`, { placed }, { token })
    expect((await say(true, buyer)).status).toBe(200)
    expect(await usedOf(service)).toBe(11_000)
    expect((await say(false, other)).status, 'there is an order').toBe(409)
    const confirmed = await say(true, other)
    expect([confirmed.status, confirmed.body.status, codes(confirmed)]).toEqual([200, 'completed', []])
    expect(await usedOf(service)).toBe(5500)
    const events = await checkoutEvents(service)
    expect((await say(true, other)).status).toBe(200)
    expect(await checkoutEvents(service)).toEqual(events)
    expect((await audit(service.ctx, { askSupplier: false })).problems).toEqual([])
    expect((await auditChain(service.ctx.store)).problems).toEqual([])
  })

  test('whatever came of later attempts, an owner frees all that were recorded as not placed', async () => {
    const service = await startLosing()
    service.writeRules({ ...BUDGET, rules: { ...BUDGET.rules, spendingLimitPerDay: 100_000 } })
    const [buyer, other] = await twoOwners(service)
    const id = await takeBack(service, { buyer })
    const say = (token: string) => service.post(`/checkout-sessions/${id}/outcome`, { placed: false }, { token })
    await completeAs(service, id, buyer)
    expect((await say(buyer)).status).toBe(200)
    service.supply.script.always('createOrder', failure('rejected', 'no credit', { documented: true }))
    await completeAs(service, id, buyer)
    expect(await usedOf(service)).toBe(11_000)
    expect((await say(other)).status).toBe(200)
    expect(await usedOf(service)).toBe(0)
    expect(codes(await get(service, id))).not.toContain('outcome_unconfirmed')
    expect((await auditChain(service.ctx.store)).problems).toEqual([])
  })

  test('without an owner the one token frees it, as it also approves', async () => {
    const service = await startLosing()
    await takeBack(service)
    expect(await usedOf(service)).toBe(0)
  })

  test('with two owners, one does not free what it bought itself', async () => {
    const service = await startLosing()
    const [one, two] = await twoOwners(service)
    const id = await takeBack(service, { buyer: one })
    expect(await usedOf(service)).toBe(5500)
    await service.post(`/checkout-sessions/${id}/outcome`, { placed: false }, { token: two })
    expect(await usedOf(service)).toBe(0)
  })
})
