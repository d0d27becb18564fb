/** The reference client of the protocol, unmodified and as a process of its own, buys from the staging service over MCP. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { startStaging } from '../support/staging.ts'
import type { Json } from '../support/service.ts'

const TOKEN = 'operator-token-of-this-test'
const UCP = join(import.meta.dirname, '../../node_modules/@shopify/ucp-cli/dist/bin.js')
const ADDRESS = { street_address: '世纪大道 100 号', first_name: '伟', phone_number: '13800000000' }

interface UcpOptions {
  /** Null: without one. */
  readonly token?: string | null
  readonly more?: readonly string[]
  /** Refuses to send what the schemas do not list. */
  readonly strict?: true
}

async function start() {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-ucp-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { port } = await startStaging({ folder, env: { OPERATOR_TOKEN: TOKEN } })
  const url = `http://127.0.0.1:${port}`
  const business = `http://localhost:${port}`
  const ucp = (words: string, input?: object, { token = TOKEN, more = [], strict }: UcpOptions = {}) =>
    new Promise<Json>((resolve, reject) => {
      const args = [
        UCP,
        ...words.split(' '),
        '--business',
        business,
        '--format',
        'json',
        ...(token === null ? [] : ['--header', `Authorization: Bearer ${token}`]),
        ...(input === undefined ? [] : ['--input', JSON.stringify(input)]),
        ...more,
      ]
      const env = {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        UCP_HOME: join(folder, 'ucp'),
        UCP_TEST_ALLOW_INSECURE_LOCALHOST: 'true',
        ...(strict && { UCP_STRICT_SCHEMA: '1' }),
      }
      // A refusal ends with another exit code; what counts is what it prints.
      execFile(process.execPath, args, { env }, (_failure, stdout, stderr) => {
        try {
          resolve(JSON.parse(stdout))
        } catch {
          reject(new Error(`${args.slice(1).join(' ')}\n${stdout}${stderr}`))
        }
      })
    })
  const search = async (): Promise<Json[]> =>
    (await ucp('catalog search', { filters: { namespace: 'acme-supply' }, pagination: { limit: 3 } })).result.products
  return { folder, url, ucp, search, client: createClient({ baseUrl: url, token: TOKEN }) }
}

const line = (product: Json, quantity: number) => ({
  line_items: [{ item: { id: product.variants[0].id }, quantity }],
})

test('discovers, searches, ships in steps, buys once, reads the order', async () => {
  const { ucp, search, client } = await start()
  const discovered = await ucp('discover')
  expect(JSON.stringify(discovered)).toContain('/ucp/mcp')
  const [product] = await search()
  const ids = [product.id, 'not a sku', 'nobody-supply:1']
  const found = (await ucp('catalog lookup', { ids })).result
  expect(found.products).toHaveLength(1)
  expect(found.messages.map(({ code }: Json) => code)).toEqual(['not_found', 'not_found'])
  expect((await ucp(`catalog get_product ${product.id}`)).result.product.id).toBe(product.id)

  const created = (await ucp('checkout create', line(product, 2))).result
  expect(created.status).toBe('incomplete')
  const { id } = created
  await ucp(`checkout update ${id}`, { fulfillment: { methods: [{ type: 'shipping', destinations: [ADDRESS] }] } })
  const updated = await ucp(`checkout update ${id}`, {
    fulfillment: { methods: [{ groups: [{ selected_option_id: 'standard' }] }] },
  })
  expect(updated.result.status).toBe('ready_for_complete')
  expect(updated.result.fulfillment.methods[0].destinations[0]).toMatchObject(ADDRESS)

  expect(await ucp(`checkout complete ${id}`, {})).toMatchObject({ code: 'SCHEMA_VALIDATION_FAILED' })
  const first = (await ucp(`checkout complete ${id}`, { confirm: true })).result
  const second = (await ucp(`checkout complete ${id}`, { confirm: true })).result
  expect([first.status, second.status]).toEqual(['completed', 'completed'])
  expect(second.order).toEqual(first.order)
  expect((await ucp(`order get ${id}`)).result).toMatchObject({ id, kind: 'purchase' })
  const { orders } = await client.listOrders({ query: { kind: 'purchase' } })
  expect(orders.map((order) => order.id)).toEqual([id])
})

test('finds what docs/agents.md searches for, also with what strict schemas list of the context', async () => {
  const { ucp } = await start()
  const [, example = ''] = /catalog search [\s\S]*?--input '(.*?)'/.exec(readFileSync('docs/agents.md', 'utf8')) ?? []
  const found = await ucp('catalog search', JSON.parse(example), { strict: true })
  expect(found.result.products.length).toBeGreaterThan(0)
  const context = { address_country: 'CN', postal_code: '200000', language: 'zh', intent: 'restock' }
  const signals = { 'dev.ucp.buyer_ip': '192.0.2.1' }
  const told = await ucp('catalog search', { ...JSON.parse(example), context, signals }, { strict: true })
  expect(told.result.products).toEqual(found.result.products)
  const created = await ucp('checkout create', { ...line(found.result.products[0], 1), context }, { strict: true })
  expect(created.result.status).toBe('incomplete')
})

test('picks up in two steps', async () => {
  const { ucp, search } = await start()
  const [product] = await search()
  const pickup = { ...line(product, 1), fulfillment: { methods: [{ type: 'pickup' }] } }
  const { id, fulfillment } = (await ucp('checkout create', pickup)).result
  const [method] = fulfillment.methods
  const choose = (change: object) => ucp(`checkout update ${id}`, { fulfillment: { methods: [change] } })
  await choose({ selected_destination_id: method.destinations[0].id })
  const option = method.groups[0].options[0].id
  const ready = (await choose({ groups: [{ selected_option_id: option }] })).result
  expect(ready.status).toBe('ready_for_complete')
  expect(ready.fulfillment.methods[0]).toMatchObject({
    selected_destination_id: method.destinations[0].id,
    groups: [{ selected_option_id: option }],
  })
})

test('hands an escalation to a person, who approves elsewhere; the stop and a wrong key are told apart', async () => {
  const { folder, ucp, search, client } = await start()
  const [product] = await search()
  const note = join(folder, 'escalation.json')
  const body = {
    ...line(product, 5000),
    id: 'PO-UCP-1',
    fulfillment: { methods: [{ type: 'shipping', destinations: [ADDRESS] }] },
  }
  const created = (await ucp('checkout create', body, { more: ['--on-escalation', `cat > ${note}`] })).result
  expect(created.status).toBe('requires_escalation')
  expect(readFileSync(note, 'utf8')).toContain(created.continue_url)

  const { approvals } = await client.listApprovals()
  await client.resolveApproval({ params: { id: approvals[0]!.id }, body: { approved: true } })
  expect((await ucp('checkout complete PO-UCP-1', { confirm: true })).result.status).toBe('completed')

  expect(await ucp('checkout get PO-UCP-1', undefined, { token: null })).toMatchObject({ code: 'AUTH_REQUIRED' })
  // The same purchase order number for something else.
  const reused = await ucp('checkout create', { ...body, ...line(product, 1) })
  expect(reused).toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' })

  const { id } = (await ucp('checkout create', { ...body, ...line(product, 1), id: 'PO-UCP-2' })).result
  await client.pullEmergencyStop({ body: { reason: 'test' } })
  const stopped = (await ucp(`checkout complete ${id}`, { confirm: true })).result
  expect(stopped.messages.map(({ code }: Json) => code)).toContain('kill_switch_engaged')
})
