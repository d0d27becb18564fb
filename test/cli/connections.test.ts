import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { runCli } from '../../src/cli/cli.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { EXIT } from '../../src/cli/exit.ts'
import { memoryTerminal } from '../../src/cli/memory-terminal.test-support.ts'
import { readConfig } from '../../src/config.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { silentLog } from '../../src/kernel/log.ts'
import { serve } from '../../src/main.ts'
import { startSimulator } from '../../src/simulator/start.ts'
import type { Simulator } from '../../src/simulator/start.ts'
import { builtInstance } from '../processes/build-instance.ts'
import { freePort } from '../support/free-port.ts'

const SECRET = 'never-write-this'
let simulator: Simulator
beforeAll(async () => {
  simulator = await startSimulator({ seed: 1, clock: systemClock })
  return () => simulator.close()
})

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'vendops-connections-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

async function vendops(line: readonly string[], env: Record<string, string>, answers: string[] = []) {
  const terminal = memoryTerminal(answers)
  const { signal } = new AbortController()
  const exit = await runCli([...line], { commands: COMMANDS, terminal, env, signal })
  return { exit, out: terminal.stdout, err: terminal.stderr, questions: terminal.questions }
}

const secrets = () => ({ KEY: simulator.supply.appKey, ACME_TWO: simulator.supply.appSecret })
const scripted = (file: string, url: string) => [
  'connect',
  'two-supply',
  '--adapter=acme',
  `--file=${file}`,
  `--set=url=${url}`,
  '--set=app_key=env:KEY',
  '--set=app_secret=ACME_TWO',
]

