/** Settings that owners make where the environment says nothing: address, currency, zone, language, costs of driving. */
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createContext } from '../../src/assemble.ts'
import { HOUR } from '../../src/kernel/clock.ts'
import { auditChain } from '../../src/views/audit/index.ts'
import { startTwoPlatforms } from '../locations/two-platforms.ts'
import { addKey } from '../people/keys.ts'
import { trade } from '../support/scripted-vendors.ts'
import { type Answered, type Service, type ServiceOptions, startService, TOKEN } from '../support/service.ts'

const NO_RULES: ServiceOptions = {
  config: { env: 'live', guardrailsFile: '/nowhere/guardrails.json', isGuardrailsFileNamed: false },
}
const ADDRESS = { first_name: 'Ana Ruiz', phone_number: '555-0100', street_address: '12 Main St' }

const codeOf = ({ status, body }: Answered) => [status, body.messages?.[0]?.code, body.messages?.[0]?.path]

async function withOwner(options?: ServiceOptions) {
  const service = await startService(options)
  return { service, put: await ownerOf(service) }
}

async function ownerOf(service: Service) {
  const { key: token } = await addKey(service, 'owner', 'Wang')
  return (body: unknown) => service.put('/settings', body, { token })
}

/** Of a process that nobody tells. */
function afterTwoSeconds({ settings }: ReturnType<typeof createContext>): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  settings.start()
  vi.advanceTimersByTime(2000)
  vi.useRealTimers()
  onTestFinished(settings.close)
}

test('what an owner sets holds at once, on every instance, with history, event and chain', async () => {
  const { service, put } = await withOwner(NO_RULES)
  const other = createContext(service.ctx)
  const before = await service.get('/settings')
  expect(before.body).toMatchObject({
    settings: { currency: 'CNY', time_zone: 'Asia/Shanghai', language: 'en', delivery_address: null, trip_cost: null },
    set_on_server: [],
    currency_chosen: true,
    currency_in_use: null,
    changes: [],
  })
  const answer = await put({
    buyer_name: 'Ruiz Vending',
    delivery_address: { ...ADDRESS, postal_code: ' ' },
    currency: 'USD',
    time_zone: 'America/Chicago',
    language: 'zh',
    trip_cost: 2000,
    stop_cost: 450,
  })
  expect(answer.status, answer.text).toBe(200)
  expect(answer.body.settings).toEqual({
    buyer_name: 'Ruiz Vending',
    delivery_address: ADDRESS,
    currency: 'USD',
    time_zone: 'America/Chicago',
    language: 'zh',
    trip_cost: 2000,
    stop_cost: 450,
  })
  const me = await service.get('/me')
  expect(me.body).toMatchObject({ currency: 'USD', now: expect.stringMatching(/-0[56]:00$/) })
  const overview = await service.get('/overview')
  expect(overview.body.destination).toEqual({ source: 'configured', address: ADDRESS })
  const kinds = await service.get('/connections/kinds')
  expect(kinds.text).toContain('"default":"Ruiz Vending"')
  // The contract of the deployment follows: an amount in the old currency is refused.
  const old = await service.post('/checkout-sessions', { line_items: [], currency: 'CNY' })
  expect(old.status).toBe(400)
  expect((await service.get('/openapi.json')).text).toContain('"USD"')

  expect(other.config.currency).toBe('CNY')
  afterTwoSeconds(other)
  await expect.poll(() => other.config.currency).toBe('USD')
  expect(other.config).toMatchObject({ currency: 'USD', timeZone: 'America/Chicago', buyerName: 'Ruiz Vending' })
  expect(other.config.planParams).toMatchObject({ trip_cost: 2000, stop_cost: 450 })

  expect(answer.body.changes).toHaveLength(7)
  expect(answer.body.changes).toContainEqual(
    expect.objectContaining({ setting: 'currency', before: null, after: 'USD', by: 'Wang' }),
  )
  expect((await service.events('guardrail')).filter(({ code }) => code === 'settings_changed')).toHaveLength(1)
  await put({ language: 'zh', buyer_name: null })
  expect((await service.events('guardrail')).filter(({ code }) => code === 'settings_changed')).toHaveLength(2)
  expect((await service.get('/settings')).body.settings.buyer_name).toBeNull()
  expect(await auditChain(service.ctx.store)).toMatchObject({ problems: [] })
  await service.ctx.store.db
    .updateTable('setting_change')
    .set({ after: '"EUR"' })
    .where('setting', '=', 'currency')
    .execute()
  expect((await auditChain(service.ctx.store)).problems).not.toEqual([])
})

