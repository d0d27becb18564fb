/** Passkeys: made by who signed in just now, used once per challenge, bound to origin, person and key. */
import { expect, test } from 'vitest'
import { offerFirstOwner, revokePerson, rotateKey } from '../../src/rules/people/index.ts'
import { auditChain } from '../../src/views/audit/index.ts'
import { MINUTE } from '../../src/kernel/clock.ts'
import { type Answered, type Json, type Request, type Service, startService } from '../support/service.ts'
import { type Lies, authenticator } from './authenticator.ts'
import { addKey } from './keys.ts'

const cookieOf = ({ headers }: Answered): string => String(headers['set-cookie']).split(';')[0] ?? ''

const withCookie = (cookie: string): Request => ({ token: null, headers: { cookie } })

const signIn = async (service: Service, key: string): Promise<Request> =>
  withCookie(cookieOf(await service.post('//signin', { token: key }, { token: null })))

const start = async (service: Service, purpose = 'sign_in'): Promise<Json> =>
  (await service.post('//passkey-challenge', { purpose }, { token: null })).body

const offer = async (service: Service, who: Request): Promise<Json> =>
  (await service.post('/me/passkeys/challenge', undefined, who)).body

let tries = 0
/** Each from another address: an address with several failures has to wait. */
const use = (service: Service, passkey: unknown, request: Request = {}) =>
  service.post('//signin', { passkey }, { token: null, from: `10.0.0.${(tries += 1)}`, ...request })

const codeOf = ({ body }: Answered): string => body.messages?.[0]?.code

/** A person who signed in with a key and added a passkey. */
async function withPasskey(service: Service, name = 'Wang', role: 'owner' | 'driver' = 'owner') {
  const { key, id } = await addKey(service, role, name)
  const who = await signIn(service, key)
  const device = authenticator()
  const added = await service.post('/me/passkeys', device.make(await offer(service, who)), who)
  expect(added.status).toBe(201)
  return { service, key, id, who, device, passkey: String(added.body.id) }
}

const events = async (service: Service) =>
  (await service.events('guardrail')).map(({ code }: Json) => code).filter((code) => String(code).startsWith('passkey'))

test('a driver adds a passkey, sees it, signs in with it, and removes it', async () => {
  const service = await startService()
  const { who, device, passkey } = await withPasskey(service, 'Zhao', 'driver')
  const listed = (await service.get('/me/passkeys', who)).body.passkeys
  expect(listed).toMatchObject([{ id: passkey, name: 'Phone', last_used_at: null }])

  const signed = await use(service, device.use(await start(service)))
  expect(signed.status).toBe(200)
  const session = withCookie(cookieOf(signed))
  expect((await service.get('/me', session)).body).toMatchObject({ name: 'Zhao', role: 'driver' })
  expect((await service.get('/me/passkeys', who)).body.passkeys[0].last_used_at).not.toBeNull()

  // Removing it ends the sign-ins with it, and no other.
  expect((await service.call('DELETE', `/me/passkeys/${passkey}`, who)).status).toBe(200)
  expect((await service.get('/me', session)).status).toBe(401)
  expect((await service.get('/me', who)).status).toBe(200)
  expect((await use(service, device.use(await start(service)))).status).toBe(401)
  expect((await service.call('DELETE', `/me/passkeys/${passkey}`, who)).status).toBe(404)
  expect(await events(service)).toEqual(['passkey_removed', 'passkey_added'])
  expect((await auditChain(service.ctx.store)).problems).toEqual([])
  const logged = JSON.stringify(service.log)
  expect([logged.includes(device.credential), logged.includes('"how":"passkey"')]).toEqual([false, true])
})

