import { describe, expect, test } from 'vitest'
import type { Namespace, SkuId } from '../../src/kernel/ids.ts'
import { rfc3339 } from '../../src/kernel/clock.ts'
import { resolveAliases } from '../../src/route/skus/resolve.ts'
import { findAliases } from '../../src/route/skus/records.ts'
import { skuContext } from '../../src/route/skus/context.ts'
import { findLinks, writeLinks } from '../../src/route/skus/link-products.ts'
import { cachedMachine, cachedSupply } from '../../src/vendors/cache/cached-vendors.ts'
import { registerLive, plannedVendor } from '../../src/vendors/registry.ts'
import { codesOf, problem, startCatalog, WATER_CODE } from '../catalog/fixture.ts'
import { failure, supplyProduct, machineSlot, scriptedMachine, scriptedSupply } from '../support/scripted-vendors.ts'
import { NOW, startService } from '../support/service.ts'
import type { Json, Service } from '../support/service.ts'

const MACHINE = { filters: { namespace: 'acme-machine', location: 'M1001' } }
const SUPPLY = 'acme-supply' as Namespace
const water = 'acme-machine:G-0001'
const chips = 'acme-machine:G-0002'

const aliases = async ({ get }: Service, id: string): Promise<string[]> =>
  ((await get(`/skus/${id}`)).body.aliases ?? []).map((alias: Json) => `${alias.sku_id} ${alias.source}`)

const confirm = ({ put }: Service, id: string, ...entries: object[]) => put(`/skus/${id}/aliases`, { aliases: entries })

