import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { engageKillSwitch } from '../../src/rules/guardrails/kill-switch.ts'
import { readKillSwitch } from '../../src/rules/guardrails/records.ts'
import { runCli } from '../../src/cli/cli.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import {
  checkConfiguration,
  checkDatabase,
  checkGuardrails,
  checkLimits,
  checkToken,
  skewFinding,
} from '../../src/cli/doctor/host-checks.ts'
import type { Client } from '../../src/client/index.ts'
import { checkClock, checkNoGos } from '../../src/cli/doctor/service-checks.ts'
import { granted } from '../contracts/adapter-kit.ts'
import { EXIT } from '../../src/cli/exit.ts'
import { memoryTerminal } from '../../src/cli/memory-terminal.test-support.ts'
import { readConfig } from '../../src/config.ts'
import { localDay, systemClock } from '../../src/kernel/clock.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { silentLog } from '../../src/kernel/log.ts'
import { startSimulator } from '../../src/simulator/start.ts'
import { claimCurrency } from '../../src/store/claim-currency.ts'
import { openStore } from '../../src/store/open.ts'
import { connectionNeeds } from '../../src/route/connections/index.ts'
import { acmeConnections } from '../../src/vendors/connections/connection.ts'
import { deployVendors } from '../../src/vendors/deployment.ts'
import { supplyOrder } from '../support/scripted-vendors.ts'
import { RULES } from '../support/service.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'vendops-host-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

async function vendops(line: string, env: Record<string, string>, answers: string[] = []) {
  const terminal = memoryTerminal(answers)
  const { signal } = new AbortController()
  const exit = await runCli(line.split(' '), { commands: COMMANDS, terminal, env, signal })
  return { exit, out: terminal.stdout, err: terminal.stderr }
}

/** A server on which the service has been started once. */
async function host() {
  const at = folder()
  const env = { DATABASE_URL: `sqlite:${at}/vendops.db`, GUARDRAILS_FILE: `${at}/guardrails.json`, PORT: '1' }
  writeFileSync(env.GUARDRAILS_FILE, JSON.stringify(RULES))
  const store = await openStore(env.DATABASE_URL)
  onTestFinished(() => store.close())
  return { at, env, store }
}

const configOf = (env: Record<string, string>) => {
  const read = readConfig(env, existsSync)
  if (!read.ok) throw new Error(read.problems.join('; '))
  return read.config
}

