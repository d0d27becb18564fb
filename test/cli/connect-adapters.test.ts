/** `vendops connect` asks for everything that an adapter needs, reads the vendor once and writes the file, for each adapter. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../../src/cli/cli.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { EXIT } from '../../src/cli/exit.ts'
import { memoryTerminal } from '../../src/cli/memory-terminal.test-support.ts'
import { ADAPTERS } from '../../src/vendors/adapters.ts'
import { dexFile } from '../../src/vendors/eva-dts/dex-file.test-support.ts'
import { xlsx } from '../support/workbooks.ts'
import { UCP_CARD, ucpMerchant, UCP_TOKEN } from '../contracts/ucp-merchant.ts'

/** Answers by the start of the question, one after another where it is asked again; every other one gets an empty line. */
type Answers = Readonly<Record<string, string | readonly string[]>>

async function connect(adapter: string, namespace: string, answers: Answers, variables: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-connect-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['out', 'in', 'dex']) mkdirSync(join(folder, name))
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, 'latin1')
    utimesSync(join(folder, name), Date.now() / 1000 - 60, Date.now() / 1000 - 60)
  }
  write('list.csv', 'SKU,Name,Pack,Case\nCOLA,Cola,24/CS,12.00\n')
  const rows = [['Wholesale Inc.'], [], ['Item', 'Description', 'Size', 'Price'], [1, 'Cola', '24/CS', 13.49]]
  write('prices.xlsx', xlsx({ name: 'Info', rows: [['Hello']] }, { name: 'Prices', rows }).toString('latin1'))
  write(
    'catalogue.xml',
    '<?xml version="1.0"?><Catalogue><CatalogueLine><OrderableUnit>EA</OrderableUnit><RequiredItemLocationQuantity><Price><PriceAmount currencyID="USD">1.50</PriceAmount></Price></RequiredItemLocationQuantity><Item><Name>Tea</Name><SellersItemIdentification><ID>T</ID></SellersItemIdentification></Item></CatalogueLine></Catalogue>',
  )
  write('book.xlsx', 'PK\u0003\u0004 and the rest of a workbook')
  write('sales.csv', 'Asset,When,Item,Price\nM1,2026-11-09 08:15,COLA,1.50\n')
  write('planogram.csv', 'Asset,Item,Name,Price\nM1,COLA,Cola,1.50\n')
  write('dex/one.dex', dexFile(['ID1*SN77*Model 5*0***A-19*6', 'VA1*750*5*0*0', 'PA1*A1*150*Cola', 'PA2*5*750*0*0']))
  const file = join(folder, 'vendors.json')
  const terminal = memoryTerminal()
  const questions: string[] = []
  const answerTo = (question: string): string => {
    const all = Object.entries({ ...answers, 'Right?': answers['Right?'] ?? 'yes' })
    const [start = '', answer = ''] = all.find(([begin]) => question.startsWith(begin)) ?? []
    const times = questions.filter((asked) => start !== '' && asked.startsWith(start)).length
    return typeof answer === 'string' ? answer : (answer[times - 1] ?? '')
  }
  const asking = {
    ...terminal,
    ask: async (question: string) => {
      questions.push(question)
      return answerTo(question)
    },
  }
  const exit = await runCli(['connect', namespace, '--adapter', adapter, '--file', file], {
    commands: COMMANDS,
    terminal: asking,
    env: { CURRENCY: 'USD', ...variables },
    signal: new AbortController().signal,
  })
  return {
    file,
    exit,
    questions,
    out: terminal.stdout,
    // Without the suggestion of what to do next.
    err: terminal.stderr.replace(/^→ vendops doctor .*\n/m, '').replace(/^\S+ has the columns .*\n/m, ''),
    connection: () => JSON.parse(readFileSync(file, 'utf8')).connections[0],
  }
}

test('adapters that read times without an offset, or count days, ask for the time zone; others do not', () => {
  const asking = ADAPTERS.filter(({ prompts = [] }) => prompts.some(({ path }) => path === 'time_zone'))
  expect(asking.map(({ adapter, role }) => `${adapter} ${role}`).toSorted()).toEqual([
    'eva-dts machine',
    'nayax-lynx machine',
    'price-list supply',
    'sheet machine',
  ])
})

