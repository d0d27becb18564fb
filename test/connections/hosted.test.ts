/** Connections that an owner adds, changes and removes while the service runs. */
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { acmeConnections } from '../../src/vendors/connections/connection.ts'
import { auditChain } from '../../src/views/audit/index.ts'
import { addKey } from '../people/keys.ts'
import { freshStore } from '../support/database.ts'
import type { Json } from '../support/service.ts'
import { startService } from '../support/service.ts'
import { LIST_COLUMNS, LIST_SETTINGS, PRICES_ONLY, startHosted, temporaryFolder } from './hosted-service.ts'

const SECRET = 'nyx-7c1e9a55-very-secret'
const NAYAX = {
  namespace: 'nayaxus-machine',
  adapter: 'nayax-lynx',
  settings: { url: 'http://127.0.0.1:9', token: SECRET, operator_id: '2001' },
}
const ACME = {
  namespace: 'two-supply',
  adapter: 'acme',
  settings: { url: 'http://127.0.0.1:9', app_key: 'key-one', app_secret: SECRET },
}
const listed = async ({ get }: { get: (path: string) => Promise<Json> }): Promise<Json[]> =>
  (await get('/connections')).body.connections

test('an owner adds a connection: it is used at once, and its secret is in a file only', async () => {
  const service = await startHosted()
  const added = await service.owner('POST', '/connections', NAYAX)
  expect([added.status, added.body.settings, added.body.secrets, added.body.ready]).toEqual([
    201,
    { url: 'http://127.0.0.1:9', operator_id: '2001' },
    ['token'],
    true,
  ])
  expect(await listed(service)).toMatchObject([
    { namespace: 'nayaxus-machine', managed: 'store', adapter: 'nayax-lynx', state: 'unused' },
  ])
  expect((await service.get('/namespaces')).body.namespaces).toContainEqual(
    expect.objectContaining({ namespace: 'nayaxus-machine', status: 'live' }),
  )
  expect(service.secrets()).toEqual([[expect.stringMatching(/^nayaxus-machine\.token\.[0-9a-f]{16}$/), SECRET, 0o600]])
  const shown = [
    added.text,
    (await service.owner('GET', '/connections/nayaxus-machine')).text,
    (await service.get('/connections')).text,
    (await service.get('/events?limit=100')).text,
    await service.dump(),
    JSON.stringify(service.log),
  ].join('\n')
  expect(shown).not.toContain(SECRET)
  expect(await service.events('guardrail')).toContainEqual(
    expect.objectContaining({
      code: 'connection_added',
      summary: expect.stringMatching(/^The connection nayaxus-machine \(nayax-lynx\) was added by owner /),
    }),
  )
  expect(await auditChain(service.ctx.store)).toMatchObject({ problems: [] })
  await service.ctx.store.db.updateTable('hosted_connection').set({ settings: '{"url":"http://evil"}' }).execute()
  expect((await auditChain(service.ctx.store)).problems).not.toEqual([])
})

test('a change keeps secrets that are left out, replaces those that are typed, and takes away those that are null', async () => {
  const service = await startHosted()
  await service.owner('POST', '/connections', NAYAX)
  const path = '/connections/nayaxus-machine'
  const { token: _secret, ...open } = NAYAX.settings
  const kept = await service.owner('PUT', path, { settings: { ...open, price: 'CashPrice' } })
  expect([kept.status, kept.body.secrets, kept.body.settings.price]).toEqual([200, ['token'], 'CashPrice'])
  expect(service.secrets().map(([, text]) => text)).toEqual([SECRET])
  await service.owner('PUT', path, { settings: { ...open, token: 'another-one' } })
  expect(service.secrets().map(([, text]) => text)).toEqual(['another-one'])
  const without = await service.owner('PUT', path, { settings: { ...open, token: null } })
  expect([without.status, without.body.messages[0].content]).toEqual([400, 'token or refresh_token is missing'])
  expect(service.secrets().map(([, text]) => text)).toEqual(['another-one'])
  const refresh = await service.owner('PUT', path, { settings: { ...open, token: null, refresh_token: 'r' } })
  expect([refresh.body.secrets, service.secrets().map(([, text]) => text)]).toEqual([['refresh_token'], ['r']])
  const removed = await service.owner('DELETE', path)
  expect([removed.status, service.secrets(), await listed(service)]).toEqual([200, [], []])
  expect((await service.owner('DELETE', path)).status).toBe(404)
  expect((await service.owner('PUT', path, { settings: open })).status).toBe(404)
})