describe('on the server', () => {
  test('release needs a typed confirmation and records an event', async () => {
    const { env, store } = await host()
    await engageKillSwitch({ store, clock: systemClock }, { by: 'operator', reason: 'odd prices' })
    expect((await vendops('release', env, ['yes'])).exit).toBe(EXIT.declined)
    expect(await readKillSwitch(store.db)).toBeDefined()
    const released = await vendops('release all is well', env, ['release'])
    expect(released).toMatchObject({ exit: EXIT.ok })
    expect(await readKillSwitch(store.db)).toBeUndefined()
    const event = await store.db
      .selectFrom('event')
      .select(['summary', 'reasoning'])
      .orderBy('seq', 'desc')
      .executeTakeFirst()
    expect(event).toMatchObject({ reasoning: 'all is well' })
    expect(event?.summary).toMatch(/^Emergency stop released by .+@/)
  })

  test('an emergency stop of the rules file is reported, not released', async () => {
    const { env } = await host()
    writeFileSync(env.GUARDRAILS_FILE, JSON.stringify({ ...RULES, rules: { ...RULES.rules, killSwitchEngaged: true } }))
    const { exit, out } = await vendops('release', env)
    expect(exit).toBe(EXIT.guarded)
    expect(out).toContain('killSwitchEngaged is still true')
  })

  test('a backup is a complete database and never overwrites a file', async () => {
    const { at, env, store } = await host()
    await engageKillSwitch({ store, clock: systemClock }, { by: 'operator', reason: 'kept' })
    expect((await vendops(`backup ${at}/copy.db`, env)).exit).toBe(EXIT.ok)
    const copy = await openStore(`sqlite:${at}/copy.db`)
    onTestFinished(() => copy.close())
    expect(await readKillSwitch(copy.db)).toMatchObject({ reason: 'kept' })
    const again = await vendops(`backup ${at}/copy.db`, env)
    expect(again.exit).toBe(EXIT.failed)
    expect(again.err).toContain('never overwrites')
  })

  test('an audit of consistent records finds no problems', async () => {
    const { env } = await host()
    const { exit, out } = await vendops('audit --json', env)
    expect(exit).toBe(EXIT.ok)
    expect(JSON.parse(out)).toMatchObject({ checked: 0, problems: [] })
  })

  test('after a restore that lost an order the audit fails, and --repair records it', async () => {
    const { env, store } = await host()
    const simulator = await startSimulator({ seed: 1, clock: systemClock })
    onTestFinished(() => simulator.close())
    const live = {
      ...env,
      VENDOPS_ENV: 'live',
      OPERATOR_TOKEN: 'test-token-0123456789',
      ACME_SUPPLY_URL: simulator.supplyUrl,
      ACME_SUPPLY_APP_KEY: simulator.supply.appKey,
      ACME_SUPPLY_APP_SECRET: simulator.supply.appSecret,
    }
    const deployment = deployVendors(acmeConnections(configOf(live)), {
      clock: systemClock,
      log: silentLog,
      timeoutMs: 5000,
      ...connectionNeeds(store, silentLog),
    })
    onTestFinished(() => deployment.close())
    const supply = deployment.vendors.supply('acme-supply' as Namespace)
    const good = simulator.world.products.find(({ supply: { onShelf, stockNum } }) => onShelf && stockNum > 10)
    if (!supply.ok || !good) throw new Error('the simulated supplier has nothing to sell')
    const lost = `po_${localDay(systemClock.now(), 'Asia/Shanghai').replaceAll('-', '')}_3`
    const line = { vendorSku: good.supply.goodsNo, quantity: 1, unit: 'each' } as const
    const to = { method: 'shipping', contactName: '伟', contactPhone: '138', address: '世纪大道' } as const
    const placed = await supply.value.createOrder(supplyOrder(lost, [line], to), granted)
    if (!placed.ok) throw new Error(placed.message)

    const red = await vendops('audit --json --days 1', live)
    expect(red.exit).toBe(EXIT.failed)
    expect(JSON.parse(red.out).problems).toMatchObject([{ code: 'supplier_has_lost_order', checkout: lost }])
    expect((await vendops('audit --repair --days 1', live, ['no'])).exit).toBe(EXIT.declined)
    const repaired = await vendops('audit --repair --days 1', live, ['repair'])
    expect([repaired.exit, repaired.out]).toEqual([EXIT.ok, expect.stringContaining(`recorded  ${lost}`)])
    const rows = await store.db.selectFrom('purchase').select(['id', 'label']).execute()
    expect(rows).toEqual([{ id: lost, label: placed.value.externalRef }])
    expect((await vendops('audit --days 1', live)).exit).toBe(EXIT.ok)
    expect(simulator.calls()['POST /open/orders']).toBe(1)
  }, 120_000)

  test('a repair that cannot reach the supplier fails', async () => {
    const { env } = await host()
    const live = {
      ...env,
      VENDOPS_ENV: 'live',
      OPERATOR_TOKEN: 'test-token-0123456789',
      ACME_SUPPLY_URL: 'http://127.0.0.1:1',
      ACME_SUPPLY_APP_KEY: 'key',
      ACME_SUPPLY_APP_SECRET: 'secret',
    }
    const { exit, out } = await vendops('audit --repair --yes --json --days 1', live)
    expect(exit).toBe(EXIT.failed)
    expect(JSON.parse(out).problems[0]).toMatchObject({ code: 'supplier_not_asked' })
  }, 120_000)

  test('a repair in staging is refused', async () => {
    const { env } = await host()
    const { exit, err } = await vendops('audit --repair --yes', env)
    expect([exit, err]).toEqual([EXIT.failed, expect.stringContaining('contact the suppliers')])
  })

  test('a missing database is reported, not created', async () => {
    const at = folder()
    const { exit, err } = await vendops('audit', { DATABASE_URL: `sqlite:${at}/none.db` })
    expect(exit).toBe(EXIT.failed)
    expect(err).toContain('no database')
    expect(existsSync(`${at}/none.db`)).toBe(false)
  })

  test('the API description is printed without a service', async () => {
    const { exit, out } = await vendops('openapi', {})
    expect(exit).toBe(EXIT.ok)
    expect(Object.keys(JSON.parse(out).paths)).toContain('/checkout-sessions')
  })
})