test('forged, replayed, late and foreign answers sign nobody in', async () => {
  const service = await startService()
  const { device, id } = await withPasskey(service)
  const other = await withPasskey(service, 'Li')
  const wrong: Readonly<Record<string, Lies>> = {
    'another origin': { origin: 'https://vending.example.com.evil.test' },
    'the origin without https': { origin: 'http://vending.example.com' },
    'another relying party': { rpId: 'evil.test' },
    'a challenge of nobody': { challenge: Buffer.alloc(32, 7).toString('base64url') },
    'no user verification': { isVerified: false },
    'the answer of a registration': { type: 'webauthn.create' },
    'in a frame of another page': { crossOrigin: true },
    'another signature': { signature: 'MEUCIQDx' },
    'the handle of another person': { userHandle: Buffer.from(other.id).toString('base64url') },
    'the credential of another person': {
      credential: other.device.credential,
      userHandle: Buffer.from(other.id).toString('base64url'),
    },
    'an unknown credential': { credential: 'AAAA' },
  }
  const through: string[] = []
  for (const [what, lies] of Object.entries(wrong))
    if ((await use(service, device.use(await start(service), lies))).status !== 401) through.push(what)
  expect(through).toEqual([])

  const used = device.use(await start(service))
  expect((await use(service, used)).status).toBe(200)
  expect((await use(service, used)).status).toBe(401)
  // A challenge is used up by a wrong try, too.
  const asked = await start(service)
  await use(service, device.use(asked, { origin: 'https://evil.test' }))
  expect((await use(service, device.use(asked))).status).toBe(401)
  const late = await start(service)
  service.clock.advance(5 * MINUTE)
  expect((await use(service, device.use(late))).status).toBe(401)
  // One made for adding a passkey does not sign in.
  const who = await signIn(service, other.key)
  expect((await use(service, device.use(await offer(service, who)))).status).toBe(401)
  const foreign = await use(service, device.use(await start(service)), { headers: { origin: 'https://evil.test' } })
  expect(foreign.status).toBe(403)
  expect((await service.post('//signin', {}, { token: null })).status).toBe(400)
  expect((await use(service, { credential_id: '?' })).status).toBe(400)
  expect(id).not.toBe(other.id)
})

test('a counter that goes back is refused, and the owners read it', async () => {
  const service = await startService()
  const { device } = await withPasskey(service)
  expect((await use(service, device.use(await start(service), { counter: 9 }))).status).toBe(200)
  for (const counter of [9, 8, 0])
    expect((await use(service, device.use(await start(service), { counter }))).status).toBe(401)
  expect((await use(service, device.use(await start(service), { counter: 10 }))).status).toBe(200)
  expect((await events(service)).filter((code) => code === 'passkey_copied')).toHaveLength(3)
})

test('a passkey is made only for who asked, at this address, with user verification, once', async () => {
  const service = await startService()
  const { key } = await addKey(service, 'owner', 'Wang')
  const li = await withPasskey(service, 'Li')
  const who = await signIn(service, key)
  const device = authenticator()
  const wrong: Lies[] = [
    { origin: 'https://evil.test' },
    { rpId: 'evil.test' },
    { challenge: 'AAAA' },
    { isVerified: false },
    { type: 'webauthn.get' },
    { crossOrigin: true },
  ]
  for (const lies of wrong) {
    const answer = await service.post('/me/passkeys', device.make(await offer(service, who), 'x', lies), who)
    expect([answer.status, codeOf(answer)], JSON.stringify(lies)).toEqual([400, 'invalid'])
  }
  // The challenge of Li, and the credential of Li.
  const theirs = await service.post('/me/passkeys', device.make(await offer(service, li.who)), who)
  expect(theirs.status).toBe(400)
  const taken = { credential: li.device.credential }
  const known = await service.post('/me/passkeys', device.make(await offer(service, who), 'x', taken), who)
  expect([known.status, codeOf(known)]).toEqual([409, 'not_editable'])
  expect((await service.post('/me/passkeys', device.make(await start(service)), who)).status).toBe(400)
  const made = device.make(await offer(service, who))
  expect((await service.post('/me/passkeys', { ...made, name: 'a\u202Eb' }, who)).status).toBe(400)
  const good = device.make(await offer(service, who))
  expect((await service.post('/me/passkeys', good, who)).status).toBe(201)
  expect((await service.post('/me/passkeys', good, who)).status).toBe(400)
  // Li sees and removes only what is of Li.
  const [mine] = (await service.get('/me/passkeys', who)).body.passkeys
  expect((await service.get('/me/passkeys', li.who)).body.passkeys).toHaveLength(1)
  expect((await service.call('DELETE', `/me/passkeys/${mine.id}`, li.who)).status).toBe(404)
})

