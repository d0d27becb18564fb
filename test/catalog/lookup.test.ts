import { describe, expect, test } from 'vitest'
import type { Namespace } from '../../src/kernel/ids.ts'
import { registerLive, plannedVendor } from '../../src/vendors/registry.ts'
import { failure, supplyProduct, machineSlot, scriptedMachine, scriptedSupply } from '../support/scripted-vendors.ts'
import { startService } from '../support/service.ts'
import type { Json } from '../support/service.ts'
import { codesOf, ids, problem, startCatalog } from './fixture.ts'

const AT = { location: 'M1001' }

describe('4.2 lookup', () => {
  test('ids of several namespaces are looked up by prefix and returned in the order of the request', async () => {
    const { post } = await startCatalog()
    const asked = ['acme-machine:G-0002', 'acme-supply:SP3003', 'acme-machine:G-0001', 'acme-supply:SP1001']
    const answer = await post('/catalog/lookup', { ids: asked, filters: AT })
    expect(ids(answer)).toEqual(asked)
    expect(Object.keys(answer.body.ucp.capabilities)).toEqual([
      'dev.ucp.shopping.catalog.lookup',
      'com.example.vending.sku',
      'com.example.vending.inventory',
    ])
  })

  test('each variant says which id led to it; ids are de-duplicated', async () => {
    const { post } = await startCatalog()
    const answer = await post('/catalog/lookup', {
      ids: ['acme-supply:SP1001', 'acme-supply:SP2002', 'acme-supply:SP1001'],
    })
    expect(ids(answer)).toEqual(['acme-supply:SP1001', 'acme-supply:SP2002'])
    expect(answer.body.products[0].variants[0].inputs).toEqual([{ id: 'acme-supply:SP1001', match: 'exact' }])
    expect(Object.keys(answer.body.ucp.capabilities)).not.toContain('com.example.vending.inventory')
  })

  test('an unknown id gives an info message with the id; the rest is returned', async () => {
    const { post } = await startCatalog()
    const answer = await post('/catalog/lookup', {
      ids: ['acme-supply:NOPE', 'acme-supply:SP1001', 'acme-machine:NOPE'],
      filters: AT,
    })
    expect(answer.status).toBe(200)
    expect(ids(answer)).toEqual(['acme-supply:SP1001'])
    const infos = answer.body.messages.filter((message: Json) => message.type === 'info')
    expect(infos).toEqual([
      { type: 'info', code: 'not_found', content: 'acme-supply:NOPE' },
      { type: 'info', code: 'not_found', content: 'acme-machine:NOPE' },
    ])
  })

  test('the id is an exact string', async () => {
    const { post } = await startCatalog()
    expect(ids(await post('/catalog/lookup', { ids: ['acme-supply:sp1001'] }))).toEqual([])
  })

  test('machine ids need filters.location', async () => {
    const { post } = await startCatalog()
    expect(problem(await post('/catalog/lookup', { ids: ['acme-supply:SP1001', 'acme-machine:G-0001'] }))).toEqual({
      status: 400,
      code: 'missing',
      path: '$.filters.location',
    })
  })

  test('8 one to fifty ids, counted before duplicates are dropped', async () => {
    const { post } = await startCatalog()
    const same = (count: number) => ({ ids: Array.from({ length: count }, () => 'acme-supply:SP1001') })
    expect((await post('/catalog/lookup', same(50))).status).toBe(200)
    expect(problem(await post('/catalog/lookup', same(51)))).toEqual({
      status: 400,
      code: 'request_too_large',
      path: '$.ids',
    })
    expect(problem(await post('/catalog/lookup', { ids: [] }))).toMatchObject({ status: 400, code: 'invalid' })
  })

  test('an id of an unregistered namespace, or a text that is not a SKU id, is unknown; the others are returned', async () => {
    const { post } = await startCatalog()
    const foreign = ['gid://shopify/Product/1', 'nobody-supply:1', 'not an id', 'acme-supply:a:b', 'nobody-machine:1']
    const answer = await post('/catalog/lookup', { ids: [foreign[0], 'acme-supply:SP1001', ...foreign] })
    expect([answer.status, ids(answer)]).toEqual([200, ['acme-supply:SP1001']])
    expect(answer.body.messages).toEqual(foreign.map((content) => ({ type: 'info', code: 'not_found', content })))
    expect(ids(await post('/catalog/lookup', { ids: foreign }))).toEqual([])
  })

  test('2.9 a namespace that is registered and not live is namespace_unsupported', async () => {
    const { post } = await startService({
      entries: [
        registerLive('acme-supply' as Namespace, scriptedSupply().vendor),
        plannedVendor('bulk-supply' as Namespace),
      ],
    })
    const answer = await post('/catalog/lookup', { ids: ['acme-supply:OK', 'not an id', 'bulk-supply:1'] })
    expect(problem(answer)).toEqual({ status: 400, code: 'namespace_unsupported', path: '$.ids[2]' })
  })

  test('filters narrow the answer; what they leave out is not unknown', async () => {
    const { post } = await startCatalog()
    const asked = ['acme-supply:SP1001', 'acme-supply:SP2002']
    const narrow = await post('/catalog/lookup', { ids: asked, filters: { categories: ['水'] } })
    expect([ids(narrow), codesOf(narrow)]).toEqual([['acme-supply:SP1001'], []])
    const elsewhere = await post('/catalog/lookup', { ids: asked, filters: { namespace: 'acme-machine' } })
    expect([ids(elsewhere), codesOf(elsewhere)]).toEqual([[], []])
  })

  test('an upstream that fails fails the lookup', async () => {
    const { post, supply } = await startCatalog()
    supply.script.always('catalog', failure('unauthorized'))
    expect(problem(await post('/catalog/lookup', { ids: ['acme-supply:SP1001'] }))).toMatchObject({
      status: 401,
      code: 'unauthorized',
    })
  })

  test('a machine without sales is returned with location_unverified', async () => {
    const { post } = await startCatalog()
    const answer = await post('/catalog/lookup', { ids: ['acme-machine:G-0001'], filters: { location: 'M404' } })
    expect(codesOf(answer)).toEqual(['location_unverified', 'not_found'])
  })

  test('each of two machine platforms is read for its own ids', async () => {
    const [one, two] = [
      scriptedMachine({ M1: [machineSlot('A')] }),
      scriptedMachine({ M1: [machineSlot('A', { stock: 2 })] }),
    ]
    const { post } = await startService({
      entries: [
        registerLive('one-machine' as Namespace, one.vendor),
        registerLive('two-machine' as Namespace, two.vendor),
        registerLive('acme-supply' as Namespace, scriptedSupply([supplyProduct('S')]).vendor),
      ],
    })
    const answer = await post('/catalog/lookup', {
      ids: ['two-machine:A', 'one-machine:A'],
      filters: { location: 'M1' },
    })
    expect(answer.body.products.map((product: Json) => product.variants[0].inventory.stock)).toEqual([2, 7])
  })
})

