/** Every tool that is asked for the whole answer gives, byte for byte, what its operation answers over REST: two equal services, one asked each way. */
import { describe, expect, test } from 'vitest'
import { EXAMPLES } from '../../src/api-docs/examples.ts'
import type { OperationId } from '../../src/contract/handlers.ts'
import { TOOLS } from '../../src/contract/tools.ts'
import { fen } from '../../src/kernel/fen.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { registerLive } from '../../src/vendors/registry.ts'
import { addKey } from '../people/keys.ts'
import { COLA, MACHINE, salesOf, slotOf, startRoute, WATER, withRules } from '../replenishment/route.ts'
import { callTool } from '../support/mcp.ts'
import type { OperationCall } from '../support/mcp.ts'
import { machineSlot, scriptedMachine, scriptedSupply, supplyProduct } from '../support/scripted-vendors.ts'
import { startService } from '../support/service.ts'
import type { Answered, Json, Service } from '../support/service.ts'
import { keysFile, newKey } from '../webhooks/receiver.ts'
import { EVERYTHING, expectBothOf } from './both-ways.ts'

async function startPair(options: Parameters<typeof startRoute>[0] = {}) {
  const rest = await startRoute({ config: EVERYTHING, ...options })
  const mcp = await startRoute({ config: EVERYTHING, ...options })
  return expectBothOf({ rest, mcp })
}

const lineItems = (quantity: number) => ({ line_items: [{ item: { id: 'acme-supply:SP1' }, quantity }] })
const fulfillment = {
  methods: [{ type: 'shipping', destinations: [{ street_address: '1 Road', first_name: 'Wu', phone_number: '138' }] }],
}
const decisionIn = ({ body }: Answered): string => body.actions['com.example.vending.approval'][0].id

/** They are refused on the first day, and succeed on the second. */
const REFUSED_BY_DAY: readonly OperationId[] = [
  'listPlatformLocations',
  'listPacks',
  'statePack',
  'startExperiment',
  'endExperiment',
  'placeRun',
  'cancelRun',
  'receiveRun',
  'receiveStop',
  'acceptLayout',
  'endLaneChange',
  'acceptSwap',
  'endSwap',
  'redeliverWebhook',
  'listPeople',
  'addPerson',
  'revokePerson',
]

const OTHER = 'M1002'
const EAN = { 'G-1': '6901234567892', 'G-2': '6901234567908' } as const
const slot = (code: 'G-1' | 'G-2', title: string) =>
  machineSlot(code, { title, priceFen: fen(500), stock: 2, barcode: EAN[code] })

/** Two machines that need goods, a slot for which a swap is proposed, an owner, and a receiver of webhooks. */
async function startOwnersPair() {
  const signingKeysFile = keysFile(newKey(0)).file
  const webhookTargets = [{ id: 'platform', url: 'http://127.0.0.1:9/', kinds: ['purchase'] as const }]
  const start = async () => {
    const service = await startRoute({
      config: { ...EVERYTHING, signingKeysFile, webhookTargets },
      slotsByMachine: {
        [MACHINE]: [slot('G-2', '茶'), machineSlot('G-3', { title: '水', priceFen: fen(500), stock: 9 })],
        [OTHER]: [slot('G-1', '可乐'), slot('G-2', '茶')],
      },
      trades: [
        ...salesOf({ vendorSku: 'G-2', perDay: 2 }),
        ...salesOf({ location: OTHER, vendorSku: 'G-1', perDay: 4 }),
        ...salesOf({ location: OTHER, vendorSku: 'G-2', perDay: 2 }),
      ],
    })
    return { service, key: (await addKey(service, 'owner', 'Ann')).key }
  }
  const [rest, mcp] = [await start(), await start()]
  const both = expectBothOf({ rest: rest.service, mcp: mcp.service, tokens: { rest: rest.key, mcp: mcp.key } })
  const onMcp = async (path: string): Promise<Json> => (await mcp.service.get(path, { token: mcp.key })).body
  return { both, onMcp }
}

