/** The link that makes the first owner: once, for 15 minutes, one over all instances, and only while no owner ever existed. */
import { expect, test } from 'vitest'
import { offerFirstOwner } from '../../src/rules/people/index.ts'
import { auditChain } from '../../src/views/audit/index.ts'
import { type Answered, type Request, type Service, startService } from '../support/service.ts'
import { addKey } from './keys.ts'

const become = (service: Service, code: string, name = 'Wang', request: Request = {}): Promise<Answered> =>
  service.post('//first-owner', { code, name }, { token: null, ...request })

async function offered(service: Service): Promise<string> {
  const link = await offerFirstOwner(service.ctx)
  const [, code = ''] = /\/signin#(vo_[\w-]{43})$/.exec(link ?? '') ?? []
  return code
}

const owners = async ({ ctx }: Service) =>
  (await ctx.store.db.selectFrom('person').select('name').where('role', '=', 'owner').execute()).map(({ name }) => name)

test('whoever opens it becomes the owner, with a key and signed in', async () => {
  const service = await startService()
  const code = await offered(service)
  const answer = await become(service, code)
  expect([answer.status, answer.body.role, answer.body.name]).toEqual([201, 'owner', 'Wang'])
  const me = await service.get('/me', { token: answer.body.key })
  expect(me.body).toMatchObject({ name: 'Wang', role: 'owner', separation_of_duties: true })
  const cookie = String(answer.headers['set-cookie']).split(';')[0] ?? ''
  expect((await service.get('/me', { token: null, headers: { cookie } })).body.name).toBe('Wang')
  const [event] = await service.events('guardrail')
  expect(event).toMatchObject({ code: 'person_added', params: { name: 'Wang', role: 'owner' } })
  expect((await auditChain(service.ctx.store)).problems).toEqual([])
  // Neither code nor key is in the log or the database.
  const kept = JSON.stringify([service.log, await service.ctx.store.db.selectFrom('person').selectAll().execute()])
  expect([kept.includes(code), kept.includes(answer.body.key)]).toEqual([false, false])
})

test('once: a replayed link makes no second owner', async () => {
  const service = await startService()
  const code = await offered(service)
  await become(service, code)
  expect((await become(service, code, 'Thief')).status).toBe(401)
  expect(await owners(service)).toEqual(['Wang'])
  expect(await offerFirstOwner(service.ctx)).toBeUndefined()
})

test('two who open it at once, on two instances: exactly one owner', async () => {
  const first = await startService()
  const second = await startService({ store: first.ctx.store, clock: first.clock })
  const code = await offered(first)
  const statuses = await Promise.all(
    [first, second, first, second].map(async (service, i) => (await become(service, code, `Person ${i}`)).status),
  )
  expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 401, 401, 401])
  expect(await owners(first)).toHaveLength(1)
})

test('15 minutes; a start makes a new one, and only the newest works', async () => {
  const service = await startService()
  const late = await offered(service)
  service.clock.advance(15 * 60_000)
  expect((await become(service, late)).status).toBe(401)
  const older = await offered(service)
  const newer = await offered(service)
  expect((await become(service, older)).status).toBe(401)
  expect((await become(service, newer)).status).toBe(201)
})

test('an owner who was added on the server, also a revoked one, ends it', async () => {
  const service = await startService()
  const code = await offered(service)
  await addKey(service, 'owner', 'Li')
  expect((await become(service, code)).status).toBe(401)
  await service.ctx.store.db.updateTable('person').set({ revoked_at: service.clock.now() }).execute()
  expect((await become(service, code)).status).toBe(401)
  expect(await offerFirstOwner(service.ctx)).toBeUndefined()
})

test('wrong codes, bad names and other sites change nothing', async () => {
  const service = await startService()
  const code = await offered(service)
  await addKey(service, 'viewer', 'Ann')
  const statuses = [
    (await become(service, `vo_${'A'.repeat(43)}`)).status,
    (await become(service, 'x')).status,
    (await become(service, code, ' Wang')).status,
    (await become(service, code, 'operator')).status,
    (await become(service, code, 'Ann')).status,
    (await become(service, code, 'Wang', { headers: { origin: 'https://evil.example' } })).status,
    (await become(service, code, 'Wang', { headers: { 'sec-fetch-site': 'cross-site' } })).status,
    (await service.post('//first-owner', { code }, { token: null })).status,
    (await service.post('//first-owner', { code: 7, name: 'Wang' }, { token: null })).status,
  ]
  expect(statuses).toEqual([401, 401, 400, 400, 409, 403, 403, 400, 400])
  expect(await owners(service)).toEqual([])
  // It is still good for whoever was meant.
  expect((await become(service, code)).status).toBe(201)
})

test('the code is no key: it neither signs in nor reads', async () => {
  const service = await startService()
  const code = await offered(service)
  expect((await service.post('//signin', { token: code }, { token: null })).status).toBe(401)
  expect((await service.get('/me', { token: code })).status).toBe(401)
})
