/**
 * `npm run demo:usd`: a second world to try, in dollars. A wholesaler with a price list and order files (`price-list`), a shop
 * that speaks UCP (`ucp`: another vendops in staging), and machines that write DEX files (`eva-dts`). All of it is
 * simulated in a folder of its own: no account, no network, no money. It runs beside `npm start` and ends with Ctrl-C.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readConfig } from '../src/config.ts'
import type { Config } from '../src/config.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../src/kernel/clock.ts'
import { serve } from '../src/main.ts'
import type { Running } from '../src/main.ts'
import { configuredConnections } from '../src/vendors/connections/configured-connections.ts'
import { dexFile } from '../src/vendors/eva-dts/dex-file.test-support.ts'

const DAYS = 21
const PRODUCTS = [
  { sku: 'COLA-12', title: 'Cola 12 oz', upc: '049000000443', pack: '24/CS', pack_price: '13.92', price: 150 },
  { sku: 'WATER-17', title: 'Spring water 17 oz', upc: '075720000814', pack: '24/CS', pack_price: '6.48', price: 125 },
  { sku: 'TEA-16', title: 'Iced tea 16 oz', upc: '613008715267', pack: '12/CS', pack_price: '10.80', price: 200 },
  { sku: 'CHIPS-1', title: 'Potato chips 1 oz', upc: '028400090858', pack: '50/CS', pack_price: '27.50', price: 150 },
  { sku: 'BAR-2', title: 'Chocolate bar 2 oz', upc: '040000424314', pack: '48/CS', pack_price: '43.20', price: 175 },
  { sku: 'NUTS-2', title: 'Salted peanuts 2 oz', upc: '029000073258', pack: '12/CS', pack_price: '7.80', price: 150 },
] as const
/** Their list does not say how many items a pack holds, so they wait for a word on the page Connections. */
const UNCLEAR = [
  ['GUM-1', 'Chewing gum 1 oz', '', 'CS', '14.40'],
  ['MINT-1', 'Mints 1 oz', '', 'CS', '12.00'],
  ['PIE-4', 'Apple pie 4 oz', '', '', '18.00'],
] as const
const MACHINES = [
  { id: 'LOBBY', name: 'Lobby, 5th Street', asset: 'A-101', daily: 9 },
  { id: 'GYM', name: 'Gym, River Road', asset: 'A-102', daily: 14 },
  { id: 'DEPOT', name: 'Depot break room', asset: 'A-103', daily: 6 },
] as const

/** Units sold since the beginning: some selections sell more than others, and the counters only ever grow. */
const soldUntil = (machine: number, selection: number, hours: number): number =>
  Math.floor((((MACHINES[machine]?.daily ?? 0) / 24) * hours * (1 + ((machine + selection) % 4))) / 10)

function writeReading(folder: string, machine: number, at: number, beganAt: number): void {
  const { id, asset } = MACHINES[machine] ?? MACHINES[0]
  const [day = '', time = ''] = new Date(at).toISOString().slice(2, 16).split('T')
  const stamp = day.replaceAll('-', '')
  const sold = PRODUCTS.map((_, i) => soldUntil(machine, i, (at - beganAt) / HOUR))
  const vends = sold.reduce((sum, units) => sum + units, 0)
  const value = sold.reduce((sum, units, i) => sum + units * (PRODUCTS[i]?.price ?? 0), 0)
  // Two thirds pay cash: in coins, of which some stay in the tubes, and in notes, which machines count in whole dollars.
  const notes = Math.floor(value / 300)
  const box = Math.floor(value / 4)
  const tubes = Math.min(2000, value - notes * 100 - box)
  const text = dexFile([
    `ID1*SN${asset}*Demo 6*0***${asset}*6`,
    'ID4*2*1840*USD',
    `VA1*${value}*${vends}*0*0`,
    `CA3*0*0*0*0*${box + tubes + notes * 100}*${box}*${tubes}*${notes}`,
    `EA3*1*${stamp}*${time.replace(':', '')}`,
    ...PRODUCTS.flatMap(({ title, price }, i) => [
      `PA1*${11 + i}*${price}*${title}*20`,
      `PA2*${sold[i]}*${(sold[i] ?? 0) * price}*0*0`,
    ]),
  ])
  const file = join(folder, 'dex', `${id}-${stamp}-${time.replace(':', '')}.dex`)
  writeFileSync(`${file}.new`, text, 'latin1')
  utimesSync(`${file}.new`, at / 1000, at / 1000)
  renameSync(`${file}.new`, file)
}

