/** OAuth: a host that takes no key connects after an owner agreed, and nobody else gets in that way. */
import { createHash, randomBytes } from 'node:crypto'
import { auth, Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, test } from 'vitest'
import { DAY, rfc3339 } from '../../src/kernel/clock.ts'
import { addKey } from './keys.ts'
import { post, request } from '../support/mcp.ts'
import { startService } from '../support/service.ts'
import type { Json, Service } from '../support/service.ts'

const PUBLIC_URL = 'https://vending.example.com'
const REDIRECT = 'https://agent.example/callback'
const HOUR = 3_600_000

const start = () => startService({ config: { hasOauth: true } })

const formOf = (params: Readonly<Record<string, string>>) => new URLSearchParams(params).toString()

async function send(service: Service, url: string, form: Readonly<Record<string, string>>, headers: object = {}) {
  const answer = await service.server.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: formOf(form),
  })
  return { status: answer.statusCode, headers: answer.headers, body: answer.body === '' ? {} : parse(answer.body) }
}
const parse = (text: string): Json => (text.startsWith('{') ? JSON.parse(text) : text)

async function register(service: Service, body: object = { client_name: 'Claude', redirect_uris: [REDIRECT] }) {
  const answer = await service.server.inject({
    method: 'POST',
    url: '/oauth/register',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  })
  return { status: answer.statusCode, body: parse(answer.body) }
}

/** The cookie of somebody who signed in to the console. */
async function cookieOf(service: Service, key: string): Promise<string> {
  const answer = await service.server.inject({
    method: 'POST',
    url: '/signin',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ token: key }),
  })
  return String(answer.headers['set-cookie']).split(';')[0]!
}

interface Flow {
  readonly service: Service
  readonly clientId: string
  readonly verifier: string
  readonly cookie: string
  readonly query: Readonly<Record<string, string>>
}

async function startFlow(service?: Service): Promise<Flow> {
  const running = service ?? (await start())
  const { key } = await addKey(running, 'owner', `Ann ${randomBytes(3).toString('hex')}`)
  const verifier = randomBytes(32).toString('base64url')
  const clientId: string = (await register(running)).body.client_id
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    state: 's1',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: `${PUBLIC_URL}/ucp/mcp`,
  }
  return { service: running, clientId, verifier, cookie: await cookieOf(running, key), query }
}

const YES = { decision: 'yes', role: 'operator' }
const agree = ({ service, query, cookie }: Flow, form: Readonly<Record<string, string>> = YES) =>
  send(service, `/oauth/authorize?${formOf(query)}`, form, { cookie, origin: PUBLIC_URL })

async function codeOf(flow: Flow, form?: Readonly<Record<string, string>>): Promise<string> {
  const { status, headers } = await agree(flow, form)
  expect(status).toBe(303)
  const url = new URL(String(headers.location))
  expect([url.origin + url.pathname, url.searchParams.get('state'), url.searchParams.get('iss')]).toEqual([
    REDIRECT,
    's1',
    PUBLIC_URL,
  ])
  return url.searchParams.get('code')!
}

const redeem = ({ service, clientId, verifier }: Flow, code: string, changes: Readonly<Record<string, string>> = {}) =>
  send(service, '/oauth/token', {
    grant_type: 'authorization_code',
    code,
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_verifier: verifier,
    resource: `${PUBLIC_URL}/ucp/mcp`,
    ...changes,
  })
const refresh = ({ service, clientId }: Flow, token: string, changes: Readonly<Record<string, string>> = {}) =>
  send(service, '/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: token,
    client_id: clientId,
    ...changes,
  })
const works = async (service: Service, token: string): Promise<boolean> =>
  (await post(service, request('tools/list'), { token })).status === 200
const connected = async (service: Service): Promise<Json[]> =>
  (await service.ctx.store.db.selectFrom('person').selectAll().execute()).filter(({ name }) =>
    name.startsWith('Claude'),
  )

