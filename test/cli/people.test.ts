/** `vendops people` and `vendops audit export`, on the server, without a running service. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type ChainEntry, entryHash } from '../../src/record/hash-chain/entry.ts'
import { runCli } from '../../src/cli/cli.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { checkPeople } from '../../src/cli/doctor/host-checks.ts'
import { EXIT } from '../../src/cli/exit.ts'
import { memoryTerminal } from '../../src/cli/memory-terminal.test-support.ts'
import { qrLines } from '../../src/cli/commands/people.ts'
import { readConfig } from '../../src/config.ts'
import { openStore } from '../../src/store/open.ts'

async function host() {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-people-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const env = { DATABASE_URL: `sqlite:${folder}/vendops.db`, PORT: '1', PUBLIC_URL: 'https://vend.example.com' }
  await (await openStore(env.DATABASE_URL)).close()
  const vendops = async (line: string) => {
    const terminal = memoryTerminal([])
    const { signal } = new AbortController()
    const exit = await runCli(line.split(' '), { commands: COMMANDS, terminal, env, signal })
    return { exit, out: terminal.stdout, err: terminal.stderr }
  }
  const read = readConfig(env, () => true)
  if (!read.ok) throw new Error(read.problems.join())
  return { vendops, config: read.config }
}

test('add, list, rotate and revoke print exactly what others depend on', async () => {
  const { vendops } = await host()
  const added = await vendops('people add Wang --role owner --expires 90d --json')
  expect(added.exit).toBe(EXIT.ok)
  const person = JSON.parse(added.out)
  expect(Object.keys(person)).toEqual(['id', 'name', 'role', 'key', 'sign_in_url', 'expires_at'])
  expect(person).toMatchObject({
    name: 'Wang',
    role: 'owner',
    key: expect.stringMatching(/^vk_[\w-]{43}$/) as string,
    sign_in_url: expect.stringMatching(/^https:\/\/vend\.example\.com\/signin#vl_[\w-]{43}$/) as string,
  })
  const { people } = JSON.parse((await vendops('people list --json')).out)
  expect(Object.keys(people[0])).toEqual([
    'id',
    'name',
    'role',
    'created_at',
    'last_used_at',
    'expires_at',
    'revoked_at',
  ])
  expect((await vendops('people list --csv')).out).toMatch(
    /^NAME,ROLE,CREATED,LAST USED,EXPIRES,REVOKED\nWang,owner,\d.*\n$/,
  )
  const rotated = JSON.parse((await vendops('people rotate Wang --json')).out)
  expect(rotated.id).toBe(person.id)
  expect(rotated.key).not.toBe(person.key)

  const last = await vendops('people revoke Wang')
  expect([last.exit, last.err.includes('--last')]).toEqual([EXIT.failed, true])
  expect((await vendops('people revoke Wang --last')).exit).toBe(EXIT.ok)
  expect((await vendops('people revoke Wang')).exit).toBe(EXIT.failed)
  expect((await vendops('people add Wang')).exit).toBe(EXIT.usage)
  expect((await vendops('people add Wang --role owner --expires soon')).exit).toBe(EXIT.usage)
})

test('doctor says which of the two holds', async () => {
  const { vendops, config } = await host()
  expect(await checkPeople(config)).toMatchObject([{ state: 'warn' }])
  await vendops('people add Wang --role owner')
  expect(await checkPeople(config)).toMatchObject([{ state: 'ok' }])
  await vendops('people revoke Wang --last')
  expect(await checkPeople(config)).toMatchObject([{ state: 'fail' }])
})

test('the exported chain can be checked by anybody, and audit knows its head', async () => {
  const { vendops } = await host()
  await vendops('people add Wang --role owner')
  await vendops('people rotate Wang')
  const lines = (await vendops('audit export')).out.trim().split('\n')
  const [first, second, end] = lines.map((line) => JSON.parse(line))
  expect(lines).toHaveLength(3)
  for (const { by, ...entry } of [first, second]) {
    const { hash, ...hashed } = { ...entry, by: by ?? undefined } as ChainEntry
    expect(entryHash(hashed)).toBe(hash)
  }
  expect([second.previous, end.head, end.entries]).toEqual([first.hash, second.hash, 2])
  expect((await vendops(`audit --offline --head ${end.head}`)).exit).toBe(EXIT.ok)
  const other = await vendops(`audit --offline --head ${'a'.repeat(64)}`)
  expect([other.exit, other.out.includes('not part of the chain')]).toEqual([EXIT.failed, true])
})

test('a sign-in link fits on a terminal as a QR code', () => {
  const lines = qrLines(`https://vend.example.com/signin#vl_${'a'.repeat(43)}`)
  expect(lines.length).toBeLessThan(30)
  expect(new Set(lines.join(''))).toEqual(new Set('█▀▄ '))
})
