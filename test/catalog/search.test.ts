import { describe, expect, test } from 'vitest'
import { registerLive, plannedVendor } from '../../src/vendors/registry.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { cachedSupply } from '../../src/vendors/cache/cached-vendors.ts'
import { manualClock } from '../../src/kernel/clock.ts'
import { failure, supplyProduct, scriptedSupply } from '../support/scripted-vendors.ts'
import { NOW, startService } from '../support/service.ts'
import type { Json, Service } from '../support/service.ts'
import { codesOf, ids, problem, SITES, startCatalog } from './fixture.ts'

const machine = { namespace: 'acme-machine', location: 'M1001' }

describe('4.2 search of a supplier catalog', () => {
  test('without a namespace the default supplier answers, and an empty body browses', async () => {
    const { post } = await startCatalog()
    const answer = await post('/catalog/search', {})
    expect(answer.status).toBe(200)
    expect(ids(answer)).toEqual(['SP1001', 'SP2002', 'SP3003', 'SP4004'].map((code) => `acme-supply:${code}`))
    expect(answer.body.pagination).toEqual({ has_next_page: false, total_count: 4 })
    expect(Object.keys(answer.body.ucp.capabilities)).toEqual([
      'dev.ucp.shopping.catalog.search',
      'com.example.vending.sku',
    ])
  })

  test('2.4 a supply product in full', async () => {
    const { post } = await startCatalog()
    const answer = await post('/catalog/search', { query: '农夫山泉' })
    const each = { amount: 120, currency: 'CNY' }
    const media = [{ type: 'image', url: 'https://img.example/sp1001.jpg', alt_text: '农夫山泉 饮用天然水 550ml' }]
    expect(answer.body.products).toEqual([
      {
        id: 'acme-supply:SP1001',
        title: '农夫山泉 饮用天然水 550ml',
        description: { plain: '550ml*24' },
        price_range: { min: each, max: each },
        categories: [{ value: '水' }],
        media,
        metadata: { sites: SITES },
        variants: [
          {
            id: 'acme-supply:SP1001',
            title: '农夫山泉 饮用天然水 550ml',
            description: { plain: '550ml*24' },
            price: each,
            sku: 'SP1001',
            barcodes: [{ type: 'EAN', value: '6921168509256' }],
            quantity_unit: { unit: 'EA', display_text: 'each', increment: 1 },
            sale_units: [
              { unit: 'EA', display_text: 'each', increment: 1, price: each, price_derived: true },
              { unit: 'BX', display_text: 'box', increment: 1, contains: 24, price: { amount: 2880, currency: 'CNY' } },
            ],
            unit_price: {
              amount: 22,
              currency: 'CNY',
              measure: { value: 550, unit: 'MLT', display_text: 'ml' },
              reference: { value: 100, unit: 'MLT', display_text: 'ml' },
            },
            availability: { available: true, status: 'in_stock' },
            media,
            metadata: { vendor_sku: 'SP1001', spec: '550ml*24', brand: '农夫山泉', supplier_stock: 1200 },
          },
        ],
      },
    ])
  })

  test('2.4 no stock is out_of_stock; a product not on sale is discontinued and still listed', async () => {
    const { post } = await startCatalog()
    const { body } = await post('/catalog/search', {})
    expect(body.products.map((product: Json) => product.variants[0].availability)).toEqual([
      { available: true, status: 'in_stock' },
      { available: false, status: 'out_of_stock' },
      { available: true, status: 'in_stock' },
      { available: false, status: 'discontinued' },
    ])
  })

  test('2.4 pack size 1 has no box', async () => {
    const { post } = await startCatalog()
    const { body } = await post('/catalog/search', { query: '乐事' })
    expect(body.products[0].variants[0].sale_units.map((unit: Json) => unit.unit)).toEqual(['EA'])
  })

  test.each([
    ['of a name', '薯片', ['SP2002']],
    ['of a brand', '农夫', ['SP1001']],
    ['whatever the case', 'RED bull', ['SP3003']],
    ['across brand and name', '乐事 薯片', ['SP2002']],
    ['that nothing holds', '不存在', []],
  ])('query is a substring %s', async (_what, query, expected) => {
    const { post } = await startCatalog()
    expect(ids(await post('/catalog/search', { query }))).toEqual(expected.map((code) => `acme-supply:${code}`))
  })

  test.each(['农夫山泉饮用', '农夫 山泉　饮用', '５５０ＭＬ', 'ｒｅｄ bull', 'REDBULL', ' red  bull energy '])(
    'query %j: blanks, full-width forms and case do not matter',
    async (query) => {
      const { post } = await startCatalog()
      const found = ids(await post('/catalog/search', { query }))
      expect(found).toEqual([/red/i.test(query.normalize('NFKC')) ? 'acme-supply:SP3003' : 'acme-supply:SP1001'])
    },
  )

  test('2.4 unit_price is the price of 100 ml or 100 g where title and spec state a size', async () => {
    const { post } = await startCatalog()
    const { body } = await post('/catalog/search', {})
    expect(body.products.map((product: Json) => product.variants[0].unit_price?.amount)).toEqual([22, 775, 167, 20])
    expect(body.products[0].variants[0].unit_price).toEqual({
      amount: 22,
      currency: 'CNY',
      measure: { value: 550, unit: 'MLT', display_text: 'ml' },
      reference: { value: 100, unit: 'MLT', display_text: 'ml' },
    })
    const slots = await post('/catalog/search', { filters: { namespace: 'acme-machine', location: 'M1001' } })
    expect(slots.body.products[0].variants[0].unit_price.amount).toBe(45)
  })

  test('query finds a brand that the title leaves out', async () => {
    const supply = scriptedSupply([supplyProduct('A', { title: 'Spring Water', brand: 'Nongfu' })])
    const { post } = await startService({ supply })
    expect(ids(await post('/catalog/search', { query: 'nongfu spring' }))).toEqual(['acme-supply:A'])
  })

  test('categories, any of them; filters hold together', async () => {
    const { post } = await startCatalog()
    const search = async (filters: object) => ids(await post('/catalog/search', { filters }))
    expect(await search({ categories: ['水', '零食'] })).toEqual(['acme-supply:SP1001', 'acme-supply:SP2002'])
    expect(await search({ categories: ['水', '零食'], price: { min: 200 } })).toEqual(['acme-supply:SP2002'])
    expect(await search({ categories: ['没有'] })).toEqual([])
  })

  test('price range is on the each price, both ends included', async () => {
    const { post } = await startCatalog()
    const search = async (price: object) => ids(await post('/catalog/search', { filters: { price } }))
    expect(await search({ min: 310, max: 417 })).toEqual(['acme-supply:SP2002', 'acme-supply:SP3003'])
    expect(await search({ max: 120 })).toEqual(['acme-supply:SP1001', 'acme-supply:SP4004'])
  })

  test('a price filter in another currency is ignored and said so', async () => {
    const { post } = await startCatalog()
    const asked = { filters: { price: { max: 1 } } }
    const foreign = await post('/catalog/search', { ...asked, context: { currency: 'USD' } })
    expect([ids(foreign).length, codesOf(foreign)]).toEqual([4, ['price_filter_ignored']])
    const own = await post('/catalog/search', { ...asked, context: { currency: 'CNY' } })
    expect([ids(own).length, codesOf(own)]).toEqual([0, []])
  })

  test('5.8 no cost anywhere in a catalog answer', async () => {
    const { post } = await startCatalog()
    const texts = [await post('/catalog/search', {}), await post('/catalog/search', { filters: machine })]
    for (const { text } of texts) expect(text).not.toMatch(/cost/i)
  })
})