describe('4.2 product', () => {
  test('one product of a supplier, without inputs', async () => {
    const { post } = await startCatalog()
    const { status, body } = await post('/catalog/product', { id: 'acme-supply:SP1001' })
    expect([status, body.product.id]).toEqual([200, 'acme-supply:SP1001'])
    expect(body.product.variants[0]).not.toHaveProperty('inputs')
  })

  test('one product of a machine, with its inventory', async () => {
    const { post } = await startCatalog()
    const { body } = await post('/catalog/product', { id: 'acme-machine:G-0001', filters: AT })
    expect(body.product.variants[0].inventory).toMatchObject({ location: 'M1001', stock: 7 })
    expect(body.ucp.capabilities).toHaveProperty(['com.example.vending.inventory'])
  })

  test.each([
    [{ id: 'acme-supply:NOPE' }, { status: 404, code: 'not_found', path: '$.id' }],
    [
      { id: 'acme-machine:NOPE', filters: AT },
      { status: 404, code: 'not_found', path: '$.id' },
    ],
    [{ id: 'acme-machine:G-0001' }, { status: 400, code: 'missing', path: '$.filters.location' }],
    [{ id: 'nobody-supply:1' }, { status: 404, code: 'not_found', path: '$.id' }],
    [{ id: 'nobody-machine:1' }, { status: 404, code: 'not_found', path: '$.id' }],
    [{ id: 'garbage' }, { status: 404, code: 'not_found', path: '$.id' }],
    [{}, { status: 400, code: 'missing', path: '$.id' }],
  ])('%j is %j', async (body, expected) => {
    const { post } = await startCatalog()
    expect(problem(await post('/catalog/product', body))).toEqual(expected)
  })

  test('an upstream that fails is 502', async () => {
    const { post, supply } = await startCatalog()
    supply.script.always('catalog', failure('unknown'))
    expect(problem(await post('/catalog/product', { id: 'acme-supply:SP1001' })).status).toBe(502)
  })
})
