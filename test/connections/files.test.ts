/** Files that people bring: looked at first, then used; kept once; hostile ones are refused. */
import { describe, expect, test } from 'vitest'
import { gzipSync } from 'node:zlib'
import { createContext } from '../../src/assemble.ts'
import { audit } from '../../src/views/audit/index.ts'
import { SHIPPING } from '../checkout/support.ts'
import { addKey } from '../people/keys.ts'
import { freshStore } from '../support/database.ts'
import type { Json } from '../support/service.ts'
import { xlsx } from '../support/workbooks.ts'
import { dexFile } from '../../src/vendors/eva-dts/dex-file.test-support.ts'
import { LIST_SETTINGS, PRICES_ONLY, startHosted } from './hosted-service.ts'

type Service = Awaited<ReturnType<typeof startHosted>>
interface Part {
  readonly name?: string
  readonly file?: string
  readonly data: string | Uint8Array
}

/** As a browser writes it. */
function form(parts: readonly Part[], boundary = 'xYzZy') {
  const chunks = parts.flatMap(({ name = 'file', file, data }) => [
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file === undefined ? '' : `; filename="${file}"\r\ncontent-type: application/octet-stream`}\r\n\r\n`,
    ),
    Buffer.from(data),
    Buffer.from('\r\n'),
  ])
  return {
    payload: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  }
}

async function send(service: Service, token: string, path: string, { payload, headers }: ReturnType<typeof form>) {
  const answer = await service.server.inject({
    method: 'POST',
    url: `/ucp/v1${path}`,
    headers: { authorization: `Bearer ${token}`, ...headers },
    payload,
  })
  return { status: answer.statusCode, body: answer.json() }
}

const bring = (
  service: Service,
  data: string | Uint8Array,
  {
    namespace = 'depot-supply',
    kind = 'price_list',
    file = 'list.csv',
    token = service.ownerKey,
    dry = false,
    fields = {},
  }: {
    namespace?: string
    kind?: string
    file?: string
    token?: string
    dry?: boolean
    fields?: Record<string, string>
  } = {},
) =>
  send(
    service,
    token,
    `/connections/${namespace}/files${dry ? '?dry_run=true' : ''}`,
    form([
      { name: 'kind', data: kind },
      ...Object.entries(fields).map(([name, value]) => ({ name, data: value })),
      { file, data },
    ]),
  )

const LIST = 'Item,Description,Pack,Case price\n1,Coke,24/CS,24.00\n2,Tea,12/CS,6.00\n'
const offered = async (service: Service) =>
  (await service.post('/catalog/search', { filters: { namespace: 'depot-supply' } })).body.products.map(
    ({ title, variants }: Json) => [title, variants[0].price.amount],
  )

test('before the currency is chosen no amount is read, and afterwards the same file is', async () => {
  const noRules = { guardrailsFile: '/nowhere/guardrails.json', isGuardrailsFileNamed: false }
  const service = await startHosted({ options: { config: { isCurrencyChosen: false, ...noRules } } })
  const other = createContext(service.ctx)
  expect((await service.owner('POST', '/connections', PRICES_ONLY)).status).toBe(201)
  const looked = await bring(service, LIST, { dry: true })
  expect(looked.body.preview).toMatchObject({ usable: false, examples: [], questions: [{ code: 'currency' }] })
  const refused = await bring(service, LIST)
  expect([refused.status, refused.body.messages[0].path]).toEqual([400, '$.file'])
  expect(refused.body.messages[0].content).toContain('Choose the currency in Settings first')
  expect((await service.get('/settings')).body).toMatchObject({ currency_chosen: false, currency_in_use: null })
  const limits = { rules: { spendingLimitPerRun: 50_000, priceCapPerItem: 5_000, hardNoGos: [] } }
  const early = await service.owner('PUT', '/guardrails', limits)
  expect([early.status, early.body.messages[0].path]).toEqual([409, '$.rules.spendingLimitPerRun'])
  expect(early.body.messages[0].content).toContain('Choose the currency in Settings first')
  // Counts have no amounts. Their rows are shown as they are, each in its place, and never kept.
  const counts = xlsx({ name: 'Counts', rows: [['machine', 'slot', 'units'], [], ['M1', 'A1', 7]] })
  const shown = await bring(service, counts, { kind: 'counts', dry: true })
  expect(shown.body.preview).toMatchObject({ usable: true, summary: '2 rows' })
  expect(shown.body.preview.tables[0].rows).toEqual([['machine', 'slot', 'units'], [], ['M1', 'A1', '7']])
  const long = xlsx({ name: 'Counts', rows: Array.from({ length: 5001 }, () => ['M1']) })
  for (const data of [long, 'machine,slot,units\nM1,A1,7\n', counts.subarray(0, 99)])
    expect((await bring(service, data, { kind: 'counts', dry: true })).body.preview).toMatchObject({ usable: false })
  expect((await bring(service, counts, { kind: 'counts' })).body.messages[0].path).toBe('$.kind')
  expect((await bring(service, counts, { kind: 'counts', dry: true, namespace: 'no-machine' })).status).toBe(404)
  // Also the default is chosen by saying so.
  const chosen = await service.owner('PUT', '/settings', { currency: 'CNY' })
  expect(chosen.body).toMatchObject({ currency_chosen: true, changes: [{ setting: 'currency', after: 'CNY' }] })
  await other.settings.refresh()
  expect(other.config.isCurrencyChosen).toBe(true)
  expect((await bring(service, LIST)).body.preview).toMatchObject({ usable: true, summary: '2 products' })
})

test('a list is looked at before there is a connection, then added and used at once, on every instance', async () => {
  const store = await freshStore()
  const service = await startHosted({ store })
  const other = await startHosted({ store })
  const looked = await bring(service, LIST, { dry: true })
  expect([looked.status, looked.body.file]).toEqual([200, undefined])
  expect(looked.body.preview).toMatchObject({
    usable: true,
    summary: '2 products',
    examples: expect.arrayContaining([expect.stringContaining('Coke')]),
    settings: { columns: { sku: 'Item', title: 'Description', pack: 'Pack', pack_price: 'Case price' } },
    questions: [{ code: 'prices', choices: [{ answers: { prices: 'net' } }, { answers: { prices: 'gross' } }] }],
  })
  const catalog = looked.body.preview.settings
  const added = await service.owner('POST', '/connections', { ...PRICES_ONLY, settings: { catalog } })
  expect(added.status).toBe(201)
  const kept = await bring(service, LIST)
  expect([kept.status, kept.body.file]).toMatchObject([200, { kind: 'price_list', name: 'list.csv', state: 'used' }])
  expect(await offered(service)).toEqual([
    ['Coke', 100],
    ['Tea', 50],
  ])
  await other.ctx.connectionsHome?.refresh()
  expect(await offered(other)).toHaveLength(2)
  // The same bytes are the same file; others take its place.
  const again = await bring(service, LIST)
  expect(again.body.file.id).toBe(kept.body.file.id)
  service.clock.advance(61_000)
  await bring(service, LIST.replace('6.00', '9.00'), { file: 'new.csv' })
  expect(await offered(service)).toContainEqual(['Tea', 75])
  const { body } = await service.get('/connections/depot-supply/files')
  expect(body.files.map(({ name, state }: Json) => [name, state])).toEqual([
    ['new.csv', 'used'],
    ['list.csv', 'replaced'],
  ])
})

test('a messy workbook is read, and one answer changes one thing', async () => {
  const service = await startHosted()
  const book = xlsx({
    name: 'Prices',
    rows: [
      ['NORTHWIND wholesale'],
      [],
      ['Art. no', 'Product', 'Unit', 'Price A', 'Price B'],
      ['100', 'Cola 0.33', 'case of 24', 12.5, 14],
      ['101', 'Water', 'case of 12', 4.2, 5],
    ],
  })
  const first = await bring(service, book, { dry: true, file: 'Preisliste März.xlsx' })
  expect([first.status, first.body.preview.usable]).toEqual([200, true])
  const answers = { columns: { pack_price: 'Price B' }, prices: 'gross' }
  const second = await bring(service, book, { dry: true, fields: { answers: JSON.stringify(answers) } })
  expect(second.body.preview.settings.columns).toMatchObject({ title: 'Product', pack_price: 'Price B' })
  expect(second.body.preview.examples[0]).toContain('14.00')
})

test('a wholesaler’s workbook: only what is certain can be ordered, the rest is asked or named by its cell', async () => {
  const service = await startHosted()
  const others = Array.from({ length: 12 }, (_, i) => [`9${i}`, `CHIPS ${i}`, '24 ct', 24, null, 'Y'])
  const rows = [
    [{ merged: 'GREAT LAKES WHOLESALE, all prices excl. tax', over: 6 }],
    ['Item #', 'Description', 'Pk/Sz', 'Case $', 'Unit $', 'Avail'],
    ['1', 'COKE', '24/12oz', 10.25, 0.43, 'Y'],
    ['2', 'V8', '4/6/12oz', 15, 0.62, 'Y'],
    ['3', 'TWIX', '12/24ct', 26.49, 0.09, 'Y'],
    ['4', 'PEPSI', '12/16 OZ', 22.74, 1.895, 'LTD'],
    ['5', 'BAKED LAYS', '64/1.5oz', 'MKT', 0.28, 'Y'],
    ['6', 'FUNYUNS', '24 ct', 12, null, 'DISC'],
    ['7', 'RED BULL', 'CS', 24, 1, 'OUT'],
    ['8', 'SPRITE', '24/12oz', '15.93/cs', null, 'Y'],
    ['9', 'A&W', '24/12oz', 18, 1.5, 'Y'],
    ['10', 'QUAKER', '12/8ct', 30, null, 'Y'],
    ['11', 'BELVITA', '12/8ct', 28.8, 0.3, 'Y'],
    ...others,
    [null, 'AVG CASE $', null, 24.87],
  ]
  const book = xlsx({ name: 'Zone 3', rows })
  const { body } = await bring(service, book, { dry: true, file: 'prices.xlsx' })
  expect(body.preview).toMatchObject({
    settings: {
      columns: { pack: 'Pk/Sz', pack_price: 'Case $', each_price: 'Unit $', on_shelf: 'Avail' },
    },
    summary:
      '15 products; 2 not for sale; 5 wait for the size of their pack; 1 product left out; 1 row without a product',
    left_out: [{ where: 'row 7, 5', reason: 'its pack price is no amount: "MKT" in the column "Case $"' }],
    left_out_count: 1,
  })
  expect(body.preview.notes).toContain('2 products not for sale by the list ("DISC", "OUT" in the column "Avail")')
  const settings = { catalog: body.preview.settings }
  const added = await service.owner('POST', '/connections', { ...PRICES_ONLY, settings })
  expect([added.status, (await bring(service, book, { file: 'prices.xlsx' })).status]).toEqual([201, 200])
  const sold = async () => {
    const page = { filters: { namespace: 'depot-supply' }, pagination: { limit: 50 } }
    const found = (await service.post('/catalog/search', page)).body.products
    return found.flatMap(({ title, variants: [{ price, availability }] }: Json) =>
      title.startsWith('CHIPS') || !availability.available ? [] : [[title, price.amount]],
    )
  }
  expect((await sold()).toSorted()).toEqual([
    ['COKE', 43],
    ['PEPSI', 190],
    ['SPRITE', 66],
  ])
  const packs = '/connections/depot-supply/packs'
  const asked = (await service.get(packs)).body.packs
  expect(asked.map(({ title, reason, suggested }: Json) => [title, reason, suggested])).toEqual([
    ['TWIX', 'unknown_size', undefined],
    ['QUAKER', 'unknown_size', undefined],
    // 93 to 99 fit 30 cents.
    ['BELVITA', 'unknown_size', undefined],
    ['A&W', 'prices_disagree', 12],
    ['V8', 'unknown_size', 24],
  ])
  const connection = (await service.get('/connections')).body.connections.find(
    ({ namespace }: Json) => namespace === 'depot-supply',
  )
  expect([connection.waiting_packs, connection.refused_count]).toEqual([5, 6])
  expect(connection.refused_rows).toContainEqual(
    expect.objectContaining({ row: 7, id: '5', problem: 'its pack price is no amount: "MKT" in the column "Case $"' }),
  )
  // One word counts for every row with this text, also beside a price of one.
  expect((await service.owner('PUT', packs, { text: '12/8ct', contains: 96 })).body.waiting_count).toBe(3)
  const doubted = await service.owner('PUT', packs, { text: '24/12oz', contains: 24 })
  expect([doubted.status, doubted.body.messages[0]]).toMatchObject([
    400,
    { code: 'confirmation_required', content: expect.stringContaining('says 12.') },
  ])
  expect((await sold()).map(([title]: Json) => title).toSorted()).toEqual([
    'BELVITA',
    'COKE',
    'PEPSI',
    'QUAKER',
    'SPRITE',
  ])
})

test('an operator brings lists; how they are read stays with the owner; drivers and viewers bring nothing', async () => {
  const service = await startHosted()
  await service.owner('POST', '/connections', PRICES_ONLY)
  const operator = await addKey(service, 'operator')
  const brought = await bring(service, LIST, { token: operator.key })
  expect([brought.status, brought.body.file.received_by]).toEqual([200, 'agent'])
  const answers = { answers: JSON.stringify({ columns: { pack_price: 'Item' } }) }
  const forged = await bring(service, LIST.replace('Coke', 'Cola'), { token: operator.key, fields: answers })
  expect([forged.status, forged.body.messages[0].code]).toEqual([403, 'forbidden'])
  expect(await offered(service)).toContainEqual(['Coke', 100])
  for (const role of ['driver', 'viewer', 'bridge'] as const) {
    const { key } = await addKey(service, role)
    expect((await bring(service, LIST, { token: key })).status).toBe(403)
  }
  const cookie = { cookie: `service_auth=${service.ownerKey}`, origin: 'https://evil.example' }
  const { payload, headers } = form([
    { name: 'kind', data: 'price_list' },
    { file: 'x.csv', data: LIST.replace('Coke', 'Evil') },
  ])
  const stolen = await service.server.inject({
    method: 'POST',
    url: '/ucp/v1/connections/depot-supply/files',
    headers: { ...headers, ...cookie },
    payload,
  })
  expect(stolen.statusCode).toBe(403)
  expect(await offered(service)).toContainEqual(['Coke', 100])
})

test('an owner stores the answers with the file', async () => {
  const service = await startHosted()
  await service.owner('POST', '/connections', PRICES_ONLY)
  await bring(service, LIST)
  const moved = 'No,Name,Size,Price\n1,Coke,24/CS,26.00\n2,Tea,12/CS,6.00\n'
  const answers = JSON.stringify({ columns: { sku: 'No', title: 'Name', pack: 'Size', pack_price: 'Price' } })
  const kept = await bring(service, moved, { fields: { answers } })
  expect(kept.status).toBe(200)
  expect((await service.owner('GET', '/connections/depot-supply')).body.settings.catalog.columns.title).toBe('Name')
  service.clock.advance(61_000)
  expect(await offered(service)).toContainEqual(['Coke', 108])
})

test('a price that moved more than three times waits for the word of an owner', async () => {
  const service = await startHosted()
  const rows = (coke: string) =>
    `Item,Description,Pack,Case price\n1,Coke,24/CS,${coke}\n${[2, 3, 4, 5, 6].map((n) => `${n},Tea ${n},12/CS,6.00`).join('\n')}\n`
  await service.owner('POST', '/connections', PRICES_ONLY)
  await bring(service, rows('24.00'))
  const operator = await addKey(service, 'operator')
  await bring(service, rows('240.00'), { token: operator.key })
  service.clock.advance(61_000)
  expect((await offered(service)).map(([title]: Json) => title)).not.toContain('Coke')
  expect((await service.get('/connections')).body.connections[0].waiting_packs).toBe(1)
  const word = { text: '24/CS', contains: 24, sku_ids: ['depot-supply:1'] }
  expect((await service.as(operator.key)('PUT', '/connections/depot-supply/packs', word)).status).toBe(403)
  expect((await service.owner('PUT', '/connections/depot-supply/packs', word)).status).toBe(200)
  expect(await offered(service)).toContainEqual(['Coke', 1000])
})

describe('hostile input', () => {
  const start = async () => {
    const service = await startHosted()
    await service.owner('POST', '/connections', PRICES_ONLY)
    return service
  }
  const post = (service: Service, sent: ReturnType<typeof form>) =>
    send(service, service.ownerKey, '/connections/depot-supply/files', sent)
  const KIND = { name: 'kind', data: 'price_list' }

  test.each([
    ['no file', [KIND], 'file is required'],
    ['no kind', [{ file: 'a.csv', data: LIST }], 'kind is required'],
    ['two files', [KIND, { file: 'a', data: LIST }, { file: 'b', data: LIST }], 'Send one file at a time'],
    ['a field twice', [KIND, KIND, { file: 'a', data: LIST }], 'twice'],
    ['a text instead of a file', [KIND, { name: 'file', data: LIST }], 'file must be a file'],
    ['another field', [KIND, { name: 'other', file: 'a', data: LIST }], 'The file must be in the field "file"'],
    ['an empty file', [KIND, { file: 'a.csv', data: '' }], 'The file is empty'],
    [
      'an unknown kind',
      [
        { name: 'kind', data: 'virus' },
        { file: 'a', data: LIST },
      ],
      'kind must be one of',
    ],
    [
      'a kind of other connections',
      [
        { name: 'kind', data: 'dex' },
        { file: 'a', data: LIST },
      ],
      'takes no file of the kind dex',
    ],
    [
      'answers that are no JSON',
      [KIND, { name: 'answers', data: '{' }, { file: 'a', data: LIST }],
      'answers must be a JSON object',
    ],
    [
      'answers of the wrong kind',
      [
        KIND,
        { name: 'answers', data: '{"columns":{"title":5},"skip_rows":"x","encoding":"y"}' },
        { file: 'a', data: LIST },
      ],
      'must be',
    ],
    ['an old workbook', [KIND, { file: 'a.xls', data: Buffer.from('d0cf11e0a1b11ae1' + '00'.repeat(600), 'hex') }], ''],
    [
      'a zip bomb',
      [
        KIND,
        {
          file: 'a.xlsx',
          data: Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), gzipSync(Buffer.alloc(1_000_000))]),
        },
      ],
      '',
    ],
    ['no list', [KIND, { file: 'a.csv', data: 'hello world' }], 'no row of the list looks like a header'],
  ] satisfies [string, Part[], string][])('%s', async (_name, parts, words) => {
    const service = await start()
    const { status, body } = await post(service, form(parts))
    expect([status, body.ucp.status]).toEqual([400, 'error'])
    expect(body.messages[0].content).toContain(words)
    expect((await service.get('/connections/depot-supply/files')).body.files).toEqual([])
  })

  test('17 MB, JSON, and a form that is cut', async () => {
    const service = await start()
    const large = await post(service, form([KIND, { file: 'a.csv', data: Buffer.alloc(17 * 1024 * 1024, 65) }]))
    expect([large.status, large.body.messages[0]]).toMatchObject([
      413,
      { code: 'request_too_large', content: 'The file is larger than 16 MB' },
    ])
    const json = await service.owner('POST', '/connections/depot-supply/files', { kind: 'price_list' })
    expect([json.status, json.body.messages[0].content]).toEqual([400, 'The content type must be multipart/form-data'])
    const { payload, headers } = form([KIND, { file: 'a.csv', data: LIST }])
    const cut = await post(service, { payload: payload.subarray(0, payload.length - 30), headers })
    expect([cut.status, cut.body.messages[0].content]).toEqual([400, 'The form cannot be read'])
    const elsewhere = await send(service, service.ownerKey, '/connections', form([KIND]))
    expect([elsewhere.status, elsewhere.body.messages[0].content]).toEqual([
      400,
      'The content type must be application/json',
    ])
  })

  test('a name is only a name', async () => {
    const service = await start()
    const { body } = await bring(service, LIST, { file: '../../../etc/cron.d/evil' })
    expect(body.file.name).toBe('evil')
  })
})

test('DEX files: what was read is shown, and the machine is read from the file', async () => {
  const dex = dexFile(['ID1*ASSET*MODEL*1', 'ID4*2*1156', 'VA1*300*3*300*3', 'PA1*1*100', 'PA2*3*300*3*300'])
  const service = await startHosted()
  const machines = [{ location: 'M1', file: '*' }]
  const added = await service.owner('POST', '/connections', {
    namespace: 'depot-machine',
    adapter: 'eva-dts',
    settings: { machines, clock: 'received' },
  })
  expect(added.status).toBe(201)
  const options = { namespace: 'depot-machine', kind: 'dex', file: 'gym.dex' }
  const looked = await bring(service, dex, { ...options, dry: true })
  expect(looked.body.preview).toMatchObject({ usable: true, tables: [{ title: 'selections' }] })
  const kept = await bring(service, dex, options)
  expect(kept.body.file.state).toBe('used')
  const plan = 'location,selection,sku,title\nM1,1,COKE,Coke\n'
  const planned = await bring(service, plan, { ...options, kind: 'planogram', file: 'plan.csv' })
  expect([planned.status, planned.body.file?.summary]).toEqual([200, '1 selection of 1 machine'])
  const wrong = await bring(service, 'a,b\n1,2\n', { ...options, kind: 'planogram' })
  expect([wrong.status, wrong.body.messages[0].content]).toEqual([400, expect.stringContaining('it has no column')])
})

test('an article that costs more than its product sells for is asked about with both numbers, and stays as it is', async () => {
  const service = await startHosted()
  const settings = { machines: [{ location: 'M1', file: '*' }], clock: 'received' }
  await service.owner('POST', '/connections', { namespace: 'depot-machine', adapter: 'eva-dts', settings })
  await service.owner('POST', '/connections', PRICES_ONLY)
  const machine = { namespace: 'depot-machine', kind: 'dex', file: 'gym.dex' }
  const dex = ['ID1*ASSET*MODEL*1', 'ID4*2*1156', 'VA1*300*3*300*3', 'PA1*1*150', 'PA2*3*300*3*300']
  await bring(service, dexFile(dex), machine)
  const plan = 'location,selection,sku,title\nM1,1,COKE,Coke\n'
  await bring(service, plan, { ...machine, kind: 'planogram', file: 'plan.csv' })
  await service.owner('PUT', '/locations/M1', { name: 'Gym' })
  service.clock.advance(3_600_000)
  expect((await service.owner('POST', '/locations/sync')).body).toMatchObject({ products: 1 })
  await bring(service, LIST)
  const looked = async (list: string): Promise<readonly string[]> =>
    (await bring(service, list, { dry: true })).body.preview.notes
  const dear = LIST.replace('24.00', '48.00')
  // Nothing says yet that they are the same product.
  expect(await looked(dear)).toEqual([])
  const linked = await service.owner('PUT', '/skus/depot-machine:COKE/aliases', {
    aliases: [{ sku_id: 'depot-supply:1', source: 'manual' }],
  })
  expect(linked.status, linked.text).toBe(200)
  expect(await looked(LIST)).toEqual([])
  expect(await looked(LIST.replace('24.00', '36.00')), 'as dear as it sells for').toEqual([])
  expect(await looked(dear)).toEqual([
    'Coke (1): one costs ¥2.00 in this list and sells for ¥1.50. Is the size of its pack right?',
  ])
  service.clock.advance(61_000)
  await bring(service, dear, { file: 'dear.csv' })
  expect(await offered(service)).toContainEqual(['Coke', 200])
})

describe('a reply', () => {
  async function ordered() {
    const service = await startHosted({ options: { config: { env: 'live' } } })
    const settings = {
      ...LIST_SETTINGS,
      order: { via: 'http', format: 'cxml', url: 'http://127.0.0.1:9', buyer: { name: 'Route One' } },
    }
    await service.owner('POST', '/connections', { ...PRICES_ONLY, settings })
    await bring(service, LIST)
    const order = {
      attempt: 1,
      ref: 'po_1',
      state: 'sent',
      startedAt: 1,
      document: '',
      hash: '',
      sender: '',
      lines: [
        {
          lineNumber: 1,
          vendorSku: '1',
          title: 'Coke',
          quantity: 5,
          unit: 'pack',
          contains: 24,
          unitPrice: 2400,
          amount: 12_000,
        },
      ],
      total: 12_000,
    }
    await service.ctx.store.db
      .insertInto('vendor_memory')
      .values({ namespace: 'depot-supply', key: 'order/po_1', value: JSON.stringify(order), version: 1 })
      .execute()
    return service
  }
  const reply = (quantity: number) => `po,status,sku,qty\npo_1,changed,1,${quantity}\n`
  const options = { kind: 'reply', file: 'reply.csv' }

  test('that lowers an order waits for the owner; the operator cannot decide it', async () => {
    const service = await ordered()
    const operator = await addKey(service, 'operator')
    const looked = await bring(service, reply(2), { ...options, token: operator.key, dry: true })
    expect(looked.body.preview).toMatchObject({ usable: true, waits_for_owner: true })
    const { body } = await bring(service, reply(2), { ...options, token: operator.key })
    expect(body.file.state).toBe('waiting')
    const status = async () => {
      const vendor = service.ctx.vendors.supply('depot-supply' as never)
      return vendor.ok ? vendor.value.orderStatus('po_1') : undefined
    }
    expect(await status()).not.toHaveProperty('value.lines')
    const path = `/connections/depot-supply/files/${body.file.id}`
    expect((await service.as(operator.key)('PUT', path, { use: true })).status).toBe(403)
    expect((await service.call('PUT', path, { body: { use: true } })).status).toBe(403)
    expect((await service.owner('PUT', path, { use: true })).body.file.state).toBe('used')
    expect(await status()).toMatchObject({ value: { lines: [{ vendorSku: '1', cancelled: 3 }] } })
    expect((await service.owner('PUT', path, { use: true })).status).toBe(409)
  })

  test('with an unknown word asks what it means; once the settings say it, the same file is read', async () => {
    const service = await ordered()
    const short = reply(2).replace('changed', 'short')
    const question = 'Row 2: what does “short” mean?'
    const looked = await bring(service, short, { ...options, dry: true })
    const { usable, summary, questions } = looked.body.preview
    expect([usable, summary, questions[0].code, questions[0].choices]).toEqual([
      false,
      question,
      'reply_word',
      ['accepted', 'changed', 'rejected', 'shipped'].map((meaning) => ({
        label: expect.any(String),
        answers: { order: { reply_words: { short: meaning } } },
      })),
    ])
    const refused = await bring(service, short, options)
    expect([refused.status, refused.body.messages[0].content]).toEqual([400, question])
    const path = '/connections/depot-supply'
    const { settings } = (await service.owner('GET', path)).body
    const order = { ...settings.order, ...questions[0].choices[1].answers.order }
    expect((await service.owner('PUT', path, { settings: { ...settings, order } })).status).toBe(200)
    const read = await bring(service, short, { ...options, dry: true })
    expect(read.body.preview).toMatchObject({
      usable: true,
      summary: 'po_1: Accepted by the supplier with changes (Coke: 2 instead of 5 packs of 24)',
      questions: [],
    })
    // What was shipped and what comes later are one answer: nothing gets less.
    const later = 'po,sku,qty,shipped,b/o\npo_1,1,5,3,2\n'
    const partly = await bring(service, later, { ...options, dry: true })
    expect(partly.body.preview).toMatchObject({ summary: 'po_1: On the way', waits_for_owner: false })
  })

  test('that confirms it is used at once, and one about a foreign order is refused', async () => {
    const service = await ordered()
    const operator = await addKey(service, 'operator')
    const { body } = await bring(service, reply(5), { ...options, token: operator.key })
    expect(body.file.state).toBe('used')
    const foreign = await bring(service, reply(5).replace('po_1', 'po_9'), { ...options, token: operator.key })
    expect([foreign.status, foreign.body.messages[0].content]).toEqual([400, expect.stringContaining('never sent')])
  })
})

test('files of machines that nobody listed name them; once they are taken in, their files count', async () => {
  const service = await startHosted()
  const add = { namespace: 'route-machine', adapter: 'eva-dts', settings: {} }
  expect((await service.owner('POST', '/connections', add)).status).toBe(201)
  const reading = (vends: number, time: string) =>
    dexFile([
      'ID1*SN77*Model 5*0***A 19*6',
      `VA1*${vends * 150}*${vends}*0*0`,
      `EA3*4*260909*${time}`,
      'PA1*A1*150*Cola',
      `PA2*${vends}*${vends * 150}*0*0`,
    ])
  const options = { namespace: 'route-machine', kind: 'dex', file: 'one.dex' }
  const looked = await bring(service, reading(10, '0700'), { ...options, dry: true })
  expect(looked.body.preview).toMatchObject({ usable: true })
  expect(looked.body.preview.summary).toContain('New: Model 5 A 19')
  for (const [vends, time] of [
    [10, '0700'],
    [14, '1900'],
  ] as const)
    await bring(service, reading(vends, time), { ...options, fields: { written_at: '2026-09-09T12:00:00Z' } })
  const listed = async () => (await service.owner('GET', '/namespaces/route-machine/locations')).body.locations
  expect(await listed()).toMatchObject([
    { id: 'A-19', name: 'Model 5 A 19', registered: false, entry: { location: 'A-19', ID106: 'A 19' } },
  ])
  const taken = { settings: { machines: [{ location: 'A-19', ID106: 'A 19' }, { location: 'corner' }] } }
  expect((await service.owner('PUT', '/connections/route-machine', taken)).status).toBe(200)
  for (const id of ['A-19', 'corner'])
    expect((await service.owner('PUT', `/locations/${id}`, { name: id, namespace: 'route-machine' })).status).toBe(200)
  expect((await service.owner('POST', '/locations/sync')).body).toMatchObject({ locations: 2, slots: 1, sales: 4 })
  // No file will ever come of the second: that is nothing to complain about.
  const { body } = await service.owner('POST', '/locations/lookup', { ids: ['corner'] })
  expect(body.locations[0].health.problems).toEqual([])
  expect((await listed()).every(({ entry, registered }: Json) => registered && entry === undefined)).toBe(true)
})

test('a machine that is read once a week has its true rate from the second reading on, also between two readings', async () => {
  const service = await startHosted()
  const settings = { machines: [{ location: 'W1', file: '*.dex' }] }
  await service.owner('POST', '/connections', { namespace: 'route-machine', adapter: 'eva-dts', settings })
  await service.owner('PUT', '/locations/W1', { name: 'W1', namespace: 'route-machine' })
  const PER_WEEK = { A1: 12, A2: 6, A3: 3 }
  const begun = service.clock.now()
  const bringReading = async (week: number) => {
    // The machine's clock, in the zone of the deployment.
    const date = new Date(service.clock.now() + 8 * 3_600_000).toISOString()
    const meters = Object.entries(PER_WEEK).map(([code, sold]) => ({ code, vends: 500 + sold * week }))
    const total = meters.reduce((sum, { vends }) => sum + vends, 0)
    const file = dexFile([
      'ID1*SN77*Model 5*0***W-1*6',
      `VA1*${total * 151 + week}*${total}*0*0`,
      `EA3*${week}*${date.slice(2, 10).replaceAll('-', '')}*${date.slice(11, 16).replace(':', '')}`,
      ...meters.flatMap(({ code, vends }) => [
        `PA1*${code}*151`,
        `PA2*${vends}*${vends * 151 + (code === 'A1' ? week : 0)}*0*0`,
      ]),
    ])
    const options = { namespace: 'route-machine', kind: 'dex', file: `${week}.dex` }
    expect(
      (await bring(service, file, { ...options, fields: { written_at: new Date(service.clock.now()).toISOString() } }))
        .status,
    ).toBe(200)
    service.clock.advance(15_000)
    await service.owner('POST', '/locations/sync')
    service.clock.advance(15_000)
    await service.job('backfill-ledger')
  }
  const rates = async () => {
    const { body } = await service.owner('GET', '/replenishment/plan')
    return body.plans.map(({ demand }: Json) => (demand.measured ? demand.daily_rate : null))
  }
  const near = Object.values(PER_WEEK).map((sold) => expect.closeTo(sold / 7, 0.5))
  await bringReading(0)
  for (const code of Object.keys(PER_WEEK)) {
    const counted = await service.owner('PUT', `/locations/W1/slots/W1-sel-W1-${code}`, { stock: 0 })
    expect(counted.status).toBe(200)
  }
  for (let week = 1; week <= 4; week++) {
    service.clock.advance(7 * 24 * 3_600_000 - 30_000)
    await bringReading(week)
    expect(await rates(), `after week ${week}`).toEqual(near)
    service.clock.advance(4 * 24 * 3_600_000)
    expect(await rates(), `in the week after ${week}`).toEqual(near)
    service.clock.advance(-4 * 24 * 3_600_000)
  }
  const rows = await service.ctx.store.db.selectFrom('sale_line').select(['at', 'price_fen', 'order_no']).execute()
  expect(rows).toHaveLength(4 * 21)
  expect(new Set(rows.map(({ order_no }) => order_no)).size).toBe(4 * 21)
  expect(rows.reduce((sum, { price_fen }) => sum + price_fen, 0)).toBe(4 * (21 * 151 + 1))
  expect(rows.every(({ at }) => at > begun && at < service.clock.now())).toBe(true)
  const days = await service.ctx.store.db.selectFrom('sales_daily').select(['day', 'units']).execute()
  const perDay = Map.groupBy(days, ({ day }) => day)
  expect(perDay.size).toBeGreaterThanOrEqual(28)
  const busiest = Math.max(...[...perDay.values()].map((all) => all.reduce((sum, { units }) => sum + units, 0)))
  expect(busiest, 'no day of a week has more than its share').toBeLessThanOrEqual(5)
})

test('an order without e-mail: a person downloads it, sends it and says so; it is never two orders', async () => {
  const service = await startHosted()
  const order = { via: 'hand', format: 'csv', buyer: { name: 'Route One' } }
  const settings = { ...LIST_SETTINGS, order }
  expect((await service.owner('POST', '/connections', { ...PRICES_ONLY, settings })).status).toBe(201)
  await bring(service, LIST)
  const { body: created } = await service.owner('POST', '/checkout-sessions', {
    line_items: [{ item: { id: 'depot-supply:1' }, quantity: 2, quantity_unit: { unit: 'BX' } }],
    fulfillment: SHIPPING,
  })
  const path = `/checkout-sessions/${created.id}`
  const complete = () => service.owner('POST', `${path}/complete`, { confirm: true })
  const first = await complete()
  expect([first.status, first.body.status, first.body.messages[0].code]).toEqual([
    200,
    'complete_in_progress',
    'handoff',
  ])
  const { order_document: document } = first.body
  expect(document).toMatchObject({ file_name: `${created.id}.csv`, media_type: expect.stringContaining('text/csv') })
  expect(document.content).toContain(created.id)
  expect(document.content).toContain('Coke')
  expect((await complete()).body.order_document, 'the same again, and no second attempt').toEqual(document)
  service.clock.advance(5 * 3_600_000)
  await service.job('effects.purchase')
  expect((await service.owner('GET', path)).body.order_document).toEqual(document)
  expect((await service.owner('GET', `/orders/${created.id}`)).status, 'nothing was bought yet').toBe(404)
  const not = await service.owner('POST', `${path}/outcome`, { placed: false })
  expect([not.body.status, not.body.order_document]).toEqual(['ready_for_complete', undefined])
  const second = (await complete()).body.order_document
  expect(second.file_name).toBe(`${created.id}.csv`)
  expect(second.content).toContain('Deliver to: ')
  const sent = await service.owner('POST', `${path}/outcome`, { placed: true })
  // A mail may be lost: what was sent can be sent again.
  expect([sent.body.status, sent.body.order_document]).toEqual(['completed', second])
  const { status, body } = await service.owner('GET', `/orders/${created.id}`)
  expect([status, body.supplier_status.mapped]).toEqual([200, 'ordered'])
  expect((await audit(service.ctx, { askSupplier: true })).problems).toEqual([])
  // The supplier calls: it does not deliver.
  const never = await service.owner('POST', `${path}/outcome`, { placed: false, canceled: true })
  expect([never.status, never.body.messages[0].path]).toEqual([400, '$.placed'])
  const byToken = await service.post(`${path}/outcome`, { placed: true, canceled: true })
  expect(byToken.status, 'only the owner').toBe(403)
  for (let again = 0; again < 2; again++) {
    const canceled = await service.owner('POST', `${path}/outcome`, { placed: true, canceled: true })
    expect([canceled.status, canceled.body.status]).toEqual([200, 'completed'])
  }
  service.clock.advance(3_600_000)
  const gone = (await service.owner('GET', `/orders/${created.id}`)).body
  expect(gone).toMatchObject({
    supplier_status: { mapped: 'cancelled' },
    line_items: [{ status: 'removed' }],
    adjustments: [{ type: 'cancellation' }],
  })
  expect((await service.owner('POST', `/orders/${created.id}/receive`)).status).toBe(409)
  expect((await audit(service.ctx, { askSupplier: true })).problems).toEqual([])
  // While the emergency stop is on, no document is written.
  const { body: other } = await service.owner('POST', '/checkout-sessions', {
    line_items: [{ item: { id: 'depot-supply:2' }, quantity: 1, quantity_unit: { unit: 'BX' } }],
    fulfillment: SHIPPING,
  })
  await service.owner('POST', '/guardrails/stop', { reason: 'test' })
  const stopped = await service.owner('POST', `/checkout-sessions/${other.id}/complete`, { confirm: true })
  expect([stopped.status, stopped.body.order_document]).toEqual([409, undefined])
})

describe('the selections of a machine', () => {
  const SELECTIONS = '/connections/route-machine/locations/M1/selections'
  const COLA = { sku: 'depot-1', title: 'Cola, "0.33"', barcode: '4006381333931' }
  async function withMachine() {
    const service = await startHosted()
    const settings = { machines: [{ location: 'M1', file: '*.dex' }, { location: 'M2' }] }
    await service.owner('POST', '/connections', { namespace: 'route-machine', adapter: 'eva-dts', settings })
    await service.owner('PUT', '/locations/M1', { name: 'M1', namespace: 'route-machine' })
    const reading = (vends: number, time: string) =>
      dexFile([
        'ID1*SN77*Model 5*0***A-19*6',
        `VA1*${vends * 150}*${vends}*0*0`,
        `EA3*4*260909*${time}`,
        'PA1*01*150',
        `PA2*${vends}*${vends * 150}*0*0`,
        'PA1*02*200',
        'PA2*0*0*0*0',
      ])
    for (const [vends, time] of [
      [10, '0700'],
      [14, '1900'],
    ] as const)
      await bring(service, reading(vends, time), {
        namespace: 'route-machine',
        kind: 'dex',
        file: 'one.dex',
        fields: { written_at: '2026-09-09T12:00:00Z' },
      })
    const report = await service.owner('POST', '/locations/sync')
    expect(report.body).toMatchObject({ slots: 2, sales: 4 })
    const slots = async () => {
      const filters = { namespace: 'route-machine', location: 'M1' }
      const { body } = await service.owner('POST', '/catalog/search', { filters })
      return body.products.map(({ id, title, variants }: Json) => [id, title, variants[0].inventory.capacity ?? null])
    }
    const sold = async () =>
      (await service.owner('GET', '/orders?kind=sale&location=M1')).body.orders.flatMap(({ line_items: lines }: Json) =>
        lines.map(({ item }: Json) => item.id),
      )
    return { service, slots, sold }
  }

  test('are stated one by one: others stay, and sales so far get the first name', async () => {
    const { service, slots, sold } = await withMachine()
    expect(await slots()).toEqual([
      ['route-machine:sel-M1-01', 'Selection 01', null],
      ['route-machine:sel-M1-02', 'Selection 02', null],
    ])
    expect(new Set(await sold())).toEqual(new Set(['route-machine:sel-M1-01']))
    const named = await service.owner('PUT', SELECTIONS, {
      selections: [{ selection: '01', product: COLA, capacity: 12 }],
    })
    expect([named.status, named.body.selections]).toEqual([200, [{ selection: '01', ...COLA, capacity: 12 }]])
    const other = { sku: 'own', title: 'Tea' }
    await service.owner('PUT', SELECTIONS, { selections: [{ selection: '02', product: other, price: 205 }] })
    await service.owner('POST', '/locations/sync')
    expect(await slots()).toEqual([
      ['route-machine:depot-1', 'Cola, "0.33"', 12],
      ['route-machine:own', 'Tea', null],
    ])
    await expect.poll(async () => new Set(await sold())).toEqual(new Set(['route-machine:depot-1']))
    // Another product later leaves what was sold before to the first.
    await service.owner('PUT', SELECTIONS, { selections: [{ selection: '01', product: { sku: 'new', title: 'New' } }] })
    await service.owner('POST', '/locations/sync')
    expect(new Set(await sold())).toEqual(new Set(['route-machine:depot-1']))
    const gone = await service.owner('PUT', SELECTIONS, { selections: [{ selection: '01', product: null }] })
    expect(gone.body.selections).toEqual([{ selection: '02', ...other, price: 205 }])
  })

  test.each([
    [
      'twice',
      {
        selections: [
          { selection: '1', product: COLA },
          { selection: ' 1 ', product: COLA },
        ],
      },
      400,
      'invalid',
    ],
    ['a colon', { selections: [{ selection: '1', product: { ...COLA, sku: 'a:b' } }] }, 400, 'invalid'],
    ['a capacity of 0', { selections: [{ selection: '1', product: COLA, capacity: 0 }] }, 400, 'invalid'],
    ['nothing', { selections: [] }, 400, 'invalid'],
  ])('%s is refused and changes nothing', async (_, body, status, code) => {
    const { service, slots } = await withMachine()
    const before = await slots()
    const answer = await service.owner('PUT', SELECTIONS, body)
    expect([answer.status, answer.body.messages[0].code]).toEqual([status, code])
    expect(await slots()).toEqual(before)
  })

  test('of a planogram with rows that cannot be read are not rewritten', async () => {
    const { service } = await withMachine()
    const plan = 'location,selection,sku,title,capacity\nM1,01,COKE,Coke,12\nM1,02,TEA,Tea,many\n'
    const brought = await bring(service, plan, { namespace: 'route-machine', kind: 'planogram', file: 'plan.csv' })
    expect(brought.body.preview.left_out).toEqual([{ where: 'row 3', reason: 'the capacity cannot be read' }])
    const answer = await service.owner('PUT', SELECTIONS, { selections: [{ selection: '01', product: COLA }] })
    expect([answer.status, answer.body.messages[0].code]).toEqual([409, 'conflict'])
    const none = await service.owner('PUT', SELECTIONS.replace('route', 'other'), {
      selections: [{ selection: '01', product: COLA }],
    })
    expect(none.status).toBe(404)
  })
})
