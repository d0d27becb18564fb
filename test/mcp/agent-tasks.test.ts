/**
 * Ten tasks that an agent is given, done through the tools against the demo as it starts: none is a dead end, and the
 * answers are small. `PRINT=1` prints calls and bytes of each.
 */
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Json } from '../support/service.ts'
import { startStaging } from '../support/staging.ts'

const TOKEN = 'agent-tasks-token-0123456789'
const MACHINES = ['M1001', 'M1005', 'M1006']
const KIB = 1024

interface Agent {
  /** The answer of a tool; a refusal, too. */
  readonly call: (tool: string, args?: object) => Promise<Json>
  /** What the owner does, outside of MCP. Without a key of an owner the token of the demo decides. */
  readonly owner: (method: string, path: string, body?: object) => Promise<Json>
}

const messageOf = ({ messages = [] }: Json, code: string): Json => messages.find((one: Json) => one.code === code)
const approvalOf = ({ actions }: Json): string => actions['com.example.vending.approval'][0].id
const succeeded = (answer: Json): Json => {
  expect(answer.ucp?.status, JSON.stringify(answer).slice(0, 500)).toBe('success')
  return answer
}
const ADDRESS = {
  methods: [
    { type: 'shipping', destinations: [{ street_address: '1 Road', first_name: 'Wu', phone_number: '13800000000' }] },
  ],
}

/** A run of these machines, small enough for the limit per purchase. */
async function createRun({ call }: Agent, locations: readonly string[]): Promise<Json> {
  return succeeded(
    await call('vending_create_run', { locations, meta: { 'idempotency-key': `run-${locations.join('-')}` } }),
  )
}

async function completeAll({ call }: Agent, placed: Json): Promise<readonly Json[]> {
  const orders: Json[] = []
  for (const { id } of placed.checkouts ?? []) {
    let checkout = succeeded(await call('get_checkout', { id }))
    if (checkout.status === 'incomplete')
      checkout = succeeded(
        await call('update_checkout', { id, checkout: { line_items: checkout.line_items, fulfillment: ADDRESS } }),
      )
    expect(checkout.status).toBe('ready_for_complete')
    const completed = succeeded(await call('complete_checkout', { id, checkout: { confirm: true } }))
    expect(completed.status).toBe('completed')
    orders.push(completed)
  }
  return orders
}

type Task = (agent: Agent) => Promise<void>

