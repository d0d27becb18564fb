import { describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { openapi } from '../../src/api-docs/openapi.ts'
import { assessSpace } from '../../src/store/disk.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { registerLive, plannedVendor } from '../../src/vendors/registry.ts'
import { scriptedMachine } from '../support/scripted-vendors.ts'
import { startService, TOKEN } from '../support/service.ts'

const BEARER = { authorization: `Bearer ${TOKEN}` }

describe('4.1 discovery', () => {
  test('GET /.well-known/ucp needs no token and states services, all capabilities, one handler and no keys', async () => {
    const service = await startService()
    const { status, body } = await service.get('//.well-known/ucp', { token: null })
    expect(status).toBe(200)
    expect(body.keys).toEqual([])
    expect(body.ucp.version).toBe('2026-08-25')
    expect(body.ucp.services['dev.ucp.shopping'][0]).toMatchObject({
      transport: 'rest',
      endpoint: 'https://vending.example.com/ucp/v1',
    })
    expect(Object.keys(body.ucp.capabilities)).toHaveLength(15)
    for (const [name, [entry]] of Object.entries<[{ version: string; extends?: unknown }]>(body.ucp.capabilities)) {
      const ours = name.startsWith('com.example.vending.')
      expect(entry.version).toBe(ours ? '2026-09-10' : '2026-08-25')
      if (ours) expect(entry.extends).toBeDefined()
    }
    expect(Object.values<{ id: string }[]>(body.ucp.payment_handlers)).toEqual([
      [expect.objectContaining({ id: 'supplier_account' })],
    ])
  })

  test('the sku capability carries the namespaces and their defaults', async () => {
    const service = await startService()
    const { body } = await service.get('//.well-known/ucp', { token: null })
    const { config } = body.ucp.capabilities['com.example.vending.sku'][0]
    expect(config.defaults).toEqual({ supply: 'acme-supply', machine: 'acme-machine' })
    expect(config.namespaces).toContainEqual({
      namespace: 'acme-supply',
      vendor: 'acme',
      role: 'supply',
      status: 'live',
      capabilities: ['catalog', 'createOrder', 'orderStatus'],
    })
  })

  test('it is cacheable: public cache header, a strong ETag, and 304 when unchanged', async () => {
    const service = await startService()
    const first = await service.get('//.well-known/ucp', { token: null })
    expect(first.headers['cache-control']).toBe('public, max-age=300')
    const etag = String(first.headers['etag'])
    expect(etag).toMatch(/^"[\w-]+"$/)
    const again = await service.get('//.well-known/ucp', { token: null, headers: { 'if-none-match': etag } })
    expect([again.status, again.text]).toEqual([304, ''])
    expect(again.headers['content-length'], 'which would be that of the whole answer').toBeUndefined()
    const stale = await service.get('//.well-known/ucp', { token: null, headers: { 'if-none-match': '"other"' } })
    expect(stale.status).toBe(200)
  })

  test('GET /namespaces lists live and planned ones; 2.9 a device without cloud shows only what it can', async () => {
    const service = await startService({
      entries: [
        registerLive('box-machine' as Namespace, scriptedMachine().vendor, ['inventory', 'ledger']),
        plannedVendor('acme-supply' as Namespace),
      ],
    })
    const { body } = await service.get('/namespaces')
    expect(
      body.namespaces.map((n: { namespace: string; status: string; capabilities: string[] }) => [
        n.namespace,
        n.status,
        n.capabilities,
      ]),
    ).toEqual([
      ['box-machine', 'live', ['inventory', 'ledger']],
      ['acme-supply', 'planned', []],
    ])
    expect(body.defaults).toEqual({ machine: 'box-machine' })
  })
})

describe('pages besides the operations', () => {
  test('health and readiness answer without a token; readiness gives its reasons', async () => {
    const service = await startService()
    const raw = (url: string) => service.server.inject({ url })
    expect((await raw('/healthz')).json()).toEqual({ status: 'ok' })
    expect((await raw('/readyz')).json()).toEqual({ status: 'ready', version: manifest.version, reasons: [] })
    await service.ctx.store.db.deleteFrom('migration').execute()
    const waiting = await raw('/readyz')
    expect(waiting.statusCode).toBe(503)
    expect(waiting.json().reasons[0]).toContain('0001_schema')
  })

  test('readiness and metrics warn of a full disk', async () => {
    let free = 20e9
    const service = await startService({ diskSpace: async () => assessSpace(free, 100e9) })
    const ready = async () => {
      const answer = await service.server.inject({ url: '/readyz' })
      return [answer.statusCode, answer.json().disk, answer.json().reasons]
    }
    expect(await ready()).toEqual([200, 'ok', []])
    free = 4e9
    expect(await ready(), 'below five percent').toEqual([200, 'low', []])
    free = 10e6
    expect(await ready()).toEqual([503, 'full', ['disk is full']])
    const { body: metrics } = await service.server.inject({ url: '/metrics', headers: BEARER })
    expect(metrics).toMatch(/^vendops_disk_free_bytes 10000000$/m)
    expect(metrics).toMatch(/^vendops_database_bytes [1-9]\d+$/m)
  })

  test('a disk is low below 512 MB or five percent, at most 10 GB, and full below 64 MB', () => {
    const state = (free: number, total: number) => assessSpace(free, total).state
    expect([state(513e6, 1e9), state(511e6, 1e9), state(63e6, 1e9)]).toEqual(['ok', 'low', 'full'])
    expect([state(4.9e9, 100e9), state(5.1e9, 100e9)]).toEqual(['low', 'ok'])
    expect([state(9e9, 4e12), state(11e9, 4e12)]).toEqual(['low', 'ok'])
  })

  test('metrics need the token and count answers by operation', async () => {
    const service = await startService()
    expect((await service.server.inject({ url: '/metrics' })).statusCode).toBe(401)
    await service.get('/events')
    await service.get('/events', { token: null })
    const { body: metrics } = await service.server.inject({ url: '/metrics', headers: BEARER })
    const counter = 'vendops_http_request_duration_seconds_count{operation="listEvents",method="GET",status='
    expect(metrics).toContain(`${counter}"2xx",transport="rest"} 1`)
    expect(metrics).toContain(`${counter}"4xx",transport="rest"} 1`)
  })

  test('with another method they answer 405, too', async () => {
    const service = await startService()
    const { status, headers } = await service.call('POST', '//readyz')
    expect([status, headers['allow']]).toEqual([405, 'GET'])
  })

  test('9.2 the interface description carries 2026-09-10; its pages and the extension schemas need no token and no network', async () => {
    const service = await startService()
    const { body } = await service.get('/openapi.json')
    expect([body.openapi, body.info.version]).toEqual(['3.1.0', '2026-09-10'])
    expect(body).toEqual(JSON.parse(JSON.stringify(openapi('https://vending.example.com', 'CNY'))))
    expect((await service.get('/openapi.json', { token: null })).status).toBe(401)
    const page = await service.server.inject({ url: '/docs' })
    expect(page.headers['content-type']).toContain('text/html')
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    // Links may lead out; nothing that a browser loads by itself may.
    expect(page.body).not.toMatch(/<(img|iframe)|<(link|script)[^>]+(href|src)="https?:|<script>/i)
    for (const file of ['docs.css', 'docs.js', 'icon.svg'])
      expect((await service.server.inject({ url: `/docs/${file}` })).statusCode).toBe(200)
    for (const name of [
      'sku',
      'inventory',
      'location',
      'approval',
      'order',
      'pricing',
      'replenishment',
      'events',
      'on_account',
    ]) {
      const schema = await service.server.inject({ url: `/schemas/2026-09-10/${name}.json` })
      expect([name, schema.statusCode, schema.headers['cache-control']]).toEqual([name, 200, 'public, max-age=300'])
      expect(schema.json().version).toBe('2026-09-10')
    }
  })
})
