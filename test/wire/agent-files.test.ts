/** What agents read before they have a token: the skill, its index and /llms.txt. */
import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { startService } from '../support/service.ts'

const INDEX = '/.well-known/agent-skills/index.json'

test('the index names the skill with the digest of what its address serves', async () => {
  const { server } = await startService()
  const index = await server.inject(INDEX)
  expect([index.statusCode, index.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
  const { $schema, skills } = index.json<{ $schema: string; skills: Record<string, string>[] }>()
  expect($schema).toMatch(/^https:\/\//)
  expect(skills).toMatchObject([{ name: 'vendops', type: 'skill-md' }])
  const { url = '', digest, description = '' } = skills[0]!
  expect(description.length).toBeLessThanOrEqual(1024)
  const skill = await server.inject(new URL(url, 'https://vending.example.com').pathname)
  expect(skill.statusCode).toBe(200)
  expect(skill.headers['content-type']).toMatch(/^text\/markdown/)
  expect(skill.body).toMatch(/^---\nname: vendops\n/)
  expect(digest).toBe(`sha256:${hash('sha256', skill.rawPayload)}`)
  // Plain scalars of YAML: a colon or a hash sign in one makes installers skip the whole skill.
  const head = skill.body.split('\n---\n')[0]!.split('\n').slice(1)
  expect(head.map((line) => line.split(': ')[0])).toEqual(['name', 'description'])
  for (const line of head) expect(line).toMatch(/^\w+: [A-Za-z](?:(?!: | #).)*$/)
  const again = await server.inject({ url: INDEX, headers: { 'if-none-match': String(index.headers.etag) } })
  expect(again.statusCode).toBe(304)
})

test('llms.txt leads to the skill, the reference and discovery', async () => {
  const { server } = await startService()
  const { statusCode, headers, body } = await server.inject('/llms.txt')
  expect([statusCode, headers['content-type']]).toEqual([200, expect.stringMatching(/^text\/(plain|markdown)/)])
  expect(body).toMatch(/^# /)
  for (const path of ['/docs', '/.well-known/ucp', 'SKILL.md']) expect(body).toContain(path)
  const links = [...body.matchAll(/\]\((https:\/\/vending\.example\.com[^)]*)\)/g)].map(
    ([, url]) => new URL(url!).pathname,
  )
  expect(links.length).toBeGreaterThan(2)
  for (const path of links) expect((await server.inject(path)).statusCode, path).not.toBe(404)
})