/** Of a platform that lists its machines. */
async function expectPlatformLocations(): Promise<void> {
  const start = () => {
    const machine = scriptedMachine()
    machine.roster.push({ id: MACHINE, name: 'Hall' }, { id: OTHER, name: 'Gym' })
    return startService({
      config: EVERYTHING,
      entries: [registerLive('acme-machine' as Namespace, machine.vendor, ['inventory', 'ledger', 'locations'])],
    })
  }
  const both = expectBothOf({ rest: await start(), mcp: await start() })
  const { body } = await both('listPlatformLocations', { params: { namespace: 'acme-machine' } })
  expect(body.locations).toHaveLength(2)
}

/** Of a supplier whose list leaves the size of a pack open. */
async function expectPacks(): Promise<void> {
  const asked = {
    vendorSku: 'SP1',
    title: 'Cola',
    text: 'CS',
    reason: 'unknown_size' as const,
    packPriceFen: fen(2400),
  }
  const vendor = { ...scriptedSupply([]).vendor, askedPacks: () => [asked] }
  const start = () => startService({ config: EVERYTHING, entries: [registerLive('acme-supply' as Namespace, vendor)] })
  const both = expectBothOf({ rest: await start(), mcp: await start() })
  const params = { namespace: 'acme-supply' }
  expect((await both('listPacks', { params })).body.waiting_count).toBe(1)
  const { body } = await both('statePack', { params, body: { text: 'CS', contains: 24, same_for_all: true } })
  expect(body.stated_count).toBe(1)
  const stated = await both('listPacks', { params, query: { state: 'stated' } })
  expect(stated.body.packs).toMatchObject([{ text: 'CS', contains: 24 }])
}

/** Of a machine with a lane that would earn more with another product. */
async function expectLayouts(): Promise<void> {
  const lanes = ['12', '13'].map((code) => ({ code, priceFen: fen(500), stock: 8, capacity: 8 }))
  const both = await startPair({
    slotsByMachine: {
      [MACHINE]: [
        { ...slot('G-1', '可乐'), capacity: 8 },
        { ...slot('G-2', '茶'), stock: 16, capacity: 16, lanes },
      ],
    },
    trades: [...salesOf({ vendorSku: 'G-1', perDay: 4 }), ...salesOf({ vendorSku: 'G-2', perDay: 1, days: 12 })],
  })
  const body = { location: MACHINE, lanes: [{ lane: '12', item: { id: COLA } }], confirm: true }
  expect((await both('acceptLayout', { body })).body.lanes).toMatchObject([{ status: 'accepted' }])
  const end = { params: { id: MACHINE }, body: { lane: '12', status: 'done' } }
  expect((await both('endLaneChange', end)).body.lanes).toMatchObject([{ status: 'done' }])
}

/** Of two machines that sell the same product. */
async function expectExperiments(): Promise<void> {
  const machines = [MACHINE, OTHER]
  const both = await startPair({
    slotsByMachine: Object.fromEntries(machines.map((id) => [id, [slot('G-1', '可乐')]])),
    trades: machines.flatMap((location) => salesOf({ location, vendorSku: 'G-1', perDay: 4 })),
  })
  const { body } = await both('startExperiment', { body: { item: { id: COLA }, change: 50, confirm: true } })
  expect(body.experiment.status).toBe('running')
  const { id } = body.experiment
  const ended = await both('endExperiment', { params: { id }, body: { keep: false, confirm: true } })
  expect(ended.body.experiment.status).toBe('taken_back')
}

