/** People and keys: who may call what, and who decides once an owner exists. */
import { describe, expect, test } from 'vitest'
import { EXAMPLES } from '../../src/api-docs/examples.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { OPERATIONS, operationIds } from '../../src/contract/operations.ts'
import { URL_PREFIX } from '../../src/contract/version.ts'
import { HOUR, MINUTE } from '../../src/kernel/clock.ts'
import { PERSON_ROLES } from '../../src/kernel/person.ts'
import { MONEY_LISTS, MONEY_MEMBERS } from '../../src/http/access/without-money.ts'
import { line, SHIPPING, start, WATER } from '../checkout/support.ts'
import { create as createRun, MACHINE, startRoute, withRules } from '../replenishment/route.ts'
import { RULES, startService, TOKEN } from '../support/service.ts'
import type { Answered, Json, Service } from '../support/service.ts'
import { addKey } from './keys.ts'
import type { TestKey } from './keys.ts'

/** ¥576.00 against a limit of ¥500.00. */
const DEAR = { line_items: [line(WATER, 20, 'BX')], fulfillment: SHIPPING }

const createDear = (service: Service, token: string = TOKEN) => service.post('/checkout-sessions', DEAR, { token })

const approvalOf = ({ body }: Answered): string => body.actions['com.example.vending.approval'][0].id

const decide = (service: Service, id: string, token: string, body: object = {}) =>
  service.post(`/approvals/${id}`, { approved: true, ...body }, { token })

const codeOf = ({ body }: Answered): string => body.messages?.[0]?.code

