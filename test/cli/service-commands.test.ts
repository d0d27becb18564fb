/** Commands against a service: mistakes are refused, tables go to spreadsheets, logins are stored for one address. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { runCli } from '../../src/cli/cli.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { connect, endpoint, serviceUrl, tokenFile } from '../../src/cli/connect.ts'
import { EXIT } from '../../src/cli/exit.ts'
import { memoryTerminal } from '../../src/cli/memory-terminal.test-support.ts'
import { writeProfiles } from '../../src/cli/profiles.ts'
import { fetchInto } from '../../src/cli/simulate/simulation.ts'
import { fen } from '../../src/kernel/fen.ts'
import { DEFAULT_PLAN_PARAMS } from '../../src/kernel/plan-params.ts'
import { SERVER_INFO } from '../../src/http/mcp/mcp.ts'
import { create, decisionOf, MACHINE, startRoute, usualSales, withRules } from '../replenishment/route.ts'
import { machineSlot } from '../support/scripted-vendors.ts'
import { type Json, TOKEN } from '../support/service.ts'

async function startCli(options: Parameters<typeof startRoute>[0] = {}) {
  const service = await startRoute(options)
  const clientOf = (token: string) => createClient({ token, fetch: fetchInto(service.server), attempts: 1 })
  const vendops = async (
    line: string | readonly string[],
    { env = {}, answers = [], width }: { env?: Record<string, string>; answers?: string[]; width?: number } = {},
  ) => {
    const terminal = memoryTerminal(answers, width === undefined ? {} : { width })
    const argv = typeof line === 'string' ? line.split(' ') : line
    const exit = await runCli(argv, {
      commands: COMMANDS,
      terminal,
      env,
      signal: new AbortController().signal,
      connect: () => clientOf(TOKEN),
      connectTo: (_url, token) => clientOf(token),
    })
    return { exit, out: terminal.stdout, err: terminal.stderr }
  }
  return { service, vendops }
}

describe('mistakes are refused', () => {
  test.each([
    ['plan M9', EXIT.failed, 'no machine M9'],
    ['slots M9', EXIT.failed, 'no machine M9'],
    ['events --machine M9', EXIT.failed, 'no machine M9'],
    ['profit --machine M9', EXIT.failed, 'no machine M9'],
    ['profit --by month', EXIT.usage, 'by'],
    ['profit --sort color', EXIT.failed, 'sort'],
    ['orders --machine M9', EXIT.failed, 'no machine M9'],
    ['runs create --machine M9 --dry-run', EXIT.failed, 'no machine M9'],
    ['trips --area Nowhere', EXIT.failed, 'no machine that can be planned is in the area Nowhere'],
    ['events --kind foo', EXIT.usage, 'no events of kind "foo"; the service writes checkout'],
    ['events --kind aproval', EXIT.usage, 'did you mean "approval"'],
    ['plan --json --csv', EXIT.usage, 'not both'],
    ['sync --csv', EXIT.usage, 'unknown option'],
  ])('%s', async (line, exit, text) => {
    const { vendops } = await startCli()
    const answer = await vendops(line)
    expect([answer.exit, answer.out, answer.err]).toEqual([exit, '', expect.stringContaining(text)])
  })

  test('a kind that a caller has written is known', async () => {
    const { service, vendops } = await startCli()
    await service.post('/events', { kind: 'visit', summary: 'was there', reasoning: 'r' })
    expect((await vendops('events --kind visit')).exit).toBe(EXIT.ok)
  })
})

describe('what is printed', () => {
  test('profit: a table with the total below, and every row as CSV', async () => {
    const { vendops } = await startCli()
    const { exit, out } = await vendops('profit --by product --compare', { width: 160 })
    expect(exit).toBe(EXIT.ok)
    // Three colas and a tea a day for 7 days at 3.00: 84.00. No catalog was read when they were stored: 55 % is the cost.
    expect(out).toContain('28 units, revenue ¥84.00, profit ¥37.80 (¥37.80 before)')
    const csv = (await vendops('profit --by product --csv')).out.trim().split('\n')
    expect(csv).toHaveLength(3)
    expect(csv[0]).toMatch(/product.*revenue.*profit/i)
    const month = '--from 2026-08-10 --to 2026-09-09'
    expect((await vendops(`profit ${month}`)).err).toContain('profit --by day --limit 31')
    expect((await vendops(`profit ${month} --csv`)).out.trim().split('\n')).toHaveLength(1 + 31)
    const json = JSON.parse((await vendops('profit --limit 3 --json')).out)
    expect([json.rows.length, json.has_more, json.totals.units]).toEqual([3, true, 28])
  })

  test('--version, the lockfile, the changelog, /readyz, OpenAPI and MCP state the version of the package', async () => {
    const { vendops, service } = await startCli()
    const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8')
    const { version } = JSON.parse(read('package.json')) as { version: string }
    expect(version).toMatch(/^\d+\.\d+\.\d+$/)
    const lock = JSON.parse(read('package-lock.json')) as { version: string; packages: { '': { version: string } } }
    expect([lock.version, lock.packages[''].version]).toEqual([version, version])
    expect(/^## (\S+)/m.exec(read('CHANGELOG.md'))?.[1]).toBe(version)
    expect(await vendops('--version')).toMatchObject({ exit: EXIT.ok, out: `vendops ${version}\n` })
    const ready = await service.server.inject({ url: '/readyz' })
    expect(ready.json().version).toBe(version)
    const { body: openapi } = await service.get('/openapi.json')
    expect(openapi.info['x-product-version']).toBe(version)
    expect(SERVER_INFO.version).toBe(version)
  })

  test('--csv prints the headings of an empty list, too', async () => {
    const { vendops } = await startCli()
    for (const line of ['runs', 'approvals', 'checkout', 'orders --kind purchase', 'swaps', `calendar ${MACHINE}`]) {
      expect((await vendops(line)).out, line).toMatch(/^no /)
      expect((await vendops(`${line} --csv`)).out, line).toMatch(/^[A-Z]+(,[A-Z/ ]+)+\n$/)
    }
  })

  test('--csv prints every column, plain amounts and nothing else, and marks what would be a formula', async () => {
    const slots = [machineSlot('G-1', { title: '=HYPERLINK("x")', priceFen: fen(123_450), stock: 1200 })]
    const { vendops } = await startCli({ slotsByMachine: { [MACHINE]: slots } })
    const { out, err } = await vendops(`slots ${MACHINE} --csv`)
    const [head, row, ...more] = out.trimEnd().split('\n')
    expect([head, more, err]).toEqual(['SLOT,PRODUCT,STOCK,CAPACITY,PRICE,LOCKED,PAR,ROW,COLUMN,NOTE', [], ''])
    expect(row).toBe(`${MACHINE}-G-1,"'=HYPERLINK(""x"")",1200,,1234.50,,,,,`)
    expect((await vendops(`slots ${MACHINE}`)).out).toMatch(/1,200 .*¥1,234\.50/)
  })

  test('a narrow terminal loses columns before names are cut', async () => {
    const { vendops } = await startCli()
    const wide = await vendops(`plan ${MACHINE} --all`, { width: 120 })
    expect(wide.out).toContain('RUNS OUT')
    const narrow = await vendops(`plan ${MACHINE} --all`, { width: 60 })
    expect(narrow.out).not.toContain('RUNS OUT')
    expect(narrow.out).toContain('可乐')
    expect(narrow.out).not.toContain('…')
  })

  test('low means what it means in the console: empty, or sold out within a day', async () => {
    const { vendops } = await startCli()
    const low = await vendops(`slots ${MACHINE} --low`)
    expect(low.out).toContain('可乐')
    expect(low.out).not.toContain('水')
    expect((await vendops(`slots ${MACHINE} --at-most 9`)).out).toContain('茶')
  })

  test('products of a run without a supplier are named, one line each', async () => {
    const trades = usualSales().map((sale) => ({
      ...sale,
      lines: sale.lines.map((line) => ({ ...line, vendorSku: line.vendorSku === 'G-2' ? 'G-3' : line.vendorSku })),
    }))
    const slots = [
      machineSlot('G-1', { title: '可乐', stock: 0, barcode: '6901234567892' }),
      machineSlot('G-3', { title: '水', stock: 0 }),
    ]
    const { service, vendops } = await startCli({ slotsByMachine: { [MACHINE]: slots }, trades })
    const { body } = await create(service)
    const placed = await vendops(`runs place ${body.id}`)
    const lines = placed.err.split('\n').filter((line) => line.includes('unresolved_sku'))
    expect(lines).toEqual([expect.stringContaining('水 (acme-machine:G-3) has no supplier')])
    expect(placed.err).toContain('→ vendops alias acme-machine:G-3')
  })

  test('a dry run shows what a run would order and creates none', async () => {
    const { service, vendops } = await startCli()
    const answer = await vendops(`runs create --machine ${MACHINE} --dry-run`)
    expect(answer).toMatchObject({ exit: EXIT.ok, out: expect.stringContaining('nothing was created') })
    expect(answer.out).toContain('可乐')
    expect((await service.get('/replenishment/runs')).body.runs).toEqual([])
  })

  test('pick, receive, service and undo: a round with the command line', async () => {
    const { service, vendops } = await startCli()
    const { body } = await create(service)
    await vendops(`runs place ${body.id}`)
    const slot = `${MACHINE}-G-1`
    const list = await vendops(`pick ${body.id}`)
    expect(list).toMatchObject({ exit: EXIT.ok, out: expect.stringContaining('FILL TO') })
    const csv = await vendops(`runs picklist ${body.id} --refresh --csv`)
    expect(csv.out.split('\n')[0]).toBe('#,MACHINE,SLOT,AT,PRODUCT,LOAD,THERE,FILL TO,PULL BEFORE')
    expect(csv.out.split('\n')).toHaveLength(2 + body.line_items.length)
    expect((await vendops(`receive ${body.id} --counted ${slot}=1`)).exit).toBe(EXIT.usage)
    const received = await vendops(`receive ${body.id} --machine ${MACHINE} --slot ${slot}=4 --expired ${slot}=1`)
    expect(received).toMatchObject({ exit: EXIT.ok, out: expect.stringContaining('delivered') })
    const { visits, line_items } = (await service.get(`/replenishment/runs/${body.id}`)).body
    expect(line_items[0].quantity.fulfilled).toBe(4)
    expect((await vendops(`receive ${body.id} --machine ${MACHINE}`)).exit).toBe(EXIT.failed)
    expect((await vendops(`service undo ${MACHINE} ${visits[0].service_id}`)).exit).toBe(EXIT.ok)
    const counted = await vendops(`service ${MACHINE} --counted ${slot}=1`)
    expect(counted).toMatchObject({ exit: EXIT.ok, out: expect.stringContaining('-1') })
    expect((await vendops(`service ${MACHINE}`)).exit).toBe(EXIT.usage)
  })

  test('trips: machines that wait say what waiting costs and from when a visit is worth it', async () => {
    const { vendops } = await startCli({ config: { planParams: { ...DEFAULT_PLAN_PARAMS, trip_cost: 90_000_000 } } })
    const { exit, out } = await vendops('trips')
    expect([exit, out]).toEqual([EXIT.ok, expect.stringContaining('no trip is worth it yet')])
    expect(out).toMatch(/WAITING COSTS +WORTH IT FROM\n.*not due +¥\d.* ¥\d/)
    expect((await vendops('alias acme-machine:G-1 --shelf-days 30')).out).toMatch(/shelf life +30 days/)
  })

  test('trips --csv prints one row per machine of all trips, in driving order', async () => {
    const { service, vendops } = await startCli()
    const { trips } = (await service.get('/replenishment/trips')).body
    const machines = trips.flatMap(({ date, stops }: Json) =>
      stops.flatMap(({ locations }: Json) => locations.map(({ location }: Json) => [date, location])),
    )
    expect(machines.length).toBeGreaterThan(0)
    const [head, ...rows] = (await vendops('trips --csv')).out.trimEnd().split('\n')
    expect(head).toBe('DATE,FIRM,AREA,#,MACHINE,SITE,UNITS,SLOTS,WHY,EVERY')
    expect(rows.map((row) => [row.split(',')[0], row.split(',')[4]])).toEqual(machines)
  })

  test('runs create --line changes the quantity of a slot; 0 leaves it out', async () => {
    const { service, vendops } = await startCli()
    const slot = `${MACHINE}-G-1`
    expect((await vendops(`runs create --line ${slot}`)).exit).toBe(EXIT.usage)
    expect((await vendops(`runs create --machine ${MACHINE} --line ${slot}=7`)).exit).toBe(EXIT.ok)
    await vendops(`runs create --machine ${MACHINE} --line ${slot}=0`)
    const [without, changed] = (await service.get('/replenishment/runs')).body.runs
    const quantityOf = (run: Json) => run.line_items.find((line: Json) => line.slot_id === slot)?.quantity.total
    expect([quantityOf(changed), quantityOf(without)]).toEqual([7, undefined])
  })

  test('serve --help lists the environment variables with their defaults', async () => {
    const { vendops } = await startCli()
    const { out } = await vendops('serve --help')
    expect(out).toMatch(/PORT +port to listen on \(.*default 8080\)/)
    for (const name of ['GUARDRAILS_FILE', 'VENDORS_FILE', 'DEFAULT_DESTINATION', 'PLAN_PARAMS'])
      expect(out).toContain(name)
  })
})

test('4.8 a comment on a decision is kept with its event', async () => {
  const { service, vendops } = await startCli({ rules: withRules({ spendingLimitPerRun: 1 }) })
  const { body } = await create(service)
  const id = decisionOf(body)
  const answer = await vendops(['approvals', 'approve', id, '--comment', 'agreed by phone'])
  expect(answer.exit).toBe(EXIT.ok)
  const [event] = (await service.get('/events?kind=approval&limit=1')).body.events
  expect(event.reasoning).toMatch(/^agreed by phone \(/)
})

describe('login', () => {
  function home(): Record<string, string> {
    const path = mkdtempSync(join(tmpdir(), 'vendops-home-'))
    onTestFinished(() => rmSync(path, { recursive: true, force: true }))
    return { XDG_CONFIG_HOME: path }
  }
  const fileOf = (env: Record<string, string>) => join(env['XDG_CONFIG_HOME']!, 'vendops', 'profiles.json')

  test('stores a token that works, readable by its owner alone, and later commands use it', async () => {
    const { vendops } = await startCli()
    const env = home()
    const wrong = await vendops('login https://a.example', { env, answers: ['wrong-token-0123456789'] })
    expect(wrong.exit).toBe(EXIT.unauthorized)
    expect(existsSync(fileOf(env))).toBe(false)

    expect((await vendops('login https://a.example/', { env, answers: [TOKEN] })).exit).toBe(EXIT.ok)
    expect((await vendops('login https://b.example --as test', { env, answers: [TOKEN] })).exit).toBe(EXIT.ok)
    expect(statSync(fileOf(env)).mode & 0o777).toBe(0o600)
    // A second login is used where it is named, or once it is chosen.
    expect(serviceUrl(env)).toBe('https://a.example')
    expect((await vendops('profiles test', { env })).exit).toBe(EXIT.ok)
    expect(serviceUrl(env)).toBe('https://b.example')
    expect(serviceUrl(env, { profile: 'default' })).toBe('https://a.example')
    expect(serviceUrl({ ...env, VENDOPS_PROFILE: 'default' })).toBe('https://a.example')
    // Whoever says which service is meant gets that one.
    expect(serviceUrl({ ...env, PORT: '9' })).toBe('http://127.0.0.1:9')
    expect((await vendops('profiles --csv', { env })).out).toBe(
      'PROFILE,URL,IN USE\ndefault,https://a.example,\ntest,https://b.example,yes\n',
    )
    expect((await vendops('logout', { env })).out).toContain('now using default')
    expect(serviceUrl(env)).toBe('https://a.example')
    expect((await vendops('status --profile gone', { env })).exit).toBe(EXIT.failed)
  })

  test('a login for an address wins over the token file of another service in this folder', () => {
    const env = { ...home(), DATABASE_URL: `sqlite:${home()['XDG_CONFIG_HOME']}/vendops.db` }
    writeFileSync(tokenFile(env), 'the-token-of-the-folder')
    writeProfiles(env, { profiles: { usd: { url: 'http://127.0.0.1:8181', token: TOKEN } } })
    expect(endpoint(env)).toEqual({ url: 'http://127.0.0.1:8080', token: 'the-token-of-the-folder' })
    for (const target of [{ profile: 'usd' }, { url: 'http://127.0.0.1:8181' }])
      expect(endpoint(env, target)).toEqual({ url: 'http://127.0.0.1:8181', token: TOKEN })
  })

  test('a stored token is never sent to another address', () => {
    const env = home()
    const profiles = { default: { url: 'https://a.example', token: TOKEN } }
    rmSync(fileOf(env), { force: true })
    expect(() => connect(env, { url: 'https://a.example' })).toThrow('no token configured')
    writeProfiles(env, { current: 'default', profiles })
    expect(() => connect(env, { url: 'https://a.example' })).not.toThrow()
    expect(() => connect(env, { url: 'https://evil.example' })).toThrow('no token configured')
    expect(() => connect(env, { url: 'https://evil.example', profile: 'default' })).toThrow('no token configured')
    writeFileSync(fileOf(env), '{')
    expect(() => connect(env)).toThrow('is damaged')
  })
})
