import { describe, expect, test } from 'vitest'
import type { Namespace } from '../../src/kernel/ids.ts'
import { cachedMachine } from '../../src/vendors/cache/cached-vendors.ts'
import { registerLive, plannedVendor } from '../../src/vendors/registry.ts'
import { manualClock } from '../../src/kernel/clock.ts'
import { failure, scriptedMachine } from '../support/scripted-vendors.ts'
import { NOW, RULES } from '../support/service.ts'
import type { Json } from '../support/service.ts'
import {
  priceRequest,
  change,
  COLA,
  crashWhileCalling,
  line,
  MACHINE,
  register,
  setOnMachine,
  slotsOfMachine,
  pricesOnMachine,
  startPricing,
  TEA,
  WATER,
  writes,
} from './machines.ts'

test('3.2 a changed price is the price of the plan at once, not only after the next sync', async () => {
  const service = await startPricing()
  await service.post('/locations/sync', {})
  const plannedVendor = async () =>
    (await service.get('/replenishment/plan')).body.plans.find(({ item }: Json) => item.id === COLA)?.price.amount
  expect(await plannedVendor()).toBe(250)
  await change(service, priceRequest(line(COLA, 300)))
  expect(await plannedVendor()).toBe(300)
})

test('4.3 a sync that had read the machine before a price change does not bring the old price back', async () => {
  const machine = scriptedMachine({ [MACHINE]: slotsOfMachine() })
  const { inventory } = machine.vendor
  let changed = false
  const vendor: typeof machine.vendor = {
    ...machine.vendor,
    inventory: async (id) => {
      const read = await inventory(id)
      if (!changed) {
        changed = true
        service.clock.advance(1)
        expect((await change(service, priceRequest(line(COLA, 300)))).body.updated).toHaveLength(1)
      }
      return read
    },
  }
  const service = await startPricing({ entries: [registerLive('acme-machine' as Namespace, vendor)] })
  const stored = async () =>
    (await service.ctx.store.db.selectFrom('slot').select('price').where('sku_id', '=', COLA).execute())[0]?.price
  changed = true
  await service.post('/locations/sync', {})
  expect(await stored()).toBe(250)
  changed = false
  await service.post('/locations/sync', {})
  expect(await stored()).toBe(300)
  // What the machine says later counts again.
  machine.slotsByMachine[MACHINE] = slotsOfMachine()
  service.clock.advance(60_000)
  await service.post('/locations/sync', {})
  expect(await stored()).toBe(250)
})

describe('4.6 within the cap', () => {
  test('prices are changed on the machine, with the previous prices, and an event is written', async () => {
    const service = await startPricing()
    const { status, body } = await change(service, priceRequest(line(TEA, 400), line(COLA, 150)))
    expect(status).toBe(200)
    expect(body).toMatchObject({
      location: MACHINE,
      updated: [
        {
          item: { id: TEA, title: '茶' },
          previous: { amount: 300, currency: 'CNY' },
          price: { amount: 400, currency: 'CNY' },
        },
        {
          item: { id: COLA, title: '可乐' },
          previous: { amount: 250, currency: 'CNY' },
          price: { amount: 150, currency: 'CNY' },
        },
      ],
    })
    expect(body).not.toHaveProperty('messages')
    expect(body).not.toHaveProperty('actions')
    expect(pricesOnMachine(service)).toEqual({ [COLA]: 150, [TEA]: 400, [WATER]: 150 })
    const events = await service.events('price_change')
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({ location: MACHINE })
    expect(events[0].summary).toContain('茶, ¥3.00 → ¥4.00 (+33%)')
  })

  test('the machine is read live, whatever was read a moment ago', async () => {
    const service = await startPricing()
    const vendor = service.ctx.vendors.machine('acme-machine' as Namespace)
    if (vendor.ok) await vendor.value.inventory(MACHINE)
    setOnMachine(service, COLA, 500)
    const { body } = await change(service, priceRequest(line(COLA, 250)))
    expect(body.messages[0].code, 'the kept price would have been within the cap').toBe('approval_required')
  })

  test('a price that is set already needs no call; it is listed with previous equal to it', async () => {
    const service = await startPricing()
    const { status, body } = await change(service, priceRequest(line(COLA, 250)))
    expect(status).toBe(200)
    expect(body.updated).toMatchObject([{ item: { id: COLA }, previous: { amount: 250 }, price: { amount: 250 } }])
    expect(writes(service)).toBe(0)
    expect(await service.events('price_change')).toHaveLength(1)
    await change(service, priceRequest(line(COLA, 250), line(TEA, 310)))
    expect(service.machine.script.calls.find(({ name }) => name === 'updatePrices')?.args[1]).toEqual([
      { vendorSku: 'G-0002', priceFen: 310 },
    ])
  })

  test('the same request under one key changes once and is answered the same', async () => {
    const service = await startPricing()
    const first = await change(service, priceRequest(line(COLA, 260)), { key: 'k1' })
    setOnMachine(service, COLA, 255)
    const again = await change(service, priceRequest(line(COLA, 260)), { key: 'k1' })
    expect(again.text).toBe(first.text)
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(writes(service)).toBe(1)
  })

  test('many at once are executed one after the other, each with the real previous price', async () => {
    const one = await startPricing()
    const amounts = [251, 252, 253, 254]
    const answers = await Promise.all(amounts.map((amount) => change(one, priceRequest(line(COLA, amount)))))
    const steps = answers.map(({ body }) => [body.updated[0].previous.amount, body.updated[0].price.amount])
    const starts = steps.map(([previous]) => previous)
    expect(new Set(starts).size, 'no two saw the same price before').toBe(4)
    expect(starts).toContain(250)
    expect(await one.events('price_change')).toHaveLength(4)
  })
})

