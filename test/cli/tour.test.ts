import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../../src/cli/cli.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { memoryTerminal } from '../../src/cli/memory-terminal.test-support.ts'
import { byRank, compare, shortenOutput, stepsIn, wordsOf } from './tour.ts'
import { freePort } from '../support/free-port.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const DOCUMENT = join(ROOT, 'docs', 'cli.md')
const UPDATE = process.env['UPDATE'] === '1'

/** Starts a staging service with a fixed seed and clock. */
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
  let output = ''
  child.stdout.on('data', (data: Buffer) => (output += data.toString()))
  child.stderr.on('data', (data: Buffer) => (output += data.toString()))
  const exited = new Promise((resolve) => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await exited
    rmSync(folder, { recursive: true, force: true })
  })
  for (let i = 0; i < 600 && !output.includes('vendops is ready'); i++) {
    if (child.exitCode !== null) break
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  expect(output).toContain('vendops is ready')
  return { env, folder }
}

test('the tour of the command line prints what the document shows', { timeout: 300_000 }, async () => {
  const { env, folder } = await startStaging()
  const document = readFileSync(DOCUMENT, 'utf8')
  const steps = stepsIn(document)
  expect(steps.length).toBeGreaterThan(20)
  const ids = new Map<string, string>()
  let transcript = ''
  const updated = document.split('\n')
  let shift = 0

  for (const step of steps) {
    const command = UPDATE
      ? byRank(step.command, document, transcript)
      : [...ids].reduce((text, [documented, actual]) => text.replaceAll(documented, actual), step.command)
    const [program, ...argv] = wordsOf(command.replaceAll('/backups/', `${folder}/`))
    expect(program, step.command).toBe('vendops')
    const terminal = memoryTerminal([...step.answers], { width: 118 })
    const signal = new AbortController().signal
    const exit = await runCli(argv, { commands: COMMANDS, terminal, env, signal })
    const output = terminal.transcript
      .replaceAll(`${folder}/data`, './data')
      .replaceAll(`${folder}/`, '/backups/')
      .replaceAll(env.PORT, '8080')
      .trimEnd()
      .split('\n')
    expect(exit, `${step.command}\n${output.join('\n')}`).toBe(step.exit)
    const lines = output.map((line) => line.trimEnd())
    transcript += `${output.join('\n')}\n`
    if (UPDATE) {
      const line = step.from + shift - 1
      updated[line] = updated[line]?.replace(step.command, command) ?? ''
      const shown = shortenOutput(lines)
      updated.splice(step.from + shift, step.to - step.from, ...shown)
      shift += shown.length - (step.to - step.from)
    } else compare(step.expected, lines, ids)
  }
  if (UPDATE) writeFileSync(DOCUMENT, updated.join('\n'))
})
