/** POST /inbound/{namespace}: a merchant tells of an order, signed; the order is then asked for. */
import { type KeyObject, generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { MINUTE, SECOND } from '../../src/kernel/clock.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { contentDigest, requestComponents, signMessage } from '../../src/kernel/message-signature.ts'
import type { SupplyVendor } from '../../src/vendors/supply-vendor.ts'
import { registerLive } from '../../src/vendors/registry.ts'
import { fail, succeed } from '../../src/vendors/result.ts'
import { signedRequest } from '../../src/views/webhooks/send-order.ts'
import { verifyWebhook } from '../../src/vendors/ucp/verify-webhook.ts'
import { complete, line, ready, start } from '../checkout/support.ts'
import { scriptedMachine, scriptedSupply, supplyProduct } from '../support/scripted-vendors.ts'
import { startService } from '../support/service.ts'

const keys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const OURS = keys()
const PATH = '/inbound/acme-supply'

async function open() {
  const supply = scriptedSupply([supplyProduct('SP1001')])
  const jwk = { ...OURS.publicKey.export({ format: 'jwk' }), kid: 'k1' }
  const vendor: SupplyVendor = {
    ...supply.vendor,
    receive: (request) =>
      verifyWebhook({ profile: async () => succeed({ signingKeys: [jwk] } as never) }, service.clock, request),
  }
  const service = await startService({
    entries: [
      registerLive('acme-supply' as Namespace, vendor),
      registerLive('acme-machine' as Namespace, scriptedMachine({}).vendor),
    ],
  })
  const id = await ready(service, { line_items: [line('acme-supply:SP1001', 1, 'BX')] })
  await complete(service, id)
  const order = supply.orders.get(id)!

  interface Message {
    readonly body?: string
    readonly key?: KeyObject
    readonly kid?: string
    readonly at?: number
    readonly path?: string
    /** Sent instead of what was signed. */
    readonly sent?: string
    readonly id?: string
  }
  const post = async (message: Message = {}) => {
    const {
      body = JSON.stringify({ id: order.externalRef, label: 'x' }),
      key = OURS.privateKey,
      kid = 'k1',
      at = service.clock.now(),
      path = PATH,
      sent = body,
      id: messageId = 'msg-1',
    } = message
    const digest = contentDigest(Buffer.from(body))
    const components = [
      ...requestComponents('POST', new URL(`http://vendops.test${path}`)),
      ['webhook-id', messageId] as const,
      ['content-digest', digest] as const,
    ]
    const signed = signMessage(components, { kid, privateKey: key }, Math.floor(at / SECOND))
    const reply = await service.server.inject({
      method: 'POST',
      url: PATH,
      headers: {
        host: 'vendops.test',
        'content-type': 'application/json',
        'webhook-id': messageId,
        'content-digest': digest,
        ...signed,
      },
      payload: sent,
    })
    return { status: reply.statusCode, body: reply.json() }
  }
  return { service, supply, order, id, post }
}

test('a message makes the order be asked for at once; the same one again is nothing', async () => {
  const { service, order, id, post } = await open()
  await service.get(`/orders/${id}`)
  order.state = 'arrived'
  for (let n = 0; n < 2; n++) expect(await post()).toMatchObject({ status: 200, body: { ucp: { status: 'success' } } })
  await service.job('process-inbound')
  const { orders } = (await service.get('/orders?kind=purchase')).body
  expect(orders[0].supplier_status.mapped).toBe('arrived')
  const rows = await service.ctx.store.db.selectFrom('inbound_message').selectAll().execute()
  expect(rows).toMatchObject([{ id: 'msg-1', body: null, processed_at: service.clock.now() }])
})

test('the webhook of another vendops is taken, as it is sent', async () => {
  const { service, order } = await open()
  const url = `http://vendops.test${PATH}`
  const body = Buffer.from(JSON.stringify({ id: order.externalRef, kind: 'purchase' }))
  const given = { url, publicUrl: 'https://shop.test', body, id: 'out-1', occurredAt: service.clock.now() }
  const { headers } = signedRequest(given, { kid: 'k1', privateKey: OURS.privateKey }, service.clock.now())
  const payload = { method: 'POST' as const, url: PATH, headers: { host: 'vendops.test', ...headers }, payload: body }
  expect((await service.server.inject(payload)).statusCode).toBe(200)
  const rows = await service.ctx.store.db.selectFrom('inbound_message').selectAll().execute()
  expect(rows).toMatchObject([{ id: 'out-1', orders: JSON.stringify([order.externalRef]) }])
})

test('a merchant that does not answer is asked again later, and its message ends after an hour', async () => {
  const { service, supply, post } = await open()
  supply.script.always('orderStatus', fail('unknown', 'no answer'))
  await post()
  await service.job('process-inbound')
  const waiting = () => service.ctx.store.db.selectFrom('inbound_message').select(['body', 'processed_at']).execute()
  expect(await waiting()).toMatchObject([{ body: expect.any(String), processed_at: null }])
  service.clock.advance(61 * MINUTE)
  await service.job('process-inbound')
  expect(await waiting()).toMatchObject([{ body: null, processed_at: service.clock.now() }])
})

test('what a message says is not believed', async () => {
  const { service, order, id, post } = await open()
  const body = JSON.stringify({ id: order.externalRef, line_items: [], totals: [{ type: 'total', amount: 1 }] })
  await post({ body })
  await service.job('process-inbound')
  expect((await service.get(`/orders/${id}`)).body.supplier_status.mapped).toBe('ordered')
})

test.each<[string, object, number]>([
  ['another key', { key: keys().privateKey }, 401],
  ['a key that nobody published', { kid: 'k2' }, 401],
  ['an old message', { at: Date.UTC(2020, 0, 1) }, 401],
  ['a message to another path', { path: '/inbound/other-supply' }, 401],
  ['a body that was changed', { sent: '{"id":"X"}' }, 401],
  ['no order', { body: '{"order":1}' }, 400],
  ['no JSON', { body: 'hello' }, 400],
])('%s is refused and kept nowhere', async (_, message, status) => {
  const { service, post } = await open()
  expect((await post(message)).status).toBe(status)
  expect(await service.ctx.store.db.selectFrom('inbound_message').selectAll().execute()).toEqual([])
})

test('a connection that takes no messages, and one that does not exist, look the same', async () => {
  const service = await start()
  const post = (name: string) => service.server.inject({ method: 'POST', url: `/inbound/${name}`, payload: 'x' })
  for (const name of ['acme-supply', 'acme-machine', 'nobody-supply', 'A%20B'])
    expect((await post(name)).statusCode, name).toBe(404)
  expect(
    (await service.server.inject({ method: 'POST', url: '/inbound/acme-supply', payload: 'x'.repeat(300_000) }))
      .statusCode,
  ).toBe(413)
})