const csv = (rows: readonly (readonly (string | number)[])[]): string =>
  `${rows.map((row) => row.join(',')).join('\n')}\n`

/** Written once; a later start finds its data and goes on from there. */
function prepareFolder(folder: string, now: number): number {
  for (const name of ['dex', 'orders', 'orders-taken', 'replies', 'data'])
    mkdirSync(join(folder, name), { recursive: true })
  const beginning = join(folder, 'beginning')
  if (existsSync(beginning)) return Number(readFileSync(beginning, 'utf8'))
  const beganAt = now - DAYS * DAY
  const list = PRODUCTS.map(({ sku, title, upc, pack, pack_price: price }) => [sku, title, upc, pack, price])
  writeFileSync(
    join(folder, 'price-list.csv'),
    csv([['Item', 'Description', 'UPC', 'Pack', 'Case'], ...list, ...UNCLEAR]),
  )
  const planogram = MACHINES.flatMap(({ id }) =>
    PRODUCTS.map(({ sku, title, upc, price }, i) => [id, 11 + i, sku, title, upc, 20, (price / 100).toFixed(2)]),
  )
  const header = ['location', 'selection', 'sku', 'title', 'barcode', 'capacity', 'price']
  writeFileSync(join(folder, 'planogram.csv'), csv([header, ...planogram]))
  for (let day = 0; day < DAYS; day++)
    for (const machine of MACHINES.keys()) writeReading(folder, machine, beganAt + day * DAY, beganAt)
  const rules = { spendingLimitPerRun: 20_000, priceCapPerItem: 500, hardNoGos: ['tobacco'], killSwitchEngaged: false }
  const guardrails = { rules, administrators: ['owner'], administratorChats: ['demo'] }
  writeFileSync(join(folder, 'guardrails.json'), `${JSON.stringify(guardrails, null, 2)}\n`)
  writeFileSync(beginning, String(beganAt))
  return beganAt
}

/** Another vendor of this world is one more entry here. */
const connections = (shop: Running, ownUrl: string): readonly object[] => [
  {
    namespace: 'wholesale-supply',
    adapter: 'price-list',
    currency: 'USD',
    catalog: {
      file: 'price-list.csv',
      columns: { sku: 'Item', title: 'Description', barcode: 'UPC', pack: 'Pack', pack_price: 'Case' },
      tax_rate: 8.25,
    },
    order: {
      via: 'folder',
      format: 'csv',
      out: 'orders',
      inbox: 'replies',
      lead_days: 2,
      buyer: { name: 'Demo route' },
    },
  },
  {
    namespace: 'shop-supply',
    adapter: 'ucp',
    currency: 'USD',
    url: shop.url,
    profile: `${ownUrl}/.well-known/ucp`,
    bearer: { file: 'shop/operator-token' },
    handler: 'supplier_account',
    instrument: { id: 'demo-route', type: 'on_account' },
    assortment: { filters: { namespace: 'acme-supply' } },
  },
  {
    namespace: 'dex-machine',
    adapter: 'eva-dts',
    currency: 'USD',
    folder: 'dex',
    planogram: { file: 'planogram.csv' },
    machines: MACHINES.map(({ id, name, asset }) => ({ location: id, name, ID106: asset })),
  },
]

/** The wholesaler: takes order files and confirms each. */
function takeOrders(folder: string): void {
  for (const name of readdirSync(join(folder, 'orders')).filter((file) => file.endsWith('.csv'))) {
    const ref = name.slice(0, -'.csv'.length)
    renameSync(join(folder, 'orders', name), join(folder, 'orders-taken', name))
    const reply = join(folder, 'replies', name)
    writeFileSync(
      `${reply}.new`,
      csv([
        ['po', 'status', 'sku', 'qty'],
        [ref, 'accepted', '', ''],
      ]),
    )
    renameSync(`${reply}.new`, reply)
  }
}

function configOf(variables: Readonly<Record<string, string>>): Config {
  const read = readConfig({ CURRENCY: 'USD', TIMEZONE: 'UTC', ...variables }, existsSync)
  if (!read.ok) throw new Error(read.problems.join('; '))
  return read.config
}

/** The shop: another vendops, in staging, whose simulated prices are dollars here. It keeps its data in the same folder. */
const startShop = (folder: string, port: number, logLevel: string): Promise<Running> =>
  serve(
    configOf({
      LOG_LEVEL: logLevel,
      VENDOPS_ENV: 'staging',
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      DATABASE_URL: `sqlite:${join(folder, 'shop', 'vendops.db')}`,
      DATA_DIR: join(folder, 'shop'),
    }),
    [],
  )

