/** Packs whose size a price list leaves open: somebody says it once, and the articles can be ordered. */
import { describe, expect, test } from 'vitest'
import type { Namespace } from '../../src/kernel/ids.ts'
import { auditChain } from '../../src/views/audit/index.ts'
import { registerLive } from '../../src/vendors/registry.ts'
import { findSamples } from '../../src/vendors/sheet/price-list/samples.test-support.ts'
import { HEADER, startWithList } from '../catalog/list-service.ts'
import { addKey } from '../people/keys.ts'
import { scriptedMachine, scriptedSupply } from '../support/scripted-vendors.ts'
import { type Json, startService } from '../support/service.ts'

const PACKS = '/connections/mid-supply/packs'
const EACH = { header: `${HEADER},Each`, columns: { each_price: 'Each' } }
const id = (sku: string) => `mid-supply:${sku}`

async function start(...list: Parameters<typeof startWithList>) {
  const service = await startWithList(...list)
  const waiting = async (): Promise<Json[]> => (await service.get(PACKS)).body.packs
  return {
    ...service,
    /** Text and article of what waits. */
    waiting: async () => (await waiting()).map(({ text, sku_id: sku }) => [text, sku.split(':')[1]]),
    state: (text: string, contains: number | null, ...skus: readonly string[]) =>
      service.put(PACKS, { text, contains, ...(skus.length > 0 ? { sku_ids: skus.map(id) } : { same_for_all: true }) }),
    skus: async () => (await service.offered()).map(([sku]: Json) => sku).toSorted(),
    packEvents: async () =>
      (await service.get('/events?limit=100')).body.events.filter(({ code }: Json) => code?.startsWith('pack_size')),
  }
}

test('a word about a text is kept, and its articles are ordered in cases at once', async () => {
  const { state, waiting, buy, post, document, skus, problems, write, clock, get, packEvents } = await start([
    '1,Coke,CS,26.88',
    '2,Tea,CS,24.00',
    '3,Water,24/CS,12.00',
    '4,Bar,BX,9.00',
  ])
  expect(await skus()).toEqual(['3'])
  expect((await get(PACKS)).body).toMatchObject({
    packs: [
      { text: 'BX', sku_id: 'mid-supply:4', title: 'Bar', pack_price: { amount: 900, currency: 'CNY' } },
      { text: 'CS', sku_id: 'mid-supply:1' },
      { text: 'CS', sku_id: 'mid-supply:2' },
    ],
    waiting_count: 3,
    stated_count: 0,
    pagination: { has_next_page: false },
  })
  expect((await get('/connections')).body.connections[0].waiting_packs).toBe(3)

  const { status, body } = await state('  CS ', 24)
  expect([status, body.waiting_count, body.stated_count, body.packs.length]).toEqual([200, 1, 1, 1])
  // No minute passes, and nothing is read again by hand.
  expect(await skus()).toEqual(['1', '2', '3'])
  expect(await waiting()).toEqual([['BX', '4']])
  expect((await problems()).map(([sku]) => sku)).toEqual(['4'])
  const { body: session } = await buy('1', 2, 'BX')
  expect(session.line_items[0]).toMatchObject({ quantity: 2, quantity_unit: { unit: 'BX', contains: 24 } })
  const done = await post(`/checkout-sessions/${session.id}/complete`, { confirm: true })
  expect(done.body.status).toBe('completed')
  expect(document()).toContain('PO1*1*2*CA*26.88*')

  // Of the next list, too, and of articles that were not in this one.
  write(['1,Coke,CS,28.00', '5,Milk,CS,30.00', '3,Water,24/CS,12.00', '4,Bar,BX,9.00'])
  clock.advance(61_000)
  expect(await skus()).toEqual(['1', '3', '5'])
  expect(await packEvents()).toMatchObject([{ summary: 'mid-supply: the pack "CS" holds 24 units' }])
  expect((await get(`${PACKS}?state=stated`)).body.packs).toMatchObject([
    { text: 'CS', contains: 24, stated_at: '2026-09-10T08:00:00.000+08:00' },
  ])
})

