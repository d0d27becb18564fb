import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../../src/cli/cli.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { EXIT } from '../../src/cli/exit.ts'
import { memoryTerminal } from '../../src/cli/memory-terminal.test-support.ts'
import { dexFile } from '../../src/vendors/eva-dts/dex-file.test-support.ts'

const CONNECTIONS = [
  {
    namespace: 'list-supply',
    adapter: 'price-list',
    catalog: {
      file: 'list.csv',
      format: 'csv',
      prices: 'net',
      columns: { sku: 'SKU', title: 'Name', pack: 'Pack', pack_price: 'Case' },
    },
  },
  {
    namespace: 'export-machine',
    adapter: 'sheet',
    time_zone: 'America/Chicago',
    sales: {
      file: 'sales-*.csv',
      date_order: 'mdy',
      columns: { machine: 'Asset', time: 'When', code: 'Item', price: 'Price', qty: 'Qty', status: 'State' },
    },
    planogram: {
      file: 'planogram.csv',
      columns: { machine: 'Asset', code: 'Item', title: 'Name', price: 'Price', stock: 'Left', capacity: 'Par' },
    },
  },
  { namespace: 'dex-machine', adapter: 'eva-dts', folder: 'dex', machines: [{ location: 'M1', ID106: 'A-19' }] },
]

async function dryRun(content: string, as: string, name = 'file', writtenAt?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-import-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, name), content, 'latin1')
  if (writtenAt !== undefined) utimesSync(join(folder, name), new Date(writtenAt), new Date(writtenAt))
  const connections = CONNECTIONS.map((connection) => ({ ...connection, currency: 'USD' }))
  writeFileSync(join(folder, 'vendors.json'), JSON.stringify({ connections }))
  const terminal = memoryTerminal()
  const exit = await runCli(['import', join(folder, name), '--as', as, '--dry-run'], {
    commands: COMMANDS,
    terminal,
    env: { CURRENCY: 'USD', VENDORS_FILE: join(folder, 'vendors.json'), DATABASE_URL: `sqlite:${folder}/vendops.db` },
    signal: new AbortController().signal,
  })
  const lines = terminal.stdout.split('\n').map((line) => line.trim().replace(/ +/g, ' '))
  return { exit, lines, err: terminal.stderr }
}

test('a price list is shown as the products it becomes, with the rows that are left out', async () => {
  const list = 'SKU,Name,Pack,Case\nCOLA,Cola,24/CS,12.00\n,No code,,\nTEA,Tea,Box,9.60\n'
  const { exit, lines, err } = await dryRun(list, 'list-supply')
  expect([exit, err]).toEqual([EXIT.ok, ''])
  expect(lines).toEqual([
    'products',
    'SKU TITLE SOLD AS PACK PACK PRICE EACH PRICE STOCK',
    'COLA Cola pack 24 $12.00 $0.50 (computed) unknown',
    'left out',
    'WHERE REASON',
    'row 3 without a code',
    'row 4 whose pack states no certain number of items',
    '! the pack "Box" states no certain number of items, so these articles cannot be ordered',
    '1 product, 2 rows left out',
    '',
  ])
})

test('the last line of a price list without a line end is left out, as when the service reads it', async () => {
  // The last price was 12.00.
  const { exit, lines } = await dryRun('SKU,Name,Pack,Case\nTEA,Tea,EA,9.60\nCOLA,Cola,EA,1', 'list-supply')
  expect(exit).toBe(EXIT.ok)
  expect(lines.slice(2)).toEqual([
    'TEA Tea each $9.60 unknown',
    'left out',
    'WHERE REASON',
    'last row has no line end, so it may be incomplete',
    '1 product, 1 row left out',
    '',
  ])
})

test.each([
  ['list-supply', 'list.csv', 16],
  ['export-machine', 'sales-1.csv', 16],
  ['dex-machine', 'a.dex', 4],
])('a file that the service would not read because of its size is refused: %s', async (as, name, megabytes) => {
  const { exit, lines } = await dryRun('x'.repeat(megabytes * 1024 * 1024 + 1), as, name)
  expect(exit).toBe(EXIT.failed)
  expect(lines.join(' ')).toContain(`more than ${megabytes} MB`)
})