test('every adapter has questions, and a path that is asked for twice is asked under exclusive conditions', () => {
  for (const { adapter, prompts = [] } of ADAPTERS) {
    expect(prompts.length, adapter).toBeGreaterThan(0)
    for (const [path, same] of Map.groupBy(prompts, (prompt) => prompt.path)) {
      const values = same.flatMap(({ onlyIf }) => onlyIf?.isOneOf ?? [])
      if (same.length > 1) expect(new Set(values).size, `${adapter} ${path}`).toBe(values.length)
    }
  }
})

const LIST = {
  'Path of the price list': 'list.csv',
  'Price list: header of the column with the article number': 'SKU',
  'Price list: header of the column with the name': 'Name',
  'Price list: header of the column with the pack text': 'Pack',
  'Price list: header of the column with the price of a pack': 'Case',
}

test('a wrong answer costs one more question: it is asked again by itself, and after a failed read on request', async () => {
  const { exit, questions, err, connection } = await connect('price-list', 'list-supply', {
    ...LIST,
    'Price list: header of the column with the name': ['Description', 'Name'],
    'Tax rate': ['lots', '8.25'],
    'Right?': ['catalog.columns.title', 'yes'],
    'Type write': ['catalog.columns.title'],
  })
  expect([exit, connection().catalog.tax_rate]).toEqual([EXIT.ok, 8.25])
  expect(connection().catalog.columns.title).toBe('Name')
  expect(err).toContain('catalog.tax_rate must be a percentage')
  expect(questions.filter((question) => question.startsWith('Path of the price list'))).toHaveLength(1)
})

test('price-list supplier with orders into a folder', async () => {
  const { exit, err, out, questions, connection } = await connect('price-list', 'list-supply', {
    ...LIST,
    'Tax rate': '7.5',
    'How do you send orders': 'folder',
    'Folder for order files': 'out',
    'Your name': 'Route One',
    'Folder for replies': 'in',
    'Days until': '2',
  })
  expect([exit, err]).toEqual([EXIT.ok, ''])
  expect(out).toContain('read: 1 product')
  expect(questions.filter((question) => /^(?:E-mail|URL|Address|Shared)/.test(question))).toEqual([])
  expect(connection()).toEqual({
    namespace: 'list-supply',
    adapter: 'price-list',
    currency: 'USD',
    catalog: {
      file: 'list.csv',
      format: 'table',
      columns: { sku: 'SKU', title: 'Name', pack: 'Pack', pack_price: 'Case' },
      prices: 'net',
      tax_rate: 7.5,
    },
    order: { via: 'folder', out: 'out', format: 'csv', buyer: { name: 'Route One' }, inbox: 'in', lead_days: 2 },
  })
})

test('price-list supplier by e-mail: the mail server is written as a reference', async () => {
  const smtp = 'smtp://orders:never-write-this@mail.example'
  const { exit, err, connection } = await connect(
    'sheet',
    'mail-supply',
    {
      ...LIST,
      'How do you send orders': 'email',
      'E-mail addresses': 'desk@wholesale.example, boss@wholesale.example',
      'E-mail address of the sender': 'orders@route.example',
      'URL of the mail server': 'MAIL_URL',
      'Format of orders': 'x12',
      'Your name': 'Route One',
    },
    { MAIL_URL: smtp },
  )
  expect([exit, err]).toEqual([EXIT.ok, ''])
  expect(connection().order).toMatchObject({
    to: ['desk@wholesale.example', 'boss@wholesale.example'],
    smtp: { env: 'MAIL_URL' },
    format: 'x12',
  })
})

test('price-list supplier without orders, and with cXML over HTTP', async () => {
  expect((await connect('price-list', 'list-supply', LIST)).connection().order).toBeUndefined()
  const overHttp = {
    ...LIST,
    'How do you send orders': 'http',
    'Address that takes': 'https://s.example/cxml',
    'Your name': 'R',
  }
  expect((await connect('price-list', 'list-supply', overHttp)).connection().order).toEqual({
    via: 'http',
    url: 'https://s.example/cxml',
    format: 'cxml',
    buyer: { name: 'R' },
  })
})