test('a text without a number is asked about, each article or all of them', async () => {
  const { put, offered, get } = await start(['1,Coke,CS,24.00', '2,Tea,CS,12.00', '3,Milk,4-6,12.00'])
  const asked = await put(PACKS, { text: 'CS', contains: 24 })
  expect([asked.status, asked.body.messages[0].code, asked.body.messages[0].path]).toEqual([
    400,
    'confirmation_required',
    '$.same_for_all',
  ])
  expect(asked.body.messages[0].content).toContain('(Coke, Tea)')
  expect((await put(PACKS, { text: 'CS', contains: 24, same_for_all: false })).status).toBe(400)
  expect((await get(PACKS)).body.stated_count).toBe(0)
  // A number in the text, or the article, says enough; and a word can be taken back without more.
  expect((await put(PACKS, { text: '4-6', contains: 24 })).status).toBe(200)
  expect((await put(PACKS, { text: 'CS', contains: 12, sku_ids: [id('2')] })).status).toBe(200)
  // Also for one article: the next list may have others.
  expect((await put(PACKS, { text: 'CS', contains: 24 })).body.messages[0].code).toBe('confirmation_required')
  expect((await put(PACKS, { text: 'CS', contains: 24, same_for_all: true })).status).toBe(200)
  expect(await offered()).toEqual([
    ['1', 100],
    ['2', 100],
    ['3', 50],
  ])
  expect((await put(PACKS, { text: 'CS', contains: null })).body.stated_count).toBe(2)
})

test('a word about an article comes before one about its text, in either order', async () => {
  const { state, offered } = await start(['1,Coke,CS,24.00', '2,Tea,CS,24.00', '3,Milk,CS,24.00'])
  await state('CS', 12, '2')
  expect(await offered()).toEqual([['2', 200]])
  await state('CS', 24)
  expect(await offered()).toEqual([
    ['1', 100],
    ['2', 200],
    ['3', 100],
  ])
  // Said again about an article that is answered by its text.
  await state('CS', 6, '3')
  expect(await offered()).toContainEqual(['3', 400])
  await state('CS', null, '3')
  expect(await offered()).toContainEqual(['3', 100])
})

test('a price of one item that moved more than three times waits for a word about the article, each time', async () => {
  const { state, waiting, offered, problems, write, clock } = await start([
    '1,Coke,24/CS,24.00',
    '2,Tea,24/CS,24.00',
    '3,Gum,EA,1.00',
  ])
  const next = async (...rows: string[]) => {
    write(rows)
    clock.advance(61_000)
    return offered()
  }
  expect(await next('1,Coke,24/CS,72.00', '2,Tea,24/CS,8.00', '3,Gum,EA,1.00')).toHaveLength(3)
  expect(await next('1,Coke,EA,72.00', '2,Tea,24/CS,2.00', '3,Gum,EA,4.00')).toEqual([])
  expect(await waiting()).toEqual([
    ['24/CS', '2'],
    ['EA', '1'],
    ['EA', '3'],
  ])
  expect(await problems()).toContainEqual([
    '1',
    'needs your word: one item cost ¥3.00 in the last list and ¥72.00 in this one',
  ])
  // A word about the text says nothing about this price, and another size is another price.
  expect((await state('24/CS', 24)).status).toBe(200)
  expect((await state('24/CS', 12, '2')).status).toBe(200)
  expect(await offered()).toEqual([])
  expect((await state('24/CS', 24, '2')).status).toBe(200)
  expect((await state('EA', 1, '3')).status).toBe(200)
  expect((await state('EA', 24, '1')).status).toBe(200)
  expect(await offered()).toEqual([
    ['2', 8],
    ['3', 400],
  ])
  // A price that is as before needs no word; one that moved again does, and the same word counts when it is said again.
  expect(await next('1,Coke,24/CS,72.00', '2,Tea,24/CS,2.40', '3,Gum,EA,40.00')).toEqual([
    ['1', 300],
    ['2', 10],
  ])
  expect(await waiting()).toEqual([['EA', '3']])
  await state('EA', 1, '3')
  expect(await offered()).toContainEqual(['3', 4000])
})

test('a pack without a text is only named by its article', async () => {
  const { state, waiting, offered } = await start(['1,Coke,,24.00', '2,Tea,,24.00'])
  const refused = await state('', 24)
  expect([refused.status, refused.body.messages[0].path]).toEqual([400, '$.sku_ids'])
  expect((await state('', 24, '1')).status).toBe(200)
  expect(await offered()).toEqual([['1', 100]])
  expect(await waiting()).toEqual([['', '2']])
})