describe('a connection', () => {
  test('is a person of the deployment, with the role that the owner chose, in the record, and can be revoked', async () => {
    const flow = await startFlow()
    const { service } = flow
    const { status, body, headers } = await redeem(flow, await codeOf(flow, { ...YES, autonomous: 'true' }))
    expect([status, body.token_type, body.expires_in, headers['cache-control']]).toEqual([
      200,
      'Bearer',
      3600,
      'no-store',
    ])
    const me = (await service.get('/me', { token: body.access_token })).body
    expect(me).toMatchObject({ name: 'Claude (agent.example)', role: 'operator' })
    const [person] = await connected(service)
    expect(person).toMatchObject({ autonomous: 1, role: 'operator' })
    expect((await service.events())[0]).toMatchObject({
      code: 'autonomous_added',
      params: { by: expect.stringMatching(/^Ann/) },
    })
    const owner = await addKey(service, 'owner', 'Bo')
    // The program renews it every hour: what the owner sees is when the connection ends.
    const shown = (await service.get('/people', { token: owner.key })).body.people.find(
      ({ id }: Json) => id === person.id,
    )
    expect(shown).toMatchObject({ renews: true, expires_at: rfc3339(service.clock.now() + 30 * DAY, 'Asia/Shanghai') })
    await service.call('DELETE', `/people/${person.id}`, { token: owner.key })
    expect(await works(service, body.access_token)).toBe(false)
    expect((await refresh(flow, body.refresh_token)).body.error).toBe('invalid_grant')
    const stored = JSON.stringify([
      await service.ctx.store.db.selectFrom('oauth_code').selectAll().execute(),
      await service.ctx.store.db.selectFrom('oauth_grant').selectAll().execute(),
    ])
    for (const secret of [body.access_token, body.refresh_token]) expect(stored).not.toContain(secret)
  })

  test('renews its key; a refresh token that is used twice ends it', async () => {
    const flow = await startFlow()
    const { service } = flow
    const first = (await redeem(flow, await codeOf(flow))).body
    const second = (await refresh(flow, first.refresh_token)).body
    expect([await works(service, first.access_token), await works(service, second.access_token)]).toEqual([false, true])
    expect((await refresh(flow, first.refresh_token)).body.error).toBe('invalid_grant')
    expect(await works(service, second.access_token)).toBe(false)
    expect((await refresh(flow, second.refresh_token)).body.error).toBe('invalid_grant')
    expect((await service.events())[0]).toMatchObject({ code: 'person_revoked', params: { by: 'oauth' } })
  })

  test('lapses: the key after an hour, the connection after 30 days', async () => {
    const flow = await startFlow()
    const { service } = flow
    const first = (await redeem(flow, await codeOf(flow))).body
    service.clock.advance(HOUR)
    expect(await works(service, first.access_token)).toBe(false)
    const second = (await refresh(flow, first.refresh_token)).body
    expect(await works(service, second.access_token)).toBe(true)
    service.clock.advance(30 * 24 * HOUR)
    expect((await refresh(flow, second.refresh_token)).body.error).toBe('invalid_grant')
    expect((await connected(service))[0].revoked_at).not.toBeNull()
  })
})

describe('a code', () => {
  test.each([
    ['a wrong verifier', { code_verifier: 'x'.repeat(43) }],
    ['no verifier', { code_verifier: '' }],
    ['another address', { redirect_uri: `${REDIRECT}/more` }],
    ['another resource', { resource: 'https://other.example/mcp' }],
  ])('is refused with %s', async (_what, changes) => {
    const flow = await startFlow()
    expect((await redeem(flow, await codeOf(flow), changes)).status).toBe(400)
    expect(await connected(flow.service)).toEqual([])
  })

  test('of one client is of no use to another, and is gone after the try', async () => {
    const flow = await startFlow()
    const other: string = (await register(flow.service)).body.client_id
    const code = await codeOf(flow)
    expect((await redeem(flow, code, { client_id: other })).body.error).toBe('invalid_grant')
    expect((await redeem(flow, code)).body.error).toBe('invalid_grant')
  })

  test('works once, also for many at once; the second try ends what the first got', async () => {
    const flow = await startFlow()
    const { service } = flow
    const code = await codeOf(flow)
    const answers = await Promise.all(Array.from({ length: 5 }, () => redeem(flow, code)))
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
    const late = await redeem(flow, code)
    expect(late.body.error).toBe('invalid_grant')
    for (const { body } of answers.filter(({ status }) => status === 200))
      expect(await works(service, body.access_token)).toBe(false)
  })

  test('lasts a minute', async () => {
    const flow = await startFlow()
    const code = await codeOf(flow)
    flow.service.clock.advance(61_000)
    expect((await redeem(flow, code)).body.error).toBe('invalid_grant')
  })
})