describe('vendops connect', () => {
  test('asks for the adapter and its settings, reads the vendor once and writes names, never secrets', async () => {
    const file = join(folder(), 'vendors.json')
    const answers = ['1', 'two-supply', simulator.supplyUrl, 'KEY', 'ACME_TWO', 'yes']
    const { exit, out, questions } = await vendops(['connect', '--adapter', 'acme', '--file', file], secrets(), answers)
    expect(exit).toBe(EXIT.ok)
    expect(out).toMatch(/read: \d+ products/)
    expect(out).toContain('can read the catalog, place orders, follow orders; cannot quote totals')
    expect(questions.map((question) => question.replace(/ \(.*/, ''))).toEqual([
      'Number of the adapter: ',
      'Name of the connection, ending in -supply: ',
      'Address of the API: ',
      'App key',
      'App secret',
      'Right? yes, or the name of a setting to change it',
    ])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      connections: [
        {
          namespace: 'two-supply',
          adapter: 'acme',
          currency: 'CNY',
          url: simulator.supplyUrl,
          app_key: { env: 'KEY' },
          app_secret: { env: 'ACME_TWO' },
        },
      ],
    })
    expect(readFileSync(file, 'utf8')).not.toContain(simulator.supply.appSecret)
  })

  test('in a script every answer is an option; what is in the file stays', async () => {
    const file = join(folder(), 'vendors.json')
    expect((await vendops(scripted(file, simulator.supplyUrl), secrets())).exit).toBe(EXIT.ok)
    const second = scripted(file, simulator.supplyUrl).map((word) => (word === 'two-supply' ? 'three-supply' : word))
    expect((await vendops([...second, '--read-only'], secrets())).exit).toBe(EXIT.ok)
    expect(JSON.parse(readFileSync(file, 'utf8')).connections).toMatchObject([
      { namespace: 'two-supply' },
      { namespace: 'three-supply', read_only: true },
    ])
  })

  test.each<[string, (line: string[]) => string[], string]>([
    ['a name that is taken', (line) => line, 'namespace is used twice'],
    ['a variable that is not set', (line) => line.map((word) => word.replace('env:KEY', 'env:NOPE')), 'NOPE'],
    ['an unknown setting', (line) => [...line, '--set', 'speed=9'], 'unknown field \\"speed\\"'],
    ['no adapter of that name', (line) => line.map((word) => word.replace('=acme', '=acne')), 'must be one of acme'],
  ])('%s: nothing is written', async (_name, change, problem) => {
    const file = join(folder(), 'vendors.json')
    await vendops(scripted(file, simulator.supplyUrl), secrets())
    const before = readFileSync(file, 'utf8')
    const line = scripted(file, simulator.supplyUrl).map((word) => (word === 'two-supply' ? 'x-supply' : word))
    const isTaken = problem.includes('twice')
    const { exit, err } = await vendops(change(isTaken ? scripted(file, simulator.supplyUrl) : line), secrets())
    expect(exit).not.toBe(EXIT.ok)
    expect(JSON.stringify(err)).toContain(problem)
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  test('when the test read fails, it is written only if that is confirmed', async () => {
    const file = join(folder(), 'vendors.json')
    const line = scripted(file, 'http://127.0.0.1:1')
    const declined = await vendops(line, secrets(), ['no'])
    expect([declined.exit, declined.out, existsSync(file)]).toEqual([
      EXIT.declined,
      expect.stringContaining('the test read failed: unsent'),
      false,
    ])
    expect((await vendops([...line, '--yes'], secrets())).exit).toBe(EXIT.ok)
    expect(existsSync(file)).toBe(true)
  })
})

describe('vendops doctor', () => {
  const live = (at: string, connections: unknown, variables: object = secrets()) => {
    writeFileSync(join(at, 'vendors.json'), JSON.stringify({ connections }))
    return {
      VENDOPS_ENV: 'live',
      OPERATOR_TOKEN: 'a-token-of-16-chars',
      PORT: '1',
      DATABASE_URL: `sqlite:${at}/none.db`,
      VENDORS_FILE: join(at, 'vendors.json'),
      ...variables,
    }
  }
  const account = (over: object = {}) => ({
    namespace: 'two-supply',
    adapter: 'acme',
    url: simulator.supplyUrl,
    app_key: { env: 'KEY' },
    app_secret: { env: 'ACME_TWO' },
    ...over,
  })
  const findings = (out: string): Map<string, { state: string; found: string }> =>
    new Map(JSON.parse(out).findings.map((finding: { check: string }) => [finding.check, finding]))

  test('reads every connection once, also without a running service, and says what it can do', async () => {
    const machine = {
      namespace: 'two-machine',
      adapter: 'acme',
      read_only: true,
      url: simulator.machineUrl,
      client_id: { env: 'ID' },
      client_secret: { env: 'CLOUD' },
    }
    const cloud = { ID: simulator.machine.clientId, CLOUD: simulator.machine.clientSecret }
    const env = live(folder(), [account(), machine, account({ namespace: 'gone-supply', url: 'http://127.0.0.1:1' })], {
      ...secrets(),
      ...cloud,
    })
    const found = findings((await vendops(['doctor', '--json'], env)).out)
    expect(found.get('connection two-supply')).toMatchObject({
      state: 'ok',
      found: expect.stringMatching(/^\d+ products; can /),
    })
    expect(found.get('connection two-machine')).toMatchObject({
      state: 'ok',
      found: expect.stringMatching(/sales are readable; can read stock and prices, read sales; cannot change prices, /),
    })
    expect(found.get('connection gone-supply')).toMatchObject({ state: 'fail' })
    expect(found.get('connections')).toMatchObject({ state: 'ok' })
  })

  test('names every problem of the file', async () => {
    const env = live(folder(), [account({ currency: 'EUR', app_key: SECRET }), account({ namespace: 'x-machine' })])
    const { exit, out } = await vendops(['doctor'], env)
    expect(exit).toBe(EXIT.failed)
    for (const problem of ['currency must be CNY', 'app_key must be {"env": NAME}', 'client_id is missing'])
      expect(out).toContain(problem)
    expect(out).not.toContain(SECRET)
  })
})

describe('vendops import', () => {
  test('needs a connection that is in the file, and an adapter that reads files', async () => {
    const at = folder()
    const file = join(at, 'vendors.json')
    await vendops(scripted(file, simulator.supplyUrl), secrets())
    const run = (...words: string[]) =>
      vendops(['import', file, ...words], { ...secrets(), VENDORS_FILE: file, DATABASE_URL: `sqlite:${at}/none.db` })
    expect((await run('--as', 'two-supply')).err).toContain('only --dry-run is possible')
    expect((await run('--dry-run')).err).toContain('--as <connection> is missing')
    expect((await run('--as', 'nobody-supply', '--dry-run')).err).toContain('no connection nobody-supply')
    expect((await run('--as', 'two-supply', '--dry-run')).err).toContain('the adapter acme reads no files')
  })
})

describe('the start', () => {
  const start = async (env: Record<string, string>) => {
    const child = spawn(process.execPath, [await builtInstance()], {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let said = ''
    child.stderr.on('data', (text: Buffer) => void (said += text.toString()))
    const [code] = (await once(child, 'exit')) as [number]
    return { code, said }
  }

  test('is refused in live with every problem of VENDORS_FILE, and without a secret', async () => {
    const at = folder()
    const file = join(at, 'vendors.json')
    writeFileSync(
      file,
      JSON.stringify({
        connections: [
          { namespace: 'a-supply', adapter: 'acme', url: 'ftp://x', app_key: SECRET, app_secret: { env: 'NOPE' } },
          { namespace: 'a-supply', adapter: 'nobody' },
        ],
      }),
    )
    const { code, said } = await start({
      VENDOPS_ENV: 'live',
      OPERATOR_TOKEN: 'a-token-of-16-chars',
      DATABASE_URL: `sqlite:${at}/vendops.db`,
      VENDORS_FILE: file,
    })
    expect(code).toBe(1)
    expect(said.trim().split('\n')).toEqual([
      expect.stringContaining('connections[0] (a-supply): app_key must be {"env": NAME}'),
      expect.stringContaining('connections[0] (a-supply): app_secret names the variable NOPE, which is not set'),
      expect.stringContaining('connections[0] (a-supply): url must be an http or https URL'),
      expect.stringContaining('connections[1] (a-supply): adapter must be one of acme'),
      expect.stringContaining('connections[1] (a-supply): namespace is used twice'),
    ])
    expect(said).not.toContain(SECRET)
    expect(existsSync(join(at, 'vendops.db'))).toBe(false)
  })

  test('5.5 in staging VENDORS_FILE is ignored, with a line in the log', async () => {
    const at = folder()
    const port = await freePort()
    const read = readConfig(
      { PORT: String(port), DATABASE_URL: `sqlite:${at}/data/vendops.db`, VENDORS_FILE: '/nowhere/vendors.json' },
      existsSync,
    )
    if (!read.ok) throw new Error(read.problems.join('; '))
    const warnings: string[] = []
    const log = { ...silentLog, warn: (_fields: object, sentence: string) => void warnings.push(sentence) }
    const running = await serve(read.config, [], { log, close: async () => {} })
    await running.stop()
    // The first sync may have ended by now and have warnings of its own.
    expect(warnings[0]).toBe('VENDORS_FILE is ignored in staging, which cannot spend')
    expect(running.ctx.vendors.registrations.map(({ namespace }) => namespace)).toEqual(['acme-supply', 'acme-machine'])
  })
})
