/** Rules that owners set: what the file leaves out, or all of them where there never was a file. */
import { rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { auditChain } from '../../src/views/audit/index.ts'
import { changeAutonomy, readAutonomy } from '../../src/rules/guardrails/index.ts'
import { line, ready, SHIPPING, start, WATER } from '../checkout/support.ts'
import { change, COLA, line as price, priceRequest, startPricing } from '../pricing/machines.ts'
import { addKey } from '../people/keys.ts'
import { type Answered, type Service, type ServiceOptions, RULES, TOKEN } from '../support/service.ts'

const codeOf = ({ body }: Answered): unknown => body.messages?.[0]?.code
const withRules = (more: object) => ({ ...RULES, rules: { ...RULES.rules, ...more } })
const originOf = ({ body }: Answered, rule: string) =>
  body.origins.find((origin: { rule: string }) => origin.rule === rule)

const REQUIRED = { spendingLimitPerRun: 50_000, priceCapPerItem: 100, hardNoGos: ['烟草'] }

/** Live, with the default path of the file, where there is none. */
const WITHOUT_FILE: ServiceOptions = {
  config: { env: 'live', guardrailsFile: '/nowhere/guardrails.json', isGuardrailsFileNamed: false },
}

async function withOwner(options?: ServiceOptions) {
  const service = await start(options)
  const { key: token } = await addKey(service, 'owner', 'Wang')
  return { service, token, put: (body: unknown) => service.put('/guardrails', body, { token }) }
}

const purchase = (service: Service): Promise<Answered> =>
  service.post('/checkout-sessions', { line_items: [line(WATER, 1, 'BX')], fulfillment: SHIPPING })

describe('an owner sets what the file leaves out', () => {
  test('it holds for the next purchase, and the answer says where each rule comes from', async () => {
    const { service, put } = await withOwner()
    expect((await purchase(service)).body.status).toBe('ready_for_complete')
    const answer = await put({ rules: { spendingLimitPerDay: 1, autonomy: { restock: 'propose' } } })
    expect(answer.status).toBe(200)
    expect(answer.body.rules).toMatchObject({
      ...RULES.rules,
      spendingLimitPerDay: 1,
      autonomy: { restock: 'propose', prices: 'off', swaps: 'off' },
      newProducts: false,
      layoutChangesPerVisit: 3,
    })
    expect(originOf(answer, 'spendingLimitPerDay')).toEqual({
      rule: 'spendingLimitPerDay',
      set_by: 'owner',
      editable: true,
    })
    expect(originOf(answer, 'spendingLimitPerRun')).toMatchObject({ set_by: 'file', editable: false })
    expect(originOf(answer, 'autonomy.prices')).toMatchObject({ set_by: null, editable: true })
    expect(originOf(answer, 'killSwitchEngaged')).toMatchObject({ editable: false })
    expect((await purchase(service)).body.status).toBe('requires_escalation')
  })

  test('null takes it back, and the same value twice changes nothing', async () => {
    const { service, put } = await withOwner()
    await put({ rules: { spendingLimitPerDay: 1 } })
    await put({ rules: { spendingLimitPerDay: 1 } })
    expect((await service.events('guardrail')).filter(({ code }) => code === 'rules_changed')).toHaveLength(1)
    const answer = await put({ rules: { spendingLimitPerDay: null } })
    expect(answer.body.rules).not.toHaveProperty('spendingLimitPerDay')
    expect(originOf(answer, 'spendingLimitPerDay')).toMatchObject({ set_by: null, editable: true })
    expect((await purchase(service)).body.status).toBe('ready_for_complete')
  })

  test('the members of autonomy come from the file one by one', async () => {
    const { put } = await withOwner({ rules: withRules({ autonomy: { prices: 'propose' } }) })
    const refused = await put({ rules: { autonomy: { restock: 'act', prices: 'act' } } })
    expect([refused.status, codeOf(refused)]).toEqual([409, 'not_editable'])
    const answer = await put({ rules: { autonomy: { restock: 'act' } } })
    expect(answer.body.rules.autonomy).toEqual({ restock: 'act', prices: 'propose', swaps: 'off' })
    expect(originOf(answer, 'autonomy.prices')).toMatchObject({ set_by: 'file', editable: false })
  })

  test('one member that the file sets refuses the whole request', async () => {
    const { service, put } = await withOwner()
    const refused = await put({ rules: { spendingLimitPerRun: 9_000_000, spendingLimitPerDay: 1 } })
    expect(refused.status).toBe(409)
    expect(refused.body.messages).toMatchObject([{ code: 'not_editable', path: '$.rules.spendingLimitPerRun' }])
    expect((await service.get('/guardrails')).body.rules).not.toHaveProperty('spendingLimitPerDay')
    // A member that the file gets later wins over the owner's.
    await put({ rules: { spendingLimitPerDay: 900_000 } })
    service.writeRules(withRules({ spendingLimitPerDay: 1 }))
    expect((await purchase(service)).body.status).toBe('requires_escalation')
    expect((await put({ rules: { spendingLimitPerDay: 900_000 } })).status).toBe(409)
  })

  test.each([
    ['an unknown rule', { rules: { spendingLimitPerMonth: 1 } }],
    ['an unknown member', { rules: {}, administartors: ['ou_thief'] }],
    ['a wrong type', { rules: { spendingLimitPerDay: '5' } }],
    ['a fraction', { rules: { spendingLimitPerDay: 1.5 } }],
    ['a negative amount', { rules: { spendingLimitPerDay: -1 } }],
    ['an unknown level', { rules: { autonomy: { restock: 'always' } } }],
    ['an unknown area', { rules: { autonomy: { everything: 'act' } } }],
    ['an unknown limit', { rules: { spendingLimitByKey: { agent: { perYear: 1 } } } }],
    ['a margin above all', { rules: { minimumMarginPercent: 10_001 } }],
    ['a time without an offset', { probationUntil: '2026-10-01' }],
    ['the emergency stop', { rules: { killSwitchEngaged: true } }],
    ['a required rule taken back', { rules: { hardNoGos: null } }],
    ['no object', []],
  ])('%s: 400, and nothing changes', async (_, body) => {
    const { service, put } = await withOwner(WITHOUT_FILE)
    await put({ rules: REQUIRED })
    const before = await service.get('/guardrails')
    const refused = await put(body)
    expect([refused.status, codeOf(refused)]).toEqual([400, 'invalid'])
    const after = await service.get('/guardrails')
    expect(after.body).toEqual(before.body)
  })

  test('nobody but an owner: operator token, agent, driver, viewer, a cookie of another role or from elsewhere', async () => {
    const { service, token } = await withOwner()
    const body = { rules: { spendingLimitPerDay: 9_000_000 } }
    const statuses: Record<string, number> = {}
    for (const role of ['operator', 'driver', 'viewer', 'bridge'] as const) {
      const { key } = await addKey(service, role, `a ${role}`)
      statuses[role] = (await service.put('/guardrails', body, { token: key })).status
    }
    statuses['token'] = (await service.put('/guardrails', body, { token: TOKEN })).status
    statuses['none'] = (await service.put('/guardrails', body, { token: null })).status
    const signedIn = async (secret: string) => {
      const { headers } = await service.post('//signin', { token: secret }, { token: null })
      return String(headers['set-cookie']).split(';')[0] ?? ''
    }
    const cookie = await signedIn(token)
    const from = (headers: Record<string, string>) =>
      service.put('/guardrails', body, { token: null, headers: { cookie, ...headers } })
    statuses['foreign origin'] = (await from({ origin: 'https://evil.example' })).status
    statuses['cross-site'] = (await from({ 'sec-fetch-site': 'cross-site' })).status
    const tokenCookie = await signedIn(TOKEN)
    statuses['cookie of the token'] = (
      await service.put('/guardrails', body, { token: null, headers: { cookie: tokenCookie } })
    ).status
    expect(statuses).toEqual({
      operator: 403,
      driver: 403,
      viewer: 403,
      bridge: 403,
      token: 403,
      none: 401,
      'foreign origin': 403,
      'cross-site': 403,
      'cookie of the token': 403,
    })
    expect((await service.get('/guardrails')).body.rules).not.toHaveProperty('spendingLimitPerDay')
    const own = { origin: new URL(service.config.publicUrl).origin }
    expect((await from(own)).status).toBe(200)
  })

  test('without an owner the token may not either', async () => {
    const service = await start()
    expect((await service.put('/guardrails', { rules: { spendingLimitPerDay: 1 } })).status).toBe(403)
  })
})

describe('history', () => {
  test('who changed what is listed, an event, and in the hash chain; a rewritten row is noticed', async () => {
    const { service, put } = await withOwner()
    await put({ rules: { spendingLimitPerDay: 100_000, autonomy: { restock: 'act' } } })
    service.clock.advance(60_000)
    await put({ rules: { spendingLimitPerDay: 200_000 } })
    const { body } = await service.get('/guardrails/changes')
    expect(body.changes).toMatchObject([
      { rule: 'spendingLimitPerDay', before: 100_000, after: 200_000, by: 'Wang' },
      { rule: 'autonomy.restock', before: null, after: 'act', by: 'Wang' },
      { rule: 'spendingLimitPerDay', before: null, after: 100_000, by: 'Wang' },
    ])
    const page = await service.get('/guardrails/changes?limit=1')
    expect(page.body.changes).toHaveLength(1)
    const [event] = await service.events('guardrail')
    expect(event).toMatchObject({
      code: 'rules_changed',
      params: { by: 'Wang', rules: 'spendingLimitPerDay' },
      by: { name: 'Wang', role: 'owner' },
    })

    const { store } = service.ctx
    expect((await auditChain(store)).problems).toEqual([])
    const stored = await store.db.selectFrom('stored_rules').selectAll().executeTakeFirstOrThrow()
    const members = stored.members.replace('200000', '900000')
    await store.db.updateTable('stored_rules').set({ members }).execute()
    expect((await auditChain(store)).problems).toMatchObject([{ kind: 'rules', subject: 'rules' }])
    await store.db.updateTable('stored_rules').set({ members: stored.members }).execute()
    await store.db.deleteFrom('rule_change').where('member', '=', 'autonomy.restock').execute()
    expect((await auditChain(store)).problems).toMatchObject([{ kind: 'rules', text: 'the row was removed' }])
  })
})

describe('a rule that is removed from the file', () => {
  test('holds on, also after a restart, until an owner sets it', async () => {
    const { service, put } = await withOwner({ rules: withRules({ spendingLimitPerDay: 1 }) })
    expect((await purchase(service)).body.status).toBe('requires_escalation')
    service.writeRules(RULES)
    expect((await purchase(service)).body.status).toBe('requires_escalation')
    const { store, clock } = service.ctx
    const restarted = await start({ store, clock: clock as Service['clock'], supply: service.supply })
    const answer = await restarted.get('/guardrails')
    expect(answer.body.rules.spendingLimitPerDay).toBe(1)
    expect(originOf(answer, 'spendingLimitPerDay')).toMatchObject({ set_by: 'file', editable: true })
    expect((await put({ rules: { spendingLimitPerDay: null } })).status).toBe(200)
    expect((await purchase(service)).body.status).toBe('ready_for_complete')
  })

  test('a file that lacks a required rule is unreadable, whatever owners have set', async () => {
    const { service, put } = await withOwner(WITHOUT_FILE)
    await put({ rules: REQUIRED })
    const file = await start({ store: service.ctx.store, rules: { rules: { spendingLimitPerRun: 1 } } })
    expect((await file.get('/guardrails')).status).toBe(503)
    expect((await purchase(file)).status).toBe(503)
  })
})

describe('without a file', () => {
  test('the rules are readable once an owner has set every required one', async () => {
    const { service, put } = await withOwner(WITHOUT_FILE)
    const unset = await service.get('/guardrails')
    expect([unset.status, codeOf(unset)]).toEqual([503, 'guard_unverifiable'])
    expect(unset.body.messages[0].params.missing).toBe('spendingLimitPerRun, priceCapPerItem, hardNoGos')
    expect((await purchase(service)).status).toBe(503)
    const partly = await put({ rules: { spendingLimitPerRun: 50_000, priceCapPerItem: 100 } })
    expect([partly.status, partly.body.messages[0].params.missing]).toEqual([503, 'hardNoGos'])
    expect((await purchase(service)).status).toBe(503)
    // As in a file; the stop itself has operations of its own.
    const set = await put({ rules: { hardNoGos: ['烟草'], killSwitchEngaged: false } })
    expect(set.body.rules).toMatchObject(REQUIRED)
    const id = await ready(service, { line_items: [line(WATER, 1, 'BX')] })
    const bought = await service.post(`/checkout-sessions/${id}/complete`, { confirm: true })
    expect(bought.body.status).toBe('completed')
  })

  test('a file that was read once and is gone is unreadable, never absent', async () => {
    const { service, put } = await withOwner({ config: { env: 'live' } })
    await purchase(service)
    rmSync(service.config.guardrailsFile ?? '')
    for (const answer of [await service.get('/guardrails'), await purchase(service), await put({ rules: REQUIRED })])
      expect([answer.status, codeOf(answer)]).toEqual([503, 'guard_unverifiable'])
    // Nor is it for an instance that never saw it.
    const other = await start({ ...WITHOUT_FILE, store: service.ctx.store })
    expect((await purchase(other)).status).toBe(503)
    service.writeRules(RULES)
    expect((await purchase(service)).status).toBe(201)
  })

  test('a file that the environment names is never absent', async () => {
    const named = { ...WITHOUT_FILE.config, isGuardrailsFileNamed: true }
    const { service, put } = await withOwner({ config: named })
    expect((await put({ rules: REQUIRED })).status).toBe(503)
    expect((await purchase(service)).status).toBe(503)
  })

  test.each([
    ['no JSON', '{'],
    ['an unknown rule', JSON.stringify({ spendingLimitPerMonth: { value: 1, setBy: 'owner' } })],
    ['an unknown level', JSON.stringify({ 'autonomy.restock': { value: 'always', setBy: 'owner' } })],
    ['a text for an amount', JSON.stringify({ spendingLimitPerDay: { value: '1', setBy: 'owner' } })],
  ])('what is stored and cannot be understood blocks writes: %s', async (_, members) => {
    const { service, put } = await withOwner()
    await put({ rules: { spendingLimitPerDay: 900_000 } })
    await service.ctx.store.db.updateTable('stored_rules').set({ members }).execute()
    const answer = await purchase(service)
    expect([answer.status, codeOf(answer)]).toEqual([503, 'guard_unverifiable'])
    expect((await service.get('/guardrails')).status).toBe(503)
  })
})

describe('while something is under way', () => {
  const ONE = { line_items: [line(WATER, 1, 'BX')] }

  test('a rule that is set after the assessment holds for the purchase', async () => {
    let isAssessed = false
    const onCheckpoint = (at: string) => void (isAssessed ||= at === 'assessed')
    const { service, put } = await withOwner({ onCheckpoint })
    const id = await ready(service, ONE)
    const { store } = service.ctx
    const transaction = store.transaction.bind(store)
    store.transaction = async (work) => {
      if (isAssessed) {
        store.transaction = transaction
        expect((await put({ rules: { maxQuantityPerLine: 0 } })).status).toBe(200)
      }
      return transaction(work)
    }
    const answer = await service.post(`/checkout-sessions/${id}/complete`, { confirm: true })
    expect([isAssessed, answer.body.status]).toEqual([true, 'requires_escalation'])
    expect(service.supply.orders.size).toBe(0)
  })

  test('nor is one sent that was claimed before; it can be sent again', async () => {
    const { service, put } = await withOwner()
    const id = await ready(service, ONE)
    beforeSending(service, () => put({ rules: { maxQuantityPerLine: 0 } }))
    const refused = await service.post(`/checkout-sessions/${id}/complete`, { confirm: true })
    expect([refused.status, codeOf(refused)]).toEqual([503, 'guard_unverifiable'])
    expect(service.supply.orders.size).toBe(0)
    const again = await service.post(`/checkout-sessions/${id}/complete`, { confirm: true })
    expect(again.body.status).toBe('requires_escalation')
  })

  test('a price change that was judged by other rules is not sent', async () => {
    const service = await startPricing()
    const { key: token } = await addKey(service, 'owner', 'Wang')
    beforeSending(service, () => service.put('/guardrails', { rules: { priceDriftPerWeek: 1 } }, { token }))
    const refused = await change(service, priceRequest(price(COLA, 260)))
    expect([refused.status, codeOf(refused)]).toEqual([503, 'guard_unverifiable'])
    expect(codeOf(await change(service, priceRequest(price(COLA, 260))))).toBe('approval_required')
  })

  /** Once, before the write is checked for the last time. */
  function beforeSending({ ctx: { store } }: Service, act: () => Promise<Answered>): void {
    const actUnderLock = store.actUnderLock.bind(store)
    store.actUnderLock = async (...call) => {
      store.actUnderLock = actUnderLock
      expect((await act()).status).toBe(200)
      return actUnderLock(...call)
    }
  }
})

describe('autonomy for the operator', () => {
  test('is read and changed by functions of its own, with the same rules', async () => {
    const { service } = await withOwner({ rules: withRules({ autonomy: { swaps: 'act' } }) })
    expect(await readAutonomy(service.ctx)).toEqual({
      ok: true,
      value: { restock: 'off', prices: 'off', swaps: 'act' },
    })
    expect((await changeAutonomy(service.ctx, { restock: 'propose' })).ok).toBe(true)
    expect((await changeAutonomy(service.ctx, { swaps: 'off' })).ok).toBe(false)
    expect(await readAutonomy(service.ctx)).toMatchObject({
      value: { restock: 'propose', prices: 'off', swaps: 'act' },
    })
    service.writeRules(withRules({ autonomy: { restock: 'always' } }))
    expect(await readAutonomy(service.ctx)).toMatchObject({ ok: false })
  })
})
