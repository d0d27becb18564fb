import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { connectionNeeds } from '../../src/route/connections/index.ts'
import { runCli } from '../../src/cli/cli.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { EXIT } from '../../src/cli/exit.ts'
import { memoryTerminal } from '../../src/cli/memory-terminal.test-support.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { silentLog } from '../../src/kernel/log.ts'
import { openStore } from '../../src/store/open.ts'
import type { AdapterModule } from '../../src/vendors/adapter-module.ts'
import { ADAPTERS } from '../../src/vendors/adapters.ts'

/** Reads `sku,price` lines and counts the files it has seen. */
const LIST: AdapterModule<{ readonly unit: string }> = {
  adapter: 'list',
  role: 'supply',
  secrets: [],
  check: (settings) => ({ ok: true, settings: settings as { unit: string } }),
  open: () => {
    throw new Error('a dry run opens nothing')
  },
  async preview({ bytes }, { unit }, { memory, connection }) {
    const seen = await memory.get('files')
    const before = (seen?.value as number | undefined) ?? 0
    await memory.put('files', before + 1, seen?.version ?? 0)
    const lines = new TextDecoder().decode(bytes).trim().split('\n')
    const rows = lines.map((line) => line.split(','))
    const priced = rows.filter(([, price]) => price !== '')
    return {
      summary: `file ${before + 1} of ${connection.namespace}: ${priced.length} products`,
      ...(priced.length === 0 && { isRefused: true }),
      tables: [{ title: 'products', columns: ['sku', unit], rows: priced }],
      leftOut: rows.flatMap(([, price], i) => (price === '' ? [{ where: `row ${i + 1}`, reason: 'no price' }] : [])),
    }
  },
}
// Pushed rather than mocked: test files share their modules, so a mock would come too late.
beforeAll(() => void (ADAPTERS as AdapterModule[]).push(LIST))
afterAll(() => void (ADAPTERS as AdapterModule[]).pop())

async function dryRun(content: string, at: string, ...more: string[]) {
  const file = join(at, 'list.csv')
  writeFileSync(file, content)
  const connections = [{ namespace: 'list-supply', adapter: 'list', unit: 'case' }]
  writeFileSync(join(at, 'vendors.json'), JSON.stringify({ connections }))
  const terminal = memoryTerminal()
  const env = { VENDORS_FILE: join(at, 'vendors.json'), DATABASE_URL: `sqlite:${at}/vendops.db` }
  const { signal } = new AbortController()
  const exit = await runCli(['import', file, '--as', 'list-supply', '--dry-run', ...more], {
    commands: COMMANDS,
    terminal,
    env,
    signal,
  })
  return { exit, out: terminal.stdout }
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'vendops-import-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

test('each row is shown with what it becomes, and each left-out row with its reason', async () => {
  const { exit, out } = await dryRun('A1,2.50\nA2,\nA3,4.00\n', folder())
  expect(exit).toBe(EXIT.ok)
  expect(out.split('\n').map((line) => line.trim().replace(/ +/g, ' '))).toEqual([
    'products',
    'SKU CASE',
    'A1 2.50',
    'A3 4.00',
    'left out',
    'WHERE REASON',
    'row 2 no price',
    'file 1 of list-supply: 2 products',
    '',
  ])
})

test('a file that is refused whole fails the command', async () => {
  const { exit, out } = await dryRun('A2,\n', folder(), '--json')
  expect([exit, JSON.parse(out)]).toMatchObject([EXIT.failed, { isRefused: true, leftOut: [{ where: 'row 1' }] }])
})

test('what the service remembers is taken into account and stays as it is', async () => {
  const at = folder()
  const store = await openStore(`sqlite:${at}/vendops.db`)
  const memory = connectionNeeds(store, silentLog).memory('list-supply' as Namespace)
  await memory.put('files', 6, 0)
  for (let times = 0; times < 2; times += 1) expect((await dryRun('A1,1\n', at)).out).toContain('file 7 of list-supply')
  expect(await memory.get('files')).toEqual({ value: 6, version: 1 })
  await store.close()
})