describe('the consent', () => {
  const open = (
    flow: Flow,
    changes: Readonly<Record<string, string>> = {},
    headers: object = { cookie: flow.cookie },
  ) =>
    flow.service.server.inject({
      method: 'GET',
      url: `/oauth/authorize?${formOf({ ...flow.query, ...changes })}`,
      headers: { ...headers },
    })

  test('shows who asks and where the key goes, and cannot be framed', async () => {
    const flow = await startFlow()
    const page = await open(flow)
    expect(page.statusCode).toBe(200)
    expect(page.body).toContain('Claude')
    expect(page.body).toContain('agent.example')
    expect(page.headers).toMatchObject({ 'x-frame-options': 'DENY', 'cache-control': 'no-store' })
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(page.body).not.toMatch(/<script|value="owner"/)
    const chinese = await open(flow, {}, { cookie: flow.cookie, 'accept-language': 'zh-CN,zh;q=0.9' })
    expect(chinese.body).toContain('连接智能体')
  })

  test('escapes what a program calls itself', async () => {
    const flow = await startFlow()
    const body = { client_name: '<script>x</script>\u202e', redirect_uris: [REDIRECT] }
    const { client_id } = (await register(flow.service, body)).body
    const page = await open(flow, { client_id })
    expect(page.body).not.toContain('<script>')
    expect(page.body).toContain('&lt;script&gt;')
  })

  test('a browser from another site is led back once, and then asked to sign in', async () => {
    const flow = await startFlow()
    const first = await open(flow, {}, {})
    expect([first.statusCode, first.body.includes('http-equiv="refresh"')]).toEqual([200, true])
    const second = await open(flow, { returned: '1' }, {})
    expect([second.statusCode, second.body.includes('http-equiv')]).toEqual([403, false])
    expect(second.body).toContain('/signin?then=%2Foauth%2Fauthorize%3F')
  })

  test.each(['driver', 'viewer', 'operator'] as const)('of a %s is no consent', async (role) => {
    const flow = await startFlow()
    const { key } = await addKey(flow.service, role)
    const cookie = await cookieOf(flow.service, key)
    expect((await open(flow, { returned: '1' }, { cookie })).statusCode).toBe(403)
    const { status, headers } = await agree({ ...flow, cookie })
    expect([status, headers.location]).toEqual([403, undefined])
  })

  test.each([
    ['of another site', (cookie: string) => ({ cookie, origin: 'https://evil.example' })],
    ['without an origin', (cookie: string) => ({ cookie })],
    ['without the cookie', () => ({ origin: PUBLIC_URL })],
    ['with a cookie that is no session', () => ({ cookie: 'service_auth=cs_nothing', origin: PUBLIC_URL })],
  ])('%s is no consent', async (_what, headersOf) => {
    const flow = await startFlow()
    const url = `/oauth/authorize?${formOf(flow.query)}`
    const answer = await send(flow.service, url, YES, headersOf(flow.cookie))
    expect([answer.status, answer.headers.location]).toEqual([403, undefined])
  })

  test('an owner may refuse, and cannot hand out the role of an owner', async () => {
    const flow = await startFlow()
    for (const form of [{ decision: 'no' }, { decision: 'yes', role: 'owner' }, { decision: 'yes' }]) {
      const { headers } = await agree(flow, form)
      expect(new URL(String(headers.location)).searchParams.get('error')).toBe('access_denied')
    }
    const driver = await codeOf(flow, { decision: 'yes', role: 'driver', autonomous: 'true' })
    await redeem(flow, driver)
    expect((await connected(flow.service))[0]).toMatchObject({ role: 'driver', autonomous: null })
  })

  test.each([
    ['a suffix', { redirect_uri: `${REDIRECT}.evil.example` }],
    ['another path', { redirect_uri: `${REDIRECT}/../x` }],
    ['a query', { redirect_uri: `${REDIRECT}?x=1` }],
    ['another client', { client_id: 'vclient_none' }],
  ])('with %s redirects nowhere', async (_what, changes) => {
    const flow = await startFlow()
    const page = await open(flow, changes)
    expect([page.statusCode, page.headers.location]).toEqual([400, undefined])
  })

  test.each([
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no challenge', { code_challenge: '' }, 'invalid_request'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['a token at once', { response_type: 'token' }, 'unsupported_response_type'],
  ])('with %s is refused to the program', async (_what, changes, error) => {
    const flow = await startFlow()
    const answer = await open(flow, changes)
    const url = new URL(String(answer.headers.location))
    expect([answer.statusCode, url.host, url.searchParams.get('error')]).toEqual([303, 'agent.example', error])
  })

  test('a parameter that is there twice is refused', async () => {
    const flow = await startFlow()
    const url = `/oauth/authorize?${formOf(flow.query)}&redirect_uri=https%3A%2F%2Fevil.example`
    const page = await flow.service.server.inject({ method: 'GET', url, headers: { cookie: flow.cookie } })
    expect(page.statusCode).toBe(400)
  })
})

