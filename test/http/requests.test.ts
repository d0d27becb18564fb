import { Agent, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { OPERATIONS } from '../../src/contract/operations.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { routePath } from '../../src/http/operation-route.ts'
import { rateLimits } from '../../src/http/access/rate-limit.ts'
import { sessions } from '../../src/http/access/sessions.ts'
import { supplyProduct, scriptedSupply } from '../support/scripted-vendors.ts'
import { RULES, startService, TOKEN } from '../support/service.ts'
import type { Answered, Service } from '../support/service.ts'

const event = { kind: 'note', summary: 'a thing', reasoning: 'because' }
/** What a browser sends back after signing in. */
const cookieOf = (answer: Answered) => ({ cookie: String(answer.headers['set-cookie']).split(';')[0] ?? '' })
const code = (answer: { body: { messages: { code: string }[] } }) => answer.body.messages[0]?.code

describe('5 authentication', () => {
  test('5.1 every operation but discovery and sign-in refuses without a token, before anything else', async () => {
    const service = await startService()
    for (const [i, operation] of Object.values<Operation>(OPERATIONS).entries()) {
      if (operation.public) continue
      const url = `/${routePath(operation).replaceAll(/:\w+/g, 'x')}`
      // Another address each time: failures from one address are answered more and more slowly.
      const from = `127.0.1.${i}`
      const answer = await service.call(operation.method, url, { token: null, body: '{', from })
      expect([answer.status, code(answer)], url).toEqual([401, 'unauthorized'])
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="ucp"')
    }
  })

  test('5.1 the same token is accepted in the cookie service_auth', async () => {
    const service = await startService()
    const answer = await service.get('/events', { token: null, headers: { cookie: `a=b; service_auth=${TOKEN}` } })
    expect(answer.status).toBe(200)
  })

  test('5.3 a wrong token, a wrong scheme and an empty cookie are 401', async () => {
    const service = await startService()
    for (const headers of [
      { authorization: 'Bearer wrong' },
      { authorization: `Basic ${TOKEN}` },
      { authorization: '' },
      { cookie: 'service_auth=' },
      { cookie: `service_auth=${TOKEN}x` },
    ] as Record<string, string>[]) {
      expect((await service.get('/events', { token: null, headers })).status).toBe(401)
    }
  })

  test('5.3 repeated failures from one address are answered with growing delays', async () => {
    const service = await startService()
    const took: number[] = []
    for (let i = 0; i < 8; i++) {
      const before = performance.now()
      await service.get('/events', { token: 'wrong' })
      took.push(performance.now() - before)
    }
    expect(took[6]).toBeGreaterThan(95)
    expect(took[7]).toBeGreaterThan(190)
    await service.get('/events')
    const later: number[] = []
    for (let i = 0; i < 3; i++) {
      const before = performance.now()
      await service.get('/events', { token: 'wrong' })
      later.push(performance.now() - before)
    }
    expect(Math.min(...later), 'a right token clears the address').toBeLessThan(took[7] ?? 0)
  })

  test('5.3 a path that cannot be decoded has the same delays', async () => {
    const service = await startService()
    for (let i = 0; i < 7; i++) await service.get('/%zz', { token: 'wrong' })
    const before = performance.now()
    expect((await service.get('/%zz', { token: 'wrong' })).status).toBe(401)
    expect(performance.now() - before).toBeGreaterThan(190)
  })

  test('a write with the cookie is refused from another origin and accepted from our own', async () => {
    const service = await startService()
    const cookie = `service_auth=${TOKEN}`
    const foreign = await service.post('/events', event, {
      token: null,
      headers: { cookie, origin: 'https://evil.example' },
    })
    expect([foreign.status, code(foreign)]).toEqual([403, 'forbidden'])
    const crossSite = { cookie, 'sec-fetch-site': 'cross-site' }
    expect((await service.post('/events', event, { token: null, headers: crossSite })).status).toBe(403)
    expect((await service.post('/events', event, { token: null, headers: { cookie, origin: 'null' } })).status).toBe(
      403,
    )
    const own = await service.post('/events', event, {
      token: null,
      headers: { cookie, origin: 'https://vending.example.com' },
    })
    expect(own.status).toBe(201)
  })

  test('5.1 a write with the cookie but without Origin and Sec-Fetch-Site is accepted: it is not from a browser', async () => {
    const service = await startService()
    const headers = { cookie: `service_auth=${TOKEN}` }
    expect((await service.post('/events', event, { token: null, headers })).status).toBe(201)
    expect((await service.post('/locations/search', {}, { token: null, headers })).status).toBe(200)
    const foreign = { ...headers, origin: 'https://evil.example' }
    expect((await service.post('/locations/search', {}, { token: null, headers: foreign })).status).toBe(403)
  })

  test('sign-in sets a session cookie that does not contain the token', async () => {
    const service = await startService()
    const wrong = await service.post('//signin', { token: 'wrong' }, { token: null })
    expect([wrong.status, code(wrong)]).toEqual([401, 'unauthorized'])
    const right = await service.post('//signin', { token: TOKEN }, { token: null })
    expect(right.body.signed_in).toBe(true)
    expect(right.headers['set-cookie']).toMatch(
      /^service_auth=cs_[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    )
    const kept = await service.ctx.store.db.selectFrom('console_session').selectAll().execute()
    expect(JSON.stringify(kept)).not.toContain(cookieOf(right).cookie.split('=')[1])
    expect((await service.get('/events', { token: null, headers: cookieOf(right) })).status).toBe(200)
    const forged = await service.post(
      '//signin',
      { token: TOKEN },
      { token: null, headers: { origin: 'https://evil.example' } },
    )
    expect(forged.status).toBe(403)
  })

  test('signing out ends the session on every instance, also for a copy of the cookie', async () => {
    const service = await startService()
    const other = await startService({ store: service.ctx.store })
    const headers = cookieOf(await service.post('//signin', { token: TOKEN }, { token: null }))
    const second = cookieOf(await service.post('//signin', { token: TOKEN }, { token: null }))
    expect((await other.get('/events', { token: null, headers })).status, 'every instance accepts it').toBe(200)
    const foreign = { ...headers, origin: 'https://evil.example' }
    expect((await service.post('//signout', undefined, { token: null, headers: foreign })).status).toBe(403)
    const out = await service.post('//signout', undefined, { token: null, headers })
    expect(out.headers['set-cookie']).toContain('service_auth=; Max-Age=0')
    expect(out.body.signed_in).toBe(false)
    for (const each of [service, other])
      expect((await each.get('/events', { token: null, headers })).status, 'the copied cookie').toBe(401)
    expect((await other.get('/events', { token: null, headers: second })).status, 'another session').toBe(200)
    const carried = { cookie: `service_auth=${TOKEN}` }
    await service.post('//signout', undefined, { token: null, headers: carried })
    expect((await service.get('/events', { token: null, headers: carried })).status, '5.1 the token stays').toBe(200)
  })

  test('a session ends after twelve hours, even if the browser still has the cookie', async () => {
    const service = await startService()
    const headers = cookieOf(await service.post('//signin', { token: TOKEN }, { token: null }))
    service.clock.advance(12 * 3_600_000 - 1)
    expect((await service.get('/events', { token: null, headers })).status).toBe(200)
    service.clock.advance(1)
    expect((await service.get('/events', { token: null, headers })).status).toBe(401)
  })

  test('a session of another operator token is not accepted', async () => {
    const service = await startService()
    const value = await sessions(service.ctx.store, service.clock, 'the-token-of-before').open()
    const headers = { cookie: `service_auth=${value}` }
    expect((await service.get('/events', { token: null, headers })).status).toBe(401)
  })

  test('a session value works only as a cookie, and not for writes from another origin', async () => {
    const service = await startService()
    const headers = cookieOf(await service.post('//signin', { token: TOKEN }, { token: null }))
    const value = headers.cookie.split('=')[1] ?? ''
    expect((await service.get('/events', { token: value })).status).toBe(401)
    const foreign = { ...headers, origin: 'https://evil.example' }
    expect((await service.post('/events', event, { token: null, headers: foreign })).status).toBe(403)
    expect((await service.post('/events', event, { token: null, headers })).status).toBe(201)
  })

  test('above 1,000 sessions of the token the oldest end', async () => {
    const service = await startService()
    const first = cookieOf(await service.post('//signin', { token: TOKEN }, { token: null }))
    const rows = Array.from({ length: 999 }, (_, n) => ({
      hash: `h${n}`,
      created_at: service.clock.now() + 1,
      expires_at: service.clock.now() + 1e9,
    }))
    await service.ctx.store.db.insertInto('console_session').values(rows).execute()
    expect((await service.get('/events', { token: null, headers: first })).status).toBe(200)
    service.clock.advance(2)
    await service.post('//signin', { token: TOKEN }, { token: null })
    expect((await service.get('/events', { token: null, headers: first })).status).toBe(401)
  })
})

describe('TRUSTED_PROXY: whose forwarded headers are trusted', () => {
  const forwarded = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' }
  const local = { publicUrl: 'http://vending.example.com' }

  test('without a proxy, forwarded headers change neither the address nor the cookie', async () => {
    const service = await startService({ config: local })
    const answer = await service.post('//signin', { token: TOKEN }, { token: null, headers: forwarded })
    expect(answer.headers['set-cookie']).not.toContain('Secure')
    for (let i = 0; i < 7; i++)
      await service.get('/events', { token: 'wrong', headers: { 'x-forwarded-for': `203.0.113.${i}` } })
    const before = performance.now()
    await service.get('/events', { token: 'wrong', headers: { 'x-forwarded-for': '203.0.113.99' } })
    expect(performance.now() - before, 'still slow: it is one address').toBeGreaterThan(190)
  })

  test('from the proxy they give the caller’s address and whether TLS was used', async () => {
    const service = await startService({ config: { ...local, trustedProxy: ['10.0.0.0/8'] } })
    const through = (from: string) => ({ token: null, headers: forwarded, from })
    const answer = await service.post('//signin', { token: TOKEN }, through('10.1.2.3'))
    expect(answer.headers['set-cookie']).toContain('; Secure')
    const direct = await service.post('//signin', { token: TOKEN }, through('192.0.2.1'))
    expect(direct.headers['set-cookie'], 'somebody else’s').not.toContain('Secure')
    const guess = (from: string) =>
      service.get('/events', { token: 'wrong', headers: { 'x-forwarded-for': from }, from: '10.1.2.3' })
    for (let i = 0; i < 8; i++) await guess('203.0.113.1')
    // The fastest of five others: the delay of the first caller is above all of them by then.
    const took: number[] = []
    for (let other = 2; other < 7; other++) {
      const before = performance.now()
      await guess(`203.0.113.${other}`)
      took.push(performance.now() - before)
    }
    expect(Math.min(...took), 'one caller’s failures do not slow the next').toBeLessThan(150)
  })
})

describe('7 every error has the same shape', () => {
  test('an unknown path is 404, a known one with another method 405 with Allow', async () => {
    const service = await startService()
    const unknown = await service.get('/nothing/here')
    expect([unknown.status, code(unknown)]).toEqual([404, 'not_found'])
    const wrong = await service.call('DELETE', '/events')
    expect([wrong.status, code(wrong), wrong.headers['allow']]).toEqual([405, 'invalid', 'GET, POST'])
    expect((await service.get('/nothing/here', { token: null })).status).toBe(401)
    expect((await service.call('DELETE', '/events', { token: null })).status).toBe(401)
  })

  test('a path that cannot be decoded is 400, and 401 without a token', async () => {
    const service = await startService()
    const unreadable = await service.get('/skus/%zz', { headers: { 'request-id': 'mine' } })
    expect([unreadable.status, unreadable.headers['request-id']]).toEqual([400, 'mine'])
    expect((await service.get('/skus/%zz', { token: null })).status).toBe(401)
  })

  test('a body that is not JSON, or has another content type, is 400 invalid at $', async () => {
    const service = await startService()
    for (const [body, type] of [
      ['{"kind":', 'application/json'],
      ['\ufffe{}', 'application/json'],
      ['kind=note', 'application/x-www-form-urlencoded'],
      ['{}', 'text/plain'],
    ] as const) {
      const answer = await service.call('POST', '/events', { body, headers: { 'content-type': type } })
      expect([answer.status, answer.body.messages[0].code, answer.body.messages[0].path]).toEqual([400, 'invalid', '$'])
    }
  })

  test('a body above 1 MiB is 413 in the same envelope', async () => {
    const service = await startService()
    const answer = await service.post('/events', { ...event, reasoning: 'x'.repeat(1_100_000) })
    expect([answer.status, code(answer)]).toEqual([413, 'request_too_large'])
  })

  test('all problems of a request are reported at once, each with its path; absent and null are missing, the rest invalid', async () => {
    const service = await startService()
    const answer = await service.post('/events', { kind: 5, summary: null })
    expect(answer.status).toBe(400)
    const found = answer.body.messages.map((m: { code: string; path: string }) => [m.code, m.path])
    expect(found).toEqual(
      expect.arrayContaining([
        ['missing', '$.reasoning'],
        ['invalid', '$.kind'],
        ['missing', '$.summary'],
      ]),
    )
    expect(found).toHaveLength(3)
  })

  test('without a body the missing fields are named, for a purchase the confirmation', async () => {
    const service = await startService()
    const purchase = await service.post('/checkout-sessions/po_1/complete')
    expect([purchase.status, code(purchase), purchase.body.messages[0].path]).toEqual([
      400,
      'confirmation_required',
      '$.confirm',
    ])
    const appended = await service.post('/events')
    expect(appended.body.messages.map(({ path }: { path: string }) => path)).toEqual([
      '$.kind',
      '$.summary',
      '$.reasoning',
    ])
  })

  test('at most 20 problems are reported', async () => {
    const service = await startService()
    const line_items = Array.from({ length: 60 }, () => ({ item: { id: 5 }, quantity: 'x' }))
    const answer = await service.post('/checkout-sessions', { line_items })
    expect(answer.body.messages).toHaveLength(20)
  })

  test('integers in a query are converted; other text is invalid', async () => {
    const service = await startService()
    expect((await service.get('/events?limit=5')).status).toBe(200)
    for (const limit of ['five', '0', '-1', '1.5', '', '1e1', '0x10', '%205', '%2B5', '5&limit=6']) {
      const answer = await service.get(`/events?limit=${limit}`)
      expect([limit, answer.status, answer.body.messages?.[0].path]).toEqual([limit, 400, '$.limit'])
    }
  })

  test('unknown fields are ignored, including __proto__', async () => {
    const service = await startService()
    const answer = await service.post(
      '/events',
      '{"kind":"note","summary":"s","reasoning":"r","more":1,"__proto__":{"location":"x"},"constructor":{"prototype":{"polluted":1}}}',
    )
    expect(answer.status).toBe(201)
    expect(answer.body.location).toBeUndefined()
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  test('an unexpected error is 500 internal without details, and is logged with the request id', async () => {
    const service = await startService()
    await service.ctx.store.db.schema.dropTable('event').execute()
    const answer = await service.get('/events', { headers: { 'request-id': 'my-request-1' } })
    expect([answer.status, code(answer)]).toEqual([500, 'internal'])
    expect(answer.text).not.toMatch(/event|table|sql/i)
    expect(answer.headers['request-id']).toBe('my-request-1')
    expect(service.log.find(({ level }) => level === 'error')?.fields).toMatchObject({ request_id: 'my-request-1' })
  })
})

describe('request id and agent', () => {
  test('a Request-Id is returned when printable and short, otherwise generated', async () => {
    const service = await startService()
    expect((await service.get('/events', { headers: { 'request-id': 'abc 1' } })).headers['request-id']).toBe('abc 1')
    for (const bad of ['x'.repeat(129), 'tab\tinside']) {
      const made = (await service.get('/events', { headers: { 'request-id': bad } })).headers['request-id']
      expect(made).toMatch(/^[0-9a-f-]{36}$/)
    }
  })

  test('5.4 UCP-Agent is recorded, as a string, as a token, and raw when it cannot be read; never refused', async () => {
    const service = await startService()
    const agents = ['profile="https://a.example/ucp"', 'profile=https://b.example/ucp', 'garbage ;;= "']
    for (const agent of agents)
      expect((await service.get('/events', { headers: { 'ucp-agent': agent } })).status).toBe(200)
    const seen = service.log
      .filter(({ sentence }) => sentence === 'request completed')
      .map(({ fields }) => (fields as { agent?: string }).agent)
    expect(seen).toEqual(['https://a.example/ucp', 'https://b.example/ucp', 'garbage ;;= "'])
  })

  test('no log line holds the token', async () => {
    const service = await startService()
    await service.get('/events', { headers: { cookie: `service_auth=${TOKEN}` } })
    await service.post('//signin', { token: TOKEN }, { token: null })
    expect(JSON.stringify(service.log)).not.toContain(TOKEN)
  })
})

describe('idempotency', () => {
  const key = { 'idempotency-key': 'k-1' }

  test('the same key and body run once and return the stored reply, byte for byte', async () => {
    const service = await startService()
    const first = await service.post('/events', event, { headers: key })
    service.clock.advance(60_000)
    const again = await service.post('/events', event, { headers: key })
    expect([again.status, again.text]).toEqual([201, first.text])
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(first.headers['idempotent-replayed']).toBeUndefined()
    expect(await service.events('note')).toHaveLength(1)
  })

  test('the same key with another body is 409 idempotency_mismatch and nothing is executed', async () => {
    const service = await startService()
    await service.post('/events', event, { headers: key })
    const other = await service.post('/events', { ...event, summary: 'other' }, { headers: key })
    expect([other.status, code(other)]).toEqual([409, 'idempotency_mismatch'])
    expect(await service.events('note')).toHaveLength(1)
  })

  test('a refusal is stored like any reply, and another body with its key is a mismatch', async () => {
    const service = await startService()
    const wrong = { ...event, kind: 5 }
    const first = await service.post('/events', wrong, { headers: key })
    expect([first.status, code(first)]).toEqual([400, 'invalid'])
    const again = await service.post('/events', wrong, { headers: key })
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true'])
    expect(code(await service.post('/events', event, { headers: key }))).toBe('idempotency_mismatch')
  })

  test('requests during the first run wait for it and get its reply', async () => {
    const service = await startService()
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.post('/events', event, { headers: key })))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(7)
    expect(await service.events('note')).toHaveLength(1)
  })

  test('a key is forgotten after 48 hours', async () => {
    const service = await startService()
    await service.post('/events', event, { headers: key })
    service.clock.advance(49 * 3_600_000)
    await service.post('/events', { ...event, summary: 'later' }, { headers: key })
    expect(await service.events('note')).toHaveLength(2)
  })

  test('a 5xx reply is not stored: the next request with the key runs', async () => {
    const service = await startService()
    const { db } = service.ctx.store
    await db.schema.alterTable('event').renameTo('event_away').execute()
    expect((await service.post('/events', event, { headers: key })).status).toBe(500)
    await db.schema.alterTable('event_away').renameTo('event').execute()
    expect((await service.post('/events', event, { headers: key })).status).toBe(201)
  })

  /** As a process leaves it that was killed while it ran the request; `ahead` of this process's clock. */
  async function leaveClaim(service: Service, ahead: number) {
    await service.post('/events', event, { headers: key })
    const held_until = service.clock.now() + ahead
    await service.ctx.store.db
      .updateTable('idempotency')
      .set({ state: 'running', holder: 'the dead', held_until })
      .execute()
  }

  test.each([0, -3_600_000, 3_600_000])(
    'the claim of a dead process is taken over 10 s after its last renewal, with its clock off by %i ms',
    async (ahead) => {
      const service = await startService()
      await leaveClaim(service, ahead)
      let answered = false
      const again = service.post('/events', event, { headers: key }).finally(() => (answered = true))
      for (let seconds = 0; seconds < 9; seconds++) {
        await sleep(150)
        service.clock.advance(1000)
      }
      expect(answered, 'a holder may be slow to renew').toBe(false)
      while (!answered) {
        await sleep(150)
        service.clock.advance(1000)
      }
      expect([(await again).status, (await again).headers['idempotent-replayed']]).toEqual([201, undefined])
      expect(await service.events('note')).toHaveLength(2)
    },
  )

  test('while the holder renews its claim it is not taken over; after 30 s: 409 idempotency_in_progress', async () => {
    const service = await startService()
    await leaveClaim(service, 0)
    let answered = false
    const again = service.post('/events', event, { headers: key }).finally(() => (answered = true))
    while (!answered) {
      await service.ctx.store.db
        .updateTable('idempotency')
        .set((at) => ({ held_until: at('held_until', '+', 1) }))
        .execute()
      service.clock.advance(2000)
      await sleep(150)
    }
    const { status, headers, body } = await again
    expect([status, headers['retry-after']]).toEqual([409, '5'])
    expect(body.messages).toMatchObject([{ code: 'idempotency_in_progress', severity: 'recoverable' }])
    expect(await service.events('note')).toHaveLength(1)
  })

  test('a claim that was taken over and whose run failed is released: what the first process commits later is found', async () => {
    const service = await startService({ supply: scriptedSupply([supplyProduct('SP1001')]) })
    const { db } = service.ctx.store
    const line_items = [{ item: { id: 'acme-supply:SP1001' }, quantity: 1 }]
    const create = () => service.post('/checkout-sessions', { line_items }, { headers: key })
    const first = await create()
    // As if the first process had stopped for a while before its commit, and was taken for dead.
    const { write_id } = await db.selectFrom('created').select('write_id').executeTakeFirstOrThrow()
    await db.updateTable('created').set({ write_id: 'not committed yet' }).execute()
    await db.updateTable('idempotency').set({ state: 'running', holder: '' }).execute()
    service.writeRules('unreadable')
    const second = await create()
    expect([second.status, code(second)]).toEqual([503, 'guard_unverifiable'])
    await db.updateTable('created').set({ write_id }).execute()
    service.writeRules(RULES)
    service.clock.advance(1000)
    const third = await create()
    expect([third.status, third.body.id]).toEqual([201, first.body.id])
    expect((await service.get('/checkout-sessions')).body.checkouts).toHaveLength(1)
  })

  test('a key of 256 characters is invalid', async () => {
    const service = await startService()
    const answer = await service.post('/events', event, { headers: { 'idempotency-key': 'x'.repeat(256) } })
    expect([answer.status, code(answer)]).toEqual([400, 'invalid'])
  })
})

describe('rate limit', () => {
  const DEFAULT = { rateLimitPerMinute: 3000 }
  const strict = { ...RULES, rules: { ...RULES.rules, spendingLimitPerRun: 0 } }
  const destination = { id: 'd1', street_address: '1 Road', first_name: 'Li', phone_number: '1' }
  const fulfillment = { methods: [{ type: 'shipping', destinations: [destination] }] }

  test('above RATE_LIMIT_PER_MINUTE: 429 rate_limited with Retry-After, and it passes again later', async () => {
    const service = await startService({ config: { rateLimitPerMinute: 3 } })
    for (let i = 0; i < 3; i++) expect((await service.get('/events')).status).toBe(200)
    const limited = await service.get('/events')
    expect([limited.status, code(limited), limited.headers['retry-after']]).toEqual([429, 'rate_limited', '20'])
    service.clock.advance(21_000)
    expect((await service.get('/events')).status).toBe(200)
  })

  test('paths that take no token limit the address, each kind of path by itself', async () => {
    const service = await startService({ config: { rateLimitPerMinute: 3 } })
    for (const path of ['//inbound/nobody', '//oauth/register']) {
      const ask = (from: string) => service.post(path, {}, { token: null, from })
      for (let i = 0; i < 3; i++) expect((await ask('192.0.2.1')).status, path).not.toBe(429)
      const limited = await ask('192.0.2.1')
      expect([limited.status, code(limited), limited.headers['retry-after']]).toEqual([429, 'rate_limited', '20'])
      expect((await ask('192.0.2.2')).status, path).not.toBe(429)
    }
  })

  test('the token has one limit, however its header is written', async () => {
    const service = await startService({ config: { rateLimitPerMinute: 3 } })
    const spellings = [`Bearer ${TOKEN}`, `bearer ${TOKEN}`, `Bearer  ${TOKEN}`]
    for (const authorization of spellings) await service.get('/events', { headers: { authorization } })
    const headers = { cookie: `other=1; service_auth=${TOKEN}` }
    expect((await service.get('/events', { token: null, headers })).status).toBe(429)
  })

  test('a fifth of the limit applies to writes and a fiftieth to events of callers, counted separately', async () => {
    const service = await startService({ config: { rateLimitPerMinute: 300 } })
    const many = async (count: number, ask: () => Promise<Answered>) => {
      const statuses: number[] = []
      for (let i = 0; i < count; i++) statuses.push((await ask()).status)
      return statuses.filter((status) => status !== 429).length
    }
    expect(await many(8, () => service.post('/events', event))).toBe(6)
    const refused = await service.post('/events', event)
    expect([code(refused), refused.headers['retry-after']]).toEqual(['rate_limited', '10'])
    expect(await many(60, () => service.put('/locations/M1', { name: 'one' })), 'writes left').toBe(54)
    expect((await service.get('/events')).status, 'reading goes on').toBe(200)
    expect((await service.post('/guardrails/stop', { reason: 'too much' })).status, 'so does the stop').toBe(200)
    const headers = cookieOf(await service.post('//signin', { token: TOKEN }, { token: null }))
    const own = await service.put('/locations/M1', { name: 'two' }, { token: null, headers })
    expect(own.status, 'the console has an allowance of its own').toBe(200)
    service.clock.advance(60_000)
    expect(await many(8, () => service.post('/events', event)), 'a minute later').toBe(6)
  })

  test('a fiftieth of the limit applies to approvals: 60 a minute by default', async () => {
    const supply = scriptedSupply([supplyProduct('SP1001')])
    const service = await startService({ config: DEFAULT, supply, rules: strict })
    const open = () =>
      service.post('/checkout-sessions', {
        line_items: [{ item: { id: 'acme-supply:SP1001' }, quantity: 1 }],
        fulfillment,
      })
    const opened: number[] = []
    for (let i = 0; i < 61; i++) opened.push((await open()).status)
    expect(opened.filter((status) => status === 201)).toHaveLength(60)
    expect(opened.at(-1)).toBe(429)
    const waiting = await service.ctx.store.db.selectFrom('decision').select('seq').execute()
    expect(waiting).toHaveLength(60)
    service.clock.advance(1000)
    expect((await open()).status).toBe(201)
  })

  test('purchases without approval do not count towards it', async () => {
    const service = await startService({ config: DEFAULT, supply: scriptedSupply([supplyProduct('SP1001')]) })
    const line_items = [{ item: { id: 'acme-supply:SP1001' }, quantity: 1 }]
    for (let i = 0; i < 100; i++)
      expect((await service.post('/checkout-sessions', { line_items, fulfillment })).status).toBe(201)
  })

  test('setting the wall clock back locks nobody out', async () => {
    let now = 1_000_000
    const limits = rateLimits(3, { now: () => -1e12, elapsed: () => now })
    for (let i = 0; i < 3; i++) limits.charge('request', 'a')
    expect(limits.waitSeconds('request', 'a')).toBe(20)
    now += 20_000
    expect(limits.waitSeconds('request', 'a')).toBe(0)
  })

  test('0 turns all limits off', async () => {
    const service = await startService({ config: { rateLimitPerMinute: 0 } })
    for (let i = 0; i < 70; i++) expect((await service.post('/events', event)).status).toBe(201)
  })
})

describe('stopping', () => {
  test('running requests finish, and an idle keep-alive connection does not delay the stop', async () => {
    const service = await startService()
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
    service.supply.script.next('catalog', { wait: answered })
    await service.server.listen({ host: '127.0.0.1', port: 0 })
    const { port } = service.server.server.address() as AddressInfo
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    const status = new Promise<number | undefined>((resolve, reject) => {
      const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
      const options = { agent, port, host: '127.0.0.1', method: 'POST', path: '/ucp/v1/catalog/search', headers }
      const sent = request(options, (reply) => reply.resume().on('end', () => resolve(reply.statusCode)))
      sent.on('error', reject).end('{}')
    })
    while (service.supply.script.count('catalog') === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    const before = performance.now()
    const stopped = service.server.close()
    answer()
    expect(await status).toBe(200)
    await stopped
    expect(performance.now() - before).toBeLessThan(5000)
  })
})
