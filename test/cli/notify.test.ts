/** `vendops notify test`, on the server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../../src/cli/cli.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { EXIT } from '../../src/cli/exit.ts'
import { memoryTerminal } from '../../src/cli/memory-terminal.test-support.ts'
import { startProviders } from '../notifications/providers.ts'

async function host(isConfigured = true) {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-notify-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const providers = await startProviders(() => Date.now())
  const file = join(folder, 'notify.json')
  const channel = (name: string, language: string) => ({ name, type: 'slack', webhook: { env: 'HOOK' }, language })
  writeFileSync(file, JSON.stringify({ channels: [channel('owner', 'zh'), channel('ops', 'en')] }))
  const env = {
    DATABASE_URL: `sqlite:${folder}/vendops.db`,
    HOOK: `${providers.origin}/services/secret`,
    ...(isConfigured ? { NOTIFY_FILE: file } : {}),
  }
  const vendops = async (line: string) => {
    const terminal = memoryTerminal([])
    const { signal } = new AbortController()
    const exit = await runCli(line.split(' '), { commands: COMMANDS, terminal, env, signal })
    return { exit, out: terminal.stdout, err: terminal.stderr }
  }
  return { vendops, providers }
}

test('sends one message on the named channel, in its language', async () => {
  const { vendops, providers } = await host()
  expect(await vendops('notify test owner')).toMatchObject({ exit: EXIT.ok, out: expect.stringContaining('owner') })
  expect(providers.accepted.map(({ body }) => body.text)).toEqual(['测试消息'])
})

test('says which channels there are, what failed, and never the address of a channel', async () => {
  const { vendops, providers } = await host()
  const unknown = await vendops('notify test nobody')
  expect([unknown.exit, unknown.err.includes('owner, ops')]).toEqual([EXIT.failed, true])
  providers.isDown = true
  const failed = await vendops('notify test ops')
  expect([failed.exit, failed.err.includes('not delivered')]).toEqual([EXIT.failed, true])
  expect(failed.out + failed.err + unknown.err).not.toContain('/services/')
  const { vendops: bare } = await host(false)
  expect((await bare('notify test ops')).err).toContain('NOTIFY_FILE is not set')
})
