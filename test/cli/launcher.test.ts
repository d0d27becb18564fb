import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../support/free-port.ts'

const BIN = join(import.meta.dirname, '..', '..', 'bin', 'vendops.js')

test.runIf(process.platform === 'linux')(
  '`vendops serve` is one process with its settings, and SIGTERM ends it with exit code 0',
  async () => {
    const port = await freePort()
    const child = spawn(process.execPath, [BIN, 'serve'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env['PATH'],
        PORT: String(port),
        DATABASE_URL: 'sqlite::memory:',
        OPERATOR_TOKEN: 'launcher-token-0123',
        VENDOPS_CLOCK: '2026-09-10T08:00:00+08:00',
      },
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let output = ''
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      output += String(chunk)
      if (output.includes('vendops is ready')) break
    }
    const about = (name: string) => readFileSync(`/proc/${child.pid}/${name}`, 'utf8').split('\0')
    expect(about('cmdline')).toContain('--max-semi-space-size=2')
    expect(about('environ')).toContain('MALLOC_ARENA_MAX=1')
    expect(about('environ')).toContain('MALLOC_TRIM_THRESHOLD_=131072')
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await exit).toEqual([0, null])
  },
)
