/** Packs of a price list on the command line: what waits is listed, said once, shown and taken back. */
import { expect, test } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { runCli } from '../../src/cli/cli.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { EXIT } from '../../src/cli/exit.ts'
import { memoryTerminal } from '../../src/cli/memory-terminal.test-support.ts'
import { fetchInto } from '../../src/cli/simulate/simulation.ts'
import { startWithList } from '../catalog/list-service.ts'
import { TOKEN } from '../support/service.ts'

async function startCli(rows: readonly string[]) {
  const service = await startWithList(rows)
  const client = createClient({ token: TOKEN, fetch: fetchInto(service.server), attempts: 1 })
  const packs = async (...words: readonly string[]) => {
    const terminal = memoryTerminal([])
    const exit = await runCli(['connections', 'packs', 'mid-supply', ...words], {
      commands: COMMANDS,
      terminal,
      env: {},
      signal: new AbortController().signal,
      connect: () => client,
    })
    return { exit, out: terminal.stdout, err: terminal.stderr }
  }
  return { ...service, packs }
}

test('a word about a text and one about an article are said, shown and taken back', async () => {
  const { packs, offered } = await startCli(['1,Coke,CS,24.00', '2,Tea,CS,12.00', '3,Pie,,18.00'])
  const waiting = await packs('--csv')
  expect(waiting.out.trim().split('\n')).toEqual([
    'PACK,SKU,TITLE,PACK PRICE,EACH PRICE,CONTAINS,SAID BY',
    ',mid-supply:3,Pie,18.00,,,',
    'CS,mid-supply:1,Coke,24.00,,,',
    'CS,mid-supply:2,Tea,12.00,,,',
  ])
  expect((await packs()).err).toContain(`connections packs mid-supply '' --contains N --sku mid-supply:3`)

  const asked = await packs('CS', '--contains', '24')
  expect([asked.exit, asked.err]).toEqual([EXIT.guarded, expect.stringContaining('may differ from product to product')])
  const said = await packs('CS', '--contains', '24', '--same-for-all')
  expect(said.out.split('\n')[0]).toBe('the pack "CS" holds 24 units')
  expect(said.out).not.toContain('Coke')
  const article = await packs('', '--contains', '12', '--sku', 'mid-supply:3')
  expect(article.out).toBe('the pack of mid-supply:3 holds 12 units\nnothing waits\n')
  expect(await offered()).toEqual([
    ['1', 100],
    ['2', 50],
    ['3', 150],
  ])
  expect((await packs('--stated', '--csv')).out).toContain('CS,,,,,24,')

  expect((await packs('CS', '--contains', '0')).out.split('\n')[0]).toBe('taken back: the pack "CS"')
  expect(await offered()).toEqual([['3', 150]])
})

test.each([
  [['--contains', '24'], 'the pack text is missing'],
  [['CS'], '--contains <units> is missing'],
  [['--sku', 'mid-supply:1'], 'the pack text and --contains <units> are missing'],
  [['CS', '--contains', '2.5'], '"2.5" is not a whole number of units'],
])('%j is refused, and nothing is said', async (words, text) => {
  const { packs, offered } = await startCli(['1,Coke,CS,24.00', '2,Tea,6/CS,12.00'])
  const { exit, out, err } = await packs(...words)
  expect([exit, out, err]).toEqual([EXIT.usage, '', expect.stringContaining(text)])
  expect(await offered()).toEqual([['2', 200]])
})
