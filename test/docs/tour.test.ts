/** Runs the tour of the README as written, on another port. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { startStaging } from '../support/staging.ts'

const readme = readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8')

test(
  'the tour in the README works as written, and every response is a UCP response',
  { timeout: 120_000 },
  async () => {
    const tour = /<!-- tour:begin -->\n```sh\n([\s\S]+?)```/.exec(readme)?.[1]
    if (tour === undefined) throw new Error('the README has no tour')
    const folder = mkdtempSync(join(tmpdir(), 'vendops-tour-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const { port } = await startStaging({ folder })
    const script = `set -euo pipefail\n${tour.replaceAll('localhost:8080', `127.0.0.1:${port}`)}`
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: folder, maxBuffer: 64 * 2 ** 20 })
    const responses = stdout
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map(
        (line) =>
          JSON.parse(line) as Record<string, never> & {
            ucp: { status: string }
            status?: string
            order?: { id: string; label: string }
          },
      )
    expect(responses).toHaveLength(10)
    for (const response of responses) expect(response.ucp.status).toBe('success')
    const [, , , , , created, completed, again] = responses
    expect(created?.status).toBe('ready_for_complete')
    expect(completed?.status).toBe('completed')
    expect(again?.order).toEqual(completed?.order)
  },
)