describe('a working day, both ways', () => {
  test('what the operator token or the state of that day did not allow', async () => {
    const { both, onMcp } = await startOwnersPair()
    const succeeded = new Set<OperationId>()
    const step: typeof both = async (id, ...calls) => {
      const answer = await both(id, ...calls)
      expect(answer.body.ucp.status, `${id} ${answer.text}`).toBe('success')
      succeeded.add(id)
      return answer
    }
    await expectPlatformLocations()
    succeeded.add('listPlatformLocations')
    await expectPacks()
    succeeded.add('listPacks').add('statePack')
    await expectLayouts()
    succeeded.add('acceptLayout').add('endLaneChange')
    await expectExperiments()
    succeeded.add('startExperiment').add('endExperiment')
    // A second later, so that the list of people has one order.
    await step('getMe')
    const { body: added } = await step('addPerson', { body: { name: 'Bo', role: 'viewer' } })
    await step('listPeople')
    const { people } = await onMcp('/people')
    const bo = people.find(({ name }: Json) => name === 'Bo').id
    await step('revokePerson', { params: { id: added.id } }, { params: { id: bo } })

    const canceled = (await step('createRun')).body.id
    await step('cancelRun', { params: { id: canceled } })
    const run = (await step('createRun')).body.id
    const { body: placed } = await step('placeRun', { params: { id: run } })
    const at = (location: string) =>
      placed.line_items
        .filter((line: Json) => line.location === location)
        .map(({ slot_id, quantity }: Json) => ({ slot_id, quantity: quantity.total }))
    await step('receiveStop', { params: { id: run, location: OTHER }, body: { delivered: at(OTHER) } })
    await step('receiveRun', { params: { id: run }, body: { delivered: at(MACHINE) } })

    await step('getLayout', { query: { location: MACHINE } })
    const { body: proposed } = await step('getSwaps')
    expect(proposed.swaps).toMatchObject([{ slot_id: slotOf(WATER) }])
    await step('acceptSwap', { body: { slot_id: slotOf(WATER), item: { id: proposed.swaps[0].in.item.id } } })
    await step('endSwap', { params: { slot_id: slotOf(WATER) }, body: { status: 'canceled' } })

    await step('createCheckout', { body: { id: 'PO-1', ...lineItems(3), fulfillment } })
    await step('completeCheckout', { params: { id: 'PO-1' }, body: { confirm: true } })
    const { body: webhooks } = await step('listWebhooks')
    expect(webhooks.deliveries).toHaveLength(1)
    const { deliveries } = await onMcp('/webhooks')
    await step('redeliverWebhook', { params: { id: webhooks.deliveries[0].id } }, { params: { id: deliveries[0].id } })
    expect(REFUSED_BY_DAY.filter((id) => !succeeded.has(id))).toEqual([])
  })

  test('every operation once, with what it needs', async () => {
    const expectBoth = await startPair({ rules: withRules({ spendingLimitPerRun: 5000 }) })
    const succeeded = new Set<OperationId>()
    const step = async (id: OperationId, call?: OperationCall) => {
      const answer = await expectBoth(id, call)
      if (answer.body.ucp.status === 'success') succeeded.add(id)
      return answer
    }
    await step('listNamespaces')
    await step('listPlatformLocations', { params: { namespace: 'acme-machine' } })
    await step('listConnections')
    await step('listPacks', { params: { namespace: 'acme-supply' } })
    await step('statePack', { params: { namespace: 'acme-supply' }, body: { text: 'CS', contains: 24 } })
    await step('searchCatalog', { body: { filters: { namespace: 'acme-supply' } } })
    await step('lookupCatalog', { body: { ids: ['acme-supply:SP1', 'nonsense'] } })
    await step('getProduct', { body: { id: 'acme-supply:SP1' } })
    await step('getSku', { params: { sku_id: COLA }, query: { location: MACHINE } })
    await step('resolveSkus', { body: { ids: [COLA], to_namespace: 'acme-supply' } })
    await step('confirmAliases', {
      params: { sku_id: COLA },
      body: { aliases: [{ sku_id: 'acme-supply:SP1', source: 'manual' }] },
    })
    await step('setShelfLife', { params: { sku_id: COLA }, body: { shelf_days: 60 } })
    await step('setPhaseOut', { params: { sku_id: WATER }, body: { phase_out: true } })
    await step('searchLocations', { body: {} })
    await step('lookupLocations', { body: { ids: [MACHINE] } })
    await step('putLocation', { params: { id: 'M2' }, body: { name: 'Lobby', profile: { city: '上海' } } })
    await step('deleteLocation', { params: { id: 'M2' } })
    await step('putCalendar', { params: { id: MACHINE }, body: { entries: [{ from: '2026-09-12', kind: 'closed' }] } })
    await step('getCalendar', { params: { id: MACHINE } })
    await step('updateSlot', { params: { id: MACHINE, slot_id: slotOf(COLA) }, body: { locked: false } })
    await step('syncLocations', { body: {} })
    await step('createCheckout', { body: { id: 'PO-1', ...lineItems(3), fulfillment } })
    await step('getCheckout', { params: { id: 'PO-1' } })
    await step('updateCheckout', { params: { id: 'PO-1' }, body: lineItems(4) })
    await step('completeCheckout', { params: { id: 'PO-1' }, body: { confirm: true } })
    await step('recordOutcome', { params: { id: 'PO-1' }, body: { placed: true } })
    await step('createCheckout', { body: { id: 'PO-2', ...lineItems(1) } })
    await step('cancelCheckout', { params: { id: 'PO-2' } })
    await step('listCheckouts')
    await step('getOrder', { params: { id: 'PO-1' } })
    await step('receiveOrder', { params: { id: 'PO-1' } })
    await step('countStoreroom', { params: { sku_id: 'acme-supply:SP1' }, body: { units: 3, reason: 'damaged' } })
    await step('getStoreroom')
    await step('listStoreroomMovements')
    await step('listOrders', { query: { kind: 'sale' } })
    await step('listDailySales', { query: { location: MACHINE } })
    await step('getCash', { query: { location: MACHINE } })
    const price = (amount: number) => ({
      params: { id: MACHINE },
      body: { prices: [{ item: { id: COLA }, price: { amount, currency: 'CNY' } }], confirm: true },
    })
    await step('changePrices', price(310))
    const waiting = await step('changePrices', price(900))
    const decision = decisionIn(waiting)
    await step('listApprovals')
    await step('getApproval', { params: { id: decision } })
    await step('resolveApproval', { params: { id: decision }, body: { approved: false } })
    await step('askOwner', { body: { kind: 'note', summary: 'Which water?', reasoning: 'Two are listed.' } })
    await step('getOperator')
    await step('putOperator', { body: { autonomy: { restock: 'act' } } })
    const shift = await step('startShift', { query: { dry_run: 'true' } })
    await step('listShifts')
    await step('getShift', { params: { id: shift.body.id } })
    await step('putNote', { params: { name: 'n' }, body: { text: 'late on Fridays' } })
    await step('listNotes')
    await step('deleteNote', { params: { name: 'n' } })
    await step('remindMe', { body: { at: '2027-01-01T08:00:00+08:00', text: 'look again' } })
    await step('listExperiments')
    await step('startExperiment', { body: { item: { id: COLA }, change: 50, confirm: true } })
    await step('endExperiment', { params: { id: 'trial-none' }, body: { keep: true, confirm: true } })
    await step('getLayout', { query: { location: MACHINE } })
    const lanes = [{ lane: '12', item: { id: COLA } }]
    await step('acceptLayout', { body: { location: MACHINE, lanes, confirm: true } })
    await step('endLaneChange', { params: { id: MACHINE }, body: { lane: '12', status: 'done' } })
    await step('getSwaps')
    await step('acceptSwap', { body: { slot_id: slotOf(COLA), item: { id: WATER } } })
    await step('endSwap', { params: { slot_id: slotOf(COLA) }, body: { status: 'done' } })
    await step('getPlan')
    await step('getPlan', { query: { location: MACHINE, action: 'order', at_risk: true } })
    const run = (await step('createRun')).body.id
    await step('getRun', { params: { id: run } })
    await step('placeRun', { params: { id: run } })
    const service = await step('serviceMachine', {
      params: { id: MACHINE },
      body: { removed: [{ slot_id: slotOf(COLA), quantity: 1, reason: 'damaged' }] },
    })
    await step('undoService', { params: { id: MACHINE, service_id: service.body.service.id } })
    await step('getPickList', { params: { id: run }, query: { refresh: true } })
    await step('receiveStop', {
      params: { id: run, location: MACHINE },
      body: { delivered: [{ slot_id: slotOf('acme-machine:G-9'), quantity: 1 }] },
    })
    await step('receiveRun', { params: { id: run }, body: { delivered: [{ slot_id: slotOf(COLA), quantity: 1 }] } })
    const second = (await step('createRun')).body.id
    await step('cancelRun', { params: { id: second } })
    await step('listRuns')
    await step('getScore')
    await step('recommendRestock', {
      params: { id: MACHINE },
      body: { reference: 'b-1', line_items: [{ item: { id: COLA }, quantity: 2, reason: 'low' }] },
    })
    await step('appendEvent', { body: { kind: 'note', summary: 'Seen', reasoning: 'Round' } })
    await step('listEvents')
    await step('getGuardrails')
    await step('getOverview')
    await step('getLocationHistory', { params: { id: MACHINE }, query: { days: 7 } })
    await step('getTrips')
    await step('getProfit', { query: { by: 'location', compare: 'previous', sort: '-revenue' } })
    await step('getMe')
    // The operator token manages no people: refused alike.
    await step('listPeople')
    await step('addPerson', { body: { name: 'Ann', role: 'viewer' } })
    await step('revokePerson', { params: { id: 'per_1' } })
    await step('listWebhooks')
    await step('redeliverWebhook', { params: { id: 'none' } })
    await step('pullEmergencyStop', { body: { reason: 'end of the day' } })
    await step('changePrices', price(300))
    await step('completeCheckout', { params: { id: 'PO-1' }, body: { confirm: true } })
    await step('createRun')
    expect(TOOLS.map(({ operationId }) => operationId).filter((id) => !succeeded.has(id))).toEqual(REFUSED_BY_DAY)
  })

  test('the examples of the reference, empty bodies and wrong types are refused alike', async () => {
    const expectBoth = await startPair()
    for (const { operationId, operation } of TOOLS) {
      const example = (EXAMPLES[operationId] ?? {}) as OperationCall
      await expectBoth(operationId, example)
      if (!operation.body) continue
      await expectBoth(operationId, { ...example, body: {} })
      const wrong = Object.fromEntries(Object.keys(example.body ?? {}).map((name) => [name, { a: [1] }]))
      await expectBoth(operationId, { ...example, body: wrong })
    }
  })

  test('rules that cannot be read: 503 both ways', async () => {
    const expectBoth = await startPair({ rules: 'not JSON' })
    await expectBoth('getGuardrails')
    await expectBoth('completeCheckout', { params: { id: 'PO-1' }, body: { confirm: true } })
    await expectBoth('createRun')
  })
})

