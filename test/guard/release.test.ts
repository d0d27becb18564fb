/** Releasing the emergency stop: by an owner with a typed word, or on the server; never with the operator token. */
import { expect, test } from 'vitest'
import { auditChain } from '../../src/views/audit/index.ts'
import { start } from '../checkout/support.ts'
import { addKey } from '../people/keys.ts'
import { type Answered, type Service, RULES, TOKEN } from '../support/service.ts'

const codeOf = ({ body }: Answered): unknown => body.messages?.[0]?.code
const BODY = { word: 'release', reason: 'the price list was corrected' }
const release = (service: Service, token: string | null, body: unknown = BODY): Promise<Answered> =>
  service.post('/guardrails/release', body, { token })
const isOn = async (service: Service) => (await service.get('/guardrails')).body.emergency_stop.engaged

test('an owner releases it: writes go on, an event and an entry of the chain say who', async () => {
  const service = await start()
  const { key } = await addKey(service, 'owner', 'Wang')
  await service.post('/guardrails/stop', { reason: 'test' })
  const answer = await release(service, key)
  expect([answer.status, answer.body.emergency_stop]).toEqual([200, { engaged: false, sources: [] }])
  const [event] = await service.events('guardrail')
  expect(event).toMatchObject({ code: 'emergency_stop_released', params: { by: 'Wang' }, reasoning: BODY.reason })
  const entries = await service.ctx.store.db
    .selectFrom('chain_entry')
    .selectAll()
    .where('kind', '=', 'release')
    .execute()
  expect(entries).toMatchObject([{ by_name: 'Wang', by_role: 'owner' }])
  expect((await auditChain(service.ctx.store)).problems).toEqual([])
  // Nothing left to release: the same answer, and no second event.
  expect((await release(service, key)).body.emergency_stop.engaged).toBe(false)
  const released = (await service.events('guardrail')).filter(({ code }) => code === 'emergency_stop_released')
  expect(released).toHaveLength(1)
})

test('nobody else, and not without the word', async () => {
  const service = await start()
  await service.post('/guardrails/stop', { reason: 'test' })
  expect((await release(service, TOKEN)).status).toBe(403)
  const { key } = await addKey(service, 'owner', 'Wang')
  const statuses = [(await release(service, TOKEN)).status, (await release(service, null)).status]
  for (const role of ['operator', 'driver', 'viewer', 'bridge'] as const)
    statuses.push((await release(service, (await addKey(service, role, `a ${role}`)).key)).status)
  expect(statuses).toEqual([403, 401, 403, 403, 403, 403])
  for (const word of ['Release', 'yes', '', true, undefined])
    expect((await release(service, key, { ...BODY, word })).status).toBe(400)
  expect((await release(service, key, { word: 'release' })).status).toBe(400)
  const signedIn = await service.post('//signin', { token: key }, { token: null })
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? ''
  const foreign = { cookie, origin: 'https://evil.example' }
  expect((await service.post('/guardrails/release', BODY, { token: null, headers: foreign })).status).toBe(403)
  expect(await isOn(service)).toBe(true)
})

test('what the file engages is released in the file', async () => {
  const service = await start({ rules: { ...RULES, rules: { ...RULES.rules, killSwitchEngaged: true } } })
  const { key } = await addKey(service, 'owner', 'Wang')
  await service.post('/guardrails/stop', { reason: 'test' })
  const refused = await release(service, key)
  expect([refused.status, codeOf(refused)]).toEqual([409, 'not_editable'])
  service.writeRules(RULES)
  expect(await isOn(service)).toBe(true)
  expect((await release(service, key)).status).toBe(200)
  expect(await isOn(service)).toBe(false)
})