test('saying the same again changes nothing; another number and taking it back do, each in the chain', async () => {
  const { state, skus, packEvents, ctx, waiting } = await start(['1,Coke,CS,24.00', '2,Tea,24/CS,24.00'])
  for (const contains of [24, 24, 12, 12]) expect((await state('CS', contains)).status).toBe(200)
  expect(await packEvents()).toHaveLength(2)
  expect(await skus()).toEqual(['1', '2'])
  for (let i = 0; i < 2; i += 1) expect((await state('CS', null)).body.stated_count).toBe(0)
  expect((await packEvents()).map(({ code }: Json) => code)).toEqual([
    'pack_size_withdrawn',
    'pack_size_stated',
    'pack_size_stated',
  ])
  expect(await skus()).toEqual(['2'])
  expect(await waiting()).toEqual([['CS', '1']])
  const chain = ctx.store.db.selectFrom('chain_entry').select('facts').where('kind', '=', 'pack')
  const entries = await chain.orderBy('seq').execute()
  expect(entries.map(({ facts }) => JSON.parse(facts).contains)).toEqual([24, 12, null])
  expect((await auditChain(ctx.store)).problems).toEqual([])
  await ctx.store.db.updateTable('stated_pack').set({ contains: 1000 }).execute()
  expect((await auditChain(ctx.store)).problems).toMatchObject([{ kind: 'pack' }])
})

describe('a price of one item beside it', () => {
  const rows = ['1,Coke,12/CS,26.88,1.12', '2,Tea,24/CS,1.12,1.12', '3,Bar,24/CS,26.88,1.12', '4,Gum,CS,24.00,']

  test('one item is only believed where it says the same', async () => {
    const { state, offered, waiting } = await start(rows, EACH)
    for (const [text, sku] of [
      ['CS', '4'],
      ['12/CS', '1'],
    ] as const) {
      const { status, body } = await state(text, 1, sku)
      expect([status, body.messages[0].path]).toEqual([400, '$.contains'])
    }
    expect((await state('24/CS', 1)).status).toBe(200)
    expect(await offered()).toEqual([
      ['2', 112],
      ['3', 112],
    ])
    expect(await waiting()).toEqual([
      ['12/CS', '1'],
      ['CS', '4'],
    ])
  })

  test('a size that it contradicts has to be said about the article, and only the pack is then sold', async () => {
    const { state, skus, buy } = await start(rows, EACH)
    const refused = await state('12/CS', 12)
    expect([refused.status, refused.body.messages[0].path]).toEqual([400, '$.contains'])
    expect(await skus()).toEqual(['3'])
    expect((await state('12/CS', 12, '1')).status).toBe(200)
    expect((await buy('1', 1, 'BX')).body.line_items[0].quantity_unit).toMatchObject({ contains: 12 })
    expect((await buy('1', 12, 'EA')).body.status).not.toBe('ready_for_complete')
    // The size that the prices agree on needs no article.
    expect((await state('12/CS', null, '1')).status).toBe(200)
    expect((await state('12/CS', 24)).status).toBe(200)
    expect((await buy('1', 24, 'EA')).body.status).toBe('ready_for_complete')
  })
})

test('7 what answers no question is refused, and nothing is kept', async () => {
  const { put, get } = await start(['1,Coke,CS,24.00', '2,Tea,24/CS,24.00'])
  for (const [body, code, path] of [
    [{ text: 'BX', contains: 24 }, 'invalid', '$.text'],
    [{ text: '24/CS', contains: 12 }, 'invalid', '$.text'],
    [{ text: 'CS', contains: 24, sku_ids: [id('1'), id('2')] }, 'invalid', '$.sku_ids[1]'],
    [{ text: 'CS', contains: 24, sku_ids: ['other-supply:1'] }, 'namespace_mismatch', '$.sku_ids[0]'],
    [{ text: 'CS', contains: 0 }, 'invalid', '$.contains'],
    [{ text: 'CS', contains: 2.5 }, 'invalid', '$.contains'],
    [{ text: 'CS', contains: '24' }, 'invalid', '$.contains'],
    [{ text: 'CS', contains: 100_001 }, 'invalid', '$.contains'],
    [{ text: 'CS' }, 'missing', '$.contains'],
    [{ contains: 24 }, 'missing', '$.text'],
    [{ text: 'CS', contains: 24, sku_ids: [] }, 'invalid', '$.sku_ids'],
  ] as const) {
    const { status, body: answer } = await put(PACKS, body)
    expect([status, answer.messages[0].code, answer.messages[0].path], JSON.stringify(body)).toEqual([400, code, path])
  }
  expect((await get(PACKS)).body).toMatchObject({ waiting_count: 1, stated_count: 0 })
})