describe('2.4 aliases come by themselves', () => {
  test('the same EAN on both sides is a barcode alias in the first answer, seen from either side', async () => {
    const service = await startCatalog()
    const slots = await service.post('/catalog/search', MACHINE)
    expect(slots.body.products[0].variants[0].aliases).toEqual([
      { sku_id: 'acme-supply:SP1001', source: 'barcode', confirmed_at: rfc3339(NOW, 'Asia/Shanghai') },
    ])
    const products = await service.post('/catalog/search', { query: '农夫山泉' })
    expect(products.body.products[0].variants[0].aliases).toMatchObject([{ sku_id: water, source: 'barcode' }])
    const found = await service.post('/catalog/lookup', { ids: ['acme-supply:SP1001'] })
    expect(found.body.products[0].variants[0].aliases).toMatchObject([{ sku_id: water, source: 'barcode' }])
  })

  test('whichever side is seen first', async () => {
    const service = await startCatalog()
    await service.post('/catalog/search', {})
    await service.post('/catalog/search', MACHINE)
    expect(await aliases(service, 'acme-supply:SP1001')).toEqual([`${water} barcode`])
  })

  test('UPC-A on one side and EAN-13 on the other are one product; a wrong check digit links nothing', async () => {
    const service = await startService({
      supply: scriptedSupply([
        supplyProduct('UPC', { title: 'a', barcode: '036000291452' }),
        supplyProduct('BAD', { title: 'b', barcode: '6921168509257' }),
      ]),
      machine: scriptedMachine({
        M1001: [
          machineSlot('EAN', { title: 'y', barcode: '0036000291452' }),
          machineSlot('BAD', { title: 'z', barcode: '6921168509257' }),
        ],
      }),
    })
    await service.post('/catalog/search', MACHINE)
    expect(await aliases(service, 'acme-machine:EAN')).toEqual(['acme-supply:UPC barcode'])
    expect(await aliases(service, 'acme-machine:BAD')).toEqual([])
    expect((await service.get('/skus/acme-machine:BAD')).body.barcodes).toEqual([])
  })

  test('alike names only suggest, unconfirmed', async () => {
    const service = await startCatalog()
    const { body } = await service.post('/catalog/search', MACHINE)
    expect(body.products[1].variants[0].aliases).toEqual([
      { sku_id: 'acme-supply:SP2002', source: 'suggested', confirmed_at: null },
    ])
  })

  test('a product that the supplier lists later is linked when its catalog is read next', async () => {
    const service = await startCatalog()
    service.machine.slotsByMachine['M1001']?.push(machineSlot('G-9', { title: 'x', barcode: '96385074' }))
    await service.post('/catalog/search', MACHINE)
    service.supply.products.push(supplyProduct('SP9', { title: 'y', barcode: '96385074' }))
    service.clock.advance(60_000)
    await service.post('/catalog/search', {})
    expect(await aliases(service, 'acme-machine:G-9')).toEqual(['acme-supply:SP9 barcode'])
  })

  test('a suggestion becomes a barcode alias when the codes turn out equal', async () => {
    const service = await startCatalog()
    await service.post('/catalog/search', MACHINE)
    service.supply.products[1] = { ...(service.supply.products[1] ?? supplyProduct('SP2002')), barcode: '96385074' }
    service.machine.slotsByMachine['M1001'] = [
      machineSlot('G-0002', { title: '乐事薯片(美国经典原味)40g', barcode: '96385074' }),
    ]
    service.clock.advance(60_000)
    await service.post('/catalog/search', MACHINE)
    expect(await aliases(service, chips)).toEqual(['acme-supply:SP2002 barcode'])
  })

  test('a barcode alias is removed when the codes of both sides differ', async () => {
    const service = await startCatalog()
    await service.post('/catalog/search', MACHINE)
    service.supply.products[0] = { ...(service.supply.products[0] ?? supplyProduct('SP1001')), barcode: '96385074' }
    service.clock.advance(60_000)
    await service.post('/catalog/search', {})
    expect(await aliases(service, water)).toEqual([])
  })

  test('two suppliers of one product are linked by its barcode too', async () => {
    const entry = (name: string, code: string) =>
      registerLive(
        name as Namespace,
        scriptedSupply([supplyProduct(code, { title: code, barcode: WATER_CODE })]).vendor,
      )
    const service = await startService({ entries: [entry('acme-supply', 'A'), entry('bulk-supply', 'B')] })
    await service.post('/catalog/search', {})
    await service.post('/catalog/search', { filters: { namespace: 'bulk-supply' } })
    expect(await aliases(service, 'acme-supply:A')).toEqual(['bulk-supply:B barcode'])
  })

  test('a sync links in its own transaction: with it or not at all', async () => {
    const service = await startCatalog()
    const ctx = skuContext(service.ctx)
    const found = await findLinks(ctx, 'acme-machine' as Namespace, service.machine.slotsByMachine['M1001'] ?? [])
    await expect(
      ctx.store.transaction(async (tx) => {
        await writeLinks(ctx, tx, found)
        throw new Error('stop')
      }),
    ).rejects.toThrow('stop')
    expect(await ctx.store.db.selectFrom('sku_alias').selectAll().execute()).toEqual([])
    const again = await findLinks(ctx, 'acme-machine' as Namespace, service.machine.slotsByMachine['M1001'] ?? [])
    await ctx.store.transaction((tx) => writeLinks(ctx, tx, again))
    expect(await aliases(service, water)).toEqual(['acme-supply:SP1001 barcode'])
  })

  test('a machine that is read repeatedly does not load the supplier’s catalog again', async () => {
    const service = await startCatalog()
    for (let i = 0; i < 10; i++) {
      await service.post('/catalog/search', MACHINE)
      service.clock.advance(30_000)
    }
    expect(service.machine.script.count('inventory')).toBe(10)
    expect(service.supply.script.count('catalog')).toBe(1)
  })

  test('a supplier that was down when a machine was read is read again after 30 s', async () => {
    const service = await startCatalog()
    service.supply.script.next('catalog', { instead: failure('unknown') })
    await service.post('/catalog/search', MACHINE)
    service.clock.advance(30_000)
    const { body } = await service.post('/catalog/search', MACHINE)
    expect(body.products[0].variants[0].aliases).toMatchObject([{ sku_id: 'acme-supply:SP1001' }])
  })

  test('what was seen once is not written again', async () => {
    const service = await startCatalog()
    await service.post('/catalog/search', MACHINE)
    await service.post('/catalog/search', {})
    const version = () =>
      service.ctx.store.db.selectFrom('counter').selectAll().where('name', '=', 'alias_version').execute()
    const before = await version()
    service.clock.advance(60_000)
    await service.post('/catalog/search', MACHINE)
    await service.post('/catalog/search', {})
    expect(await version()).toEqual(before)
  })
})