/** In this order, on one route. */
const TASKS: Readonly<Record<string, Task>> = {
  async 'morning round'({ call }) {
    const rules = succeeded(await call('vending_get_guardrails', { fields: ['emergency_stop', 'limits'] }))
    expect(rules.emergency_stop.engaged).toBe(false)
    succeeded(await call('vending_list_approvals', { status: 'pending' }))
    const plan = succeeded(await call('vending_get_plan', { at_risk: true, limit: 10 }))
    expect(plan.plans[0].recommendation.action).toBeDefined()
    const trips = succeeded(await call('vending_get_trips', { days: 1 }))
    expect(trips.trips.length).toBeGreaterThan(0)
    succeeded(await call('vending_get_overview', { fields: ['unlinked_count', 'spending'] }))
  },

  async 'restock three machines'(agent) {
    const { call, owner } = agent
    const run = await createRun(agent, MACHINES)
    expect(run.status).toBe('pending_approval')
    const id = approvalOf(run)
    const waiting = succeeded(await call('vending_get_approval', { id, fields: ['status', 'summary'] }))
    expect(waiting.status).toBe('pending')
    await owner('POST', `/approvals/${id}`, { approved: true })
    expect((await call('vending_get_approval', { id, fields: ['status'] })).status).toBe('approved')
    const placed = succeeded(await call('vending_place_run', { id: run.id }))
    expect(placed.status).toBe('placed')
    await completeAll(agent, placed)
    succeeded(await call('vending_get_pick_list', { id: run.id, fields: ['stops'], location: MACHINES[0] }))
  },

  async 'why refused'({ call }) {
    const line_items = [{ item: { id: 'acme-supply:SP1001' }, quantity: 800 }]
    const asked = succeeded(await call('create_checkout', { checkout: { line_items, fulfillment: ADDRESS } }))
    expect(asked.status).toBe('requires_escalation')
    const { params } = messageOf(asked, 'approval_required')
    expect(params).toMatchObject({ rule: 'spendingLimitPerRun', amount: {}, limit: { amount: 50_000 } })
    const wrong = await call('complete_checkout', { id: asked.id, confirm: true })
    expect(messageOf(wrong, 'confirmation_required').path).toBe('$.checkout.confirm')
    succeeded(await call('cancel_checkout', { id: asked.id }))
  },

  async 'price beyond the cap'({ call, owner }) {
    const args = (amount: number) => ({
      id: 'M1001',
      prices: [{ item: { id: 'acme-machine:G-0001' }, price: { amount, currency: 'CNY' } }],
      confirm: true,
    })
    const asked = await call('vending_change_prices', args(900))
    expect(messageOf(asked, 'approval_required').params).toMatchObject({ rule: 'priceCapPerItem', limit: {} })
    const id = approvalOf(asked)
    expect((await call('vending_get_approval', { id, fields: ['status'] })).status).toBe('pending')
    await owner('POST', `/approvals/${id}`, { approved: false, comment: 'Too dear' })
    expect((await call('vending_get_approval', { id, fields: ['status'] })).status).toBe('rejected')
  },

  async 'what loses money'({ call }) {
    const products = succeeded(await call('vending_get_profit', { by: 'product', sort: 'profit', limit: 5 }))
    expect(products.rows[0].profit).toBeLessThanOrEqual(products.rows[1].profit)
    const machines = succeeded(await call('vending_get_profit', { by: 'location', sort: 'profit', limit: 3 }))
    expect(machines.rows).toHaveLength(3)
  },

  async 'lost reply'({ call }) {
    const args = { locations: ['M1003'], meta: { 'idempotency-key': 'lost-1' } }
    const first = succeeded(await call('vending_create_run', args))
    const again = succeeded(await call('vending_create_run', args))
    expect(again.id).toBe(first.id)
    const { runs } = succeeded(await call('vending_list_runs', { limit: 5 }))
    expect(runs.filter(({ id }: Json) => id === first.id)).toHaveLength(1)
    for (const run of runs) expect(Buffer.byteLength(JSON.stringify(run))).toBeLessThanOrEqual(KIB)
    succeeded(await call('vending_cancel_run', { id: first.id }))
  },

  async 'short delivery'(agent) {
    const { call } = agent
    const run = await createRun(agent, ['M1002'])
    const placed = succeeded(await call('vending_place_run', { id: run.id }))
    await completeAll(agent, placed)
    const { stops } = succeeded(await call('vending_get_pick_list', { id: run.id, fields: ['stops'] }))
    const delivered = stops[0].lines.map(({ slot_id, quantity }: Json, n: number) => ({
      slot_id,
      quantity: n === 0 ? Math.max(0, quantity - 1) : quantity,
    }))
    const received = succeeded(await call('vending_receive_run', { id: run.id, delivered, note: 'One was missing' }))
    expect(received.status).toBe('delivered')
    const plan = succeeded(await call('vending_get_plan', { location: 'M1002', limit: 3 }))
    expect(plan.plans.length).toBeGreaterThan(0)
  },

  async 'blocked product'({ call }) {
    const line_items = [{ item: { id: 'acme-supply:SP9009' }, quantity: 1 }]
    const blocked = succeeded(await call('create_checkout', { checkout: { line_items, fulfillment: ADDRESS } }))
    expect(messageOf(blocked, 'hard_no_go').params).toMatchObject({ rule: 'hardNoGos', product: expect.any(String) })
    succeeded(await call('cancel_checkout', { id: blocked.id }))
    // A machine's product is no supplier's: the text names the tool that finds it.
    const machine = [{ item: { id: 'acme-machine:G-0009' }, quantity: 1 }]
    const mismatch = await call('create_checkout', { checkout: { line_items: machine } })
    expect(messageOf(mismatch, 'namespace_mismatch').content).toContain('vending_resolve_skus')
    const resolved = await call('vending_resolve_skus', { ids: ['acme-machine:G-0009'], to_namespace: 'acme-supply' })
    expect(resolved.unresolved).toEqual(['acme-machine:G-0009'])
  },

  async 'ask the owner'({ call, owner }) {
    const question = { kind: 'note', summary: 'Drop Fanta in M1003?', reasoning: 'Two sold in a month.' }
    const { id } = succeeded(await call('vending_ask_owner', { ...question, options: ['Drop it', 'Keep it'] }))
    await owner('POST', `/approvals/${id}`, { approved: true, option: 'Keep it', comment: 'A regular buys it' })
    const { answer } = succeeded(await call('vending_get_approval', { id, fields: ['status', 'answer'] }))
    expect(answer).toMatchObject({ option: 'Keep it', comment: 'A regular buys it' })
  },

  async 'hand over'({ call }) {
    const started = succeeded(await call('vending_get_me')).now
    succeeded(await call('vending_write_note', { name: 'handover', text: 'M1002 was one short. M1003 keeps Fanta.' }))
    succeeded(await call('vending_remind_me', { at: '2027-01-05T08:00:00+08:00', text: 'Look at M1003' }))
    const event = { kind: 'handover', summary: 'Round done', reasoning: 'See the note handover.' }
    succeeded(await call('vending_append_event', event))
    const { events } = succeeded(await call('vending_list_events', { since: started, kind: 'handover' }))
    expect(events).toHaveLength(1)
    const { notes } = succeeded(await call('vending_read_notes', { name: 'handover' }))
    expect(notes[0].text).toContain('M1003')
  },
}

