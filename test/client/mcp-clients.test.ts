/** The official MCP clients of both generations drive the staging service, over HTTP and over `vendops mcp`. */
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, onTestFinished, test } from 'vitest'
import { startStaging } from '../support/staging.ts'
import type { Json } from '../support/service.ts'

const TOKEN = 'operator-token-of-this-test'
const VENDOPS = join(import.meta.dirname, '../../bin/vendops.js')
const INFO = { name: 'test', version: '1.0.0' }

async function start() {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-mcp-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { port } = await startStaging({ folder, env: { OPERATOR_TOKEN: TOKEN } })
  const url = `http://127.0.0.1:${port}`
  const http = () =>
    [new URL(`${url}/ucp/mcp`), { requestInit: { headers: { authorization: `Bearer ${TOKEN}` } } }] as const
  const stdio = () => ({
    command: process.execPath,
    args: [VENDOPS, 'mcp'],
    env: { PATH: process.env['PATH'] ?? '', VENDOPS_URL: url, OPERATOR_TOKEN: TOKEN },
  })
  return { url, http, stdio }
}

/** What every client of any age can do here. */
async function expectToWork(client: Json): Promise<void> {
  const { tools } = await client.listTools()
  expect(tools.length).toBeGreaterThan(30)
  expect(tools.find(({ name }: Json) => name === 'vending_pull_emergency_stop').annotations).toMatchObject({
    readOnlyHint: false,
    destructiveHint: false,
  })
  // The client checks the answer against the output schema.
  const route = await client.callTool({ name: 'search_locations', arguments: { location: {} } })
  expect(route.structuredContent.ucp.status).toBe('success')
  expect(JSON.parse(route.content[0].text)).toEqual(route.structuredContent)
  const refused = await client.callTool({ name: 'get_order', arguments: { id: 'nothing' } })
  expect(refused).toMatchObject({ isError: true, structuredContent: { messages: [{ code: 'not_found' }] } })
  await expect(client.callTool({ name: 'vending_resolve_approval', arguments: {} })).rejects.toThrow(/Unknown tool/)
  expect((await client.listResources()).resources).toHaveLength(4)
  const { contents } = await client.readResource({ uri: 'vendops://guardrails' })
  expect(JSON.parse(contents[0].text).ucp.status).toBe('success')
  expect((await client.listPrompts()).prompts).toHaveLength(4)
  const prompt = await client.getPrompt({ name: 'buy', arguments: { what: '水' } })
  expect(prompt.messages[0].content.text).toContain('水')
  await client.close()
}

test('over HTTP: 1.32.2, and 2.4.0 in every mode', async () => {
  const { http } = await start()
  const old = new Client1(INFO)
  await old.connect(new Http1(...http()))
  expect(old.getInstructions()).toContain('confirm: true')
  await expectToWork(old)
  for (const mode of ['legacy', 'auto', { pin: '2026-07-28' }] as const) {
    const client = new Client2(INFO, { versionNegotiation: { mode } })
    await client.connect(new Http2(...http()))
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'legacy' ? '2025-11-25' : '2026-07-28')
    await expectToWork(client)
  }
})

test('over standard input and output: 1.32.2, and 2.4.0 in both eras', async () => {
  const { stdio } = await start()
  const old = new Client1(INFO)
  await old.connect(new Stdio1(stdio()))
  await expectToWork(old)
  for (const mode of ['legacy', { pin: '2026-07-28' }] as const) {
    const client = new Client2(INFO, { versionNegotiation: { mode } })
    await client.connect(new Stdio2(stdio()))
    await expectToWork(client)
  }
})

/** Writes lines to `vendops mcp`, ends its input, and returns what it wrote. */
async function pipe(lines: readonly string[], env: Readonly<Record<string, string>>, more: readonly string[] = []) {
  const child = spawn(process.execPath, [VENDOPS, 'mcp', ...more], { env: { PATH: process.env['PATH'] ?? '', ...env } })
  let out = ''
  child.stdout.on('data', (text: Buffer) => (out += text.toString()))
  child.stdin.end(lines.map((text) => `${text}\n`).join(''))
  const code = await new Promise((resolve) => child.on('close', resolve))
  return {
    code,
    answers: out
      .split('\n')
      .filter((text) => text !== '')
      .map((text) => JSON.parse(text)),
  }
}

test('vendops mcp answers what is in flight before it ends, and narrows what it offers', async () => {
  const { url } = await start()
  const env = { VENDOPS_URL: url, OPERATOR_TOKEN: TOKEN }
  const list = JSON.stringify({ jsonrpc: '2.0', id: 'a', method: 'tools/list' })
  const note = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })
  const { code, answers } = await pipe([note, '{', list], env, ['--read-only', '--toolsets', 'orders'])
  expect(code).toBe(0)
  expect(answers).toHaveLength(2)
  expect(answers.find(({ error }) => error)).toMatchObject({ error: { code: -32700 } })
  const names = answers.find(({ id }) => id === 'a').result.tools.map(({ name }: Json) => name)
  expect(names).toContain('vending_list_orders')
  expect(names).not.toContain('create_checkout')
  expect(names).not.toContain('vending_get_plan')
  const lost = await pipe([list], { ...env, VENDOPS_URL: 'http://127.0.0.1:1' })
  expect(lost.answers).toMatchObject([{ id: 'a', error: { code: -32000 } }])
})

test('vendops mcp answers every request with its own id, and never a notification', async () => {
  // What stands between a host and the service: a gateway that answers with JSON of its own.
  const gateway = createServer((_, response) =>
    response.writeHead(502, { 'content-type': 'application/json' }).end('{}'),
  )
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
  const { port } = gateway.address() as AddressInfo
  const list = JSON.stringify({ jsonrpc: '2.0', id: 'a', method: 'tools/list' })
  const note = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })
  const { answers } = await pipe([note, list], { VENDOPS_URL: `http://127.0.0.1:${port}`, OPERATOR_TOKEN: TOKEN })
  gateway.close()
  expect(answers).toMatchObject([{ id: 'a', error: { code: -32000 } }])

  const { url } = await start()
  const large = JSON.stringify({ jsonrpc: '2.0', id: 'b', method: 'ping', params: { text: 'x'.repeat(2 ** 21) } })
  const refused = await pipe([large], { VENDOPS_URL: url, OPERATOR_TOKEN: TOKEN })
  expect(refused.answers).toMatchObject([{ id: 'b', error: { message: expect.stringContaining('larger than') } }])
})