describe('4.2 pages', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) =>
      supplyProduct(`S${String(i).padStart(4, '0')}`, { title: i % 2 === 0 ? 'even' : 'odd' }),
    )

  async function readAllPages(post: Service['post'], body: object, between: (page: number) => void = () => {}) {
    const found: string[] = []
    let cursor: string | undefined
    for (let page = 1; ; page++) {
      const answer = await post('/catalog/search', { ...body, pagination: { limit: 7, ...(cursor && { cursor }) } })
      found.push(...ids(answer))
      cursor = answer.body.pagination.cursor
      expect(answer.body.pagination.has_next_page).toBe(cursor !== undefined)
      if (cursor === undefined) return found
      between(page)
    }
  }

  test('8 twenty by default, never more than a hundred', async () => {
    const { post } = await startService({ supply: scriptedSupply(many(150)) })
    expect(ids(await post('/catalog/search', {}))).toHaveLength(20)
    expect(ids(await post('/catalog/search', { pagination: { limit: 5000 } }))).toHaveLength(100)
    expect(problem(await post('/catalog/search', { pagination: { limit: 0 } }))).toEqual({
      status: 400,
      code: 'invalid',
      path: '$.pagination.limit',
    })
  })

  test('paging returns every match once, with the total count', async () => {
    const { post } = await startService({ supply: scriptedSupply(many(40)) })
    const found = await readAllPages(post, { query: 'even' })
    expect(found).toHaveLength(20)
    expect(new Set(found).size).toBe(20)
  })

  test('products that come and go between pages shift nothing', async () => {
    const supply = scriptedSupply(many(40))
    const service = await startService({ supply })
    const found = await readAllPages(service.post, {}, (page) => {
      supply.products.push(supplyProduct(`S000${page}-new`), supplyProduct(`T${page}`))
      supply.products.splice(
        supply.products.findIndex(({ vendorSku }) => vendorSku === 'S0003'),
        page === 1 ? 1 : 0,
      )
      service.clock.advance(61_000)
    })
    expect(new Set(found).size).toBe(found.length)
    for (const { vendorSku } of many(40)) expect(found).toContain(`acme-supply:${vendorSku}`)
  })

  test.each(['x', 'YWNtZQ.AAAAAAAAAAAA', '..', '%00', 'null'])(
    'a cursor that the search did not issue (%s) is refused',
    async (cursor) => {
      const { post } = await startCatalog()
      const refused = { status: 400, code: 'invalid', path: '$.pagination.cursor' }
      expect(problem(await post('/catalog/search', { pagination: { cursor } }))).toEqual(refused)
      expect(problem(await post('/catalog/search', { filters: machine, pagination: { cursor } }))).toEqual(refused)
    },
  )

  test('a cursor continues its own search and no other', async () => {
    const { post } = await startService({ supply: scriptedSupply(many(40)) })
    const { cursor } = (await post('/catalog/search', { query: 'even', pagination: { limit: 3 } })).body.pagination
    expect((await post('/catalog/search', { query: 'EVEN ', pagination: { cursor } })).status).toBe(200)
    expect(problem(await post('/catalog/search', { query: 'odd', pagination: { cursor } })).code).toBe('invalid')
  })
})

