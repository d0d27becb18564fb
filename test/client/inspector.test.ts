/**
 * The MCP Inspector drives the staging service, from the list of tools to an order. It has 90 MB in 110 packages, so it is no
 * dependency: `.ci/run` installs it beside the others, and without it these tests are skipped.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Json } from '../support/service.ts'
import { startStaging } from '../support/staging.ts'

const TOKEN = 'operator-token-of-this-test'
const INSPECTOR = join(import.meta.dirname, '../../node_modules/.cache/inspector/node_modules/.bin/mcp-inspector')
const LIMIT_MS = 300_000

interface Run {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

async function start() {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-inspector-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { port } = await startStaging({ folder, env: { OPERATOR_TOKEN: TOKEN } })
  const inspect = (words: readonly string[], token = TOKEN): Promise<Run> =>
    new Promise((resolve) => {
      const target = ['--cli', `http://127.0.0.1:${port}/ucp/mcp`, '--transport', 'http']
      const args = [INSPECTOR, ...target, ...words, '--header', `Authorization: Bearer ${token}`]
      const options = { maxBuffer: 2 ** 26, env: { ...process.env, HOME: folder } }
      execFile(process.execPath, args, options, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      )
    })
  const call = async (tool: string, given: Readonly<Record<string, unknown>>): Promise<Json> => {
    const pairs = Object.entries(given).flatMap(([name, value]) => [
      '--tool-arg',
      `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    ])
    const { stdout } = await inspect(['--method', 'tools/call', '--tool-name', tool, ...pairs])
    return JSON.parse(stdout).structuredContent
  }
  return { inspect, call }
}

describe.skipIf(!existsSync(INSPECTOR))('the MCP Inspector', { timeout: LIMIT_MS }, () => {
  test('finds nothing to warn about in tools, resources and prompts; a wrong key is refused', async () => {
    const { inspect } = await start()
    for (const words of [['tools/list', '--strict'], ['resources/list'], ['prompts/list']]) {
      const { code, stderr } = await inspect(['--method', ...words])
      expect([code, stderr], words[0]).toEqual([0, ''])
    }
    const refused = await inspect(['--method', 'tools/list'], 'wrong')
    expect([refused.code === 0, refused.stdout]).toEqual([false, ''])
  })

  test('buys: search, session with an address, order; over the limit a person is asked; the stop refuses', async () => {
    const { call } = await start()
    const meta = { 'ucp-agent': { profile: 'https://agent.example/profile' } }
    const found = await call('search_catalog', {
      catalog: { filters: { namespace: 'acme-supply' }, pagination: { limit: 1 } },
    })
    const item = { id: found.products[0].variants[0].id }
    const destination = { street_address: '上海市浦东新区张江路 88 号', first_name: '王', phone_number: '13800000000' }
    const fulfillment = { methods: [{ type: 'shipping', destinations: [destination] }] }
    const session = (quantity: number) =>
      call('create_checkout', { meta, checkout: { line_items: [{ item, quantity }], fulfillment } })
    const complete = (id: string) =>
      call('complete_checkout', { id, meta: { ...meta, 'idempotency-key': `key-${id}` }, checkout: { confirm: true } })

    const { id } = await session(2)
    const bought = await complete(id)
    expect([bought.status, (await complete(id)).order]).toEqual(['completed', bought.order])
    expect((await call('get_order', { id })).label).toBe(bought.order.label)

    const large = await session(5000)
    expect((await complete(large.id)).status).toBe('requires_escalation')
    const last = await session(1)
    expect((await call('vending_pull_emergency_stop', { reason: 'test' })).ucp.status).toBe('success')
    expect((await complete(last.id)).messages).toMatchObject([{ code: 'kill_switch_engaged' }])
  })
})