describe('idempotency', () => {
  const event = { kind: 'note', summary: 'Seen', reasoning: 'Round' }
  const append = (service: Service, key: string, body: object = event, options = {}) =>
    callTool(service, 'vending_append_event', { ...body, meta: { 'idempotency-key': key } }, options)

  test('the same key returns the first answer and says so; another body is a conflict', async () => {
    const service = await startRoute()
    const first = await append(service, 'k1')
    const again = await append(service, 'k1')
    expect(again.body.result.structuredContent).toEqual(first.body.result.structuredContent)
    expect(first.body.result._meta).toBeUndefined()
    expect(again.body.result._meta).toEqual({ 'vendops/replayed': true })
    expect(await append(service, 'k1', { ...event, summary: 'Other' })).toMatchObject({
      status: 409,
      body: { id: 1, error: { code: -32000, data: { code: 'idempotency_mismatch' } } },
    })
    // `meta` wins over the header, and REST has keys of its own.
    const withHeader = await append(service, 'k2', event, { headers: { 'idempotency-key': 'k1' } })
    expect(withHeader.body.result._meta).toBeUndefined()
    await service.post('/events', event, { headers: { 'idempotency-key': 'k1' } })
    expect(await service.events('note')).toHaveLength(3)
  })

  test('concurrent calls with one key run once', async () => {
    const service = await startRoute()
    const answers = await Promise.all(Array.from({ length: 8 }, () => append(service, 'k')))
    expect(new Set(answers.map(({ body }) => body.result.structuredContent.id)).size).toBe(1)
    expect(await service.events('note')).toHaveLength(1)
  })

  test('a key that is too long is refused as in REST', async () => {
    const service = await startRoute()
    const refused = await append(service, 'x'.repeat(256))
    expect(refused.body.result).toMatchObject({ isError: true, structuredContent: { messages: [{ code: 'invalid' }] } })
  })
})

