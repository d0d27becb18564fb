import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { sendPermit } from '../../src/rules/guardrails/send-permit.ts'
import { engageKillSwitch, releaseKillSwitch } from '../../src/rules/guardrails/kill-switch.ts'
import { readKillSwitch } from '../../src/rules/guardrails/records.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { RULES, startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'

const withRules = (more: object) => ({ ...RULES, rules: { ...RULES.rules, ...more } })
const pull = { reason: 'prices look wrong' }

describe('GET /guardrails', () => {
  test('gives the rules as just read: a change of the file shows at once', async () => {
    const service = await startService()
    const first = await service.get('/guardrails')
    expect(first.status).toBe(200)
    expect(first.body).toMatchObject({
      rules: RULES.rules,
      probationUntil: null,
      probation_active: false,
      administrators: 1,
      administrator_chats: 1,
      emergency_stop: { engaged: false, sources: [] },
    })
    service.writeRules({ ...withRules({ priceCapPerItem: 7 }), probationUntil: '2026-09-30T00:00:00+08:00' })
    expect((await service.get('/guardrails')).body).toMatchObject({
      rules: { priceCapPerItem: 7 },
      probationUntil: '2026-09-30T00:00:00.000+08:00',
      probation_active: true,
    })
  })

  test('does not name the administrators', async () => {
    const service = await startService()
    const { text } = await service.get('/guardrails')
    expect(text).not.toContain('ou_owner')
    expect(text).not.toContain('oc_ops')
  })

  test('staging without a file goes by the built-in demo rules', async () => {
    const service = await startService({ config: { guardrailsFile: undefined } })
    const { body } = await service.get('/guardrails')
    expect(body.rules).toMatchObject({ spendingLimitPerRun: 50_000, priceCapPerItem: 100, killSwitchEngaged: false })
    expect(body.rules.hardNoGos).toContain('烟草')
    expect(body.administrators).toBeGreaterThan(0)
  })
})

describe('7 guard_unverifiable: rules that cannot be relied on allow nothing', () => {
  const file = (service: Service): string => service.config.guardrailsFile ?? ''
  const cases: readonly (readonly [string, (service: Service) => void])[] = [
    ['missing', (service) => rmSync(file(service))],
    [
      'a directory',
      (service) => {
        rmSync(file(service))
        mkdirSync(file(service))
      },
    ],
    [
      'a pipe that nobody writes to',
      (service) => {
        rmSync(file(service))
        execFileSync('mkfifo', [file(service)])
      },
    ],
    [
      'a link that leads nowhere',
      (service) => {
        rmSync(file(service))
        symlinkSync(file(service), file(service))
      },
    ],
    [
      'bytes that are no UTF-8',
      (service) => {
        const [before, after] = JSON.stringify(RULES).split('烟草')
        writeFileSync(
          file(service),
          Buffer.concat([Buffer.from(`${before}`), Buffer.of(0xff), Buffer.from(`${after}`)]),
        )
      },
    ],
    ['empty', (service) => service.writeRules('')],
    ['not JSON', (service) => service.writeRules('{"rules": ')],
    ['null', (service) => service.writeRules('null')],
    ['a list', (service) => service.writeRules('[]')],
    ['larger than any rules', (service) => service.writeRules(`${JSON.stringify(RULES)}${' '.repeat(300_000)}`)],
    ['without rules', (service) => service.writeRules({ administrators: [] })],
    ['rules of another type', (service) => service.writeRules({ rules: [] })],
    ['a limit as text', (service) => service.writeRules(withRules({ spendingLimitPerRun: '50000' }))],
    ['a limit of null', (service) => service.writeRules(withRules({ spendingLimitPerRun: null }))],
    ['a negative limit', (service) => service.writeRules(withRules({ spendingLimitPerRun: -1 }))],
    ['a broken limit', (service) => service.writeRules(withRules({ spendingLimitPerRun: 0.5 }))],
    ['a huge limit', (service) => service.writeRules(withRules({ spendingLimitPerRun: 1e21 }))],
    ['an endless limit', (service) => service.writeRules(JSON.stringify(RULES).replace('50000', '1e999'))],
    ['a negative cap', (service) => service.writeRules(withRules({ priceCapPerItem: -100 }))],
    ['a missing cap', (service) => service.writeRules(withRules({ priceCapPerItem: undefined }))],
    ['a misspelt rule', (service) => service.writeRules(withRules({ hardNoGo: ['烟草'] }))],
    ['a misspelt probation', (service) => service.writeRules({ ...RULES, probationUntill: '2026-09-30T00:00:00Z' })],
    ['no-gos that are no list', (service) => service.writeRules(withRules({ hardNoGos: '烟草' }))],
    ['a no-go that is no text', (service) => service.writeRules(withRules({ hardNoGos: [9009] }))],
    ['a switch as text', (service) => service.writeRules(withRules({ killSwitchEngaged: 'false' }))],
    [
      'a switch that stands there twice',
      (service) =>
        service.writeRules(
          JSON.stringify(RULES).replace('"killSwitchEngaged":', '"killSwitchEngaged":true,"killSwitchEngaged":'),
        ),
    ],
    ['a missing switch', (service) => service.writeRules(withRules({ killSwitchEngaged: undefined }))],
    ['a probation without an offset', (service) => service.writeRules({ ...RULES, probationUntil: '2026-09-30' })],
    ['a probation as a number', (service) => service.writeRules({ ...RULES, probationUntil: 1789000000000 })],
    ['administrators that are no list', (service) => service.writeRules({ ...RULES, administrators: 'ou_owner' })],
    ['chats that are no texts', (service) => service.writeRules({ ...RULES, administratorChats: [1] })],
  ]

  test.each(cases)('%s', async (_name, spoil) => {
    const service = await startService()
    spoil(service)
    const answer = await service.get('/guardrails')
    expect(answer.status).toBe(503)
    expect(answer.body.messages).toEqual([
      expect.objectContaining({ type: 'error', code: 'guard_unverifiable', severity: 'unrecoverable' }),
    ])
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    expect(answer.text).not.toContain('guardrails.json')
    expect(service.log.some(({ level, sentence }) => level === 'error' && sentence.includes('guardrails file'))).toBe(
      true,
    )

    rmSync(file(service), { recursive: true, force: true })
    service.writeRules(RULES)
    expect((await service.get('/guardrails')).status, 'a corrected file counts at once').toBe(200)
  })
})

