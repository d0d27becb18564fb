/** A key whose owner agreed in advance to what the rules allow, and what every other key reads. */
import { expect, test } from 'vitest'
import { auditChain } from '../../src/views/audit/index.ts'
import { modern, post, request } from '../support/mcp.ts'
import { RULES, startService } from '../support/service.ts'
import type { Json, Service } from '../support/service.ts'
import { addKey } from './keys.ts'

const SKILL = 'skill://vendops/SKILL.md'
const CAREFUL = 'set confirm: true only after a person has agreed'
const AGREED = /The owner has agreed in advance to purchases up to ¥[\d.,]+ each/

const words = async (service: Service, token: string): Promise<string> =>
  (await post(service, request('initialize', { protocolVersion: '2025-06-18' }), { token })).body.result.instructions
const discovered = async (service: Service, token: string) => {
  const { message, headers } = modern('server/discover')
  return (await post(service, message, { token, headers })).body.result
}
const skill = async (service: Service, token: string): Promise<string> =>
  (await post(service, request('resources/read', { uri: SKILL }), { token })).body.result.contents[0].text

test('an owner adds it; it reads the real limits, and any other key the careful words', async () => {
  const service = await startService()
  const owner = await addKey(service, 'owner', 'Ann')
  const token = owner.key
  const refused = await service.post('/people', { name: 'd', role: 'driver', autonomous: true }, { token })
  expect([refused.status, refused.body.messages[0]]).toMatchObject([400, { code: 'invalid', path: '$.autonomous' }])
  const other = await addKey(service, 'operator', 'agent')
  const byOperator = { name: 'x', role: 'operator', autonomous: true }
  expect((await service.post('/people', byOperator, { token: other.key })).status).toBe(403)
  const added = await service.post('/people', { name: 'night', role: 'operator', autonomous: true }, { token })
  expect([added.status, added.body.autonomous]).toEqual([201, true])
  const { people } = (await service.get('/people', { token })).body
  const autonomous = people.filter((person: Json) => person.autonomous === true)
  expect(autonomous.map(({ name }: Json) => name)).toEqual(['night'])
  expect((await service.events())[0]).toMatchObject({ code: 'autonomous_added', params: { name: 'night', by: 'Ann' } })
  expect((await auditChain(service.ctx.store)).problems).toEqual([])

  for (const key of [other.key, token]) {
    expect(await words(service, key)).toContain(CAREFUL)
    expect(await skill(service, key)).toContain('Never send it on your own')
    expect((await discovered(service, key)).ttlMs).toBe(300_000)
  }
  const { key } = added.body
  const said = await words(service, key)
  expect(said).toMatch(AGREED)
  expect(said).not.toContain(CAREFUL)
  for (const text of [said, await words(service, other.key)])
    expect(text).toContain('for purchases or prices you cannot explain, never for doubt')
  expect(await skill(service, key)).toMatch(AGREED)
  expect(await skill(service, key)).not.toMatch(/Never send it on your own|a person agreed|hand over/)
  expect(await discovered(service, key)).toMatchObject({ instructions: said, ttlMs: 0 })

  // What the owner changes is read at once; rules that cannot be read agree to nothing.
  service.writeRules({ ...RULES, rules: { ...RULES.rules, spendingLimitPerRun: 12_300 } })
  expect(await words(service, key)).toContain('up to ¥123.00 each')
  service.writeRules('{')
  expect(await words(service, key)).toContain(CAREFUL)
  service.writeRules(RULES)
})
