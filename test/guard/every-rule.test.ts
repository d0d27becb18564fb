/** Every rule of the rules file is enforced over HTTP. A rule that is missing in the table does not compile. */
import { describe, expect, test } from 'vitest'
import type { RuleName } from '../../src/rules/guardrails/rules.ts'
import { line, SHIPPING, start, supplier, WATER } from '../checkout/support.ts'
import { change, COLA, line as price, priceRequest, startPricing } from '../pricing/machines.ts'
import { type TestKey, addKey } from '../people/keys.ts'
import { failure } from '../support/scripted-vendors.ts'
import { type Answered, type Service, RULES, startService } from '../support/service.ts'

const purchase = (service: Service): Promise<Answered> =>
  service.post('/checkout-sessions', { line_items: [line(WATER, 1, 'BX')], fulfillment: SHIPPING })

let owner: TestKey

interface Case {
  /** A value that the call below breaks; with the usual rules it keeps them. */
  readonly strict: unknown
  readonly start: () => Promise<Service>
  readonly call: (service: Service) => Promise<Answered>
  /** Code of the refusal or message, or the status. */
  readonly expected: string
}

/** They bind the built-in operator and the layouts, which ask for them; no call of a caller breaks them. */
type NoGuard = 'autonomy' | 'newProducts' | 'layoutChangesPerVisit'

const CASES: Readonly<Record<Exclude<RuleName, NoGuard>, Case>> = {
  spendingLimitPerRun: { strict: 1, start, call: purchase, expected: 'requires_escalation' },
  priceCapPerItem: {
    strict: 1,
    start: startPricing,
    call: (service) => change(service, priceRequest(price(COLA, 260))),
    expected: 'approval_required',
  },
  hardNoGos: { strict: ['水'], start, call: purchase, expected: 'hard_no_go' },
  killSwitchEngaged: {
    strict: true,
    start,
    call: async (service) => {
      const { body } = await purchase(service)
      return service.post(`/checkout-sessions/${body.id}/complete`, { confirm: true })
    },
    expected: 'kill_switch_engaged',
  },
  spendingLimitPerDay: { strict: 1, start, call: purchase, expected: 'requires_escalation' },
  spendingLimitPerWeek: { strict: 1, start, call: purchase, expected: 'requires_escalation' },
  spendingLimitBySupplier: {
    strict: { 'acme-supply': { perWeek: 1 } },
    start,
    call: purchase,
    expected: 'requires_escalation',
  },
  spendingLimitByKey: { strict: { operator: { perRun: 0 } }, start, call: purchase, expected: 'requires_escalation' },
  maxUnitPrice: { strict: 1, start, call: purchase, expected: 'requires_escalation' },
  maxQuantityPerLine: { strict: 0, start, call: purchase, expected: 'requires_escalation' },
  priceDriftPerWeek: {
    strict: 1,
    start: startPricing,
    call: (service) => change(service, priceRequest(price(COLA, 260))),
    expected: 'approval_required',
  },
  minimumMarginPercent: {
    strict: 10_000,
    // The cost is the price of the product that the supplier sells.
    start: async () => {
      const service = await startPricing({ supply: supplier() })
      await service.post('/catalog/search', { filters: { namespace: 'acme-machine', location: 'M1001' } })
      await service.put(`/skus/${COLA}/aliases`, { aliases: [{ sku_id: WATER }] })
      return service
    },
    call: (service) => change(service, priceRequest(price(COLA, 260))),
    expected: 'approval_required',
  },
  ownersMayApproveTheirOwn: {
    strict: false,
    start: async () => {
      const service = await start()
      owner = await addKey(service, 'owner')
      return service
    },
    call: async (service) => {
      const body = { line_items: [line(WATER, 20, 'BX')], fulfillment: SHIPPING }
      const session = await service.post('/checkout-sessions', body, { token: owner.key })
      const [approval] = session.body.actions['com.example.vending.approval']
      return service.post(`/approvals/${approval.id}`, { approved: true }, { token: owner.key })
    },
    expected: 'forbidden',
  },
}

const blockersOf = ({ body }: Answered): unknown[] => [
  body.status,
  ...(body.messages ?? []).map(({ code }: { code: string }) => code),
]

describe.each(Object.entries(CASES))('%s', (name, { strict, start: begin, call, expected }) => {
  test('blocks what breaks it, also after it was removed from the file', async () => {
    const service = await begin()
    service.writeRules({ ...RULES, rules: { ...RULES.rules, [name]: strict } })
    expect(blockersOf(await call(service))).toContain(expected)
    service.writeRules(RULES)
    const isRequired = Object.hasOwn(RULES.rules, name)
    // A rule that is removed from the file holds on until an owner sets it.
    expect(blockersOf(await call(service)).includes(expected)).toBe(!isRequired)
  })

  test('blocks nothing with the usual rules', async () => {
    expect(blockersOf(await call(await begin()))).not.toContain(expected)
  })
})

describe('minimumMarginPercent while the price list of the supplier cannot be read', () => {
  test('the last price that was read counts; a process that never read one refuses', async () => {
    const service = await CASES.minimumMarginPercent.start()
    service.writeRules({ ...RULES, rules: { ...RULES.rules, minimumMarginPercent: 10_000 } })
    await service.post('/catalog/search', { filters: { namespace: 'acme-supply' } })
    service.supply.script.always('catalog', failure('unknown'))
    const request = priceRequest(price(COLA, 260))
    expect(blockersOf(await change(service, request))).toContain('approval_required')

    const { supply, machine, ctx } = service
    const restarted = await startService({ store: ctx.store, supply, machine })
    restarted.writeRules({ ...RULES, rules: { ...RULES.rules, minimumMarginPercent: 10_000 } })
    const refused = await change(restarted, priceRequest(price(COLA, 270)))
    expect(refused.status).toBe(503)
    expect(blockersOf(refused)).toContain('guard_unverifiable')
    service.supply.script.always('catalog', undefined)
    expect(blockersOf(await change(restarted, priceRequest(price(COLA, 270))))).toContain('approval_required')
  })
})

describe('minimumMarginPercent and a product of unknown cost', () => {
  test('passes, with an info that says so, also in a dry run; without the rule or a change there is none', async () => {
    const service = await startPricing({
      rules: { ...RULES, rules: { ...RULES.rules, minimumMarginPercent: 20 } },
    })
    const request = priceRequest(price(COLA, 260), price('acme-machine:G-0002', 300))
    const expected = [
      {
        type: 'info',
        code: 'cost_unknown',
        path: '$.updated[0]',
        params: { item: COLA, product: '可乐', percent: 20 },
      },
    ]
    const preview = await service.put('/locations/M1001/prices?dry_run=true', request)
    expect(preview.body).toMatchObject({ updated: [{}, {}], messages: expected })
    const answer = await change(service, request)
    expect([answer.status, answer.body.messages.length]).toEqual([200, 1])
    expect(answer.body).toMatchObject({ updated: [{}, {}], messages: expected })
    const without = await startPricing()
    expect((await change(without, priceRequest(price(COLA, 270)))).body).not.toHaveProperty('messages')
  })
})