describe('POST /guardrails/stop', () => {
  test('engages the kill switch, with who and why, as one event', async () => {
    const service = await startService()
    const { status, body } = await service.post('/guardrails/stop', pull, {
      headers: { 'ucp-agent': 'profile="https://agent.example.com/profile.json"' },
    })
    expect(status).toBe(200)
    expect(body.emergency_stop).toEqual({
      engaged: true,
      sources: ['pulled'],
      since: '2026-09-10T08:00:00.000+08:00',
      by: 'https://agent.example.com/profile.json',
      reason: 'prices look wrong',
    })
    expect(await service.events('guardrail')).toMatchObject([{ kind: 'guardrail', reasoning: 'prices look wrong' }])
  })

  test('is idempotent: the first one counts, many at once write one event', async () => {
    const service = await startService()
    await Promise.all(Array.from({ length: 8 }, (_, n) => service.post('/guardrails/stop', { reason: `call ${n}` })))
    const { reason, since } = (await service.get('/guardrails')).body.emergency_stop
    service.clock.advance(60_000)
    const again = await service.post('/guardrails/stop', { reason: 'once more' })
    expect(again.body.emergency_stop).toMatchObject({ engaged: true, reason, since })
    expect(await service.events('guardrail')).toHaveLength(1)
  })

  test('a reason is needed', async () => {
    const service = await startService()
    const { status, body } = await service.post('/guardrails/stop', {})
    expect(status).toBe(400)
    expect(body.messages[0]).toMatchObject({ code: 'missing', path: '$.reason' })
    expect((await service.get('/guardrails')).body.emergency_stop.engaged).toBe(false)
  })

  test('works while the rules cannot be read', async () => {
    const service = await startService({ rules: 'broken' })
    const { status, body } = await service.post('/guardrails/stop', pull)
    expect(status).toBe(200)
    expect(body.emergency_stop).toMatchObject({ engaged: true, sources: ['pulled'], reason: pull.reason })
  })

  test('all instances on the database see it at once', async () => {
    const one = await startService()
    const other = await startService({ store: one.ctx.store })
    await one.post('/guardrails/stop', pull)
    expect((await other.get('/guardrails')).body.emergency_stop).toMatchObject({ engaged: true, sources: ['pulled'] })
  })

  test('is engaged again after a release, also under the same Idempotency-Key', async () => {
    const service = await startService()
    const again = () => service.post('/guardrails/stop', pull, { headers: { 'idempotency-key': 'stop' } })
    await again()
    await releaseKillSwitch(service.ctx, { by: 'host', reason: 'checked' })
    const { body, headers } = await again()
    expect([body.emergency_stop.engaged, headers['idempotent-replayed']]).toEqual([true, undefined])
    expect((await service.get('/guardrails')).body.emergency_stop.engaged).toBe(true)
  })

  test('the file and the run-time kill switch are distinguished', async () => {
    const service = await startService({ rules: withRules({ killSwitchEngaged: true }) })
    expect((await service.get('/guardrails')).body.emergency_stop).toEqual({ engaged: true, sources: ['file'] })
    const { body } = await service.post('/guardrails/stop', pull)
    expect(body.emergency_stop.sources).toEqual(['file', 'pulled'])
  })
})