test('mistakes name the field in plain words, and nothing is stored', async () => {
  const service = await startHosted()
  const add = async (more: object) => {
    const { status, body } = await service.owner('POST', '/connections', { ...PRICES_ONLY, ...more })
    return [status, ...body.messages.map(({ path, content }: Json) => `${path}: ${content}`)]
  }
  expect(await add({ settings: { catalog: {} } })).toEqual([
    400,
    '$.settings.catalog.columns: catalog.columns is missing',
  ])
  expect(
    await add({
      settings: { ...LIST_SETTINGS, order: { via: 'email', format: 'csv', to: 'nobody', buyer: { name: 'A' } } },
    }),
  ).toEqual([
    400,
    '$.settings.order.to: E-mail addresses of the supplier (order.to) must be an e-mail address or a list of them',
    '$.settings.order.from: E-mail address of the sender (order.from) is missing',
    '$.settings.order.smtp: URL of the mail server, smtp://user:password@host (order.smtp) is missing',
  ])
  expect(await add({ adapter: 'nobody' })).toEqual([400, expect.stringContaining('$.adapter: adapter must be one of ')])
  expect(await add({ adapter: 'nayax-lynx' })).toEqual([
    400,
    expect.stringContaining('$.namespace: namespace must end in'),
  ])
  expect(await add({ time_zone: 'Mars' })).toEqual([400, '$.time_zone: time_zone must be an IANA time zone name'])
  expect(await add({ settings: { ...LIST_SETTINGS, namespace: 'x-supply' } })).toEqual([
    400,
    '$.namespace: namespace does not belong into the settings',
  ])
  expect(await listed(service)).toEqual([])
  expect(service.secrets()).toEqual([])
})

test('nobody reads the server through a connection: no files, folders, variables or secrets of others', async () => {
  const service = await startHosted()
  const messages = async (settings: object, more: object = {}) => {
    const { status, body } = await service.owner('POST', '/connections', { ...PRICES_ONLY, ...more, settings })
    return [status, body.messages[0].content]
  }
  expect(await messages({ catalog: { ...LIST_SETTINGS.catalog, file: '/etc/passwd' } })).toEqual([
    400,
    'catalog.file must not be stated: files are uploaded',
  ])
  const order = { via: 'folder', format: 'csv', out: '/tmp', buyer: { name: 'A' } }
  expect((await messages({ ...LIST_SETTINGS, order }))[0]).toBe(400)
  const mail = { via: 'email', format: 'csv', to: 'a@b.c', from: 'd@e.f', buyer: { name: 'A' } }
  for (const smtp of [
    { env: 'OPERATOR_TOKEN' },
    { file: '/etc/passwd' },
    { file: 'nayaxus-machine.token.0123456789abcdef' },
    5,
    'a\nb',
  ])
    expect(await messages({ ...LIST_SETTINGS, order: { ...mail, smtp } })).toEqual([
      400,
      'URL of the mail server, smtp://user:password@host (order.smtp) must be text of one line',
    ])
  expect(await listed(service)).toEqual([])
})