test('only with the key of an owner; what cannot be read is refused whole', async () => {
  const { service, put } = await withOwner(NO_RULES)
  expect((await service.put('/settings', { language: 'zh' }, { token: TOKEN })).status).toBe(403)
  const { key: token } = await addKey(service, 'driver', 'Li')
  expect((await service.get('/settings', { token })).status).toBe(403)
  expect(codeOf(await put({ time_zone: 'Mars/Olympus', language: 'zh' }))).toEqual([400, 'invalid', '$.time_zone'])
  expect(codeOf(await put({ currency: 'XXX' }))).toEqual([400, 'invalid', '$.currency'])
  expect(codeOf(await put({ currency: null }))).toEqual([400, 'invalid', '$.currency'])
  expect(codeOf(await put({ timezone: 'Asia/Tokyo' }))).toEqual([400, 'invalid', '$.timezone'])
  expect(codeOf(await put({ stop_cost: -1 }))).toEqual([400, 'invalid', '$.stop_cost'])
  expect((await service.get('/settings')).body.changes).toEqual([])
})

test('what the environment sets is shown as such and cannot be changed', async () => {
  const setOnServer = new Set(['time_zone', 'stop_cost'] as const)
  const { service, put } = await withOwner({ config: { ...NO_RULES.config, timeZone: 'Europe/Berlin', setOnServer } })
  expect((await service.get('/settings')).body.set_on_server).toEqual(['time_zone', 'stop_cost'])
  expect(codeOf(await put({ time_zone: 'Asia/Tokyo', language: 'zh' }))).toEqual([409, 'not_editable', '$.time_zone'])
  expect((await service.get('/settings')).body.settings).toMatchObject({ time_zone: 'Europe/Berlin', language: 'en' })
})

describe('once something is stored', () => {
  test('in a currency, it stays', async () => {
    const { put, service } = await withOwner()
    // The rules file of this service has limits.
    expect((await service.get('/settings')).body.currency_in_use).toBe('rules')
    const refused = await put({ currency: 'USD' })
    expect(codeOf(refused)).toEqual([409, 'not_editable', '$.currency'])
    expect(refused.body.messages[0].content).toContain('in CNY, and amounts are never converted')
    expect((await put({ currency: 'CNY' })).status).toBe(200)
  })

  test('sales move to the days of another zone, except those of machines with their own', async () => {
    const { service, first } = await startTwoPlatforms()
    const put = await ownerOf(service)
    const evening = Date.parse('2026-09-09T23:30:00+08:00')
    for (const location of ['M1', 'M2'])
      first.trades.push(
        ...[evening, evening + HOUR].map((at, i) => trade(`${location}T${i}`, at, { locationId: location })),
      )
    await service.put('/locations/M1', { name: 'Hall' })
    await service.put('/locations/M2', { name: 'Lobby', profile: { time_zone: 'Asia/Shanghai' } })
    await service.post('/locations/sync')
    const days = async (location: string) => (await service.get(`/sales/daily?location=${location}`)).body.days.length
    expect([await days('M1'), await days('M2')]).toEqual([2, 2])
    expect((await put({ time_zone: 'America/Chicago' })).status).toBe(200)
    expect([await days('M1'), await days('M2')]).toEqual([1, 2])
    expect((await put({ time_zone: null })).status).toBe(200)
    expect(await days('M1')).toBe(2)
    expect((await service.get('/settings')).body).toMatchObject({
      settings: { time_zone: 'Asia/Shanghai' },
      currency_in_use: 'sales',
    })
  })
})
