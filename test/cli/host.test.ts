import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { pullStop, pulledStop } from '../../src/capabilities/guard/stop.ts'
import { runCli } from '../../src/cli/cli.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { checkGuardrails, checkToken, skewFinding } from '../../src/cli/doctor/host-checks.ts'
import type { Client } from '../../src/client/index.ts'
import { checkClock, checkNoGos } from '../../src/cli/doctor/service-checks.ts'
import { EXIT } from '../../src/cli/exit.ts'
import { memoryTerminal } from '../../src/cli/memory-terminal.test-support.ts'
import { readConfig } from '../../src/config.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { openStore } from '../../src/store/db.ts'
import { RULES } from '../support/service.ts'

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'vendops-host-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

async function vendops(line: string, env: Record<string, string>, answers: string[] = []) {
  const terminal = memoryTerminal(answers)
  const { signal } = new AbortController()
  const exit = await runCli(line.split(' '), { commands: COMMANDS, terminal, env, signal })
  return { exit, out: terminal.written, err: terminal.complained }
}

/** A host whose service has been started once. */
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

describe('on the host', () => {
  test('the emergency stop is released by typing it, and an event tells who did', async () => {
    const { env, store } = await host()
    await pullStop({ store, clock: systemClock }, { by: 'operator', reason: 'odd prices' })
    expect((await vendops('release', env, ['yes'])).exit).toBe(EXIT.declined)
    expect(await pulledStop(store.db)).toBeDefined()
    const released = await vendops('release all is well', env, ['release'])
    expect(released).toMatchObject({ exit: EXIT.ok })
    expect(await pulledStop(store.db)).toBeUndefined()
    const event = await store.db
      .selectFrom('event')
      .select(['summary', 'reasoning'])
      .orderBy('seq', 'desc')
      .executeTakeFirst()
    expect(event).toMatchObject({ reasoning: 'all is well' })
    expect(event?.summary).toMatch(/^Emergency stop released by .+@/)
  })

  test('a stop the file holds is told, not released', async () => {
    const { env } = await host()
    writeFileSync(env.GUARDRAILS_FILE, JSON.stringify({ ...RULES, rules: { ...RULES.rules, killSwitchEngaged: true } }))
    const { exit, out } = await vendops('release', env)
    expect(exit).toBe(EXIT.guarded)
    expect(out).toContain('still says killSwitchEngaged')
  })

  test('a backup is a whole database of its own and never overwrites', async () => {
    const { at, env, store } = await host()
    await pullStop({ store, clock: systemClock }, { by: 'operator', reason: 'kept' })
    expect((await vendops(`backup ${at}/copy.db`, env)).exit).toBe(EXIT.ok)
    const copy = await openStore(`sqlite:${at}/copy.db`)
    onTestFinished(() => copy.close())
    expect(await pulledStop(copy.db)).toMatchObject({ reason: 'kept' })
    const again = await vendops(`backup ${at}/copy.db`, env)
    expect(again.exit).toBe(EXIT.failed)
    expect(again.err).toContain('never overwrites')
  })

  test('an audit of books that agree finds nothing', async () => {
    const { env } = await host()
    const { exit, out } = await vendops('audit --json', env)
    expect(exit).toBe(EXIT.ok)
    expect(JSON.parse(out)).toMatchObject({ checked: 0, problems: [] })
  })

  test('a database that is not there is told, not made', async () => {
    const at = folder()
    const { exit, err } = await vendops('audit', { DATABASE_URL: `sqlite:${at}/none.db` })
    expect(exit).toBe(EXIT.failed)
    expect(err).toContain('no database')
    expect(existsSync(`${at}/none.db`)).toBe(false)
  })

  test('the interface description is printed without a service', async () => {
    const { exit, out } = await vendops('openapi', {})
    expect(exit).toBe(EXIT.ok)
    expect(Object.keys(JSON.parse(out).paths)).toContain('/checkout-sessions')
  })
})

describe('the doctor', () => {
  test('finds a service that is not there, and says how to start it', async () => {
    const { env } = await host()
    const { exit, out } = await vendops('doctor --json', env)
    expect(exit).toBe(EXIT.failed)
    const findings = new Map(JSON.parse(out).findings.map((finding: { check: string }) => [finding.check, finding]))
    expect(findings.get('service')).toMatchObject({ state: 'fail', mend: expect.stringContaining('vendops serve') })
    for (const check of ['runtime', 'configuration', 'database', 'guardrails', 'time zone', 'disk'])
      expect(findings.get(check), check).toMatchObject({ state: 'ok' })
  })

  test('names every wrong variable, and goes on with the rest', async () => {
    const { exit, out } = await vendops('doctor', { TIMEZONE: 'Mars/Base', RATE_LIMIT_PER_MINUTE: 'many', PORT: '1' })
    expect(exit).toBe(EXIT.failed)
    expect(out).toContain('TIMEZONE must be an IANA time zone name')
    expect(out).toContain('RATE_LIMIT_PER_MINUTE must be a whole number')
    expect(out).toContain('✗ service')
  })

  test('reads the guardrails as strictly as the service does', () => {
    const at = folder()
    const file = `${at}/guardrails.json`
    const config = configOf({ GUARDRAILS_FILE: file })
    expect(checkGuardrails(config)).toMatchObject({ state: 'fail' })
    writeFileSync(file, '{"rules":{}}')
    expect(checkGuardrails(config)).toMatchObject({ state: 'fail' })
    writeFileSync(file, JSON.stringify(RULES))
    expect(checkGuardrails(config)).toMatchObject({ state: 'ok' })
    writeFileSync(file, JSON.stringify({ ...RULES, rules: { ...RULES.rules, killSwitchEngaged: true } }))
    expect(checkGuardrails(config)).toMatchObject({ state: 'warn' })
    chmodSync(file, 0o666)
    expect(checkGuardrails({ ...config, env: 'live' })).toMatchObject({ state: 'fail', mend: `chmod 644 ${file}` })
  })

  test('a token file that others can read is a failure', () => {
    const at = folder()
    const env = { DATABASE_URL: `sqlite:${at}/x.db` }
    const config = configOf(env)
    expect(checkToken(env, config)).toMatchObject({ state: 'warn' })
    writeFileSync(`${at}/operator-token`, 'x', { mode: 0o644 })
    expect(checkToken(env, config)).toMatchObject({ state: 'fail' })
    chmodSync(`${at}/operator-token`, 0o600)
    expect(checkToken(env, config)).toMatchObject({ state: 'ok' })
  })

  test('a clock that disagrees with an upstream is told before signed calls fail', async () => {
    expect(skewFinding('clock', 500)).toMatchObject({ state: 'ok' })
    expect(skewFinding('clock', -5000)).toMatchObject({ state: 'warn', found: 'this host is 5.0 s behind' })
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
  [undefined, 'skipped', 'not every product is known now'],
])('the doctor says of unmatched entries %j: %s', async (unmatched_no_gos, state, found) => {
  const getGuardrails = () => Promise.resolve({ rules: { hardNoGos: ['烟草', 'tabacco'] }, unmatched_no_gos })
  const findings = await checkNoGos({ getGuardrails } as unknown as Client)
  expect(findings).toEqual([
    expect.objectContaining({ check: 'no-go list', state, found: expect.stringContaining(found) }),
  ])
})