test('a connection of the server is shown and cannot be changed', async () => {
  const fixed = acmeConnections({ acmeSupply: { url: 'http://127.0.0.1:9', appKey: 'a', appSecret: 'b' } })
  const service = await startHosted({ fixed })
  expect(await listed(service)).toMatchObject([{ namespace: 'acme-supply', managed: 'file', adapter: 'acme' }])
  for (const [method, path, body] of [
    ['GET', '/connections/acme-supply', undefined],
    ['PUT', '/connections/acme-supply', { settings: {} }],
    ['DELETE', '/connections/acme-supply', undefined],
    ['POST', '/connections', { ...ACME, namespace: 'acme-supply' }],
  ] as const) {
    const { status, body: answer } = await service.owner(method, path, body)
    expect([method, status, answer.messages?.[0].code]).toEqual([method, 409, 'not_editable'])
  }
  const tested = await service.owner('POST', '/connections/acme-supply/test')
  expect([tested.status, tested.body.ok]).toEqual([200, false])
})

test('a test read stores nothing and sends no secret back', async () => {
  const service = await startHosted()
  const upstream = createServer((request, response) => {
    expect(request.headers.authorization).toBe(`Bearer ${SECRET}`)
    response.setHeader('content-type', 'application/json')
    response.end(
      request.url?.startsWith('/v1/machines') ? JSON.stringify([{ MachineID: 1, MachineName: 'Lobby' }]) : '[]',
    )
  }).listen(0)
  onTestFinished(() => void upstream.close())
  const { port } = upstream.address() as { port: number }
  const body = { ...NAYAX, settings: { ...NAYAX.settings, url: `http://127.0.0.1:${port}` } }
  const tried = await service.owner('POST', '/connections/test', body)
  expect([tried.status, tried.body.ok, tried.body.summary]).toEqual([200, true, '1 machine'])
  expect([await listed(service), service.secrets()]).toEqual([[], []])
  await service.owner('POST', '/connections', body)
  const tested = await service.owner('POST', '/connections/nayaxus-machine/test')
  expect(tested.body).toMatchObject({ ok: true, summary: '1 machine' })
  expect(tried.text + tested.text).not.toContain(SECRET)
  const wrong = await service.owner('POST', '/connections/test', NAYAX)
  expect([wrong.status, wrong.body.ok]).toEqual([200, false])
})

test('another instance uses a change soon; without the secret it shows the connection as not ready', async () => {
  const store = await freshStore()
  const secretsFolder = temporaryFolder()
  const one = await startHosted({ store, secretsFolder })
  const two = await startHosted({ store, secretsFolder })
  const three = await startHosted({ store })
  await one.owner('POST', '/connections', NAYAX)
  one.clock.advance(1000)
  await one.owner('POST', '/connections', PRICES_ONLY)
  for (const { ctx } of [two, three]) await ctx.connectionsHome?.refresh()
  const states = async (service: typeof one) =>
    (await listed(service)).map(({ namespace, state }) => [namespace, state])
  expect(await states(two)).toEqual([
    ['nayaxus-machine', 'unused'],
    ['depot-supply', 'unused'],
  ])
  expect(await states(three)).toEqual([
    ['depot-supply', 'unused'],
    ['nayaxus-machine', 'not_ready'],
  ])
  const [, unready] = await listed(three)
  expect(unready.problem).toContain('SECRETS_DIR')
  expect(unready.problem).not.toMatch(/[0-9a-f]{16}/)
  // Nothing can be asked of it, and nothing breaks.
  expect((await three.get('/namespaces/nayaxus-machine/locations')).body.messages[0].code).toBe('namespace_unsupported')
  // A change of the one that is ready does not touch the other.
  await three.owner('PUT', '/connections/nayaxus-machine', { settings: { ...NAYAX.settings, token: 'typed-here' } })
  await one.ctx.connectionsHome?.refresh()
  expect(await states(one)).toContainEqual(['nayaxus-machine', 'not_ready'])
  expect(await states(three)).toContainEqual(['nayaxus-machine', 'unused'])
})

test('a secret that is lost is typed again', async () => {
  const service = await startHosted()
  await service.owner('POST', '/connections', NAYAX)
  rmSync(join(service.secretsDir, service.secrets()[0]?.[0] ?? ''))
  const { token: _secret, ...open } = NAYAX.settings
  const kept = await service.owner('PUT', '/connections/nayaxus-machine', { settings: open })
  expect([kept.status, kept.body.messages[0].path]).toEqual([400, '$.settings.token'])
  expect(kept.text).not.toMatch(/[0-9a-f]{16}/)
  expect((await service.owner('PUT', '/connections/nayaxus-machine', { settings: NAYAX.settings })).status).toBe(200)
})