test('a cookie that is older than ten minutes adds none, nor does a program or the token', async () => {
  const service = await startService()
  const { key } = await addKey(service, 'owner', 'Wang')
  const who = await signIn(service, key)
  const asked = await offer(service, who)
  const made = authenticator().make(asked)
  service.clock.advance(4 * MINUTE)
  const second = await offer(service, who)
  service.clock.advance(6 * MINUTE + 1)
  const stale = await service.post('/me/passkeys/challenge', undefined, who)
  expect([stale.status, codeOf(stale)]).toEqual([400, 'confirmation_required'])
  const late = await service.post('/me/passkeys', authenticator().make(second), who)
  expect([late.status, codeOf(late)]).toEqual([400, 'confirmation_required'])
  for (const request of [{ token: key }, {}]) {
    expect((await service.post('/me/passkeys/challenge', undefined, request)).status).toBe(403)
    expect((await service.post('/me/passkeys', made, request)).status).toBe(403)
  }
  const forged = { token: null, headers: { ...who.headers, origin: 'https://evil.test' } }
  expect((await service.post('/me/passkeys/challenge', undefined, forged)).status).toBe(403)
  expect(await events(service)).toEqual([])
})

test('a revoked person and a new key end passkeys and their sign-ins', async () => {
  const service = await startService()
  await addKey(service, 'owner', 'Boss')
  for (const end of ['revoke', 'rotate']) {
    const { id, device } = await withPasskey(service, end)
    const session = withCookie(cookieOf(await use(service, device.use(await start(service)))))
    expect((await service.get('/me', session)).status).toBe(200)
    if (end === 'revoke') await revokePerson(service.ctx, id)
    else await rotateKey(service.ctx, 'rotate', {}, 'root@host')
    service.clock.advance(1000)
    expect((await service.get('/me', session)).status, end).toBe(401)
    expect((await use(service, device.use(await start(service)))).status, end).toBe(401)
  }
  expect((await auditChain(service.ctx.store)).problems).toEqual([])
})

test('a passkey that was put into the database is noticed', async () => {
  const service = await startService()
  const { id } = await withPasskey(service)
  const db = service.ctx.store.db
  await db.updateTable('passkey').set({ public_key: 'AAAA' }).where('person', '=', id).execute()
  expect((await auditChain(service.ctx.store)).problems).toHaveLength(1)
})

test('of two instances with one challenge exactly one signs in', async () => {
  const first = await startService()
  const second = await startService({ store: first.ctx.store, clock: first.clock })
  const { device } = await withPasskey(first)
  const proof = device.use(await start(first))
  const answers = await Promise.all([first, second, first, second].map((service) => use(service, proof)))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401, 401, 401])
})

test('the first owner with a passkey: signed in, no key shown, a wrong code stores nothing', async () => {
  const service = await startService()
  const code = (await offerFirstOwner(service.ctx))?.split('#')[1] ?? ''
  const become = (body: object) => service.post('//first-owner', { code, name: 'Wang', ...body }, { token: null })
  const device = authenticator()
  const make = async (lies?: Lies) => device.make(await start(service, 'first_owner'), 'Laptop', lies)
  expect((await become({ code: `vo_${'A'.repeat(43)}`, passkey: await make() })).status).toBe(401)
  expect((await become({ passkey: await make({ origin: 'https://evil.test' }) })).status).toBe(400)
  expect((await become({ passkey: device.make(await start(service), 'Laptop') })).status).toBe(400)
  const answer = await become({ passkey: await make() })
  expect([answer.status, answer.body.key, answer.body.role]).toEqual([201, null, 'owner'])
  const who = withCookie(cookieOf(answer))
  expect((await service.get('/me', who)).body).toMatchObject({ name: 'Wang', role: 'owner' })
  expect((await service.get('/me/passkeys', who)).body.passkeys).toMatchObject([{ name: 'Laptop' }])
  expect((await use(service, device.use(await start(service)))).status).toBe(200)
  expect((await auditChain(service.ctx.store)).problems).toEqual([])
})

test('an address limit holds for challenges, as for sign-ins', async () => {
  const service = await startService({ config: { rateLimitPerMinute: 5 } })
  const answers = []
  for (let i = 0; i < 6; i++)
    answers.push(await service.post('//passkey-challenge', { purpose: 'sign_in' }, { token: null }))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429])
})