describe('the doctor', () => {
  test('names a database whose amounts are in another currency', async () => {
    const { env, store } = await host()
    await claimCurrency(store, 'USD')
    const database = async (CURRENCY: string) => (await checkDatabase(configOf({ ...env, CURRENCY })))[0]
    expect(await database('USD')).toMatchObject({ check: 'database', state: 'ok' })
    expect(await database('JPY')).toMatchObject({
      state: 'fail',
      found: expect.stringContaining('has amounts in USD, but CURRENCY is JPY; the service does not start'),
      fix: 'set CURRENCY=USD, or use a new database',
    })
  })

  test('reports a service that does not run, with a fix', async () => {
    const { env } = await host()
    const { exit, out } = await vendops('doctor --json', env)
    expect(exit).toBe(EXIT.failed)
    const findings = new Map(JSON.parse(out).findings.map((finding: { check: string }) => [finding.check, finding]))
    expect(findings.get('service')).toMatchObject({ state: 'fail', fix: expect.stringContaining('vendops serve') })
    for (const check of ['runtime', 'configuration', 'database', 'guardrails', 'time zone', 'disk'])
      expect(findings.get(check), check).toMatchObject({ state: 'ok' })
  })

  test('lists every invalid variable and runs the other checks', async () => {
    const { exit, out } = await vendops('doctor', { TIMEZONE: 'Mars/Base', RATE_LIMIT_PER_MINUTE: 'many', PORT: '1' })
    expect(exit).toBe(EXIT.failed)
    expect(out).toContain('TIMEZONE must be an IANA time zone name')
    expect(out).toContain('RATE_LIMIT_PER_MINUTE must be a whole number')
    expect(out).toContain('✗ service')
  })

  test('validates the rules file like the service does', () => {
    const at = folder()
    const file = `${at}/guardrails.json`
    const config = configOf({ GUARDRAILS_FILE: file })
    expect(checkGuardrails(config)).toMatchObject({ state: 'fail' })
    writeFileSync(file, '{"rules":{}}')
    expect(checkGuardrails(config)).toMatchObject({ state: 'fail' })
    writeFileSync(file, JSON.stringify(RULES).replace('"rules":', '"administrators":[],"rules":'))
    expect(checkGuardrails(config).found).toContain('the field "administrators" appears twice')
    writeFileSync(file, JSON.stringify(RULES))
    expect(checkGuardrails(config)).toMatchObject({ state: 'ok' })
    writeFileSync(file, JSON.stringify({ ...RULES, rules: { ...RULES.rules, killSwitchEngaged: true } }))
    expect(checkGuardrails(config)).toMatchObject({ state: 'warn' })
    chmodSync(file, 0o666)
    expect(checkGuardrails({ ...config, env: 'live' })).toMatchObject({ state: 'fail', fix: `chmod 644 ${file}` })
  })

  test('missing limits over time are a warning in live, whatever else is found about the rules', () => {
    const file = `${folder()}/guardrails.json`
    const config = { ...configOf({ GUARDRAILS_FILE: file }), env: 'live' } as const
    const check = (more: object) => {
      writeFileSync(file, JSON.stringify({ ...RULES, rules: { ...RULES.rules, ...more } }))
      return checkLimits(config).map(({ state, found }) => [state, found.split(' not set')[0]])
    }
    expect(check({})).toEqual([['warn', 'spendingLimitPerDay, spendingLimitPerWeek, priceDriftPerWeek']])
    expect(check({ spendingLimitPerWeek: 1 })).toEqual([['warn', 'priceDriftPerWeek']])
    expect(check({ spendingLimitPerDay: 1, priceDriftPerWeek: 1 })).toEqual([])
    writeFileSync(file, JSON.stringify(RULES))
    expect(checkLimits({ ...config, env: 'staging' })).toEqual([])
  })

  test('a service reachable without TLS is a warning, unless a proxy is configured', () => {
    const check = (env: Record<string, string>) => checkConfiguration(readConfig(env, existsSync))
    expect(check({ HOST: '0.0.0.0' })).toContainEqual(expect.objectContaining({ check: 'network', state: 'warn' }))
    for (const env of [{ HOST: '127.0.0.1' }, { HOST: '0.0.0.0', TRUSTED_PROXY: '10.0.0.1' }])
      expect(check(env).filter(({ state }) => state !== 'ok')).toEqual([])
  })

  test('a token file readable by other users is a failure', () => {
    const at = folder()
    const env = { DATABASE_URL: `sqlite:${at}/x.db` }
    const config = configOf(env)
    expect(checkToken(env, config)).toMatchObject({ state: 'warn' })
    writeFileSync(`${at}/operator-token`, 'x', { mode: 0o644 })
    expect(checkToken(env, config)).toMatchObject({ state: 'fail' })
    chmodSync(`${at}/operator-token`, 0o600)
    expect(checkToken(env, config)).toMatchObject({ state: 'ok' })
  })

  test('a clock that differs from a vendor is reported', async () => {
    expect(skewFinding('clock', 500)).toMatchObject({ state: 'ok' })
    expect(skewFinding('clock', -5000)).toMatchObject({ state: 'warn', found: 'this server is 5.0 s behind' })
    expect(skewFinding('clock', 120_000)).toMatchObject({ state: 'fail' })
    const server = createServer((_request, response) => {
      response.writeHead(404, { date: new Date(systemClock.now() - 600_000).toUTCString() }).end()
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    expect(await checkClock(url, 'clock')).toMatchObject({ state: 'fail' })
    expect(await checkClock('http://127.0.0.1:1', 'clock')).toMatchObject({ state: 'skipped' })
  })
})

test.each([
  [['tabacco'], 'warn', 'no known product matches "tabacco"'],
  [[], 'ok', 'all 2 entries match a known product'],
  [undefined, 'skipped', 'not all products are known yet'],
])('unmatched no-go entries %j: %s', async (unmatched_no_gos, state, found) => {
  const getGuardrails = () => Promise.resolve({ rules: { hardNoGos: ['烟草', 'tabacco'] }, unmatched_no_gos })
  const findings = await checkNoGos({ getGuardrails } as unknown as Client)
  expect(findings).toEqual([
    expect.objectContaining({ check: 'no-go list', state, found: expect.stringContaining(found) }),
  ])
})