describe('4.2 confirming aliases', () => {
  test('a manual alias holds both ways, with its time, and shows at once in the catalog', async () => {
    const service = await startCatalog()
    await service.post('/catalog/search', MACHINE)
    const before = await service.post('/catalog/search', { query: '薯片' })
    expect(before.body.products[0].variants[0].aliases).toMatchObject([{ source: 'suggested' }])
    const answer = await confirm(service, chips, { sku_id: 'acme-supply:SP2002' })
    expect(answer.status).toBe(200)
    const at = rfc3339(NOW, 'Asia/Shanghai')
    expect(answer.body.aliases).toEqual([{ sku_id: 'acme-supply:SP2002', source: 'manual', confirmed_at: at }])
    const { body } = await service.post('/catalog/search', { query: '薯片' })
    expect(body.products[0].variants[0].aliases).toEqual([{ sku_id: chips, source: 'manual', confirmed_at: at }])
  })

  test('read, add one, put back: only entries with the source manual or none are confirmed; a suggestion stays one', async () => {
    const service = await startCatalog()
    await service.post('/catalog/search', MACHINE)
    const { body: record } = await service.get(`/skus/${chips}`)
    expect(record.aliases).toMatchObject([{ sku_id: 'acme-supply:SP2002', source: 'suggested' }])
    const back = await service.put(`/skus/${chips}/aliases`, {
      aliases: [...record.aliases, { sku_id: 'acme-supply:SP3003' }],
    })
    expect(back.status).toBe(200)
    expect(await aliases(service, chips)).toEqual(['acme-supply:SP3003 manual', 'acme-supply:SP2002 suggested'])
    const { body } = await service.post('/skus/resolve', { ids: [chips], to_namespace: 'acme-supply' })
    expect(body.resolved).toEqual([{ from: chips, to: 'acme-supply:SP3003' }])
  })

  test('suggested and barcode leave an alias as it is, and make none', async () => {
    const service = await startCatalog()
    await service.post('/catalog/search', MACHINE)
    const answer = await confirm(
      service,
      water,
      { sku_id: 'acme-supply:SP1001', source: 'suggested' },
      { sku_id: 'acme-supply:SP3003', source: 'barcode' },
    )
    expect(answer.status).toBe(200)
    expect(await aliases(service, water)).toEqual(['acme-supply:SP1001 barcode'])
    expect(await service.events()).toEqual([])
    await confirm(service, water, { sku_id: 'acme-supply:SP1001', source: 'manual' })
    expect(await aliases(service, water)).toEqual(['acme-supply:SP1001 manual'])
  })

  test('an alias to a SKU its live supplier does not list: stored, a warning, resolved once it is listed', async () => {
    const service = await startCatalog()
    await service.post('/catalog/search', MACHINE)
    const answer = await confirm(service, chips, { sku_id: 'acme-supply:LATER' })
    expect([answer.status, codesOf(answer)]).toEqual([200, ['unresolved_sku']])
    expect(answer.body.messages[0]).toMatchObject({ type: 'warning', content: expect.stringContaining('LATER') })
    expect(answer.body.aliases[0]).toMatchObject({ sku_id: 'acme-supply:LATER', source: 'manual' })
    const resolved = async () =>
      (await service.post('/skus/resolve', { ids: [chips], to_namespace: 'acme-supply' })).body.resolved
    expect(await resolved()).toEqual([])
    // Another one that is listed goes before it meanwhile.
    await confirm(service, chips, { sku_id: 'acme-supply:SP2002' })
    expect(await resolved()).toEqual([{ from: chips, to: 'acme-supply:SP2002' }])
    service.supply.products.push(supplyProduct('LATER'))
    service.clock.advance(60_000)
    expect(await resolved()).toEqual([{ from: chips, to: 'acme-supply:LATER' }])
  })

  test('a catalog that cannot be read: 502, and nothing is stored', async () => {
    const service = await startCatalog()
    await service.post('/catalog/search', MACHINE)
    service.clock.advance(60_000)
    service.supply.script.always('catalog', failure('unknown'))
    expect(problem(await confirm(service, chips, { sku_id: 'acme-supply:SP2002' }))).toMatchObject({ status: 502 })
    service.supply.script.always('catalog', undefined)
    expect(await aliases(service, chips)).toEqual(['acme-supply:SP2002 suggested'])
  })

  test('saying it again changes nothing, not even the time', async () => {
    const service = await startCatalog()
    await service.post('/catalog/search', MACHINE)
    const first = await confirm(service, chips, { sku_id: 'acme-supply:SP2002' })
    service.clock.advance(5_000)
    const second = await confirm(service, 'acme-supply:SP2002', { sku_id: chips })
    expect(second.body.aliases[0].confirmed_at).toBe(first.body.aliases[0].confirmed_at)
  })

  test('PUT adds: nothing is removed by leaving it out', async () => {
    const service = await startCatalog()
    await service.post('/catalog/search', MACHINE)
    await confirm(service, chips, { sku_id: 'acme-supply:SP2002' })
    await confirm(service, chips, { sku_id: 'acme-supply:SP3003' })
    expect(await aliases(service, chips)).toEqual(['acme-supply:SP2002 manual', 'acme-supply:SP3003 manual'])
  })

  test('rejected withdraws a suggestion, and it is not suggested again', async () => {
    const service = await startCatalog()
    await service.post('/catalog/search', MACHINE)
    const answer = await confirm(service, chips, { sku_id: 'acme-supply:SP2002', source: 'rejected' })
    expect([answer.status, answer.body.aliases]).toEqual([200, []])
    service.supply.products.push(supplyProduct('SP7007', { title: 'something new' }))
    service.clock.advance(60_000)
    const { body } = await service.post('/catalog/search', MACHINE)
    expect(body.products[1].variants[0]).not.toHaveProperty('aliases')
  })

  test('rejected withdraws a manual alias; it no longer resolves', async () => {
    const service = await startCatalog()
    await service.post('/catalog/search', MACHINE)
    await confirm(service, chips, { sku_id: 'acme-supply:SP2002' })
    await confirm(service, 'acme-supply:SP2002', { sku_id: chips, source: 'rejected' })
    const { body } = await service.post('/skus/resolve', { ids: [chips], to_namespace: 'acme-supply' })
    expect(body.unresolved).toEqual([chips])
    await confirm(service, chips, { sku_id: 'acme-supply:SP2002' })
    expect(await aliases(service, chips)).toEqual(['acme-supply:SP2002 manual'])
  })

  test('equal codes cannot be talked away; nothing of such a request is stored', async () => {
    const service = await startCatalog()
    await service.post('/catalog/search', MACHINE)
    const answer = await confirm(
      service,
      water,
      { sku_id: 'acme-supply:SP3003' },
      { sku_id: 'acme-supply:SP1001', source: 'rejected' },
    )
    expect(problem(answer)).toEqual({ status: 400, code: 'invalid', path: '$.aliases[1].source' })
    expect(await aliases(service, water)).toEqual(['acme-supply:SP1001 barcode'])
  })

  test('an alias in the same namespace is warned of and not stored', async () => {
    const service = await startCatalog()
    const answer = await confirm(service, 'acme-supply:SP1001', { sku_id: 'acme-supply:SP2002' })
    expect([answer.status, codesOf(answer)]).toEqual([200, ['same_namespace']])
    expect(await service.ctx.store.db.selectFrom('sku_alias').selectAll().execute()).toEqual([])
  })

  test.each([
    ['acme-supply:NOPE', 'acme-machine:G-0001', { status: 404, code: 'not_found', path: '$.sku_id' }],
    ['acme-machine:NOPE', 'acme-supply:SP1001', { status: 404, code: 'not_found', path: '$.sku_id' }],
    ['nobody-supply:1', 'acme-supply:SP1001', { status: 400, code: 'invalid', path: '$.sku_id' }],
    ['acme-supply:SP1001', 'nobody-machine:1', { status: 400, code: 'invalid', path: '$.aliases[0].sku_id' }],
  ])('%s with %s is %j', async (id, other, expected) => {
    const service = await startCatalog()
    expect(problem(await confirm(service, id, { sku_id: other }))).toEqual(expected)
  })

  test('an entry that is both confirmed and rejected is refused; an empty list changes nothing', async () => {
    const service = await startCatalog()
    const both = await confirm(service, 'acme-supply:SP1001', { sku_id: water }, { sku_id: water, source: 'rejected' })
    expect(problem(both)).toEqual({ status: 400, code: 'invalid', path: '$.aliases[1].sku_id' })
    expect((await confirm(service, 'acme-supply:SP1001')).status).toBe(200)
  })

  test('a SKU of a namespace that nobody registered: 404 to a read, 400 where aliases are stated', async () => {
    const service = await startCatalog()
    expect(problem(await service.get('/skus/nobody-supply:1'))).toMatchObject({ status: 404, code: 'not_found' })
    expect(problem(await confirm(service, 'nobody-supply:1', { sku_id: water }))).toMatchObject({ status: 400 })
  })

  test('2.9 a planned namespace may appear in aliases, and is never called', async () => {
    const service = await startService({
      entries: [
        registerLive(SUPPLY, scriptedSupply([supplyProduct('A')]).vendor),
        plannedVendor('robo-machine' as Namespace),
      ],
    })
    const answer = await confirm(service, 'acme-supply:A', { sku_id: 'robo-machine:7' })
    expect(answer.body.aliases).toMatchObject([{ sku_id: 'robo-machine:7', source: 'manual' }])
    expect(problem(await service.get('/skus/robo-machine:7'))).toMatchObject({
      status: 400,
      code: 'namespace_unsupported',
    })
    const { body } = await service.post('/skus/resolve', { ids: ['robo-machine:7'], to_namespace: 'acme-supply' })
    expect(body.resolved).toEqual([{ from: 'robo-machine:7', to: 'acme-supply:A' }])
  })

  test('writes one event per change, and none without a change', async () => {
    const service = await startCatalog()
    await service.post('/catalog/search', MACHINE)
    const written = async () => (await service.events()).map(({ code, params }) => `${code} ${params.other_product}`)
    await confirm(service, chips, { sku_id: 'acme-supply:SP2002' }, { sku_id: 'acme-supply:SP3003' })
    await confirm(service, chips, { sku_id: 'acme-supply:SP2002' })
    const both = ['alias_confirmed acme-supply:SP3003', 'alias_confirmed acme-supply:SP2002']
    expect(await written()).toEqual(both)
    expect((await service.events())[1].reasoning).toContain('suggested')
    await confirm(service, chips, { sku_id: 'acme-supply:SP3003', source: 'rejected' })
    await confirm(service, chips, { sku_id: 'acme-supply:SP3003', source: 'rejected' })
    expect(await written()).toEqual(['alias_rejected acme-supply:SP3003', ...both])
  })

  test('another instance sees a change within a second', async () => {
    const first = await startCatalog()
    const { clock } = first
    const second = await startService({
      store: first.ctx.store,
      entries: [
        registerLive(SUPPLY, cachedSupply(first.supply.vendor, clock)),
        registerLive('acme-machine' as Namespace, cachedMachine(first.machine.vendor, clock)),
      ],
    })
    // Two processes do not share memory: a change made only in the database stands in for the other process.
    await second.post('/catalog/search', {})
    await first.ctx.store.transaction(async (tx) => {
      await tx
        .insertInto('sku_alias')
        .values({
          a: water,
          b: 'acme-supply:SP3003',
          a_namespace: 'acme-machine',
          b_namespace: 'acme-supply',
          source: 'manual',
          confirmed_at: NOW,
          changed_at: NOW,
        })
        .execute()
      await tx
        .insertInto('counter')
        .values({ name: 'alias_version', value: 1 })
        .onConflict((conflict) => conflict.column('name').doUpdateSet((at) => ({ value: at('counter.value', '+', 1) })))
        .execute()
    })
    second.clock.advance(1_000)
    const { body } = await second.post('/catalog/search', { query: 'red bull' })
    expect(body.products[0].variants[0].aliases).toMatchObject([{ sku_id: water }])
  })

  test('concurrent confirmations of one pair all succeed and leave one row', async () => {
    const service = await startCatalog()
    await service.post('/catalog/search', MACHINE)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        i % 2 === 0
          ? confirm(service, chips, { sku_id: 'acme-supply:SP2002' })
          : confirm(service, 'acme-supply:SP2002', { sku_id: chips }, { sku_id: water }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(await aliases(service, chips)).toEqual(['acme-supply:SP2002 manual'])
  })
})

describe('4.2 resolve', () => {
  test('through barcode and manual aliases only; unresolved is no error', async () => {
    const service = await startCatalog()
    await service.post('/catalog/search', MACHINE)
    const asked = { ids: [chips, water, 'acme-machine:NEVER-SEEN', water], to_namespace: 'acme-supply' }
    const { status, body } = await service.post('/skus/resolve', asked)
    expect(status).toBe(200)
    expect(body.resolved).toEqual([{ from: water, to: 'acme-supply:SP1001' }])
    expect(body.unresolved).toEqual([chips, 'acme-machine:NEVER-SEEN'])
  })

  test('a manual alias goes before a barcode one', async () => {
    const service = await startCatalog()
    await service.post('/catalog/search', MACHINE)
    await confirm(service, water, { sku_id: 'acme-supply:SP3003' })
    const { body } = await service.post('/skus/resolve', { ids: [water], to_namespace: 'acme-supply' })
    expect(body.resolved).toEqual([{ from: water, to: 'acme-supply:SP3003' }])
  })

  test('an id that is there already is its own, with a warning', async () => {
    const service = await startCatalog()
    const answer = await service.post('/skus/resolve', { ids: ['acme-supply:SP1001'], to_namespace: 'acme-supply' })
    expect(answer.body.resolved).toEqual([{ from: 'acme-supply:SP1001', to: 'acme-supply:SP1001' }])
    expect(codesOf(answer)).toEqual(['same_namespace'])
  })

  test.each([
    [
      { ids: [water], to_namespace: 'nobody-supply' },
      { status: 400, code: 'invalid', path: '$.to_namespace' },
    ],
    [
      { ids: [water], to_namespace: 'Acme' },
      { status: 400, code: 'invalid', path: '$.to_namespace' },
    ],
    [
      { ids: [], to_namespace: 'acme-supply' },
      { status: 400, code: 'invalid', path: '$.ids' },
    ],
    [{ ids: [water] }, { status: 400, code: 'missing', path: '$.to_namespace' }],
    [
      { ids: Array.from({ length: 51 }, (_, i) => `acme-machine:${i}`), to_namespace: 'acme-supply' },
      { status: 400, code: 'request_too_large', path: '$.ids' },
    ],
  ])('%j is %j', async (body, expected) => {
    const service = await startCatalog()
    expect(problem(await service.post('/skus/resolve', body))).toEqual(expected)
  })

  test('an id of an unregistered namespace, or a text that is not a SKU id, is unknown; the others are returned', async () => {
    const service = await startCatalog()
    await service.post('/catalog/search', MACHINE)
    const ids = ['gid://shop/1', water, 'nobody-machine:1']
    const answer = await service.post('/skus/resolve', { ids, to_namespace: 'acme-supply' })
    expect([answer.status, answer.body.resolved]).toEqual([200, [{ from: water, to: 'acme-supply:SP1001' }]])
    expect(answer.body.unresolved).toEqual(['gid://shop/1', 'nobody-machine:1'])
    expect(answer.body.messages).toEqual([
      { type: 'info', code: 'not_found', content: 'gid://shop/1' },
      { type: 'info', code: 'not_found', content: 'nobody-machine:1' },
    ])
  })

  test('a confirmed alias resolves while the catalog cannot be read', async () => {
    const service = await startCatalog()
    await service.post('/catalog/search', MACHINE)
    service.clock.advance(60_000)
    service.supply.script.always('catalog', failure('unknown'))
    const { body } = await service.post('/skus/resolve', { ids: [water], to_namespace: 'acme-supply' })
    expect(body.resolved).toEqual([{ from: water, to: 'acme-supply:SP1001' }])
  })

  test('a planned target has nothing to buy', async () => {
    const service = await startService({
      entries: [
        registerLive(SUPPLY, scriptedSupply([supplyProduct('A')]).vendor),
        plannedVendor('bulk-supply' as Namespace),
      ],
    })
    const answer = await service.post('/skus/resolve', { ids: ['acme-supply:A'], to_namespace: 'bulk-supply' })
    expect(problem(answer)).toEqual({ status: 400, code: 'namespace_unsupported', path: '$.to_namespace' })
  })

  test('planners ask for thousands at once', async () => {
    const service = await startCatalog()
    await service.post('/catalog/search', MACHINE)
    const many = Array.from({ length: 3000 }, (_, i) => `acme-machine:X${i}` as SkuId)
    const { db } = service.ctx.store
    expect(await resolveAliases(db, [...many, water as SkuId], SUPPLY)).toEqual(
      new Map([[water, 'acme-supply:SP1001']]),
    )
    expect([...(await findAliases(db, [...many, water as SkuId])).keys()]).toEqual([water])
  })
})

describe('4.2 the record of a SKU', () => {
  test('a supplier’s: identity, codes, aliases, and itself as a source', async () => {
    const service = await startCatalog()
    await service.post('/catalog/search', MACHINE)
    const { status, body } = await service.get('/skus/acme-supply:SP1001')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      sku_id: 'acme-supply:SP1001',
      namespace: 'acme-supply',
      vendor_sku: 'SP1001',
      title: '农夫山泉 饮用天然水 550ml',
      barcodes: [{ type: 'EAN', value: WATER_CODE }],
      aliases: [{ sku_id: water, source: 'barcode' }],
    })
    expect(body.purchasable_from).toEqual([
      {
        sku_id: 'acme-supply:SP1001',
        title: '农夫山泉 饮用天然水 550ml',
        sale_units: [
          {
            unit: 'EA',
            display_text: 'each',
            increment: 1,
            price: { amount: 120, currency: 'CNY' },
            price_derived: true,
          },
          { unit: 'BX', display_text: 'box', increment: 1, contains: 24, price: { amount: 2880, currency: 'CNY' } },
        ],
      },
    ])
    expect(Object.keys(body.ucp.capabilities)).toEqual(['com.example.vending.sku'])
  })

  test('a machine’s: bought from what confirmed aliases lead to, not from suggestions', async () => {
    const service = await startCatalog()
    await service.post('/catalog/search', MACHINE)
    const sources = async (id: string) =>
      (await service.get(`/skus/${id}`)).body.purchasable_from.map((source: Json) => source.sku_id)
    expect(await sources(water)).toEqual(['acme-supply:SP1001'])
    expect(await sources(chips)).toEqual([])
  })

  test('a product that is not on sale cannot be bought', async () => {
    const service = await startCatalog()
    expect((await service.get('/skus/acme-supply:SP4004')).body.purchasable_from).toEqual([])
  })

  test('with ?location the machine is read live, also for a product never read before', async () => {
    const service = await startCatalog()
    expect((await service.get(`/skus/${water}`)).status).toBe(404)
    const answer = await service.get(`/skus/${water}?location=M1001`)
    expect([answer.status, answer.body.title]).toEqual([200, '农夫山泉 饮用天然水 550ml'])
    expect((await service.get(`/skus/${water}`)).status).toBe(200)
  })

  test.each(['acme-supply:NOPE', 'acme-machine:NOPE', 'acme-machine:NOPE?location=M1001'])(
    '%s is unknown',
    async (id) => {
      const service = await startCatalog()
      expect(problem(await service.get(`/skus/${id}`))).toEqual({ status: 404, code: 'not_found', path: '$.sku_id' })
    },
  )

  test('a product that its supplier removed is still known by its alias', async () => {
    const service = await startCatalog()
    await service.post('/catalog/search', MACHINE)
    service.supply.products.splice(0, 1)
    service.clock.advance(60_000)
    const { status, body } = await service.get('/skus/acme-supply:SP1001')
    expect([status, body.title, body.purchasable_from]).toEqual([200, undefined, []])
  })

  test('a supplier that fails is 502, never a SKU that cannot be bought', async () => {
    const service = await startCatalog()
    await service.post('/catalog/search', MACHINE)
    service.clock.advance(60_000)
    service.supply.script.always('catalog', failure('unknown'))
    expect(problem(await service.get(`/skus/${water}`))).toMatchObject({ status: 502, code: 'upstream_unreachable' })
    expect(problem(await service.get('/skus/acme-supply:SP1001'))).toMatchObject({ status: 502 })
  })

  test.each(['garbage', 'a:b:c', 'acme-supply:', 'Acme-supply:1'])('%s is no sku_id', async (id) => {
    const service = await startCatalog()
    expect(problem(await service.get(`/skus/${encodeURIComponent(id)}`))).toEqual({
      status: 400,
      code: 'invalid',
      path: '$.sku_id',
    })
  })
})
