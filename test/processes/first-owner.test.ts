/** A live start without an owner leaves the link in a file that only its owner reads; the next start replaces it. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDeployment, until } from './processes.ts'

test('the link is in a private file, makes an owner once, and is not offered again', { timeout: 300_000 }, async () => {
  const deployment = await startDeployment()
  const file = join(deployment.folder, 'first-owner-link')
  const read = () => readFileSync(file, 'utf8')
  const isThere = async () => /#vo_[\w-]{43}\n$/.test(read())
  const first = await deployment.start()
  await until(isThere, 10_000)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const older = read()
  first.kill()
  await first.gone
  const second = await deployment.start()
  await until(async () => read() !== older && (await isThere()), 10_000)
  const [, code] = read().trim().split('#')
  const [, replaced] = older.trim().split('#')
  const become = (given: string | undefined) => second.call('POST', '/../../first-owner', { code: given, name: 'Wang' })
  expect((await become(replaced)).status).toBe(401)
  const became = await become(code)
  expect([became.status, became.body.role]).toEqual([201, 'owner'])
  expect((await become(code)).status).toBe(401)
  second.kill()
  await second.gone
  const used = read()
  await deployment.start()
  expect(read()).toBe(used)
})
