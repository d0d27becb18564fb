import { execFile } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { runCli } from '../../src/cli/cli.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { EXIT } from '../../src/cli/exit.ts'
import { memoryTerminal } from '../../src/cli/memory-terminal.test-support.ts'
import { startService, TOKEN } from '../support/service.ts'

const BIN = join(import.meta.dirname, '..', '..', 'bin', 'vendops.js')

function vendops(argv: readonly string[], env: Record<string, string> = {}) {
  return new Promise<{ exit: number; out: string; err: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [BIN, ...argv],
      { env: { PATH: process.env['PATH'], ...env } },
      (_failure, out, err) => resolve({ exit: child.exitCode ?? -1, out, err }),
    )
  })
}

describe('the program', () => {
  test('exits with the code of the command', { timeout: 300_000 }, async () => {
    const [help, typo, refused, nowhere, tokenless] = await Promise.all([
      vendops(['--help']),
      vendops(['chekout']),
      vendops(['serve'], { VENDOPS_ENV: 'live', DATABASE_URL: 'sqlite::memory:' }),
      vendops(['orders'], { VENDOPS_URL: 'http://127.0.0.1:1', OPERATOR_TOKEN: 'x' }),
      vendops(['orders'], { VENDOPS_URL: 'https://far.example' }),
    ])
    expect(help).toMatchObject({ exit: EXIT.ok, err: '' })
    expect(typo.exit).toBe(EXIT.usage)
    expect(typo.err).toContain('did you mean "checkout"')
    expect(refused.exit).toBe(EXIT.failed)
    expect(refused.err).toContain('OPERATOR_TOKEN is required in live')
    expect(nowhere.exit).toBe(EXIT.unreachable)
    expect(tokenless.exit).toBe(EXIT.unauthorized)
    // Not a terminal, so no colors.
    expect(help.out).not.toContain('\u001b')
  })
})

describe('events --follow', () => {
  async function listening() {
    const service = await startService()
    await service.server.listen({ host: '127.0.0.1', port: 0 })
    const { port } = service.server.server.address() as AddressInfo
    return { service, baseUrl: `http://127.0.0.1:${port}` }
  }

  test('writes one JSON object per line, only of the given kind', async () => {
    const { service, baseUrl } = await listening()
    const postEvent = (kind: string, summary: string) => service.post('/events', { kind, summary, reasoning: '' })
    await postEvent('note', 'before')
    const terminal = memoryTerminal()
    const connect = () => createClient({ baseUrl, token: TOKEN })
    const { signal } = new AbortController()
    const argv = ['events', '--follow', '--json', '--kind', 'note', '--limit', '2']
    const run = runCli(argv, { commands: COMMANDS, terminal, env: {}, signal, connect })
    for (let i = 0; i < 500 && terminal.stdout === ''; i++) await new Promise((resolve) => setTimeout(resolve, 10))
    await postEvent('note', 'first')
    await postEvent('other', 'not asked for')
    await postEvent('note', 'second')
    expect(await run).toBe(EXIT.ok)
    const lines = terminal.stdout.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).summary)).toEqual(['before', 'first', 'second'])
  })

  test('a refused token exits with its code, Ctrl-C with 130', async () => {
    const { baseUrl } = await listening()
    const follow = (token: string, signal: AbortSignal) =>
      runCli(['events', '--follow'], {
        commands: COMMANDS,
        terminal: memoryTerminal(),
        env: {},
        signal,
        connect: () => createClient({ baseUrl, token }),
      })
    expect(await follow('wrong', new AbortController().signal)).toBe(EXIT.unauthorized)
    const interrupt = new AbortController()
    setTimeout(() => interrupt.abort(), 100)
    expect(await follow(TOKEN, interrupt.signal)).toBe(EXIT.interrupted)
  })
})