describe('4.6 what is refused before anything is asked of the machine', () => {
  test.each([
    ['without prices', { confirm: true }, 'missing', '$.prices'],
    ['no line', { prices: [], confirm: true }, 'invalid', '$.prices'],
    ['without confirm', { prices: [line(COLA, 260)] }, 'confirmation_required', '$.confirm'],
    ['confirm as text', { ...priceRequest(line(COLA, 260)), confirm: 'true' }, 'confirmation_required', '$.confirm'],
    ['confirm as a number', { ...priceRequest(line(COLA, 260)), confirm: 1 }, 'confirmation_required', '$.confirm'],
    ['confirm false', { ...priceRequest(line(COLA, 260)), confirm: false }, 'confirmation_required', '$.confirm'],
    ['a price of nothing', priceRequest(line(COLA, 0)), 'invalid', '$.prices[0].price.amount'],
    ['a negative price', priceRequest(line(COLA, -1)), 'invalid', '$.prices[0].price.amount'],
    ['half a fen', priceRequest(line(COLA, 2.5)), 'invalid', '$.prices[0].price.amount'],
    [
      'another currency',
      { prices: [{ item: { id: COLA }, price: { amount: 260, currency: 'USD' } }], confirm: true },
      'invalid',
      '$.prices[0].price.currency',
    ],
    ['no sku_id', priceRequest(line('G-0001', 260)), 'invalid', '$.prices[0].item.id'],
    ['one good twice', priceRequest(line(COLA, 260), line(COLA, 270)), 'invalid', '$.prices[1].item.id'],
    [
      'products of a supplier',
      priceRequest(line(COLA, 260), line('acme-supply:SP1', 260)),
      'namespace_mismatch',
      '$.prices[1].item.id',
    ],
    [
      'a namespace nobody registered',
      priceRequest(line('other-machine:1', 260)),
      'namespace_mismatch',
      '$.prices[0].item.id',
    ],
  ])('%s', async (_name, body, code, path) => {
    const service = await startPricing()
    const answer = await change(service, body)
    expect(answer.status).toBe(400)
    expect(answer.body.messages[0]).toMatchObject({ code, path })
    expect(service.machine.script.calls).toEqual([])
  })

  test('products of another platform are a mismatch, also while that one is only planned', async () => {
    const service = await startPricing({
      entries: [
        registerLive('acme-machine' as Namespace, scriptedMachine({ [MACHINE]: slotsOfMachine() }).vendor),
        plannedVendor('other-machine' as Namespace),
      ],
    })
    const { status, body } = await change(service, priceRequest(line('other-machine:1', 260)))
    expect(status).toBe(400)
    expect(body.messages[0].code).toBe('namespace_mismatch')
  })

  test('a machine that is not registered is not found', async () => {
    const service = await startPricing()
    const { status, body } = await change(service, priceRequest(line(COLA, 260)), { location: 'M9999' })
    expect(status).toBe(404)
    expect(body.messages[0].code).toBe('not_found')
  })

  test('a platform that is planned, or cannot change prices, is unsupported', async () => {
    const clock = manualClock(NOW)
    const device = cachedMachine(scriptedMachine({ D1: slotsOfMachine() }).vendor, clock)
    const service = await startPricing({
      entries: [
        registerLive('device-machine' as Namespace, device, ['inventory', 'ledger']),
        plannedVendor('later-machine' as Namespace),
      ],
    })
    await register(service, 'D1', 'device-machine')
    await register(service, 'L1', 'later-machine')
    for (const [location, id] of [
      ['D1', 'device-machine:G-0001'],
      ['L1', 'later-machine:G-0001'],
    ] as const) {
      const { status, body } = await change(service, priceRequest(line(id, 260)), { location })
      expect(status).toBe(400)
      expect(body.messages[0].code).toBe('namespace_unsupported')
    }
  })

  test('a product that is not in the machine is invalid at its path; nothing is changed', async () => {
    const service = await startPricing()
    const { status, body } = await change(service, priceRequest(line(COLA, 260), line('acme-machine:G-9999', 300)))
    expect(status).toBe(400)
    expect(body.messages).toMatchObject([{ code: 'invalid', path: '$.prices[1].item.id' }])
    expect(writes(service)).toBe(0)
  })
})