test('7 suppliers without such packs, machine platforms and unknown namespaces are refused', async () => {
  const service = await startService({
    entries: [
      registerLive('acme-supply' as Namespace, scriptedSupply([]).vendor),
      registerLive('acme-machine' as Namespace, scriptedMachine().vendor),
    ],
  })
  for (const [namespace, status, code] of [
    ['acme-supply', 400, 'namespace_unsupported'],
    ['acme-machine', 400, 'namespace_mismatch'],
    ['nobody-supply', 404, 'not_found'],
  ] as const)
    for (const answer of [
      await service.get(`/connections/${namespace}/packs`),
      await service.put(`/connections/${namespace}/packs`, { text: 'CS', contains: 24 }),
    ])
      expect([answer.status, answer.body.messages[0].code]).toEqual([status, code])
})

test('until an owner exists the operator token says it, then only an owner', async () => {
  const service = await start(['1,Coke,CS,24.00', '2,Tea,BX,24.00'])
  const { state, get, put } = service
  expect((await state('CS', 24)).status).toBe(200)
  const { key: owner } = await addKey(service, 'owner', 'Ann')
  const { key: operator } = await addKey(service, 'operator', 'Bo')
  const body = { text: 'BX', contains: 12, same_for_all: true }
  for (const token of [undefined, operator])
    expect((await put(PACKS, body, token === undefined ? {} : { token })).body.messages[0].code).toBe('forbidden')
  expect((await get(PACKS, { token: operator })).body.waiting_count).toBe(1)
  expect((await put(PACKS, body, { token: owner })).body).toMatchObject({ waiting_count: 0, stated_count: 2 })
  const { packs } = (await get(`${PACKS}?state=stated`, { token: operator })).body
  expect(packs.find(({ text }: Json) => text === 'BX')).toMatchObject({ contains: 12, stated_by: 'Ann' })
})

test('a list with hundreds of such packs is read in pages', async () => {
  const { get } = await start(Array.from({ length: 250 }, (_, i) => `A${i},Product ${i},CS,24.00`))
  const seen = new Set<string>()
  let cursor: string | undefined
  do {
    const { body } = await get(`${PACKS}?limit=100${cursor === undefined ? '' : `&cursor=${cursor}`}`)
    expect([body.waiting_count, body.packs.length <= 100]).toEqual([250, true])
    for (const { sku_id: sku } of body.packs) seen.add(sku)
    cursor = body.pagination.cursor
  } while (cursor !== undefined)
  expect(seen.size).toBe(250)
})

const samples = findSamples('price-lists')

// catalog.test.ts of the price lists says the sizes of all its packs.
test.runIf(samples)('of a real list one word frees every article with this text', async () => {
  const [header = '', ...rows] = (samples?.read('us-218-supply-products.csv').toString() ?? '').trimEnd().split(/\r?\n/)
  const columns = { sku: 'SKU', title: 'ProductName', pack: 'PackSize', pack_price: 'Price' }
  const { get, state, buy, post, document } = await start(rows, { header, columns })
  const total = async () => {
    let [found, cursor]: [number, string | undefined] = [0, undefined]
    do {
      const pagination = { limit: 100, ...(cursor !== undefined && { cursor }) }
      const { body }: Json = await post('/catalog/search', { filters: { namespace: 'mid-supply' }, pagination })
      found += body.products.length
      cursor = body.pagination.cursor
    } while (cursor !== undefined)
    return found
  }
  expect(await total()).toBe(77)
  expect((await state('6-800 / CS', 10)).status).toBe(200)
  expect([await total(), (await get(PACKS)).body.stated_count]).toEqual([80, 1])
  const { body: session } = await buy('1080061', 3, 'BX')
  expect(session.line_items[0].quantity_unit).toMatchObject({ unit: 'BX', contains: 10 })
  const done = await post(`/checkout-sessions/${session.id}/complete`, { confirm: true })
  expect(done.body.status, JSON.stringify(done.body.messages)).toBe('completed')
  expect(document()).toMatch(/PO1\*1\*3\*CA\*/)
})