describe('5 every operation for every role', () => {
  const examples: Readonly<Record<string, { params?: object; query?: object; body?: unknown } | undefined>> = EXAMPLES
  const pathOf = (id: string, { path, hostRoot }: Operation) => {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String(Reflect.get(examples[id]?.params ?? {}, name))),
    )
    return hostRoot ? `/${filled}` : filled
  }

  test('a role may call exactly the operations that its column allows', async () => {
    const service = await startService()
    const keys = new Map<string, TestKey>()
    for (const role of PERSON_ROLES) keys.set(role, await addKey(service, role))
    const wrong: string[] = []
    for (const id of operationIds) {
      const operation: Operation = OPERATIONS[id]
      for (const [role, { key }] of keys) {
        // A body that cannot be read: whoever may call it is refused with 400 and changes nothing.
        const body = operation.method === 'GET' ? undefined : '{'
        const answer = await service.call(operation.method, pathOf(id, operation), { token: key, body })
        const isRefused = answer.status === 403
        const mayCall = operation.roles === 'anyone' || operation.roles.some((allowed) => allowed === role)
        if (isRefused === mayCall) wrong.push(`${role} ${id}: ${answer.status}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test('the design in words: who holds what', () => {
    const allowed = (role: string) =>
      operationIds.filter((id) => (OPERATIONS[id].roles as readonly string[]).includes(role))
    expect(allowed('bridge')).toEqual(['resolveApproval', 'getMe'])
    const writes = (role: string) => allowed(role).filter((id) => (OPERATIONS[id] as Operation).write)
    expect(writes('viewer')).toEqual([])
    expect(writes('driver')).toEqual([
      'updateSlot',
      'serviceMachine',
      'reportMachine',
      'fixFault',
      'undoService',
      'receiveRun',
      'receiveStop',
      'countStoreroom',
      'receiveOrder',
      'appendEvent',
      'addPasskey',
      'removePasskey',
    ])
    const operatorLacks = allowed('owner').filter((id) => !allowed('operator').includes(id))
    expect(operatorLacks).toEqual([
      'statePack',
      'getConnection',
      'addConnection',
      'changeConnection',
      'removeConnection',
      'testConnection',
      'tryConnection',
      'decideFile',
      'recordOutcome',
      'resolveApproval',
      'getTranscript',
      'changeRules',
      'releaseEmergencyStop',
      'changeSettings',
      'listPeople',
      'addPerson',
      'revokePerson',
    ])
  })

  test('a driver counts and does not lock', async () => {
    const service = await startService()
    const { key: token } = await addKey(service, 'driver')
    const lock = await service.put('/locations/M001/slots/M001-77', { locked: true }, { token })
    expect([lock.status, codeOf(lock)]).toEqual([403, 'forbidden'])
    const count = await service.put('/locations/M001/slots/M001-77', { stock: 3 }, { token })
    expect(count.status).toBe(404)
  })

  test('metrics and the event stream are for readers, the description for every key', async () => {
    const service = await startService()
    const statuses: Record<string, number[]> = {}
    for (const role of ['viewer', 'driver', 'bridge'] as const) {
      const { key } = await addKey(service, role)
      const headers = { authorization: `Bearer ${key}` }
      const urls = ['/metrics', `${URL_PREFIX}/events/stream`, `${URL_PREFIX}/openapi.json`]
      const answers = await Promise.all(urls.map((url) => service.server.inject({ url, headers })))
      statuses[role] = answers.map(({ statusCode }) => statusCode)
    }
    expect(statuses).toEqual({ viewer: [200, 426, 200], driver: [403, 403, 200], bridge: [403, 403, 200] })
  })
})

describe('separation of duties', () => {
  test('without an owner the token asks and decides, as the contract says', async () => {
    const service = await start()
    await addKey(service, 'viewer')
    const session = await createDear(service)
    expect((await decide(service, approvalOf(session), TOKEN)).status).toBe(200)
    const me = await service.get('/me')
    expect(me.body).toMatchObject({ name: 'operator', role: 'operator', separation_of_duties: false })
  })

  test('a named operator key never decides', async () => {
    const service = await start()
    const agent = await addKey(service, 'operator')
    const session = await createDear(service)
    expect((await decide(service, approvalOf(session), agent.key)).status).toBe(403)
  })

  test('create, approve and complete with one token is refused once an owner exists', async () => {
    const service = await start()
    const session = await createDear(service)
    const owner = await addKey(service, 'owner')
    const approved = await decide(service, approvalOf(session), TOKEN)
    expect([approved.status, codeOf(approved)]).toEqual([403, 'forbidden'])
    const resolver = { channel: 'dashboard', sender_id: 'ou_owner' }
    expect((await decide(service, approvalOf(session), TOKEN, { resolver })).status).toBe(403)
    const complete = () => service.post(`/checkout-sessions/${session.body.id}/complete`, { confirm: true })
    expect(codeOf(await complete())).toBe('approval_required')
    expect(service.supply.orders.size).toBe(0)

    const decided = await decide(service, approvalOf(session), owner.key)
    expect(decided.body).toMatchObject({
      status: 'approved',
      by: { name: 'operator', role: 'operator' },
      resolved_by: 'owner',
      decided_by: { name: 'owner', role: 'owner' },
    })
    expect((await complete()).body.status).toBe('completed')
  })

  test('an owner key that another instance made a moment ago counts at once', async () => {
    const service = await start()
    const session = await createDear(service)
    const { store, clock } = service.ctx
    await addKey(service, 'owner')
    // As if neither the notification nor the comparison had arrived yet.
    expect(await service.get('/me')).toMatchObject({ status: 200 })
    await store.db.updateTable('counter').set({ value: -1 }).where('name', '=', 'people_version').execute()
    expect(clock.now()).toBeGreaterThan(0)
    expect((await decide(service, approvalOf(session), TOKEN)).status).toBe(403)
  })

  test('it stays on when the last owner is revoked, which only the server can do', async () => {
    const service = await start()
    const owner = await addKey(service, 'owner')
    const last = await service.call('DELETE', `/people/${owner.id}`, { token: owner.key })
    expect([last.status, codeOf(last)]).toEqual([409, 'not_editable'])
    const { revokePerson } = await import('../../src/rules/people/index.ts')
    expect(await revokePerson(service.ctx, owner.id, { last: true }, 'root@host')).toMatchObject({ ok: true })
    const session = await createDear(service)
    expect((await decide(service, approvalOf(session), TOKEN)).status).toBe(403)
    expect((await service.get('/me')).body.separation_of_duties).toBe(true)
  })

  test('who asked may not decide where there is another owner; rejecting is allowed', async () => {
    const service = await start()
    const [wang, li] = [await addKey(service, 'owner', 'Wang'), await addKey(service, 'owner', 'Li')]
    const session = await createDear(service, wang.key)
    const own = await decide(service, approvalOf(session), wang.key)
    expect([own.status, codeOf(own)]).toEqual([403, 'forbidden'])
    expect((await decide(service, approvalOf(session), li.key)).status).toBe(200)
    const second = await createDear(service, wang.key)
    expect((await decide(service, approvalOf(second), wang.key, { approved: false })).status).toBe(200)
    service.writeRules({ ...RULES, rules: { ...RULES.rules, ownersMayApproveTheirOwn: true } })
    const third = await createDear(service, wang.key)
    expect((await decide(service, approvalOf(third), wang.key)).status).toBe(200)
  })

  test('a bridge passes on what a registered administrator pressed in a registered chat, and nothing else', async () => {
    const service = await start()
    const bridge = await addKey(service, 'bridge')
    await addKey(service, 'owner')
    const id = approvalOf(await createDear(service))
    const chat = { channel: 'chat', sender_id: 'ou_owner', chat_id: 'oc_ops' }
    for (const resolver of [
      undefined,
      { ...chat, channel: 'dashboard' },
      { ...chat, sender_id: 'ou_other' },
      { ...chat, chat_id: 'oc_other' },
    ])
      expect((await decide(service, id, bridge.key, { resolver })).status).toBe(403)
    expect((await decide(service, id, bridge.key, { resolver: chat })).body.resolved_by).toBe('ou_owner (chat)')
  })

  test('what an owner asked for is not approved in a chat, which does not show that another owner approves it', async () => {
    const service = await start()
    const bridge = await addKey(service, 'bridge')
    const wang = await addKey(service, 'owner', '王')
    const resolver = { channel: 'chat', sender_id: 'ou_owner', chat_id: 'oc_ops' }
    const press = (id: string, approved = true) => decide(service, id, bridge.key, { approved, resolver })
    // The only owner may approve its own requests anyway.
    expect((await press(approvalOf(await createDear(service, wang.key)))).status).toBe(200)
    await addKey(service, 'owner', '李')
    const id = approvalOf(await createDear(service, wang.key))
    const refused = await press(id)
    expect([refused.status, codeOf(refused)]).toEqual([403, 'forbidden'])
    expect((await press(id, false)).status).toBe(200)
    // What somebody else asked for is.
    const { key } = await addKey(service, 'operator')
    expect((await press(approvalOf(await createDear(service, key)))).status).toBe(200)
    service.writeRules({ ...RULES, rules: { ...RULES.rules, ownersMayApproveTheirOwn: true } })
    expect((await press(approvalOf(await createDear(service, wang.key)))).status).toBe(200)
  })
})

describe('managing people', () => {
  test('an owner adds, lists and revokes; the key is shown once and is not in the database', async () => {
    const service = await startService()
    const { key: token } = await addKey(service, 'owner')
    const shown = { name: '小王', role: 'driver', expires_at: '2026-12-31T00:00:00.000+08:00' }
    const body = { ...shown, rate_limit_per_minute: 90 }
    const added = await service.post('/people', body, { token, headers: { 'idempotency-key': 'a' } })
    expect(added.status).toBe(201)
    expect(added.body).toMatchObject({ ...shown, key: expect.stringMatching(/^vk_[\w-]{43}$/) as string })
    expect((await service.get('/me', { token: added.body.key })).body).toMatchObject({ name: '小王', role: 'driver' })
    // Not replayed under the same Idempotency-Key: the name is taken.
    expect((await service.post('/people', body, { token, headers: { 'idempotency-key': 'a' } })).status).toBe(409)

    const { people } = (await service.get('/people', { token })).body
    const limits = people.map(({ name, rate_limit_per_minute: limit }: Json) => [name, limit])
    expect(limits.toSorted()).toEqual([
      ['owner', undefined],
      ['小王', 90],
    ])
    expect(JSON.stringify(people)).not.toContain(added.body.key)
    for (const table of ['person', 'sign_in_link', 'idempotency', 'chain_entry', 'event'] as const)
      expect(JSON.stringify(await service.ctx.store.db.selectFrom(table).selectAll().execute())).not.toContain(
        added.body.key,
      )

    const revoked = await service.call('DELETE', `/people/${added.body.id}`, { token })
    expect(revoked.body.revoked_at).not.toBeNull()
    expect((await service.get('/me', { token: added.body.key })).status).toBe(401)
    // The name is free again.
    expect((await service.post('/people', body, { token })).status).toBe(201)
    expect((await service.call('DELETE', '/people/nobody', { token })).status).toBe(404)
  })

  test('names are unique and neither empty nor those of the service', async () => {
    const service = await startService()
    const { key: token } = await addKey(service, 'owner', 'Wang')
    const add = async (name: string) => (await service.post('/people', { name, role: 'viewer' }, { token })).status
    expect(await Promise.all(['operator', ' Wang', '\u200b', 'a\u0007b', 'Ｏｐｅｒａｔｏｒ'].map(add))).toEqual([
      400, 400, 400, 400, 400,
    ])
    expect(await Promise.all(['wang', 'ｗａｎｇ', 'WANG'].map(add))).toEqual([409, 409, 409])
    const past = { name: 'late', role: 'viewer', expires_at: '2020-01-01T00:00:00Z' }
    expect((await service.post('/people', past, { token })).status).toBe(400)
  })

  test('an expired key is refused, and one that is used says when, to the minute', async () => {
    const service = await startService()
    const { key: owner } = await addKey(service, 'owner')
    const { key: token } = await addKey(service, 'viewer', 'guest', { expiresAt: service.clock.now() + 90 * MINUTE })
    service.clock.advance(5.5 * MINUTE)
    expect((await service.get('/me', { token })).status).toBe(200)
    service.clock.advance(2 * HOUR)
    expect((await service.get('/me', { token })).status).toBe(401)
    const { people } = (await service.get('/people', { token: owner })).body
    const guest = people.find(({ name }: { name: string }) => name === 'guest')
    expect(guest.last_used_at).toBe('2026-09-10T08:05:00.000+08:00')
  })

  test('a key has a rate limit of its own', async () => {
    const service = await startService({ config: { rateLimitPerMinute: 100 } })
    const { key: slow } = await addKey(service, 'viewer', 'slow', { rateLimitPerMinute: 2 })
    const { key: other } = await addKey(service, 'viewer', 'other')
    const get = async (token: string) => (await service.get('/me', { token })).status
    expect([await get(slow), await get(slow), await get(slow), await get(other)]).toEqual([200, 200, 429, 200])
  })
})

describe('signing in', () => {
  const cookieOf = (answer: Answered) => ({ cookie: String(answer.headers['set-cookie']).split(';')[0] ?? '' })
  const signIn = (service: Service, token: string) => service.post('//signin', { token }, { token: null })
  const me = (service: Service, headers: Record<string, string>) => service.get('/me', { token: null, headers })

  test('a link signs in once, within ten minutes', async () => {
    const service = await startService()
    const { signInCode } = await addKey(service, 'owner', 'Wang')
    const signedIn = await signIn(service, signInCode)
    expect((await me(service, cookieOf(signedIn))).body.name).toBe('Wang')
    expect((await signIn(service, signInCode)).status).toBe(401)
    const late = await addKey(service, 'viewer')
    service.clock.advance(10 * MINUTE)
    expect((await signIn(service, late.signInCode)).status).toBe(401)
  })

  test('a session lasts for 30 days of use and ends with its key', async () => {
    const service = await startService()
    const { key, id } = await addKey(service, 'viewer')
    const headers = cookieOf(await signIn(service, key))
    for (let day = 0; day < 60; day += 20) {
      service.clock.advance(20 * 24 * HOUR)
      expect((await me(service, headers)).status).toBe(200)
      // No request waits until its session is extended.
      const expiry = service.ctx.store.db.selectFrom('console_session').select('expires_at')
      await expect
        .poll(async () => (await expiry.executeTakeFirstOrThrow()).expires_at)
        .toBe(service.clock.now() + 30 * 24 * HOUR)
    }
    const { revokePerson } = await import('../../src/rules/people/index.ts')
    await revokePerson(service.ctx, id, {}, 'root@host')
    service.clock.advance(500)
    expect((await me(service, headers)).status).toBe(401)
  })

  test('is logged with name and address, and so is a refused one; no secret is', async () => {
    const service = await startService()
    const { key, signInCode } = await addKey(service, 'driver', 'Li')
    await signIn(service, TOKEN)
    await signIn(service, key)
    await signIn(service, signInCode)
    await signIn(service, signInCode)
    const lines = service.log.filter(({ sentence }) => ['signed in', 'sign-in refused'].includes(sentence))
    const address = '127.0.0.1'
    expect(lines.map(({ fields }) => fields)).toMatchObject([
      { by: 'operator', role: 'operator', how: 'token', address },
      { by: 'Li', role: 'driver', how: 'key', address },
      { by: 'Li', role: 'driver', how: 'link', address },
      { address },
    ])
    expect(JSON.stringify(service.log)).not.toContain(key)
    expect(JSON.stringify(service.log)).not.toContain(signInCode)
  })

  test('signing out everywhere ends the sessions of this person only', async () => {
    const service = await startService()
    const [wang, li] = [await addKey(service, 'viewer', 'Wang'), await addKey(service, 'viewer', 'Li')]
    const [phone, desk] = [cookieOf(await signIn(service, wang.key)), cookieOf(await signIn(service, wang.key))]
    const other = cookieOf(await signIn(service, li.key))
    await service.post('//signout', { everywhere: true }, { token: null, headers: phone })
    expect((await me(service, desk)).status).toBe(401)
    expect((await me(service, other)).status).toBe(200)
  })

  test('signing in again and again ends own sessions only', async () => {
    const service = await startService()
    const [wang, li] = [await addKey(service, 'owner', 'Wang'), await addKey(service, 'viewer', 'Li')]
    const owner = cookieOf(await signIn(service, wang.key))
    const first = cookieOf(await signIn(service, li.key))
    for (let i = 0; i < 50; i++) {
      service.clock.advance(1)
      await signIn(service, li.key)
    }
    expect((await me(service, owner)).status).toBe(200)
    expect((await me(service, first)).status).toBe(401)
  })

  test('an address may try to sign in only so often', async () => {
    const service = await startService({ config: { rateLimitPerMinute: 3 } })
    const tries: number[] = []
    for (let i = 0; i < 5; i++) tries.push((await signIn(service, 'wrong')).status)
    expect(tries).toEqual([401, 401, 401, 429, 429])
  })

  test('a bridge has no console', async () => {
    const service = await startService()
    const { key, signInCode } = await addKey(service, 'bridge')
    expect([signInCode, (await signIn(service, key)).status]).toEqual(['', 403])
  })
})

test('who did it stands in events, runs and attempts', async () => {
  const service = await start()
  const { key: token } = await addKey(service, 'operator', 'buyer')
  const session = await service.post(
    '/checkout-sessions',
    { line_items: [line(WATER, 1, 'BX')], fulfillment: SHIPPING },
    { token },
  )
  await service.post(`/checkout-sessions/${session.body.id}/complete`, { confirm: true }, { token })
  const [event] = await service.events('checkout')
  expect(event.by).toEqual({ name: 'buyer', role: 'operator' })
  const attempt = await service.ctx.store.db.selectFrom('checkout_attempt').selectAll().executeTakeFirstOrThrow()
  expect(attempt).toMatchObject({ by_name: 'buyer', by_role: 'operator' })
  const run = await service.post('/replenishment/runs', undefined, { token })
  expect(run.body.by).toEqual({ name: 'buyer', role: 'operator' })
})

describe('a driver gets no amounts', () => {
  /** Everything a reply of an operation may contain, by the path of its member. */
  function* membersOf(schema: Json, path: string, depth = 0): Generator<readonly [string, string, Json]> {
    if (depth > 12 || typeof schema !== 'object' || schema === null) return
    for (const [name, inner] of Object.entries<Json>(schema.properties ?? {})) {
      yield [name, `${path}.${name}`, inner]
      if (!MONEY_MEMBERS.has(name) && !MONEY_LISTS.has(name)) yield* membersOf(inner, `${path}.${name}`, depth + 1)
    }
    if (schema.items) yield* membersOf(schema.items, `${path}[]`, depth + 1)
    for (const one of schema.anyOf ?? []) yield* membersOf(one, path, depth + 1)
    for (const inner of Object.values<Json>(schema.patternProperties ?? {})) yield* membersOf(inner, path, depth + 1)
  }
  const isMoney = (name: string, { title, description = '' }: Json): boolean =>
    ['Price', 'Amount', 'Total'].includes(title) ||
    /minor units|currency unit/i.test(description) ||
    /(^|_)(price|cost|amount|totals?|worth|margin|revenue|gain|spent|spending)($|_)/.test(name)
  /** Counts, and what the values of a sentence or a text say, which is checked for itself. */
  const HARMLESS = ['total_count', 'total', 'params']

  test('every member with an amount, of every operation that a driver may call, is left out', () => {
    const left: string[] = []
    for (const id of operationIds) {
      const operation: Operation = OPERATIONS[id]
      if (operation.roles === 'anyone' || !operation.roles.includes('driver')) continue
      for (const [name, path, schema] of membersOf(operation.returns, id))
        if (isMoney(name, schema) && !MONEY_MEMBERS.has(name) && !MONEY_LISTS.has(name) && !HARMLESS.includes(name))
          // The store room leaves its `value` out by itself: storeroom.test.ts.
          if (name !== 'waiting' && !/[sS]toreroom.*\.value$/.test(path)) left.push(path)
    }
    expect(left).toEqual([])
  })

  test('what the owner said about a rejected run is for the others: it may name an amount', async () => {
    const service = await startRoute({ rules: withRules({ spendingLimitPerRun: 1000 }) })
    const { key: token } = await addKey(service, 'driver')
    const run = (await createRun(service)).body
    const [approval] = (await service.get('/approvals')).body.approvals
    await service.post(`/approvals/${approval.id}`, { approved: false, comment: 'more than ¥4,800' })
    const path = `/replenishment/runs/${run.id}`
    expect((await service.get(path)).text).toContain('4,800')
    expect((await service.get(path, { token })).text).not.toContain('4,800')
  })

  test('machines, plan, trips, runs, pick list and receipts, as the service answers them', async () => {
    const service = await startRoute({ rules: withRules({ spendingLimitPerRun: 10_000_000 }) })
    const { key: token } = await addKey(service, 'driver')
    const run = (await createRun(service)).body
    await service.post(`/replenishment/runs/${run.id}/place`)
    const [slot] = run.line_items
    const replies = [
      await service.post('/locations/search', {}, { token }),
      await service.post('/catalog/search', { filters: { namespace: 'acme-machine', location: MACHINE } }, { token }),
      await service.post('/catalog/search', { filters: { namespace: 'acme-supply' } }, { token }),
      await service.get('/replenishment/plan', { token }),
      await service.get('/replenishment/trips', { token }),
      await service.get('/replenishment/runs', { token }),
      await service.get(`/replenishment/runs/${run.id}`, { token }),
      await service.get(`/replenishment/runs/${run.id}/pick-list`, { token }),
      await service.post(
        `/replenishment/runs/${run.id}/receive`,
        { delivered: [{ slot_id: slot.slot_id, quantity: 1 }] },
        { token },
      ),
    ]
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
    for (const { body } of replies) {
      const text = JSON.stringify(body)
      expect(text).not.toMatch(/"(price|amount|cost|goods_cost|worth|unit_price)":/)
      expect(text).not.toMatch(/[¥$]\d/)
    }
    const [, machine, , plan, , , received] = replies
    expect(machine?.body.products[0].variants[0].inventory).toMatchObject({ location: MACHINE })
    expect(plan?.body.plans.length).toBeGreaterThan(0)
    expect(received?.body.totals).toEqual([])
    expect(received?.body.line_items[0]).toMatchObject({ slot_id: slot.slot_id, totals: [] })
    // The others see them.
    expect((await service.get(`/replenishment/runs/${run.id}`)).body.totals).not.toEqual([])
    for (const path of ['/overview', `/skus/${encodeURIComponent(slot.item.id)}`, '/orders', '/sales/daily'])
      expect([path, (await service.get(path, { token })).status]).toEqual([path, 403])
  })
})

describe('9.6 an Idempotency-Key belongs to the key that sent it', () => {
  const send = (service: Service, token: string, body: object) =>
    service.post('/checkout-sessions', body, { token, headers: { 'idempotency-key': 'same' } })

  test('another caller neither gets the reply nor is refused; the same one gets its own again', async () => {
    const service = await start()
    const [one, two] = [await addKey(service, 'operator', 'one'), await addKey(service, 'operator', 'two')]
    const cheap = { line_items: [line(WATER, 1)], fulfillment: SHIPPING }
    const first = await send(service, one.key, cheap)
    const second = await send(service, two.key, cheap)
    const third = await send(service, TOKEN, DEAR)
    expect([first.status, second.status, third.status]).toEqual([201, 201, 201])
    expect(new Set([first, second, third].map(({ body }) => body.id)).size).toBe(3)
    expect((await send(service, one.key, cheap)).body).toEqual(first.body)
    expect((await send(service, two.key, cheap)).body).toEqual(second.body)
    expect((await send(service, TOKEN, DEAR)).body).toEqual(third.body)
    expect((await send(service, one.key, DEAR)).status).toBe(409)
  })
})

test("a key's own rate limit also limits the approvals it may create", async () => {
  const service = await start({ config: { rateLimitPerMinute: 3000 } })
  // 50 a minute: one new approval.
  const agent = await addKey(service, 'operator', 'slow', { rateLimitPerMinute: 50 })
  expect((await createDear(service, agent.key)).status).toBe(201)
  expect((await createDear(service, agent.key)).status).toBe(429)
  expect((await createDear(service)).status).toBe(201)
})