describe('4.6 the guard', () => {
  test('rules that cannot be read: 503, an event, the machine is not asked', async () => {
    const service = await startPricing({ rules: 'broken' })
    const { status, body } = await change(service, priceRequest(line(COLA, 260)))
    expect(status).toBe(503)
    expect(body.messages[0].code).toBe('guard_unverifiable')
    expect(service.machine.script.calls).toEqual([])
    expect(await service.events('price_change')).toMatchObject([{ location: MACHINE }])
  })

  test('emergency stop in the file: 409 and an event', async () => {
    const service = await startPricing({ rules: { ...RULES, rules: { ...RULES.rules, killSwitchEngaged: true } } })
    const { status, body } = await change(service, priceRequest(line(COLA, 260)))
    expect(status).toBe(409)
    expect(body.messages[0]).toMatchObject({ code: 'kill_switch_engaged', severity: 'requires_buyer_review' })
    expect(service.machine.script.calls).toEqual([])
    expect(await service.events('price_change')).toHaveLength(1)
  })

  test('kill switch engaged at run time: 409', async () => {
    const service = await startPricing()
    await service.post('/guardrails/stop', { reason: 'wrong prices everywhere' })
    const { status, body } = await change(service, priceRequest(line(COLA, 260)))
    expect(status).toBe(409)
    expect(body.messages[0].content).toContain('wrong prices everywhere')
    expect(writes(service)).toBe(0)
  })

  test('a kill switch engaged while the machine was being read counts', async () => {
    const service = await startPricing()
    let answered = () => {}
    service.machine.script.next('inventory', { wait: new Promise<void>((done) => (answered = done)) })
    const asked = change(service, priceRequest(line(COLA, 260)))
    while (service.machine.script.count('inventory') === 0) await new Promise((soon) => setTimeout(soon, 5))
    await service.post('/guardrails/stop', { reason: 'now' })
    answered()
    expect((await asked).status).toBe(409)
    expect(writes(service)).toBe(0)
  })

  test('the cap of this moment counts', async () => {
    const service = await startPricing({ rules: { ...RULES, rules: { ...RULES.rules, priceCapPerItem: 9 } } })
    expect((await change(service, priceRequest(line(COLA, 260)))).body.messages[0].code).toBe('approval_required')
    service.writeRules(RULES)
    expect((await change(service, priceRequest(line(COLA, 260)))).body.updated).toHaveLength(1)
  })
})

