/**
 * Every write of the operations table, sent by those who must not decide: the operator token, other roles, a stolen cookie,
 * nobody. No rule, connection, secret, person or order's outcome is another one afterwards. A new write is sent, too.
 */
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { EXAMPLES } from '../../src/api-docs/examples.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { type OperationId, OPERATIONS, operationIds } from '../../src/contract/operations.ts'
import { LIST_SETTINGS, PRICES_ONLY, startHosted } from '../connections/hosted-service.ts'
import { SHIPPING } from '../checkout/support.ts'
import { addKey } from '../people/keys.ts'
import { TOKEN } from '../support/service.ts'

type Hosted = Awaited<ReturnType<typeof startHosted>>
type Sent = { readonly params?: object; readonly body?: object }

const LIST = 'Item,Description,Pack,Case price\n1,Coke,24/CS,24.00\n2,Nuts,CS,6.00\n'
const FORGED_REPLY = 'po,status,sku,qty\npo_1,changed,1,2\n'
/** Takes an order and answers nothing: nobody knows what came of it. */
async function startSilent(): Promise<string> {
  const server = createServer((socket) => socket.once('data', () => socket.destroy()).on('error', () => {}))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 9}`
}
const ordersTo = (url: string, secret?: string) => ({
  ...LIST_SETTINGS,
  order: {
    via: 'http',
    format: 'cxml',
    url,
    buyer: { name: 'Route One' },
    ...(secret !== undefined && { cxml: { shared_secret: secret } }),
  },
})

/**
 * A connection with a secret, an order that was sent and one in doubt, a reply that waits, a second owner, and the emergency
 * stop on.
 */
async function startTarget() {
  const service = await startHosted()
  const supplier = await startSilent()
  const settings = ordersTo(supplier, 'ours')
  const added = await service.owner('POST', '/connections', { ...PRICES_ONLY, settings })
  expect(added.status, added.text).toBe(201)
  // Without orders, so that an owner may remove it.
  await service.owner('POST', '/connections', { ...PRICES_ONLY, namespace: 'spare-supply' })
  await upload(service, { authorization: `Bearer ${service.ownerKey}` }, 'price_list', LIST)
  const sent = {
    attempt: 1,
    ref: 'po_1',
    state: 'sent',
    startedAt: 1,
    document: '',
    hash: '',
    sender: '',
    total: 12_000,
  }
  const line = { lineNumber: 1, vendorSku: '1', title: 'Coke', quantity: 5, unit: 'pack', contains: 24 }
  const order = { ...sent, lines: [{ ...line, unitPrice: 2400, amount: 12_000 }] }
  await service.ctx.store.db
    .insertInto('vendor_memory')
    .values({ namespace: 'depot-supply', key: 'order/po_1', value: JSON.stringify(order), version: 1 })
    .execute()
  const waiting = await upload(service, { authorization: `Bearer ${TOKEN}` }, 'reply', FORGED_REPLY)
  expect(waiting.file.state).toBe('waiting')
  const doubtful = await service.owner('POST', '/checkout-sessions', {
    id: 'po_doubt',
    line_items: [{ item: { id: 'depot-supply:1' }, quantity: 1, quantity_unit: { unit: 'BX' } }],
    fulfillment: SHIPPING,
  })
  expect(doubtful.body.status, doubtful.text).toBe('ready_for_complete')
  await service.owner('POST', '/checkout-sessions/po_doubt/complete', { confirm: true })
  const { messages } = (await service.owner('GET', '/checkout-sessions/po_doubt')).body
  expect(messages.map(({ code }: { code: string }) => code)).toContain('outcome_needed')
  const other = await addKey(service, 'owner', 'other owner')
  await service.owner('POST', '/guardrails/stop', { reason: 'test' })
  // The first read remembers what the file says.
  await service.owner('GET', '/guardrails')
  return { service, supplier, fileId: waiting.file.id as string, otherId: other.id }
}
type Target = Awaited<ReturnType<typeof startTarget>>

/** Another one for each request: guessing from one address is slowed down. */
let calls = 0
const address = (): string => `10.0.${Math.floor(++calls / 250)}.${calls % 250}`

async function upload({ server }: Hosted, headers: Record<string, string>, kind: string, text: string) {
  const form = new FormData()
  form.set('kind', kind)
  form.set('file', new Blob([text]), `${kind}.csv`)
  const sent = new Response(form)
  const answer = await server.inject({
    method: 'POST',
    url: '/ucp/v1/connections/depot-supply/files',
    remoteAddress: address(),
    headers: { ...headers, 'content-type': sent.headers.get('content-type') ?? '' },
    payload: Buffer.from(await sent.arrayBuffer()),
  })
  return answer.json()
}

/** What an attacker would send where the example would meet nothing. */
const aimed = ({ supplier, fileId, otherId }: Target): Partial<Record<OperationId, Sent>> => ({
  statePack: { params: { namespace: 'depot-supply' }, body: { text: 'CS', contains: 24, same_for_all: true } },
  addConnection: {
    body: { namespace: 'evil-supply', adapter: 'price-list', settings: ordersTo('https://evil.example', 'theirs') },
  },
  changeConnection: { params: { namespace: 'depot-supply' }, body: { settings: ordersTo(supplier, 'theirs') } },
  removeConnection: { params: { namespace: 'spare-supply' } },
  recordOutcome: { params: { id: 'po_doubt' }, body: { placed: true, label: 'X-1' } },
  decideFile: { params: { namespace: 'depot-supply', id: fileId }, body: { use: true } },
  changeRules: { body: { rules: { spendingLimitPerDay: 100_000_000 } } },
  addPerson: { body: { name: 'Mallory', role: 'owner' } },
  revokePerson: { params: { id: otherId } },
})

/** What must stay: rules, releases of the stop, connections with their secrets, people, packs, orders as the supplier confirmed them. */
async function facts({ service }: Target) {
  const { db } = service.ctx.store
  const rowsOf = async (name: Parameters<typeof db.selectFrom>[0] & string) =>
    (
      await db
        .selectFrom(name as 'person')
        .selectAll()
        .execute()
    ).map((row) => ({ ...row, last_used_at: undefined }))
  const vendor = service.ctx.vendors.supply('depot-supply' as never)
  return {
    rules: await rowsOf('stored_rules'),
    changes: await rowsOf('rule_change'),
    stops: await rowsOf('emergency_stop'),
    releases: await rowsOf('emergency_stop_release'),
    connections: await rowsOf('hosted_connection'),
    accounts: await rowsOf('connection_account'),
    people: await rowsOf('person'),
    packs: await rowsOf('stated_pack'),
    attempts: await rowsOf('checkout_attempt'),
    repliesUsed: (await db.selectFrom('connection_file').select(['id', 'kind', 'state']).execute()).filter(
      ({ kind, state }) => kind === 'reply' && state === 'used',
    ),
    order: vendor.ok ? await vendor.value.orderStatus('po_1') : undefined,
    secrets: service.secrets(),
  }
}

async function sendAll(target: Target, headers: Record<string, string>): Promise<ReadonlyMap<OperationId, number>> {
  const { service } = target
  const statuses = new Map<OperationId, number>()
  // Last, because the others aim at what it removes.
  const ids = [...operationIds.filter((id) => id !== 'removeConnection'), 'removeConnection' as const]
  for (const id of ids) {
    const operation: Operation = OPERATIONS[id]
    if (operation.method === 'GET') continue
    const { params = {}, body }: Sent = aimed(target)[id] ?? (EXAMPLES[id] as Sent | undefined) ?? {}
    if (operation.upload) {
      await upload(service, headers, 'reply', FORGED_REPLY)
      continue
    }
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String(Reflect.get(params, name))),
    )
    const { status } = await service.call(operation.method, operation.hostRoot ? `/${path}` : path, {
      token: null,
      from: address(),
      headers,
      ...(operation.body && { body: body ?? {} }),
    })
    statuses.set(id, status)
  }
  await service.call('POST', '//inbound/depot-supply', { token: null, from: address(), headers, body: { po: 'po_1' } })
  return statuses
}

async function cookieOf({ service }: Target): Promise<string> {
  const answer = await service.post('//signin', { token: service.ownerKey }, { token: null })
  return String(answer.headers['set-cookie']).split(';')[0] ?? ''
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const key = async ({ service }: Target, role: Parameters<typeof addKey>[1]) =>
  bearer((await addKey(service, role, `a ${role}`)).key)

const ATTACKERS: Readonly<Record<string, (target: Target) => Promise<Record<string, string>>>> = {
  'the operator token': async () => bearer(TOKEN),
  'an operator': (target) => key(target, 'operator'),
  'a driver': (target) => key(target, 'driver'),
  'a viewer': (target) => key(target, 'viewer'),
  'a bridge': (target) => key(target, 'bridge'),
  nobody: async () => ({}),
  'a page of another origin in the browser of an owner': async (target) => ({
    cookie: await cookieOf(target),
    origin: 'https://evil.example',
  }),
  'a form of another site in the browser of an owner': async (target) => ({
    cookie: await cookieOf(target),
    'sec-fetch-site': 'cross-site',
  }),
  'a cookie of an owner who signed out': async (target) => {
    const cookie = await cookieOf(target)
    await target.service.post('//signout', {}, { token: null, headers: { cookie } })
    return { cookie }
  },
  'the cookie and the key of an owner who was revoked': async (target) => {
    const gone = await addKey(target.service, 'owner', 'gone')
    const signedIn = await target.service.post('//signin', { token: gone.key }, { token: null })
    const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? ''
    expect((await target.service.owner('DELETE', `/people/${gone.id}`)).status).toBe(200)
    return { cookie }
  },
}

/** Of those who send the same to the same service: what an owner can do with it, and nobody else. */
const DECISIONS: readonly OperationId[] = [
  'statePack',
  'addConnection',
  'changeConnection',
  'removeConnection',
  'decideFile',
  'recordOutcome',
  'changeRules',
  'releaseEmergencyStop',
  'addPerson',
  'revokePerson',
]

test('who does not decide changes no rule, connection, secret, person or order; an owner who sends the same does', async () => {
  const target = await startTarget()
  for (const [name, arm] of Object.entries(ATTACKERS)) {
    const headers = await arm(target)
    const before = await facts(target)
    const statuses = await sendAll(target, headers)
    expect(await facts(target), name).toEqual(before)
    for (const id of DECISIONS) expect([401, 403], `${name} ${id} ${statuses.get(id)}`).toContain(statuses.get(id))
    expect(
      [...statuses].filter(([, status]) => status >= 500 && status !== 503),
      name,
    ).toEqual([])
  }
  const before = await facts(target)
  const statuses = await sendAll(target, bearer(target.service.ownerKey))
  const failed = DECISIONS.filter((id) => (statuses.get(id) ?? 500) >= 300)
  expect(failed.map((id) => [id, statuses.get(id)])).toEqual([])
  const after = await facts(target)
  for (const part of [
    'rules',
    'releases',
    'connections',
    'people',
    'packs',
    'attempts',
    'repliesUsed',
    'secrets',
  ] as const)
    expect(after[part], part).not.toEqual(before[part])
})
