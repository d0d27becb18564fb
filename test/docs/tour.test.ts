/** Runs the tours of the README and of docs/http-tour.md as written, on another port. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { startStaging } from '../support/staging.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** The commands between the marks. */
function tourIn(file: string): string {
  const tour = /<!-- tour:begin -->\n```sh\n([\s\S]+?)```/.exec(readFileSync(join(ROOT, file), 'utf8'))?.[1]
  if (tour === undefined) throw new Error(`${file} has no tour`)
  return tour
}

test('the tour in the README works as written, with tables for people', { timeout: 300_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-tour-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { port } = await startStaging({ folder, env: { DEMO_LANGUAGE: 'en' } })
  const program = `'${process.execPath}' '${join(ROOT, 'bin/vendops.js')}'`
  const script = `set -euo pipefail\n${tourIn('README.md').replaceAll('npx vendops', program)}`
  const env = { ...process.env, PORT: String(port), DATABASE_URL: `sqlite:${folder}/data/vendops.db` }
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: folder, env })
  for (const head of ['NAME', 'STOCK', 'RUNS OUT', 'UNIT']) expect(stdout).toContain(head)
  expect(stdout).toContain('po_tour_1')
  // The demo of an English reader is in English, and every slot has its reason, whatever was ordered before.
  expect(stdout).toContain('Nongfu Spring Spring water')
  // The vendors' own words for the state of an order or a sale stay as they are.
  const read = stdout.slice(0, stdout.indexOf('po_tour_1'))
  expect(read.split('\n').filter((line) => /\p{Script=Han}/u.test(line) && !line.includes('Sale T'))).toEqual([])
  expect(stdout).not.toContain('nothing to order')
  expect(stdout).not.toContain('{"')
})

test('the tour over HTTP works as written, and every response is a UCP response', { timeout: 300_000 }, async () => {
  const tour = tourIn('docs/http-tour.md')
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
})