describe('4.2 search of a machine', () => {
  test('its products with live inventory: slot, stock, retail price, capacity unknown, not locked', async () => {
    const { post } = await startCatalog()
    const answer = await post('/catalog/search', { filters: machine })
    const [water, chips] = answer.body.products
    expect(water.variants[0]).toMatchObject({
      id: 'acme-machine:G-0001',
      price: { amount: 250, currency: 'CNY' },
      inventory: { location: 'M1001', slot_id: 'M1001-G-0001', stock: 7, capacity: null, locked: false },
      availability: { available: true, status: 'in_stock' },
    })
    expect(chips.variants[0].availability).toEqual({ available: false, status: 'out_of_stock' })
    expect(water.variants[0]).not.toHaveProperty('sale_units')
    expect(answer.body.ucp.capabilities).toHaveProperty(['com.example.vending.inventory'])
  })

  test('2.4 capacity and lock come from what we keep beside the machine', async () => {
    const { post, ctx } = await startCatalog()
    await registered(ctx.store, 'M1001')
    await ctx.store.db
      .insertInto('slot')
      .values({
        location: 'M1001',
        vendor_sku: 'G-0001',
        slot_id: 'M1001-G-0001',
        sku_id: 'acme-machine:G-0001',
        title: 'w',
        barcode: null,
        price: 250,
        stock: 7,
        capacity: 12,
        capacity_source: 'counted',
        image_url: null,
        first_seen_at: NOW,
        updated_at: NOW,
      })
      .execute()
    await ctx.store.db
      .insertInto('slot_lock')
      .values({ location: 'M1001', vendor_sku: 'G-0002', locked_at: NOW })
      .execute()
    const { body } = await post('/catalog/search', { filters: machine })
    expect(body.products.map((product: Json) => product.variants[0].inventory)).toMatchObject([
      { capacity: 12, locked: false },
      { capacity: null, locked: true },
    ])
  })

  test('the location is required, and must be one', async () => {
    const { post } = await startCatalog()
    const at = { path: '$.filters.location', status: 400 }
    expect(problem(await post('/catalog/search', { filters: { namespace: 'acme-machine' } }))).toEqual({
      ...at,
      code: 'missing',
    })
    for (const location of ['a b', '..', '../x', ''])
      expect(problem(await post('/catalog/search', { filters: { namespace: 'acme-machine', location } }))).toEqual({
        ...at,
        code: 'invalid',
      })
  })

  test('a machine without sales is returned with location_unverified', async () => {
    const { post, machine: platform } = await startCatalog()
    platform.slotsByMachine['M404'] = [...(platform.slotsByMachine['M1001'] ?? [])]
    const answer = await post('/catalog/search', { filters: { namespace: 'acme-machine', location: 'M404' } })
    expect([answer.status, codesOf(answer)]).toEqual([200, ['location_unverified']])
  })

  test('a machine that has sold carries no warning', async () => {
    const { post, ctx } = await startCatalog()
    await sold(ctx.store, 'M1001')
    expect(codesOf(await post('/catalog/search', { filters: machine }))).toEqual([])
  })

  test('query and price work there too', async () => {
    const { post } = await startCatalog()
    expect(ids(await post('/catalog/search', { query: '薯片', filters: machine }))).toEqual(['acme-machine:G-0002'])
    expect(ids(await post('/catalog/search', { filters: { ...machine, price: { max: 300 } } }))).toEqual([
      'acme-machine:G-0001',
    ])
  })
})