interface Measured {
  readonly task: string
  calls: number
  bytes: number
  problem?: string
}
const measured: Measured[] = []

async function startDemo() {
  const folder = await mkdtemp(join(tmpdir(), 'vendops-tasks-'))
  const env = { OPERATOR_TOKEN: TOKEN, RATE_LIMIT_PER_MINUTE: '6000' }
  const { port } = await startStaging({ folder, env })
  const url = `http://127.0.0.1:${port}`
  const send = async (path: string, method: string, body?: object): Promise<Json> => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
    const answer = await fetch(`${url}${path}`, { method, headers, body: body ? JSON.stringify(body) : null })
    return answer.json()
  }
  return (measure: Measured): Agent => ({
    owner: async (method, path, body) => succeeded(await send(`/ucp/v1${path}`, method, body)),
    async call(name, args = {}) {
      const params = { name, arguments: args }
      const { result, error } = await send('/ucp/mcp', 'POST', { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
      const text: string = result?.content[0].text ?? JSON.stringify(error)
      measure.calls += 1
      measure.bytes += Buffer.byteLength(text)
      return JSON.parse(text)
    },
  })
}

afterAll(() => {
  if (!process.env['PRINT']) return
  const rows = measured.map(({ task, calls, bytes, problem }) => `| ${task} | ${calls} | ${bytes} | ${problem ?? ''} |`)
  console.log(['| task | calls | bytes | dead end |', '|---|---|---|---|', ...rows].join('\n'))
})

test('ten tasks, none of them a dead end', { timeout: 120_000 }, async () => {
  const agentFor = await startDemo()
  for (const [task, perform] of Object.entries(TASKS)) {
    const measure: Measured = { task, calls: 0, bytes: 0 }
    measured.push(measure)
    await perform(agentFor(measure)).catch((failure: Error) => {
      measure.problem = failure.message.split('\n')[0]!.slice(0, 160)
    })
  }
  expect(measured.filter(({ problem }) => problem !== undefined)).toEqual([])
  for (const { task, bytes } of measured) expect(bytes, task).toBeLessThanOrEqual(60 * KIB)
})