test('an answer that cannot be used is asked for again and again, and the others stay', async () => {
  const { exit, questions, err, connection } = await connect('price-list', 'list-supply', {
    'Path of the price list': ['', '', '', '', 'list.csv'],
    'Right?': ['catalog.format', 'yes'],
    'Format of the price list': ['xls', 'xls', 'xls', 'table'],
    'How do you send orders': 'folder',
    'Folder for order files': ['1 Depot Road', 'out'],
    'Your name': ['', '', '', '', 'Route One'],
    'Folder for replies': ['nowhere', 'in'],
  })
  expect([exit, connection().order]).toEqual([
    EXIT.ok,
    { via: 'folder', out: 'out', format: 'csv', buyer: { name: 'Route One' }, inbox: 'in' },
  ])
  expect(questions.filter((question) => question.startsWith('Path of the'))).toHaveLength(5)
  expect(err).toContain('catalog.format must be one of table, csv, ubl-catalogue')
  expect(err).toMatch(/order\.out: there is no folder .*1 Depot Road/)
  expect(err).toMatch(/order\.inbox: there is no folder .*nowhere/)
})

test('where nobody answers any more it ends, and nothing is written', async () => {
  const answers = ['', 'list.csv', 'xls']
  const terminal = memoryTerminal()
  const exit = await runCli(['connect', 'list-supply', '--adapter', 'sheet', '--file', '/nowhere/vendors.json'], {
    commands: COMMANDS,
    terminal: { ...terminal, ask: async () => answers.shift() },
    env: { CURRENCY: 'USD' },
    signal: new AbortController().signal,
  })
  expect(exit).toBe(EXIT.declined)
})

test('the columns are guessed from the file, and three products show what they would cost', async () => {
  const { exit, out, connection } = await connect('price-list', 'list-supply', { 'Path of the price list': 'list.csv' })
  expect(exit).toBe(EXIT.ok)
  expect(connection().catalog).toEqual({
    file: 'list.csv',
    format: 'table',
    columns: { sku: 'SKU', title: 'Name', pack: 'Pack', pack_price: 'Case' },
    prices: 'net',
  })
  expect(out).toContain('Cola: case of 24 $12.00 = $0.50 each')
})

test('columns that were mixed up are seen by the examples, and one answer is changed without the others', async () => {
  const { exit, out, questions, connection } = await connect('price-list', 'list-supply', {
    'Path of the price list': 'list.csv',
    'Price list: header of the column with the price of a pack': ['-', 'Case'],
    'Price list: header of the column with the price of one item': ['Case', '-'],
    'Right?': [
      'catalog.columns.each_price',
      'catalog.columns.pack_price',
      'no idea',
      'catalog.columns.pack_price',
      'catalog.columns.each_price',
      'yes',
    ],
  })
  expect(out).toContain('Cola: $12.00 each')
  expect(out.lastIndexOf('Cola: case of 24 $12.00 = $0.50 each')).toBeGreaterThan(out.lastIndexOf('Cola: $12.00 each'))
  expect([exit, connection().catalog.columns]).toEqual([
    EXIT.ok,
    { sku: 'SKU', title: 'Name', pack: 'Pack', pack_price: 'Case' },
  ])
  expect(questions.filter((question) => question.startsWith('Price list: header of the column'))).toHaveLength(4)
})

test('of a workbook only what it leaves open is asked: four questions from the file to its prices', async () => {
  const { exit, err, out, questions, connection } = await connect('price-list', 'list-supply', {
    'Path of the price list': 'prices.xlsx',
    'Which price counts': '1',
    'Are the prices without tax': ['3', '2'],
  })
  expect(exit).toBe(EXIT.ok)
  expect(err).toContain('"3" is not a number from 1 to 2')
  expect(connection().catalog).toEqual({
    file: 'prices.xlsx',
    format: 'table',
    sheet: 'Prices',
    skip_rows: 2,
    columns: { sku: 'Item', title: 'Description', pack: 'Size', pack_price: 'Price' },
    prices: 'gross',
  })
  expect(out).toContain('Cola: case of 24 $13.49 = $0.56 each')
  const beforeOrders = questions.slice(
    0,
    questions.findIndex((question) => question.startsWith('How do you send orders')),
  )
  expect(beforeOrders.map((question) => question.split(/[?:;]/)[0])).toEqual([
    'Path of the price list',
    'Which price counts, and for what',
    'Are the prices without tax or with it',
    'Are the prices without tax or with it',
    'Tax rate in percent (may be empty)',
  ])
})

