import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../../src/cli/cli.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { memoryTerminal } from '../../src/cli/memory-terminal.test-support.ts'
import { byRank, compare, shortened, stepsIn, wordsOf } from './tour.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const DOCUMENT = join(ROOT, 'docs', 'cli.md')
const UPDATE = process.env['UPDATE'] === '1'

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A staging service as an operator starts it: one seed, one clock, so one world. */
async function startStaging() {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-tour-'))
  const port = await freePort()
  const env = {
    PATH: process.env['PATH'],
    PORT: String(port),
    DATABASE_URL: `sqlite:${join(folder, 'data', 'vendops.db')}`,
    VENDOPS_SEED: '7',
    VENDOPS_CLOCK: '2026-09-10T03:30:00+08:00',
    LOG_LEVEL: 'error',
  }
  const child = spawn(process.execPath, [join(ROOT, 'bin', 'vendops.js'), 'serve'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stdout.on('data', (data: Buffer) => (said += data.toString()))
  child.stderr.on('data', (data: Buffer) => (said += data.toString()))
  const exited = new Promise((resolve) => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await exited
    rmSync(folder, { recursive: true, force: true })
  })
  for (let i = 0; i < 600 && !said.includes('vendops is ready'); i++) {
    if (child.exitCode !== null) break
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  expect(said).toContain('vendops is ready')
  return { env, folder }
}

test('the tour of the command line goes as the document says', { timeout: 300_000 }, async () => {
  const { env, folder } = await startStaging()
  const document = readFileSync(DOCUMENT, 'utf8')
  const steps = stepsIn(document)
  expect(steps.length).toBeGreaterThan(20)
  const ids = new Map<string, string>()
  let played = ''
  const renewed = document.split('\n')
  let shift = 0

  for (const step of steps) {
    const known = UPDATE
      ? byRank(step.command, document, played)
      : [...ids].reduce((text, [told, own]) => text.replaceAll(told, own), step.command)
    const [program, ...argv] = wordsOf(known.replaceAll('/backups/', `${folder}/`))
    expect(program, step.command).toBe('vendops')
    const terminal = memoryTerminal([...step.answers], { width: 118 })
    const signal = new AbortController().signal
    const exit = await runCli(argv, { commands: COMMANDS, terminal, env, signal })
    const said = terminal.transcript
      .replaceAll(`${folder}/data`, './data')
      .replaceAll(`${folder}/`, '/backups/')
      .replaceAll(env.PORT, '8080')
      .trimEnd()
      .split('\n')
    expect(exit, `${step.command}\n${said.join('\n')}`).toBe(step.exit)
    const lines = said.map((line) => line.trimEnd())
    played += `${said.join('\n')}\n`
    if (UPDATE) {
      const line = step.from + shift - 1
      renewed[line] = renewed[line]?.replace(step.command, known) ?? ''
      const shown = shortened(lines)
      renewed.splice(step.from + shift, step.to - step.from, ...shown)
      shift += shown.length - (step.to - step.from)
    } else compare(step.expected, lines, ids)
  }
  if (UPDATE) writeFileSync(DOCUMENT, renewed.join('\n'))
})