describe('answers an agent can hold', () => {
  test('more than 50 ids of a lookup are an error of the arguments', async () => {
    const service = await startRoute()
    const ids = Array.from({ length: 51 }, (_, n) => `acme-supply:${n}`)
    expect(await callTool(service, 'lookup_catalog', { catalog: { ids } })).toMatchObject({
      status: 200,
      body: { error: { code: -32602, data: { code: 'request_too_large' } } },
    })
  })

  test('lists have 20 entries, and go on with the cursor', async () => {
    const service = await startRoute()
    const list = async (args: object): Promise<Json> =>
      (await callTool(service, 'vending_list_orders', args)).body.result.structuredContent
    const first = await list({})
    expect(first.orders).toHaveLength(20)
    const next = await list({ cursor: first.pagination.cursor })
    expect(next.orders[0].id).not.toBe(first.orders[0].id)
    expect((await list({ limit: 3 })).orders).toHaveLength(3)
  })

  test('fields keeps only the members that are named', async () => {
    const service = await startRoute()
    const { structuredContent, content } = (
      await callTool(service, 'vending_get_plan', { fields: ['slot_id', 'recommendation'] })
    ).body.result
    expect(Object.keys(structuredContent)).toEqual(['ucp', 'plans', 'pagination', 'messages'])
    expect(Object.keys(structuredContent.plans[0])).toEqual(['slot_id', 'recommendation'])
    expect(JSON.parse(content[0].text)).toEqual(structuredContent)
  })

  test('an answer that is too long is cut, and says so', async () => {
    const service = await startRoute()
    const note = (n: number) => ({ kind: 'note', summary: `Note ${n}`, reasoning: 'x'.repeat(7000) })
    for (let n = 0; n < 15; n++) await service.post('/events', note(n))
    const { result } = (await callTool(service, 'vending_list_events', { kind: 'note', details: true })).body
    expect(result.content[0].text.length).toBeLessThanOrEqual(60_000)
    const [{ kept, total, member }] = result._meta['vendops/truncated']
    expect([member, total]).toEqual(['events', 15])
    expect(result.structuredContent.events).toHaveLength(kept)
    expect(result.content[1].text).toContain(`first ${kept} of 15 events`)
  })

  test('a page that is too long is a shorter page: its cursor leads to everything that was left out', async () => {
    const products = Array.from({ length: 90 }, (_, n) => supplyProduct(`P${n}`, { spec: 'x'.repeat(1200) }))
    const service = await startService({ supply: scriptedSupply(products) })
    const search = async (cursor?: string) => {
      const catalog = { filters: { namespace: 'acme-supply' }, pagination: { limit: 100, cursor } }
      return (await callTool(service, 'search_catalog', { catalog })).body.result
    }
    const first = await search()
    expect(first.content[0].text.length).toBeLessThanOrEqual(60_000)
    expect(first._meta['vendops/truncated']).toMatchObject([{ member: 'products', total: 90 }])
    const ids: string[] = []
    for (let page = first.structuredContent; ;) {
      ids.push(...page.products.map(({ id }: Json) => id))
      if (!page.pagination.has_next_page) break
      page = (await search(page.pagination.cursor)).structuredContent
    }
    expect(ids.toSorted()).toEqual(products.map(({ vendorSku }) => `acme-supply:${vendorSku}`).toSorted())
  })
})
