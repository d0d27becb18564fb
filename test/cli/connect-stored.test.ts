/** `vendops connect` over the service: the same operations as the console. `doctor` and `import` see what was added. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { runCli } from '../../src/cli/cli.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { EXIT } from '../../src/cli/exit.ts'
import { memoryTerminal } from '../../src/cli/memory-terminal.test-support.ts'
import { fetchInto } from '../../src/cli/simulate/simulation.ts'
import { createClient } from '../../src/client/index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { startSimulator } from '../../src/simulator/start.ts'
import type { Simulator } from '../../src/simulator/start.ts'
import { openStore } from '../../src/store/open.ts'
import { startHosted, temporaryFolder } from '../connections/hosted-service.ts'
import { TOKEN } from '../support/service.ts'

let simulator: Simulator
beforeAll(async () => {
  simulator = await startSimulator({ seed: 1, clock: systemClock })
  return () => simulator.close()
})

async function start() {
  const folder = temporaryFolder()
  const store = await openStore(`sqlite:${folder}/vendops.db`)
  const service = await startHosted({ store, folder })
  const vendops = async (
    words: readonly string[],
    answers: string[] = [],
    env: Record<string, string> = {},
    key?: string,
  ) => {
    const terminal = memoryTerminal(answers)
    const exit = await runCli([...words], {
      commands: COMMANDS,
      terminal,
      env,
      signal: new AbortController().signal,
      connect: () => createClient({ token: key ?? service.ownerKey, fetch: fetchInto(service.server), attempts: 1 }),
    })
    return { exit, out: terminal.stdout, err: terminal.stderr, questions: terminal.questions, left: answers.length }
  }
  const stored = async (namespace: string) => (await service.owner('GET', `/connections/${namespace}`)).body
  return { ...service, folder, vendops, stored }
}

const ACCOUNT = () => ({ KEY: simulator.supply.appKey, ACME_TWO: simulator.supply.appSecret })
const scripted = (url: string) => [
  'connect',
  'two-supply',
  '--adapter=acme',
  `--set=url=${url}`,
  '--set=app_key=env:KEY',
  '--set=app_secret=ACME_TWO',
]
const LIST = 'Item,Description,Pack,Case price\n1,Cola,24/CS,13.44\n2,Tea,12/CS,9.60\n'

test('asks what the service asks for, reads the vendor once, and the service keeps it at once', async () => {
  const { vendops, stored, secrets } = await start()
  const answers = ['two-supply', simulator.supplyUrl, simulator.supply.appKey, simulator.supply.appSecret]
  const { exit, out, left, questions } = await vendops(['connect', '--adapter', 'acme'], ['1', ...answers])
  expect([exit, left]).toEqual([EXIT.ok, 0])
  expect(questions).toEqual([
    'Adapter: 1 acme (supplier), 2 acme (machine platform) (number; default 1): ',
    'Name of the connection, ending in -supply: ',
    expect.stringMatching(/^Address/),
  ])
  expect(out).toMatch(/read: \d+ products/)
  expect(out).toContain('two-supply is added')
  expect(await stored('two-supply')).toMatchObject({ settings: { url: simulator.supplyUrl }, ready: true })
  expect(secrets()).toHaveLength(2)
  expect(out).not.toContain(simulator.supply.appSecret)
})

test('from a script: added, then one setting changed while the secrets stay', async () => {
  const { vendops, stored } = await start()
  expect((await vendops(scripted(simulator.supplyUrl), [], ACCOUNT())).exit).toBe(EXIT.ok)
  const changed = await vendops(['connect', 'two-supply', '--read-only', '--json'])
  expect([changed.exit, JSON.parse(changed.out).read.ok]).toEqual([EXIT.ok, true])
  expect(await stored('two-supply')).toMatchObject({ read_only: true, settings: { url: simulator.supplyUrl } })
  expect(changed.out).not.toContain(simulator.supply.appSecret)
})

test.each([
  ['a variable that is not set', (line: string[]) => line.map((word) => word.replace('env:KEY', 'env:NOPE')), 'NOPE'],
  ['an unknown setting', (line: string[]) => [...line, '--set', 'speed=9'], 'speed'],
  ['an adapter that is none', (line: string[]) => line.map((word) => word.replace('=acme', '=acne')), 'must be one of'],
  ['a file it does not take', (line: string[]) => [...line, '--bring', 'dex=x'], 'takes no files'],
])('%s: nothing is kept', async (_name, change, problem) => {
  const { vendops, owner, secrets } = await start()
  const { exit, err } = await vendops(change(scripted(simulator.supplyUrl)), [], ACCOUNT())
  expect(exit).not.toBe(EXIT.ok)
  expect(err).toContain(problem)
  expect((await owner('GET', '/connections/two-supply')).status).toBe(404)
  expect(secrets()).toEqual([])
})

test('when the test read fails it is kept only if that is confirmed', async () => {
  const { vendops, owner } = await start()
  const line = scripted('http://127.0.0.1:1')
  const declined = await vendops(line, ['no'], ACCOUNT())
  expect([declined.exit, (await owner('GET', '/connections/two-supply')).status]).toEqual([EXIT.declined, 404])
  expect((await vendops([...line, '--yes'], [], ACCOUNT())).exit).toBe(EXIT.ok)
  expect((await owner('GET', '/connections/two-supply')).status).toBe(200)
})

test('the operator token adds nothing, and is told so before any question', async () => {
  const { vendops, owner } = await start()
  const { exit, err, questions } = await vendops(['connect', 'two-supply', '--adapter', 'acme'], ['x'], {}, TOKEN)
  expect([exit, questions]).toEqual([EXIT.unauthorized, []])
  expect(err).toContain('only an owner')
  expect(err).toContain('--file')
  expect((await owner('GET', '/connections/two-supply')).status).toBe(404)
})

test('a price list is read by the service, confirmed by its examples and uploaded', async () => {
  const { vendops, stored, owner, folder } = await start()
  const list = join(folder, 'list.csv')
  writeFileSync(list, LIST)
  const { exit, out, questions, err } = await vendops(
    ['connect', 'depot-supply', '--adapter', 'price-list'],
    [join(folder, 'none.csv'), list, '', 'yes', '', '', '', 'Route One', ...Array.from({ length: 8 }, () => '')],
  )
  expect([exit, err]).toEqual([EXIT.ok, expect.stringContaining('cannot be read')])
  expect(questions.slice(0, 4)).toEqual([
    'Path of the price list: ',
    'Path of the price list: ',
    expect.stringContaining('(number; default 1)'),
    expect.stringMatching(/^Right\?/),
  ])
  // Sent by hand unless another way is named, so the documents need a buyer.
  expect(questions).toContain('Your name as the supplier knows it: ')
  expect(out).toMatch(/Cola.*24.*0\.56/)
  expect((await stored('depot-supply')).settings.catalog.columns).toMatchObject({ sku: 'Item', pack: 'Pack' })
  const files = (await owner('GET', '/connections/depot-supply/files')).body.files
  expect(files).toMatchObject([{ kind: 'price_list', name: 'list.csv', state: 'used' }])
  const found = await owner('POST', '/catalog/search', { query: 'Cola', filters: { namespace: 'depot-supply' } })
  expect(found.body.products).toMatchObject([{ title: 'Cola', variants: [{ price: { amount: 56 } }] }])
})

test('doctor reads what owners added, and import reads a file as such a connection does', async () => {
  const { vendops, folder, secretsDir } = await start()
  const list = join(folder, 'list.csv')
  writeFileSync(list, LIST)
  const line = ['connect', 'depot-supply', '--adapter=price-list', `--bring=price_list=${list}`]
  // What the list leaves open is never answered by itself.
  expect((await vendops(line)).err).toContain('nothing was saved: Are the prices without tax or with it?')
  expect(await vendops([...line, '--set=catalog.prices=net'])).toMatchObject({ exit: EXIT.ok })
  expect((await vendops(scripted(simulator.supplyUrl), [], ACCOUNT())).exit).toBe(EXIT.ok)
  const env = {
    VENDOPS_ENV: 'live',
    OPERATOR_TOKEN: 'a-token-of-16-chars',
    PORT: '1',
    DATABASE_URL: `sqlite:${folder}/vendops.db`,
  }
  const checkOf = async (name: string) =>
    JSON.parse((await vendops(['doctor', '--json'], [], env)).out).findings.find(
      ({ check }: { check: string }) => check === `connection ${name}`,
    )
  expect(await checkOf('two-supply')).toMatchObject({
    state: 'ok',
    found: expect.stringMatching(/^\d+ products; can /),
  })
  expect(await checkOf('depot-supply')).toMatchObject({ state: 'ok', found: expect.stringMatching(/^2 products/) })

  const shown = await vendops(['import', list, '--as', 'depot-supply', '--dry-run'], [], env)
  expect(shown.exit).toBe(EXIT.ok)
  expect(shown.out).toContain('Cola')
  expect((await vendops(['import', list, '--as', 'none-supply', '--dry-run'], [], env)).err).toContain(
    'no connection none',
  )

  rmSync(secretsDir, { recursive: true })
  expect(await checkOf('two-supply')).toMatchObject({ state: 'fail', found: 'its secrets are not on this server' })
})