async function registered(store: Service['ctx']['store'], id: string): Promise<void> {
  await store.db
    .insertInto('location')
    .values({
      id,
      name: id,
      namespace: 'acme-machine',
      profile: '{}',
      venue_name: null,
      registered_at: NOW,
      updated_at: NOW,
      last_synced_at: NOW,
      online: 1,
      sync_problem: null,
      awaits_first_sync: 0,
    })
    .execute()
}

async function sold(store: Service['ctx']['store'], location: string): Promise<void> {
  await store.db
    .insertInto('sale_transaction')
    .values({
      namespace: 'acme-machine',
      order_no: 'T1',
      location,
      location_name: null,
      status: 'TRADE_SUCCESS',
      status_label: null,
      settled: 1,
      total_fen: 250,
      created_at: NOW,
      created_at_raw: '',
      lines: '[]',
      first_seen_at: NOW,
      changed_at: NOW,
      to_announce: 0,
    })
    .execute()
}

describe('4.2 namespaces and upstreams', () => {
  const supplyEntry = (name: string) =>
    registerLive(name as Namespace, cachedSupply(scriptedSupply().vendor, manualClock(NOW)))

  test('2.9 an unregistered one is invalid, a planned one unsupported', async () => {
    const { post } = await startService({
      entries: [
        supplyEntry('acme-supply'),
        plannedVendor('bulk-supply' as Namespace),
        plannedVendor('x-machine' as Namespace),
      ],
    })
    const search = async (namespace: string) =>
      problem(await post('/catalog/search', { filters: { namespace, location: 'M1' } }))
    const path = '$.filters.namespace'
    expect(await search('nobody-supply')).toEqual({ status: 400, code: 'invalid', path })
    expect(await search('nobody-machine')).toEqual({ status: 400, code: 'invalid', path })
    expect(await search('bulk-supply')).toEqual({ status: 400, code: 'namespace_unsupported', path })
    expect(await search('x-machine')).toEqual({ status: 400, code: 'namespace_unsupported', path })
    expect(await search('Acme')).toEqual({ status: 400, code: 'invalid', path })
  })

  test.each([
    ['unknown', 502, 'upstream_unreachable'],
    ['unsent', 502, 'upstream_unreachable'],
    ['limited', 502, 'upstream_unreachable'],
    ['rejected', 502, 'supplier_rejected'],
    ['unauthorized', 401, 'unauthorized'],
  ] as const)('an upstream that answers %s is %i %s, never an empty list', async (reason, status, code) => {
    const { post, supply, machine: platform } = await startCatalog()
    supply.script.always('catalog', failure(reason))
    platform.script.always('inventory', failure(reason))
    const asked = [{}, { filters: machine }]
    for (const body of asked) {
      const answer = await post('/catalog/search', body)
      expect(problem(answer)).toMatchObject({ status, code })
      expect(answer.body.messages[0].content).toContain(`scripted: ${reason}`)
    }
  })

  test('credentials that a vendor refuses are those of the connection, not of the caller', async () => {
    const { post, supply, machine: platform } = await startCatalog()
    supply.script.always('catalog', failure('unauthorized', 'bad sign'))
    platform.script.always('inventory', failure('unauthorized', 'bad sign'))
    for (const [body, connection] of [
      [{}, 'acme-supply'],
      [{ filters: machine }, 'acme-machine'],
    ] as const) {
      const answer = await post('/catalog/search', body)
      expect(answer.status).toBe(401)
      expect(answer.headers).not.toHaveProperty('www-authenticate')
      expect(answer.body.messages).toMatchObject([{ code: 'unauthorized', params: { whose: 'supplier', connection } }])
      expect(answer.body.messages[0].content).toMatch(new RegExp(`${connection}.*bad sign`))
    }
  })

  test('a catalog is read once a minute, an expired one with a failing upstream is 502', async () => {
    const { post, supply, clock } = await startCatalog()
    await post('/catalog/search', {})
    clock.advance(59_000)
    await post('/catalog/search', {})
    expect(supply.script.count('catalog')).toBe(1)
    clock.advance(1_000)
    supply.script.always('catalog', failure('unknown'))
    expect((await post('/catalog/search', {})).status).toBe(502)
  })

  test('a failing supplier does not keep a machine from being read', async () => {
    const { post, supply } = await startCatalog()
    supply.script.always('catalog', failure('unknown'))
    const answer = await post('/catalog/search', { filters: machine })
    expect([answer.status, ids(answer).length]).toEqual([200, 2])
  })
})