test('with PostgreSQL and no SECRETS_DIR a secret is refused, and a connection without one is not', async () => {
  const service = await startHosted({ hasSecretsDir: false })
  const refused = await service.owner('POST', '/connections', NAYAX)
  expect([refused.status, refused.body.messages[0].code]).toEqual([409, 'not_enabled'])
  expect(refused.body.messages[0].content).toContain('SECRETS_DIR')
  expect((await service.owner('POST', '/connections', PRICES_ONLY)).status).toBe(201)
})

describe('a name with a history', () => {
  const purchase = (service: Awaited<ReturnType<typeof startHosted>>, values: object) =>
    service.ctx.store.db
      .insertInto('checkout')
      .values({
        id: 'po_1',
        version: 1,
        status: 'completed',
        vendor: 'two-supply',
        created_at: 1,
        expires_at: 2,
        assessed_at: 1,
        total_fen: 1,
        create_request_hash: '',
        order_hash: '',
        decision: null,
        approved_order_hash: null,
        approved_total_fen: null,
        attempt_no: 1,
        outcome_unknown_since: null,
        outcome_unknown_text: null,
        order_may_exist: 0,
        closed_as: null,
        closed_at: null,
        supplier_order_no: null,
        body: '{}',
        ...values,
      })
      .execute()

  test('stays with its account: orders are asked about where they were sent', async () => {
    const service = await startHosted()
    await service.owner('POST', '/connections', ACME)
    const path = '/connections/two-supply'
    // Without a history the account may be corrected.
    expect((await service.owner('PUT', path, { settings: { ...ACME.settings, app_key: 'key-two' } })).status).toBe(200)
    await purchase(service, {})
    const other = await service.owner('PUT', path, { settings: { ...ACME.settings, app_key: 'key-three' } })
    expect([other.status, other.body.messages[0].code]).toEqual([409, 'not_editable'])
    const url = await service.owner('PUT', path, {
      settings: { ...ACME.settings, app_key: 'key-two', url: 'http://127.0.0.2:9' },
    })
    expect(url.status).toBe(409)
    // Another secret of the same account is no other account.
    const rotated = await service.owner('PUT', path, { settings: { url: ACME.settings.url, app_secret: 'new' } })
    expect(rotated.status).toBe(200)
    expect((await service.owner('DELETE', path)).status).toBe(200)
    const kind = await service.owner('POST', '/connections', { ...PRICES_ONLY, namespace: 'two-supply' })
    expect([kind.status, kind.body.messages[0].content]).toEqual([409, expect.stringContaining('history as acme')])
    expect((await service.owner('POST', '/connections', ACME)).status).toBe(409)
    const same = { ...ACME, settings: { ...ACME.settings, app_key: 'key-two' } }
    expect((await service.owner('POST', '/connections', same)).status).toBe(201)
  })

  test.each([
    ['a draft', { status: 'ready_for_complete' }, 'Purchases are still open: po_1'],
    ['an order in doubt', { status: 'complete_in_progress' }, 'Purchases are still open: po_1'],
  ])('is not removed with %s', async (_name, values, reason) => {
    const service = await startHosted()
    await service.owner('POST', '/connections', ACME)
    await purchase(service, values)
    const removed = await service.owner('DELETE', '/connections/two-supply')
    expect([removed.status, removed.body.messages[0].content]).toEqual([409, expect.stringContaining(reason)])
    expect(await listed(service)).toHaveLength(1)
    await service.ctx.store.db.updateTable('checkout').set({ status: 'canceled' }).execute()
    expect((await service.owner('DELETE', '/connections/two-supply')).status).toBe(200)
  })

  test('is not removed while machines of the route belong to it', async () => {
    const service = await startHosted()
    await service.owner('POST', '/connections', NAYAX)
    await service.put('/locations/M1', { name: 'Lobby', namespace: 'nayaxus-machine' })
    const removed = await service.owner('DELETE', '/connections/nayaxus-machine')
    expect([removed.status, removed.body.messages[0].content]).toEqual([409, expect.stringContaining('M1')])
    await service.call('DELETE', '/locations/M1')
    expect((await service.owner('DELETE', '/connections/nayaxus-machine')).status).toBe(200)
  })
})

