/**
 * With the default toolsets and the operator token, or the key of an operator, no sequence of tool calls approves anything,
 * loosens a rule or releases the stop: every tool is called with every id an agent can see, and with whatever might be taken
 * for consent. Then what needed approval before still needs it.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { EXAMPLES } from '../../src/api-docs/examples.ts'
import { TOOLS } from '../../src/contract/tools.ts'
import type { Tool } from '../../src/contract/tools.ts'
import { fen } from '../../src/kernel/fen.ts'
import { TOOLSETS } from '../../src/kernel/toolsets.ts'
import { addKey } from '../people/keys.ts'
import { COLA, MACHINE, routeSlots, slotOf, startRoute, TEA, WATER, withRules } from '../replenishment/route.ts'
import { callTool, post, request, toArguments } from '../support/mcp.ts'
import type { OperationCall } from '../support/mcp.ts'
import { machineSlot, scriptedSupply, supplyProduct } from '../support/scripted-vendors.ts'
import { TOKEN } from '../support/service.ts'
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

/** Sold under a name that says nothing; only the match with what the machine holds shows that it is forbidden. */
const FORBIDDEN = 'acme-supply:SP3'
/** Matched by hand and by barcode with products that cost nearly as much as they are sold for. */
const [JUICE, SOUP, DEAR, CODED] = ['acme-machine:G-4', 'acme-machine:G-5', 'acme-supply:SP4', 'acme-supply:SP5']
const SOUP_CODE = '6901234567915'
const LIMITS = {
  spendingLimitPerRun: 100,
  spendingLimitPerDay: 150,
  hardNoGos: [WATER],
  priceDriftPerWeek: 120,
  minimumMarginPercent: 10,
  maxQuantityPerLine: 50,
}

/** Ids an agent can see: a session, a run and a price change above the limits, with their pending approvals. */
async function startWaiting(config: object = {}, who: 'token' | 'key' = 'token') {
  const supply = scriptedSupply([
    supplyProduct('SP1', { title: '可乐 330ml', barcode: '6901234567892', eachPriceFen: fen(120) }),
    supplyProduct('SP2', { title: '茶 500ml', barcode: '6901234567908', eachPriceFen: fen(200) }),
    supplyProduct('SP3', { title: 'Goods 3', eachPriceFen: fen(50) }),
    supplyProduct('SP4', { title: 'Goods 4', eachPriceFen: fen(290) }),
    supplyProduct('SP5', { title: 'Goods 5', eachPriceFen: fen(290), barcode: SOUP_CODE }),
  ])
  const slots = [
    ...routeSlots(),
    machineSlot('G-4', { title: 'Juice', priceFen: fen(300), stock: 30 }),
    machineSlot('G-5', { title: 'Soup', priceFen: fen(300), stock: 30, barcode: SOUP_CODE }),
  ]
  const service = await startRoute({ rules: withRules(LIMITS), config, supply, slotsByMachine: { [MACHINE]: slots } })
  for (const [skuId, sku_id] of [
    [WATER, FORBIDDEN],
    [JUICE, DEAR],
  ] as const)
    await service.put(`/skus/${skuId}/aliases`, { aliases: [{ sku_id, source: 'manual' }] })
  if (who === 'key') await addKey(service, 'owner', 'Ann')
  const token = who === 'key' ? (await addKey(service, 'operator')).key : TOKEN
  const call = async (name: string, args: object): Promise<Json> =>
    (await callTool(service, name, args, { token })).body.result.structuredContent
  const checkout = await call('create_checkout', {
    checkout: { id: 'PO-1', line_items: [{ item: { id: 'acme-supply:SP1' }, quantity: 500 }], fulfillment },
  })
  expect(checkout.status).toBe('requires_escalation')
  const run = await call('vending_create_run', { locations: [MACHINE] })
  expect(run.status).toBe('pending_approval')
  const repriced = await call('vending_change_prices', reprice)
  expect(repriced.updated).toEqual([])
  const { approvals } = await call('vending_list_approvals', {})
  expect(approvals).toHaveLength(3)
  return { service, token, call, ids: [checkout.id, run.id, MACHINE, ...approvals.map(({ id }: Json) => id)] }
}

type Call = (name: string, args: object) => Promise<Json>