describe('a registration', () => {
  test.each([
    'http://agent.example/callback',
    'javascript:alert(1)',
    'https://user:pass@agent.example/',
    'https://agent.example/#x',
    'http://localhost.evil.example/',
    'myapp://callback',
    7,
  ])('with %s is refused', async (uri) => {
    const service = await start()
    const { status, body } = await register(service, { client_name: 'x', redirect_uris: [uri] })
    expect([status, body.error]).toEqual([400, 'invalid_redirect_uri'])
  })

  test('may name a program on this computer; unused ones are bounded and removed', async () => {
    const service = await start()
    for (const uri of ['http://localhost:3000/cb', 'http://127.0.0.1/cb', 'http://[::1]:9/cb'])
      expect((await register(service, { redirect_uris: [uri] })).status).toBe(201)
    const { db } = service.ctx.store
    const [row] = await db.selectFrom('oauth_client').selectAll().execute()
    for (let n = 0; n < 197; n++)
      await db
        .insertInto('oauth_client')
        .values({ ...row!, id: `c${n}` })
        .execute()
    expect((await register(service)).status).toBe(400)
    service.clock.advance(HOUR + 1)
    expect((await register(service)).status).toBe(201)
    expect(await db.selectFrom('oauth_client').selectAll().execute()).toHaveLength(1)
  })
})

test('off by default: nothing is advertised, and nothing is there', async () => {
  const service = await startService()
  const denied = await post(service, request('tools/list'), { token: null })
  expect(denied.headers['www-authenticate']).toBe('Bearer realm="ucp"')
  for (const url of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-authorization-server']) {
    const answer = await service.server.inject({ method: 'GET', url })
    expect([401, 404]).toContain(answer.statusCode)
  }
  const on = await start()
  const challenge = (await post(on, request('tools/list'), { token: null })).headers['www-authenticate']
  expect(challenge).toBe(
    `Bearer realm="ucp", resource_metadata="${PUBLIC_URL}/.well-known/oauth-protected-resource/ucp/mcp"`,
  )
})

describe('the official client', () => {
  let close = async (): Promise<void> => {}
  afterEach(() => close())

  test('connects by itself: discovery, registration, consent, token, tools', async () => {
    const flow = await startFlow()
    const { service, cookie } = flow
    /** The client's requests, answered by the service under its public address. */
    const fetchHere = async (input: URL | string | Request, init: RequestInit = {}): Promise<Response> => {
      const url = new URL(input instanceof Request ? input.url : input)
      const answer = await service.server.inject({
        method: (init.method ?? 'GET') as 'GET',
        url: `${url.pathname}${url.search}`,
        headers: Object.fromEntries(new Headers(init.headers)),
        ...(init.body ? { payload: await new Response(init.body).text() } : {}),
      })
      const headers = new Headers()
      for (const [name, value] of Object.entries(answer.headers)) headers.set(name, String(value))
      const isEmpty = answer.statusCode === 202 || answer.statusCode === 204
      return new Response(isEmpty ? null : answer.body, { status: answer.statusCode, headers })
    }
    const saved: Json = {}
    const provider: OAuthClientProvider = {
      redirectUrl: REDIRECT,
      clientMetadata: { client_name: 'Claude', redirect_uris: [REDIRECT] },
      clientInformation: () => saved.client,
      saveClientInformation: (client) => void (saved.client = client),
      tokens: () => saved.tokens,
      saveTokens: (tokens) => void (saved.tokens = tokens),
      redirectToAuthorization: (url) => void (saved.url = url),
      saveCodeVerifier: (verifier) => void (saved.verifier = verifier),
      codeVerifier: () => saved.verifier,
    }
    const serverUrl = `${PUBLIC_URL}/ucp/mcp`
    const connect = async () => {
      const client = new Client({ name: 'test', version: '1' })
      const transport = new StreamableHTTPClientTransport(new URL(serverUrl), {
        authProvider: provider,
        fetch: fetchHere,
      })
      close = () => client.close()
      await client.connect(transport)
      return client
    }
    await expect(connect()).rejects.toThrow(UnauthorizedError)
    expect(saved.url.origin).toBe(PUBLIC_URL)
    const agreed = await send(service, `${saved.url.pathname}${saved.url.search}`, YES, { cookie, origin: PUBLIC_URL })
    const answered = new URL(String(agreed.headers.location))
    const authorizationCode = answered.searchParams.get('code')!
    const iss = answered.searchParams.get('iss')!
    expect(await auth(provider, { serverUrl, authorizationCode, iss, fetchFn: fetchHere })).toBe('AUTHORIZED')
    const { tools } = await (await connect()).listTools()
    expect(tools.map(({ name }) => name)).toContain('vending_get_plan')
    // An hour later it renews its key without asking anybody.
    service.clock.advance(HOUR)
    const again = await (await connect()).callTool({ name: 'vending_get_me', arguments: {} })
    expect(again.structuredContent).toMatchObject({ name: 'Claude (agent.example)' })
  })
})