test('a UBL catalogue is known by its content, and has no columns to ask for', async () => {
  const { exit, err, questions, out } = await connect('price-list', 'list-supply', {
    'Path of the price list': 'catalogue.xml',
    'Type write': 'no',
  })
  expect([exit, err]).toEqual([EXIT.ok, expect.stringContaining('catalogue.xml is a UBL catalogue: 1 product')])
  expect(out).toContain('Tea: $1.50 each')
  expect(questions.filter((question) => question.startsWith('Price list:'))).toEqual([])
})

test('where the file is not there yet everything is asked', async () => {
  const { exit, err, questions, connection } = await connect('price-list', 'list-supply', {
    ...LIST,
    'Path of the price list': 'later.csv',
    'Type write': 'write',
  })
  expect([exit, err]).toEqual([EXIT.ok, expect.stringContaining('later.csv is not there yet')])
  expect(questions.filter((question) => question.startsWith('Price list: header'))).toHaveLength(7)
  expect(connection().catalog).toMatchObject({ columns: { sku: 'SKU', pack_price: 'Case' }, prices: 'net' })
})

test('a workbook that is damaged is named, and its path is asked for again', async () => {
  const { exit, err, connection } = await connect('price-list', 'list-supply', {
    'Path of the price list': ['book.xlsx', 'list.csv'],
  })
  expect(err).toContain('book.xlsx: the workbook is damaged')
  expect([exit, connection().catalog.file]).toEqual([EXIT.ok, 'list.csv'])
})

test('sheet machines', async () => {
  const { exit, err, connection } = await connect('sheet', 'export-machine', {
    'Path of the sales exports': 'sales.csv',
    'Sales: header of the column with the machine': 'Asset',
    'Sales: header of the column with the time': 'When',
    'Sales: header of the column with the product code': 'Item',
    'Sales: header of the column with the price': 'Price',
    'Path of the planogram': 'planogram.csv',
    'Planogram: header of the column with the machine': 'Asset',
    'Planogram: header of the column with the product code': 'Item',
    'Planogram: header of the column with the title': 'Name',
    'Planogram: header of the column with the price': 'Price',
  })
  expect([exit, err]).toEqual([EXIT.ok, ''])
  expect(connection()).toMatchObject({ sales: { file: 'sales.csv' }, planogram: { columns: { code: 'Item' } } })
})

test('eva-dts: a folder that is not there fails the test read', async () => {
  const { exit, out } = await connect('eva-dts', 'dex-machine', {
    Folder: 'elsewhere',
    Machines: 'M1=ID106:A-19',
    'Type write': 'no',
  })
  expect(exit).toBe(EXIT.declined)
  expect(out).toContain('The folder of the machine files cannot be read')
})

test('eva-dts', async () => {
  const answers = {
    'Folder of the DEX files': 'dex',
    Machines: 'M1=ID106:A-19, M2=file:gym-*.dex',
    'Time zone': ['Chicago', 'America/Chicago'],
  }
  const { exit, err, connection } = await connect('eva-dts', 'dex-machine', answers)
  expect([exit, err]).toEqual([EXIT.ok, expect.stringContaining('time_zone must be an IANA time zone name')])
  expect(connection()).toMatchObject({
    time_zone: 'America/Chicago',
    folder: 'dex',
    machines: [
      { location: 'M1', ID106: 'A-19' },
      { location: 'M2', file: 'gym-*.dex' },
    ],
    max_age_hours: 48,
  })
  const wrong = await connect('eva-dts', 'dex-machine', {
    ...answers,
    Machines: ['M1', 'M1', 'M1', 'M1', 'M1=ID106:A-19'],
  })
  expect([wrong.exit, wrong.err]).toEqual([EXIT.ok, expect.stringContaining('machines must be a list of machines')])
})