const codesOf = ({ messages = [] }: Json): string[] => messages.map(({ code }: Json) => code)
const priceOf = (skuId: string, amount: number) => ({
  id: MACHINE,
  prices: [{ item: { id: skuId }, price: { amount, currency: 'CNY' } }],
  confirm: true,
})

/** What the rules do not allow: too much at once, a product of the no-go list, a price above the cap or below the margin. */
async function expectRulesToHold(call: Call): Promise<void> {
  const tried = async (item: string, quantity: number) =>
    call('create_checkout', { checkout: { line_items: [{ item: { id: item }, quantity }], fulfillment } })
  expect(codesOf(await tried(FORBIDDEN, 1))).toContain('hard_no_go')
  expect((await tried('acme-supply:SP1', 40)).status).toBe('requires_escalation')
  for (const [skuId, amount] of [
    [TEA, 900],
    [JUICE, 295],
    [SOUP, 295],
  ] as const)
    expect((await call('vending_change_prices', priceOf(skuId, amount))).updated ?? [], skuId).toEqual([])
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

const SUBJECTS: Readonly<Record<string, string>> = { sku_id: WATER, slot_id: slotOf(COLA), location: MACHINE }

type Variant = { readonly body: object; readonly subjects?: Readonly<Record<string, string>> }

/** Says that two products are the same, or are not. */
const matching = (sku_id: string, other: string, source: string): Variant => ({
  subjects: { sku_id },
  body: { aliases: [{ sku_id: other, source }] },
})

/** Other ways to change what a rule looks at: matches taken back or made with cheap products, and what a slot should hold. */
const VARIANTS: Readonly<Record<string, readonly Variant[]>> = {
  confirmAliases: [
    matching(WATER, FORBIDDEN, 'rejected'),
    matching(FORBIDDEN, WATER, 'rejected'),
    matching(JUICE, DEAR, 'rejected'),
    matching(DEAR, JUICE, 'rejected'),
    matching(JUICE, FORBIDDEN, 'manual'),
    matching(SOUP, CODED, 'manual'),
    matching(SOUP, CODED, 'rejected'),
    matching(SOUP, FORBIDDEN, 'manual'),
  ],
  updateSlot: [
    { body: { par: 1000, capacity: 1000, stock: 0 } },
    { body: { par: 0, capacity: 1, stock: 1000 } },
    { body: { par: null, capacity: null, locked: true } },
  ],
  changePrices: [JUICE, SOUP, TEA].map((skuId) => ({ body: { prices: priceOf(skuId, 205).prices, confirm: true } })),
}

function argumentsFor(tool: Tool, id: string, variant: Variant | undefined): object {
  const example = (EXAMPLES[tool.operationId] ?? {}) as OperationCall
  const own = variant?.body ?? BODIES[tool.operationId]
  const given = toArguments(tool, { ...example, ...(own ? { body: own } : {}) }) as Record<string, unknown>
  const ids = Object.fromEntries(
    tool.paramNames
      .filter((name) => name in SUBJECTS || name === 'id')
      .map((name) => [name, variant?.subjects?.[name] ?? SUBJECTS[name] ?? id]),
  )
  const { bodyKey, argumentNames } = tool
  // A tool refuses arguments that it does not have, so only a body can hold them all.
  const known = Object.fromEntries(Object.entries(PERSUASION).filter(([name]) => argumentNames.has(name)))
  if (!bodyKey) return { ...known, ...given, ...ids }
  return { ...known, ...given, ...ids, [bodyKey]: { ...PERSUASION, ...(given[bodyKey] as object) } }
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

async function walk(
  { service, ids, token }: Pick<Awaited<ReturnType<typeof startWaiting>>, 'service' | 'ids' | 'token'>,
  seed: number,
  without: readonly string[] = [],
) {
  const { tools } = (await post(service, request('tools/list'), { token })).body.result
  const offered = TOOLS.filter(({ name }) => tools.some((tool: Json) => tool.name === name) && !without.includes(name))
  const calls = offered.flatMap((tool) =>
    [
      ...(tool.paramNames.includes('id') ? ids : ids.slice(0, 1)).map((id) => argumentsFor(tool, id, undefined)),
      ...(VARIANTS[tool.operationId] ?? []).map((variant) => argumentsFor(tool, MACHINE, variant)),
      { ...PERSUASION, ...argumentsFor(tool, MACHINE, undefined) },
    ].map((args) => [tool.name, args] as const),
  )
  for (const [name, args] of shuffled(calls, seed)) await callTool(service, name, args, { token })
  return offered.length
}

const approvedOnes = async (service: Service): Promise<Json[]> =>
  (await service.get('/approvals?status=approved')).body.approvals

describe('an agent that tries everything', () => {
  test.each([
    [1, 'token'],
    [2, 'key'],
  ] as const)('approves nothing, loosens no rule, buys nothing above the limit (order %i, %s)', async (seed, who) => {
    const waiting = await startWaiting({}, who)
    const { service, call } = waiting
    await expectRulesToHold(call)
    const rules = readFileSync(service.config.guardrailsFile!, 'utf8')
    const shown = (await service.get('/guardrails')).body.rules
    // First without the tools that end what is waiting, then with all of them.
    const gentle = ['cancel_checkout', 'vending_cancel_run', 'vending_delete_location', 'vending_pull_emergency_stop']
    expect(await walk(waiting, seed, gentle)).toBeGreaterThan(30)
    const { approvals } = (await service.get('/approvals')).body
    expect(approvals.length).toBeGreaterThanOrEqual(3)
    await walk(waiting, seed, ['vending_pull_emergency_stop'])
    expect(await approvedOnes(service)).toEqual([])
    expect(readFileSync(service.config.guardrailsFile!, 'utf8')).toBe(rules)
    expect((await service.get('/guardrails')).body.rules).toEqual(shown)
    expect(service.supply.script.count('createOrder')).toBe(0)
    expect(service.machine.script.count('updatePrices')).toBe(0)
    // The machine may have been removed.
    await service.put(`/locations/${MACHINE}`, { name: 'Hall' })
    await service.post('/locations/sync')
    await expectRulesToHold(call)
  })

  test('does not release the stop, and nothing is bought or repriced while it is engaged', async () => {
    const waiting = await startWaiting()
    const { service, call } = waiting
    await call('vending_pull_emergency_stop', { reason: 'test' })
    await walk(waiting, 3)
    const { body } = await service.get('/guardrails')
    expect(body.rules.killSwitchEngaged || body.emergency_stop?.engaged).toBe(true)
    expect(await approvedOnes(service)).toEqual([])
    expect(service.supply.script.count('createOrder')).toBe(0)
    expect(service.machine.script.count('updatePrices')).toBe(0)
    expect(service.machine.script.count('restockRecommend')).toBe(0)
  })

  test('does not walk past a limit by taking a machine off the route and putting it back, or by small steps', async () => {
    const { service, call } = await startWaiting()
    const step = async (amount: number) => (await call('vending_change_prices', priceOf(TEA, amount))).updated ?? []
    expect(await step(590)).toHaveLength(1)
    expect(await step(660)).toEqual([])
    await call('vending_delete_location', { id: MACHINE })
    await call('vending_put_location', { id: MACHINE, name: 'Hall' })
    await call('vending_sync_locations', {})
    expect(await step(660)).toEqual([])
    expect(service.machine.script.count('updatePrices')).toBe(1)
    // One purchase within the limit, then the limit of the day.
    const buy = async (id: string) => {
      const line_items = [{ item: { id: 'acme-supply:SP2' }, quantity: 1 }]
      await call('create_checkout', { checkout: { id, line_items, fulfillment } })
      return (await call('complete_checkout', { id, checkout: { confirm: true } })).status
    }
    const day = { ...LIMITS, spendingLimitPerRun: 300, spendingLimitPerDay: 300 }
    service.writeRules(withRules(day))
    expect([await buy('PO-A'), await buy('PO-B')]).toEqual(['completed', 'requires_escalation'])
    await call('cancel_checkout', { id: 'PO-A' })
    expect(await buy('PO-C')).toBe('requires_escalation')
  })

  test('the same calls approve where the toolset owner is offered, so this test would notice', async () => {
    const approves = async (seed: number) => {
      const waiting = await startWaiting({ mcp: { toolsets: new Set(TOOLSETS), readOnly: false } })
      await walk(waiting, seed, ['vending_pull_emergency_stop'])
      return (await approvedOnes(waiting.service)).length > 0
    }
    // In some orders everything is canceled before it is approved, and a new tool changes the orders.
    let seed = 1
    while (seed < 6 && !(await approves(seed))) seed++
    expect(seed).toBeLessThan(6)
  })
})
