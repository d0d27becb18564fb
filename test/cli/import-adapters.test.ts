import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
    adapter: 'sheet',
    catalog: {
      file: 'list.csv',
      format: 'csv',
      prices: 'net',
      columns: { sku: 'SKU', title: 'Name', pack: 'Pack', pack_price: 'Case' },
    },
  },
  { namespace: 'dex-machine', adapter: 'eva-dts', folder: 'dex', machines: [{ location: 'M1', ID106: 'A-19' }] },
]

async function dryRun(content: string, as: string) {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-import-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'file'), content, 'latin1')
  const connections = CONNECTIONS.map((connection) => ({ ...connection, currency: 'USD' }))
  writeFileSync(join(folder, 'vendors.json'), JSON.stringify({ connections }))
  const terminal = memoryTerminal()
  const exit = await runCli(['import', join(folder, 'file'), '--as', as, '--dry-run'], {
    commands: COMMANDS,
    terminal,
    env: { CURRENCY: 'USD', VENDORS_FILE: join(folder, 'vendors.json'), DATABASE_URL: `sqlite:${folder}/vendops.db` },
    signal: new AbortController().signal,
  })
  const lines = terminal.stdout.split('\n').map((line) => line.trim().replace(/ +/g, ' '))
  return { exit, lines, err: terminal.stderr }
}

test('a price list is shown as the products it becomes, with the rows that are left out', async () => {
  const list = 'SKU,Name,Pack,Case\nCOLA,Cola,24/CS,12.00\n,No code,,1.00\nTEA,Tea,Box,9.60\n'
  const { exit, lines, err } = await dryRun(list, 'list-supply')
  expect([exit, err]).toEqual([EXIT.ok, ''])
  expect(lines).toEqual([
    'products',
    'SKU TITLE SOLD AS PACK PACK PRICE EACH PRICE STOCK',
    'COLA Cola pack 24 $12.00 $0.50 (computed) unknown',
    'TEA Tea each $9.60 unknown',
    'left out',
    'WHERE REASON',
    'row 3 without a code',
    '2 products, 1 row left out',
    '',
  ])
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
  const other = await dryRun(dexFile(meters.map((line) => line.replace('A-19', 'B-02'))), 'dex-machine')
  expect(other.exit).toBe(EXIT.failed)
  expect(other.lines.join(' ')).toContain('it is of no configured machine')
})