test('of two owners at once one is refused, and no secret is left over', async () => {
  const service = await startHosted()
  const both = await Promise.all([
    service.owner('POST', '/connections', NAYAX),
    service.owner('POST', '/connections', NAYAX),
  ])
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
  expect(service.secrets()).toHaveLength(1)
})

test('only an owner: no token, operator, driver, viewer, bridge or cookie of another site changes anything', async () => {
  const service = await startHosted()
  await service.owner('POST', '/connections', NAYAX)
  const before = [await listed(service), service.secrets()]
  const attempts = [
    ['POST', '/connections', ACME],
    ['PUT', '/connections/nayaxus-machine', { settings: { ...NAYAX.settings, url: 'http://evil.example' } }],
    ['DELETE', '/connections/nayaxus-machine', undefined],
    ['POST', '/connections/nayaxus-machine/test', undefined],
    ['POST', '/connections/test', { ...NAYAX, settings: { ...NAYAX.settings, url: 'http://evil.example' } }],
    ['GET', '/connections/nayaxus-machine', undefined],
  ] as const
  for (const role of ['operator', 'driver', 'viewer', 'bridge'] as const) {
    const { key } = await addKey(service, role)
    for (const [method, path, body] of attempts)
      expect([role, method, (await service.as(key)(method, path, body)).status]).toEqual([role, method, 403])
  }
  for (const [method, path, body] of attempts) {
    expect((await service.call(method, path, { ...(body && { body }) })).status).toBe(403)
    expect((await service.call(method, path, { token: null, ...(body && { body }) })).status).toBe(401)
    if (method === 'GET') continue
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const cookie = { ...headers, cookie: `service_auth=${service.ownerKey}` }
      expect((await service.call(method, path, { token: null, headers: cookie, ...(body && { body }) })).status).toBe(
        403,
      )
    }
  }
  expect([await listed(service), service.secrets()]).toEqual(before)
})

test('in staging connections are those of the simulator', async () => {
  const service = await startService()
  const { key } = await addKey(service, 'owner')
  const refused = await service.call('POST', '/connections', { token: key, body: PRICES_ONLY })
  expect([refused.status, refused.body.messages[0].code]).toEqual([409, 'not_editable'])
  const { body } = await service.get('/connections/kinds')
  expect(body.kinds.map(({ adapter, role }: Json) => `${adapter} ${role}`)).toContain('price-list supply')
  for (const adapter of ['nayax-lynx', 'eva-dts']) {
    const { prompts } = body.kinds.find((kind: Json) => kind.adapter === adapter)
    const queue = prompts.filter(({ path }: Json) => path.startsWith('queue.'))
    expect(queue.map(({ path, secret, only_if: when }: Json) => [path.slice(6), secret, when?.path])).toEqual([
      ['url', undefined, undefined],
      ['access_key', true, 'queue.url'],
      ['secret_key', true, 'queue.url'],
      ['region', undefined, 'queue.url'],
      ['encryption_key', true, 'queue.url'],
      ['encryption_iv', true, 'queue.encryption_key'],
      ['previous_encryption_key', true, 'queue.url'],
      ['previous_encryption_iv', true, 'queue.previous_encryption_key'],
    ])
  }
  const list = body.kinds.find(({ adapter }: Json) => adapter === 'price-list')
  expect(list.prompts.map(({ path }: Json) => path)).not.toContain('order.out')
  expect(list.prompts.find(({ path }: Json) => path === 'order.smtp').secret).toBe(true)
  expect(Object.keys(LIST_COLUMNS)).toHaveLength(4)
})