describe('nothing reachable with the token loosens a rule', () => {
  test('no other operation touches the guardrails', () => {
    const rows = Object.values(OPERATIONS).filter(({ path }) => path.startsWith('/guardrails'))
    expect(rows.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([
      'GET /guardrails',
      'GET /guardrails/changes',
      'POST /guardrails/release',
      'POST /guardrails/stop',
      'PUT /guardrails',
    ])
  })

  test.each([
    ['POST', '/guardrails'],
    ['DELETE', '/guardrails'],
    ['DELETE', '/guardrails/stop'],
    ['PUT', '/guardrails/stop'],
    ['DELETE', '/guardrails/stop/release'],
  ])('%s %s leads nowhere', async (method, path) => {
    const service = await startService()
    await service.post('/guardrails/stop', pull)
    const before = readFileSync(service.config.guardrailsFile ?? '', 'utf8')
    const { status } = await service.call(method, path, { body: { engaged: false, rules: {}, release: true } })
    expect([404, 405]).toContain(status)
    expect((await service.get('/guardrails')).body.emergency_stop.engaged).toBe(true)
    expect(readFileSync(service.config.guardrailsFile ?? '', 'utf8')).toBe(before)
  })

  test('the operator token changes no rule', async () => {
    const service = await startService()
    const before = (await service.get('/guardrails')).body
    const { status } = await service.put('/guardrails', { rules: { spendingLimitPerDay: 1e9, hardNoGos: [] } })
    expect(status).toBe(403)
    expect((await service.get('/guardrails')).body).toEqual(before)
  })

  test('whatever else the body holds, it engages the kill switch', async () => {
    const service = await startService()
    const { body } = await service.post('/guardrails/stop', {
      ...pull,
      engaged: false,
      release: true,
      rules: { killSwitchEngaged: false, spendingLimitPerRun: 1e9 },
      administrators: ['me'],
    })
    expect(body.emergency_stop.engaged).toBe(true)
    const read = (await service.get('/guardrails')).body
    expect(read.rules).toMatchObject(RULES.rules)
    expect(read.administrators).toBe(1)
  })
})

describe('beside a SQLite database', () => {
  const onFile = async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vendops-stop-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'vendops.db')
    const store = await openStore(`sqlite:${file}`)
    onTestFinished(() => store.close())
    return { store, marker: `${file}.emergency-stop` }
  }
  /** As if an older copy of the database had been restored. */
  const forget = (store: Store) => store.db.deleteFrom('emergency_stop').execute()

  test('an engaged kill switch has a marker file, readable by its owner only', async () => {
    const { store, marker } = await onFile()
    const service = await startService({ store })
    await service.post('/guardrails/stop', pull)
    expect(statSync(marker).mode & 0o777).toBe(0o600)
    expect(readdirSync(dirname(marker)).filter((name) => name.includes('emergency-stop'))).toHaveLength(1)
  })

  test('it stays engaged when an older copy of the database is restored, with who and why', async () => {
    const { store } = await onFile()
    const service = await startService({ store })
    const { emergency_stop } = (await service.post('/guardrails/stop', pull)).body
    await forget(store)
    expect((await service.get('/guardrails')).body.emergency_stop).toEqual(emergency_stop)
    const asked = vi.fn<() => void>()
    expect(await sendPermit(service.ctx)(asked)).toMatchObject({ code: 'kill_switch_engaged' })
    expect(asked).not.toHaveBeenCalled()
  })

  test.each(['', '{', '7', 'null', '{"since":"x","by":1}'])(
    'a note that reads %j counts all the same',
    async (text) => {
      const { store, marker } = await onFile()
      const service = await startService({ store })
      writeFileSync(marker, text)
      expect((await service.get('/guardrails')).body.emergency_stop).toEqual({ engaged: true, sources: ['pulled'] })
    },
  )

  test('releasing on the host removes it, also when only the file is left', async () => {
    const { store, marker } = await onFile()
    const service = await startService({ store })
    await service.post('/guardrails/stop', pull)
    await forget(store)
    expect(await releaseKillSwitch(service.ctx, { by: 'root', reason: 'checked' })).toBe(true)
    expect(existsSync(marker)).toBe(false)
    expect((await service.get('/guardrails')).body.emergency_stop.engaged).toBe(false)
    expect((await service.events('guardrail'))[0].reasoning).toBe('checked')
  })

  test('it is engaged even when the marker file cannot be written, and the log says so', async () => {
    const { store, marker } = await onFile()
    const service = await startService({ store })
    mkdirSync(`${marker}/in the way`, { recursive: true })
    await service.post('/guardrails/stop', pull)
    expect(await readKillSwitch(store.db)).toMatchObject({ reason: pull.reason })
    expect(service.log.some(({ level, sentence }) => level === 'error' && sentence.includes('marker file'))).toBe(true)
  })
})

describe('releasing, on the host only', () => {
  test('releases it with an event; the file may still engage it', async () => {
    const service = await startService({ rules: withRules({ killSwitchEngaged: true }) })
    await engageKillSwitch(service.ctx, { by: 'operator', reason: 'fire' })
    const release = { by: 'root', reason: 'fire is out' }
    expect(await releaseKillSwitch(service.ctx, release)).toBe(true)
    expect(await releaseKillSwitch(service.ctx, release), 'nothing is left to release').toBe(false)
    expect((await service.get('/guardrails')).body.emergency_stop).toEqual({ engaged: true, sources: ['file'] })
    const events = await service.events('guardrail')
    expect(events.map(({ reasoning }) => reasoning)).toEqual(['fire is out', 'fire'])
  })
})