describe('4.6 the machine fails', () => {
  test.each([
    ['rejected', 502, 'supplier_rejected'],
    ['unsent', 502, 'upstream_unreachable'],
    ['unknown', 502, 'upstream_unreachable'],
    ['limited', 502, 'upstream_unreachable'],
    ['unauthorized', 401, 'unauthorized'],
  ] as const)('reading fails with %s: %i %s and an event', async (reason, status, code) => {
    const service = await startPricing()
    service.machine.script.next('inventory', { instead: failure(reason) })
    const answer = await change(service, priceRequest(line(COLA, 260)))
    expect(answer.status).toBe(status)
    expect(answer.body.messages[0]).toMatchObject({ code, content: expect.stringContaining(`scripted: ${reason}`) })
    expect(writes(service)).toBe(0)
    expect(await service.events('price_change')).toHaveLength(1)
  })

  test.each([
    ['rejected', 502, 'supplier_rejected'],
    ['unsent', 502, 'upstream_unreachable'],
    ['unauthorized', 401, 'unauthorized'],
  ] as const)('writing fails with %s and nothing changed: %i %s and an event', async (reason, status, code) => {
    const service = await startPricing()
    service.machine.script.next('updatePrices', { instead: failure(reason) })
    const answer = await change(service, priceRequest(line(COLA, 260)), { key: 'k' })
    expect(answer.status).toBe(status)
    expect(answer.body.messages[0]).toMatchObject({ code, content: expect.stringContaining(`scripted: ${reason}`) })
    expect(pricesOnMachine(service)[COLA]).toBe(250)
    expect((await service.events('price_change'))[0].code).toBe('price_change_failed')
    expect((await change(service, priceRequest(line(COLA, 260)), { key: 'k' })).status, 'a failure is not kept').toBe(
      200,
    )
  })

  test('a lost reply: what was changed is read back and reported as changed', async () => {
    const service = await startPricing()
    service.machine.script.next('updatePrices', { afterwards: failure('unknown') })
    const { status, body } = await change(service, priceRequest(line(COLA, 260)))
    expect(status).toBe(200)
    expect(body.updated).toMatchObject([{ previous: { amount: 250 }, price: { amount: 260 } }])
    expect(body).not.toHaveProperty('messages')
    expect(writes(service), 'never sent twice').toBe(1)
  })

  test('a lost reply and no way to look: 502, and it says that it is not certain', async () => {
    const service = await startPricing()
    service.machine.script.next('updatePrices', { afterwards: failure('unknown') })
    service.machine.script.next('inventory', 'pass', { instead: failure('unknown') })
    const { status, body } = await change(service, priceRequest(line(COLA, 260)))
    expect(status).toBe(502)
    expect(body.messages[0].code).toBe('upstream_unreachable')
    expect(body.messages[0].content).toContain('not known yet')
    expect(await service.events('price_change')).toHaveLength(1)
  })

  test('only some are taken: `updated` lists those, the others are errors that name them, at a path of the answer', async () => {
    const service = await startPricing()
    service.machine.stubborn.add('G-0002')
    const { status, body } = await change(service, priceRequest(line(COLA, 260), line(TEA, 310), line(WATER, 150)))
    expect(status).toBe(200)
    expect(body.updated.map(({ item }: { item: { id: string } }) => item.id)).toEqual([COLA, WATER])
    expect(body.messages).toMatchObject([
      { type: 'error', code: 'supplier_rejected', path: '$.updated', params: { item: TEA, product: '茶' } },
    ])
    expect(pricesOnMachine(service)).toEqual({ [COLA]: 260, [TEA]: 300, [WATER]: 150 })
    const [event] = await service.events('price_change')
    expect(event.code).toBe('price_changed_partly')
    expect(event.summary).toContain('茶')
  })

  test('none is taken: 502', async () => {
    const service = await startPricing()
    service.machine.stubborn.add('G-0001')
    const { status, body } = await change(service, priceRequest(line(COLA, 260)))
    expect(status).toBe(502)
    expect(body.messages[0].code).toBe('supplier_rejected')
  })

  test('some are taken and the machine cannot be read back: 502, as it is unknown which', async () => {
    const service = await startPricing()
    service.machine.stubborn.add('G-0002')
    service.machine.script.next('inventory', 'pass', { instead: failure('unknown') })
    const { status, body } = await change(service, priceRequest(line(COLA, 260), line(TEA, 310)))
    expect(status).toBe(502)
    expect(body.messages[0].code).toBe('upstream_unreachable')
  })
})

describe('an execution that broke off', () => {
  test('is checked by the job and reported as found; nothing is sent a second time', async () => {
    const service = await startPricing()
    crashWhileCalling(service)
    expect((await change(service, priceRequest(line(COLA, 260), line(TEA, 310)))).status).toBe(500)
    setOnMachine(service, COLA, 260)
    await service.job('pricing.apply-approved')
    expect(await service.events('price_change'), 'it may still be running').toEqual([])
    service.clock.advance(10 * 60_000)
    for (let round = 1; round <= 2; round++) {
      await service.job('pricing.apply-approved')
      await service.job('effects.price_change')
    }
    const events = await service.events('price_change')
    expect(events).toHaveLength(1)
    expect(events[0].summary).toContain('1 of 2')
    expect(writes(service)).toBe(1)
  })

  test('is looked at again later while the machine is silent', async () => {
    const service = await startPricing()
    crashWhileCalling(service)
    await change(service, priceRequest(line(COLA, 260)))
    service.clock.advance(10 * 60_000)
    service.machine.script.next('inventory', { instead: failure('unsent') })
    await service.job('pricing.apply-approved')
    await service.job('effects.price_change')
    expect(await service.events('price_change')).toEqual([])
    service.clock.advance(10 * 60_000)
    await service.job('effects.price_change')
    expect((await service.events('price_change'))[0].code).toBe('price_change_not_applied')
  })
})
