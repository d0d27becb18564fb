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
  test('says what it can and ends with the code of the command', { timeout: 60_000 }, async () => {
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
    // Neither a terminal nor asked for: no colours.
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

  test('writes one JSON object a line, as it happens, only of the kind asked for', async () => {
    const { service, baseUrl } = await listening()
    const tell = (kind: string, summary: string) => service.post('/events', { kind, summary, reasoning: '' })
    await tell('note', 'before')
    const terminal = memoryTerminal()
    const connect = () => createClient({ baseUrl, token: TOKEN })
    const { signal } = new AbortController()
    const argv = ['events', '--follow', '--json', '--kind', 'note', '--limit', '2']
    const run = runCli(argv, { commands: COMMANDS, terminal, env: {}, signal, connect })
    for (let i = 0; i < 500 && terminal.written === ''; i++) await new Promise((resolve) => setTimeout(resolve, 10))
    await tell('note', 'first')
    await tell('other', 'not asked for')
    await tell('note', 'second')
    expect(await run).toBe(EXIT.ok)
    const lines = terminal.written.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).summary)).toEqual(['before', 'first', 'second'])
  })

  test('a refused token ends it with the code for that, and Ctrl-C with 130', async () => {
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