/** Connections work in live only. Everything that is connected here belongs to this demo. */
function startBuyer(folder: string, port: number, logLevel: string, shop: Running): Promise<Running> {
  const url = `http://127.0.0.1:${port}`
  const vendorsFile = join(folder, 'vendors.json')
  writeFileSync(vendorsFile, `${JSON.stringify({ connections: connections(shop, url) }, null, 2)}\n`)
  const tokenFile = join(folder, 'data', 'demo-token')
  if (!existsSync(tokenFile)) writeFileSync(tokenFile, `demo-${crypto.randomUUID()}`, { mode: 0o600 })
  const config = configOf({
    LOG_LEVEL: logLevel,
    VENDOPS_ENV: 'live',
    PORT: String(port),
    PUBLIC_URL: url,
    OPERATOR_TOKEN: readFileSync(tokenFile, 'utf8'),
    DATABASE_URL: `sqlite:${join(folder, 'data', 'vendops.db')}`,
    DATA_DIR: join(folder, 'data'),
    GUARDRAILS_FILE: join(folder, 'guardrails.json'),
    VENDORS_FILE: vendorsFile,
  })
  const configured = configuredConnections(config, {})
  if (!configured.ok) throw new Error(configured.problems.join('; '))
  return serve(config, configured.connections)
}

export async function startUsdDemo(options: {
  readonly folder: string
  readonly port: number
  readonly shopPort: number
  readonly logLevel?: string
  /** How often the wholesaler looks for orders. */
  readonly takeOrdersEveryMs?: number
}) {
  const { folder, port, shopPort, logLevel = 'warn', takeOrdersEveryMs = 5 * SECOND } = options
  const beganAt = prepareFolder(folder, Date.now())
  const shop = await startShop(folder, shopPort, logLevel)
  const running = await startBuyer(folder, port, logLevel, shop).catch(async (failure) => {
    await shop.stop()
    throw failure
  })
  const timers = [
    setInterval(() => takeOrders(folder), takeOrdersEveryMs),
    setInterval(() => {
      for (const machine of MACHINES.keys()) writeReading(folder, machine, Date.now(), beganAt)
    }, 15 * MINUTE),
  ]
  const stop = async () => {
    for (const timer of timers) clearInterval(timer)
    await running.stop()
    await shop.stop()
  }
  try {
    const context = { requestId: 'demo', headers: {} }
    for (const { id, name } of MACHINES)
      await running.app.handlers.putLocation({
        params: { id },
        query: {},
        body: { name, namespace: 'dex-machine' },
        context,
      })
    await running.app.handlers.syncLocations({ params: {}, query: {}, body: {}, context })
  } catch (failure) {
    await stop()
    throw failure
  }
  const { url, token } = running
  return { url, token, running, shop: { url: shop.url, token: shop.token }, stop, takeOrders: () => takeOrders(folder) }
}

if (import.meta.main) {
  const folder = resolve(process.env['DEMO_USD_FOLDER'] ?? 'demo-usd')
  const port = Number(process.env['PORT'] ?? 8181)
  const shopPort = Number(process.env['DEMO_USD_SHOP_PORT'] ?? port + 1)
  const { url, token, shop, stop } = await startUsdDemo({ folder, port, shopPort }).catch((failure: Error) => {
    console.error(
      `demo: ${failure.message}\n→ PORT and DEMO_USD_SHOP_PORT choose other ports; removing ${folder} starts over`,
    )
    return process.exit(1)
  })
  console.log(`
vendops demo in dollars: a wholesaler with a price list, a shop that speaks UCP, machines with DEX files.
Everything is simulated; the console says LIVE, because the service runs as it does with real vendors.
  console   ${url}/
  token     ${token}
  shop      ${shop.url}/ (another vendops, in staging)
  token     ${shop.token}
  commands  npx vendops login ${url} --as usd   with the first token; then npx vendops status --profile usd
  folder    ${folder}

To try:
  - the machines have no stock sensor: enter a count on the page of a machine, then look at the plan
  - order from wholesale-supply: the order appears in ${join(folder, 'orders')}, is taken within seconds and confirmed
  - order from shop-supply: the order appears under Orders here and in the shop's console, which also has its approvals
  - change a price in price-list.csv, or drop a DEX file into dex/: both are read again by themselves
Ctrl-C ends it; remove the folder to start over.
`)
  let isStopping = false
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.on(signal, () => {
      if (isStopping) return
      isStopping = true
      void stop().then(() => process.exit(0))
    })
}
