/**
 * With the default toolsets and the operator token no sequence of tool calls approves anything, loosens a rule or releases
 * the stop: every tool is called with every id an agent can see, and with whatever might be taken for consent.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { EXAMPLES } from '../../src/api-docs/examples.ts'
import { TOOLS } from '../../src/contract/tools.ts'
import type { Tool } from '../../src/contract/tools.ts'
import { TOOLSETS } from '../../src/kernel/toolsets.ts'
import { COLA, MACHINE, slotOf, startRoute, withRules } from '../replenishment/route.ts'
import { callTool, post, request, toArguments } from '../support/mcp.ts'
import type { OperationCall } from '../support/mcp.ts'
import type { Json, Service } from '../support/service.ts'

/** Members that no operation should take for consent of the owner. */
const PERSUASION = {
  approved: true,
  approve: true,
  status: 'approved',
  confirm: true,
  force: true,
  engaged: false,
  released: true,
  killSwitchEngaged: false,
  rules: { spendingLimitPerRun: 100_000_000, priceCapPerItem: 100_000_000, hardNoGos: [], killSwitchEngaged: false },
  resolver: { channel: 'dashboard', sender_id: 'ou_owner', chat_id: 'oc_ops' },
}

const fulfillment = {
  methods: [{ type: 'shipping', destinations: [{ street_address: '1 Road', first_name: 'Wu', phone_number: '138' }] }],
}

/** Ids an agent can see: a session, a run and a price change above the limits, with their pending approvals. */
async function startWaiting(config: object = {}) {
  const service = await startRoute({ rules: withRules({ spendingLimitPerRun: 100 }), config })
  const call = async (name: string, args: object): Promise<Json> =>
    (await callTool(service, name, args)).body.result.structuredContent
  const checkout = await call('create_checkout', {
    checkout: { id: 'PO-1', line_items: [{ item: { id: 'acme-supply:SP1' }, quantity: 500 }], fulfillment },
  })
  expect(checkout.status).toBe('requires_escalation')
  const run = await call('vending_create_run', {})
  expect(run.status).toBe('pending_approval')
  const repriced = await call('vending_change_prices', reprice)
  expect(repriced.updated).toEqual([])
  const { approvals } = await call('vending_list_approvals', {})
  expect(approvals).toHaveLength(3)
  return { service, ids: [checkout.id, run.id, MACHINE, ...approvals.map(({ id }: Json) => id)] }
}

const reprice = {
  id: MACHINE,
  prices: [{ item: { id: COLA }, price: { amount: 9000, currency: 'CNY' } }],
  confirm: true,
}

/** Bodies that make sense for the state of the service, where the example of the reference would not. */
const BODIES: Readonly<Record<string, object>> = {
  changePrices: { prices: reprice.prices, confirm: true },
  completeCheckout: { confirm: true },
  updateCheckout: { line_items: [{ item: { id: 'acme-supply:SP1' }, quantity: 600 }] },
  createCheckout: { line_items: [{ item: { id: 'acme-supply:SP1' }, quantity: 700 }], fulfillment },
  receiveRun: { delivered: [{ slot_id: slotOf(COLA), quantity: 1 }] },
  receiveStop: { delivered: [{ slot_id: slotOf(COLA), quantity: 1 }] },
}

function argumentsFor(tool: Tool, id: string): object {
  const example = (EXAMPLES[tool.operationId] ?? {}) as OperationCall
  const own = BODIES[tool.operationId]
  const given = toArguments(tool, { ...example, ...(own ? { body: own } : {}) }) as Record<string, unknown>
  const ids = Object.fromEntries(tool.paramNames.filter((name) => name === 'id').map((name) => [name, id]))
  const { bodyKey } = tool
  if (!bodyKey) return { ...PERSUASION, ...given, ...ids }
  return { ...PERSUASION, ...given, ...ids, [bodyKey]: { ...PERSUASION, ...(given[bodyKey] as object) } }
}

/** A shuffle that is the same every time. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  let state = seed
  const random = () => (state = (state * 48_271) % 2_147_483_647)
  return items
    .map((item) => ({ item, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

async function walk(service: Service, ids: readonly string[], seed: number, without: readonly string[] = []) {
  const { tools } = (await post(service, request('tools/list'))).body.result
  const offered = TOOLS.filter(({ name }) => tools.some((tool: Json) => tool.name === name) && !without.includes(name))
  const calls = offered.flatMap((tool) =>
    (tool.paramNames.includes('id') ? ids : ids.slice(0, 1)).map((id) => [tool, id] as const),
  )
  for (const [tool, id] of shuffled(calls, seed)) await callTool(service, tool.name, argumentsFor(tool, id))
  return offered.length
}

const approvedOnes = async (service: Service): Promise<Json[]> =>
  (await service.get('/approvals?status=approved')).body.approvals

describe('an agent that tries everything', () => {
  test.each([1, 2])('approves nothing, loosens no rule, buys nothing above the limit (order %i)', async (seed) => {
    const { service, ids } = await startWaiting()
    const rules = readFileSync(service.config.guardrailsFile!, 'utf8')
    // First without the tools that end what is waiting, then with all of them.
    const gentle = ['cancel_checkout', 'vending_cancel_run', 'vending_delete_location', 'vending_pull_emergency_stop']
    expect(await walk(service, ids, seed, gentle)).toBeGreaterThan(30)
    const { approvals } = (await service.get('/approvals')).body
    expect(approvals.length).toBeGreaterThanOrEqual(3)
    await walk(service, ids, seed, ['vending_pull_emergency_stop'])
    expect(await approvedOnes(service)).toEqual([])
    expect(readFileSync(service.config.guardrailsFile!, 'utf8')).toBe(rules)
    expect(service.supply.script.count('createOrder')).toBe(0)
    expect(service.machine.script.count('updatePrices')).toBe(0)
  })

  test('does not release the stop, and nothing is bought or repriced while it is engaged', async () => {
    const { service, ids } = await startWaiting()
    await callTool(service, 'vending_pull_emergency_stop', { reason: 'test' })
    await walk(service, ids, 3)
    const { body } = await service.get('/guardrails')
    expect(body.rules.killSwitchEngaged || body.emergency_stop?.engaged).toBe(true)
    expect(await approvedOnes(service)).toEqual([])
    expect(service.supply.script.count('createOrder')).toBe(0)
    expect(service.machine.script.count('updatePrices')).toBe(0)
    expect(service.machine.script.count('restockRecommend')).toBe(0)
  })

  test('the same calls approve where the toolset owner is offered, so this test would notice', async () => {
    const { service, ids } = await startWaiting({ mcp: { toolsets: new Set(TOOLSETS), readOnly: false } })
    await walk(service, ids, 1, ['vending_pull_emergency_stop'])
    expect((await approvedOnes(service)).length).toBeGreaterThan(0)
  })
})