test('a DEX file is shown as the reading it becomes, or refused with the reason', async () => {
  const meters = ['ID1*SN77*Model 5*0***A-19*6', 'ID4*2*1840*USD', 'VA1*750*5*0*0', 'PA1*A1*150*Cola', 'PA2*5*750*0*0']
  const { exit, lines, err } = await dryRun(dexFile(meters), 'dex-machine')
  expect([exit, err]).toEqual([EXIT.ok, ''])
  expect(lines.slice(0, 3)).toEqual([
    'selections',
    'SELECTION NAME PRICE VENDS VALUE LEVEL CAPACITY',
    'A1 Cola $1.50 5 $7.50 unknown unknown',
  ])
  // An old file is checked by its own time, as the service does.
  const old = await dryRun(dexFile([...meters, 'EA3*1*251109*0815']), 'dex-machine', 'file', '2025-11-09T08:20:00Z')
  expect(old.lines.join(' ')).toContain('taken 2025-11-09')
  expect(old.lines.join(' ')).not.toContain('clock is wrong')
  const other = await dryRun(dexFile(meters.map((line) => line.replace('A-19', 'B-02'))), 'dex-machine')
  expect(other.exit).toBe(EXIT.ok)
  expect(other.lines.join(' ')).toContain('New: Model 5 B-02. Add it to your machines')
})

const SALES = [
  'Asset,When,Item,Price,Qty,State',
  'M1,11/09/2026 08:15,COLA,1.50,2,paid',
  'M1,11/09/2026 09:00,TEA,2.00,1,declined',
  'Total,,,,,',
  'M2,yesterday,COLA,1.50,1,paid',
  ...Array.from({ length: 5 }, (_, i) => `M2,11/09/2026 1${i}:00,BAR,1.00,1,paid`),
  '',
].join('\n')

test('a sales export is shown as the sales it becomes, row by row, with what is refused and why', async () => {
  const { exit, lines, err } = await dryRun(SALES, 'export-machine', 'sales-nov.csv')
  expect([exit, err]).toEqual([EXIT.ok, ''])
  expect(lines.slice(0, 4)).toEqual([
    'sales',
    'SALE MACHINE TIME PRODUCTS TOTAL STATUS',
    'M1.20261109T081500.COLA.1 M1 2026-11-09T14:15:00.000Z 2 × COLA $3.00 paid',
    'M1.20261109T090000.TEA.1 M1 2026-11-09T15:00:00.000Z TEA $2.00 not paid',
  ])
  const rest = lines.slice(lines.indexOf('left out'))
  expect(rest[2]).toBe('row 5 its time cannot be read: time "yesterday"')
  expect(rest[3]).toBe('file 1 rows without machine, time, code, price were left out (rows 4)')
  expect(lines.at(-2)).toBe('7 sales of 2 machines, 1 not paid, 1 row refused')
})

const PLANOGRAM = [
  'Asset,Item,Name,Price,Left,Par',
  'M1,COLA,Cola,1.50,4,10',
  'M1,TEA,Tea,2.00,,8',
  'M2,BAR,Bar,1.00,3,12',
  'M2,GUM,Gum,0.50,few,12',
  ...Array.from({ length: 4 }, (_, i) => `M2,X${i},Thing,1.00,1,5`),
  '',
].join('\n')

test('a planogram is known by its name or, under another name, by its columns', async () => {
  for (const name of ['planogram.csv', 'download (1).csv']) {
    const { exit, lines } = await dryRun(PLANOGRAM, 'export-machine', name)
    expect(exit).toBe(EXIT.ok)
    expect(lines.slice(0, 4)).toEqual([
      'slots',
      'MACHINE CODE TITLE PRICE STOCK CAPACITY LANES',
      'M1 COLA Cola $1.50 4 10',
      'M1 TEA Tea $2.00 unknown 8',
    ])
    expect(lines).toContain('row 5 its stock cannot be read: stock "few"')
    expect(lines.at(-2)).toBe('7 slots of 2 machines, 1 row refused')
  }
})

test('a file that is neither is refused with both reasons', async () => {
  const { exit, lines } = await dryRun('A,B\n1,2\n', 'export-machine')
  expect(exit).toBe(EXIT.failed)
  expect(lines.join(' ')).toMatch(/as sales: .*no column "Asset".*as planogram: .*no column "Asset"/)
})