test('nayax-lynx', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/operational`
  const answers = { 'Address of the API': url, 'Access token': 'TOKEN', 'Operator id': '4711' }
  const { exit, err, connection } = await connect('nayax-lynx', 'nayax-machine', answers, { TOKEN: 'never-write-this' })
  expect([exit, err]).toEqual([EXIT.ok, ''])
  expect(connection()).toMatchObject({ url, token: { env: 'TOKEN' }, price: 'MachinePrice' })
  expect(JSON.stringify(connection())).not.toContain('never-write-this')
})

test('ucp: connect reads the shop once, hands off by default, and doctor reads the connection that it wrote', async () => {
  const merchant = await ucpMerchant()
  onTestFinished(() => merchant.close())
  const secrets = { SHOP_TOKEN: UCP_TOKEN, SHOP_CARD: UCP_CARD }
  const shop = { 'Address of the shop': merchant.url, 'Address of our own': 'https://route.example/.well-known/ucp' }
  const handoff = await connect('ucp', 'shop-supply', { ...shop, 'Access token': 'SHOP_TOKEN' }, secrets)
  expect([handoff.exit, handoff.err]).toEqual([EXIT.ok, ''])
  expect(handoff.out).toContain('read: 1 product')
  expect(handoff.connection()).toMatchObject({ mode: 'handoff', bearer: { env: 'SHOP_TOKEN' } })
  expect(handoff.connection().instrument).toBeUndefined()

  const { file, exit, err, connection } = await connect(
    'ucp',
    'shop-supply',
    {
      ...shop,
      'Access token': 'SHOP_TOKEN',
      'Who pays': 'complete',
      'Payment handler': 'card',
      'Id of the payment instrument': 'instr_1',
      'Its type': 'card',
      'Secret of the payment instrument': 'SHOP_CARD',
      'Ids of products': 'water',
    },
    secrets,
  )
  expect([exit, err]).toEqual([EXIT.ok, ''])
  expect(connection()).toMatchObject({
    mode: 'complete',
    handler: 'card',
    instrument: { id: 'instr_1', type: 'card', credential: { type: 'token', token: { env: 'SHOP_CARD' } } },
    assortment: { ids: ['water'] },
  })

  const doctor = async (variables: Record<string, string>) => {
    const terminal = memoryTerminal()
    await runCli(['doctor', '--json'], {
      commands: COMMANDS,
      terminal,
      env: {
        VENDOPS_ENV: 'live',
        CURRENCY: 'USD',
        OPERATOR_TOKEN: 'a-token-of-16-chars',
        PORT: '1',
        DATABASE_URL: `sqlite:${file}.db`,
        VENDORS_FILE: file,
        ...variables,
      },
      signal: new AbortController().signal,
    })
    for (const secret of Object.values(variables)) expect(terminal.stdout).not.toContain(secret)
    return JSON.parse(terminal.stdout).findings.find(
      ({ check }: { check: string }) => check === 'connection shop-supply',
    )
  }
  expect(await doctor(secrets)).toMatchObject({
    state: 'ok',
    found: expect.stringMatching(/^1 product; can /),
  })
  expect(await doctor({ ...secrets, SHOP_TOKEN: 'not-their-token' })).toMatchObject({ state: 'fail' })
  writeFileSync(file, readFileSync(file, 'utf8').replace('"handler": "card"', '"handler": "invoice"'))
  expect(await doctor(secrets)).toMatchObject({
    state: 'fail',
    found: 'rejected: The shop has no payment handler invoice (handler): the shop offers card',
  })
  expect(merchant.completions()).toBe(0)
  expect(merchant.violations).toEqual([])
})

test('ucp: a payment handler that the shop does not have fails the test read and is asked for again', async () => {
  const merchant = await ucpMerchant()
  onTestFinished(() => merchant.close())
  const { exit, out, connection } = await connect(
    'ucp',
    'shop-supply',
    {
      'Address of the shop': merchant.url,
      'Address of our own': 'https://route.example/.well-known/ucp',
      'Access token': 'SHOP_TOKEN',
      'Who pays': 'complete',
      'Payment handler': ['invoice', 'card'],
      'Id of the payment instrument': 'instr_1',
      'Its type': 'card',
      'Type write': ['handler'],
    },
    { SHOP_TOKEN: UCP_TOKEN },
  )
  expect(out).toContain('the test read failed: rejected, The shop has no payment handler invoice')
  expect([exit, connection().handler]).toEqual([EXIT.ok, 'card'])
})
