import { describe, expect, test } from 'vitest'
import { registerLive, plannedVendor } from '../../src/vendors/registry.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { loseReplies, RULES } from '../support/service.ts'
import type { Json } from '../support/service.ts'
import { supplyProduct, failure, scriptedSupply } from '../support/scripted-vendors.ts'
import {
  CIGARETTES,
  codes,
  complete,
  create,
  CRISPS,
  DEAR,
  FORBIDDEN,
  get,
  line,
  OFF_SHELF,
  SHIPPING,
  start,
  supplier,
  TEA,
  WATER,
} from './support.ts'

const total = (body: { totals: { type: string; amount: number }[] }, type = 'total') =>
  body.totals.find((one) => one.type === type)?.amount

describe('3.1 POST /checkout-sessions', () => {
  test('information complete and guardrails pass: ready_for_complete', async () => {
    const { status, body } = await create(await start())
    expect([status, body.status]).toEqual([201, 'ready_for_complete'])
    expect(body).toMatchObject({ currency: 'CNY', vendor: 'acme-supply', id: 'po_20260910_1' })
    expect(body.continue_url).toBe('https://vending.example.com/purchases/po_20260910_1')
    expect(body.expires_at).toBe('2026-09-11T08:00:00.000+08:00')
    expect(body.order).toBeUndefined()
    expect(body.actions).toBeUndefined()
  })

  test('required information missing: incomplete, with every missing field at once', async () => {
    const service = await start()
    const nothing = await create(service, { fulfillment: undefined })
    expect([nothing.status, nothing.body.status]).toEqual([201, 'incomplete'])
    expect(nothing.body.messages).toMatchObject([
      { type: 'error', code: 'missing', severity: 'recoverable', path: '$.fulfillment.methods' },
    ])
    const methods = [
      { type: 'shipping', destinations: [{ street_address: 'x' }, { first_name: ' ', phone_number: '1' }] },
    ]
    const { body } = await create(service, { fulfillment: { methods } })
    expect(body.status).toBe('incomplete')
    expect(body.messages.map(({ code, path }: { code: string; path: string }) => [code, path])).toEqual([
      ['missing', '$.fulfillment.methods[0].destinations[0].first_name'],
      ['missing', '$.fulfillment.methods[0].destinations[0].phone_number'],
      ['missing', '$.fulfillment.methods[0].destinations[1].street_address'],
      ['missing', '$.fulfillment.methods[0].destinations[1].first_name'],
      ['missing', '$.fulfillment.methods[0].selected_destination_id'],
    ])
  })

  test.each([CIGARETTES, FORBIDDEN])('a line hits hardNoGos (%s): incomplete, hard_no_go', async (id) => {
    const { status, body } = await create(await start(), { line_items: [line(WATER), line(id)] })
    expect([status, body.status]).toEqual([201, 'incomplete'])
    expect(body.messages).toContainEqual(
      expect.objectContaining({ code: 'hard_no_go', severity: 'unrecoverable', path: '$.line_items[1]' }),
    )
  })

  test('a total strictly above the limit: requires_escalation with a pending decision', async () => {
    const service = await start()
    const { status, body } = await create(service, DEAR)
    expect([status, body.status]).toEqual([201, 'requires_escalation'])
    expect(body.messages).toContainEqual(
      expect.objectContaining({
        type: 'error',
        code: 'approval_required',
        severity: 'requires_buyer_review',
        path: "$.actions['com.example.vending.approval'][0]",
      }),
    )
    const [{ id }] = body.actions['com.example.vending.approval']
    const decision = (await service.get(`/approvals/${id}`)).body
    expect(decision).toMatchObject({
      status: 'pending',
      kind: 'restock_plan',
      subject: { type: 'checkout', id: body.id },
    })
    expect(decision).toMatchObject({
      code: 'spending_limit',
      params: { total: { amount: 57_600, currency: 'CNY' }, limit: { amount: 50_000, currency: 'CNY' } },
    })
    expect(decision.reasoning).toContain('¥576.00 exceeds the ¥500.00 limit per purchase, so it needs approval.')
    expect(body.continue_url).toBeDefined()
  })

  test('a total of exactly the limit passes', async () => {
    const rules = { ...RULES, rules: { ...RULES.rules, spendingLimitPerRun: 57_600 } }
    expect((await create(await start({ rules }), DEAR)).body.status).toBe('ready_for_complete')
  })

  test('on probation every purchase requires escalation', async () => {
    const rules = { ...RULES, probationUntil: '2026-09-30T00:00:00+08:00' }
    expect((await create(await start({ rules }))).body.status).toBe('requires_escalation')
  })

  test('missing information comes before escalation', async () => {
    const { body } = await create(await start(), { ...DEAR, fulfillment: undefined })
    expect(body.status).toBe('incomplete')
    expect(body.actions).toBeUndefined()
  })
})

describe('4.4 rules 1 to 3: lines', () => {
  test('rule 1: a machine id is refused and has to be resolved first', async () => {
    const { status, body } = await create(await start(), { line_items: [line('acme-machine:G-1')] })
    expect(status).toBe(400)
    expect(body.messages).toMatchObject([{ code: 'namespace_mismatch', path: '$.line_items[0].item.id' }])
    expect(body.messages[0].content).toContain('/skus/resolve')
  })

  test('rule 2: several supply namespaces are refused at the line', async () => {
    const service = await start({ entries: twoSuppliers() })
    const { status, body } = await create(service, { line_items: [line(WATER), line('bulk-supply:X1'), line(WATER)] })
    expect(status).toBe(400)
    expect(body.messages).toMatchObject([{ code: 'namespace_mismatch', path: '$.line_items[1].item.id' }])
    const other = await create(service, { line_items: [line('bulk-supply:X1')] })
    expect(other.body.vendor).toBe('bulk-supply')
  })

  test('an unregistered namespace is invalid, a planned one is namespace_unsupported', async () => {
    const service = await start({ entries: twoSuppliers() })
    const unknown = await create(service, { line_items: [line('nobody-supply:X')] })
    expect([unknown.status, codes(unknown)]).toEqual([400, ['invalid']])
    const later = await create(service, { line_items: [line('later-supply:X')] })
    expect([later.status, codes(later)]).toEqual([400, ['namespace_unsupported']])
  })

  test('rule 3: a unit that the product is not sold in is invalid', async () => {
    const { status, body } = await create(await start(), { line_items: [line(WATER), line(CRISPS, 1, 'BX')] })
    expect(status).toBe(400)
    expect(body.messages).toMatchObject([{ code: 'invalid', path: '$.line_items[1].quantity_unit' }])
  })

  test('the unit on the line and in the item may agree, and must not differ', async () => {
    const service = await start()
    const both = (unit: string) => ({
      line_items: [{ item: { id: WATER, quantity_unit: { unit } }, quantity: 1, quantity_unit: { unit: 'BX' } }],
    })
    expect((await create(service, both('BX'))).status).toBe(201)
    const differ = await create(service, both('EA'))
    expect([differ.status, codes(differ)]).toEqual([400, ['invalid']])
    const inItem = await create(service, {
      line_items: [{ item: { id: WATER, quantity_unit: { unit: 'BX' } }, quantity: 1 }],
    })
    expect(inItem.body.line_items[0].item.price).toBe(2880)
  })

  test('rule 6: the unit is echoed with its name and contents; derived prices are marked as estimated', async () => {
    const { body } = await create(await start(), { line_items: [line(WATER, 2, 'BX'), line(WATER, 3), line(TEA, 1)] })
    expect(body.line_items).toMatchObject([
      {
        item: { price: 2880, quantity_unit: { unit: 'BX', display_text: 'box', contains: 24 } },
        quantity_unit: { unit: 'BX', contains: 24 },
        totals: [
          { type: 'subtotal', amount: 5760 },
          { type: 'total', amount: 5760 },
        ],
      },
      { item: { price: 120, quantity_unit: { unit: 'EA', display_text: 'each' } } },
      { item: { price: 550 } },
    ])
    expect(body.messages).toMatchObject([
      { type: 'warning', code: 'price_estimated', path: '$.line_items[1].item.price' },
    ])
    expect(body.messages[0].severity).toBeUndefined()
    expect([total(body, 'subtotal'), total(body, 'fulfillment'), total(body)]).toEqual([6670, 0, 6670])
  })

  test('titles and prices of the caller are ignored', async () => {
    const cheap = { item: { id: WATER, title: 'gift', price: 1 }, quantity: 1 }
    const { body } = await create(await start(), { line_items: [cheap] })
    expect(body.line_items[0].item).toMatchObject({ title: '农夫山泉 饮用天然水 550ml', price: 120 })
  })

  test('line ids are kept where given, made where not, and may not repeat', async () => {
    const service = await start()
    const named = await create(service, { line_items: [line(WATER), { id: 'li_1', ...line(TEA) }] })
    expect(named.body.line_items.map(({ id }: { id: string }) => id)).toEqual(['li_2', 'li_1'])
    const twice = await create(service, {
      line_items: [
        { id: 'a', ...line(WATER) },
        { id: 'a', ...line(TEA) },
      ],
    })
    expect([twice.status, twice.body.messages[0].path]).toEqual([400, '$.line_items[1].id'])
  })

  test('unknown or off-shelf SKUs do not appear; the session is incomplete, and paths point into the answer', async () => {
    const service = await start()
    const { status, body } = await create(service, {
      line_items: [line('acme-supply:NOPE'), line(WATER, 2, 'BX'), line(OFF_SHELF), line(CRISPS, 41)],
    })
    expect([status, body.status]).toEqual([201, 'incomplete'])
    expect(body.line_items.map((one: Json) => one.item.id)).toEqual([WATER, CRISPS])
    expect(body.messages).toMatchObject([
      { code: 'item_unavailable', severity: 'recoverable', path: '$.line_items' },
      { code: 'item_unavailable', severity: 'recoverable', path: '$.line_items' },
      { code: 'out_of_stock', path: '$.line_items[1].quantity' },
    ])
    expect(body.messages[0].content).toContain('acme-supply:NOPE')
    expect(body.messages[1].content).toContain(OFF_SHELF)
    expect((await get(service, body.id)).messages).toEqual(body.messages)
    const none = await create(service, { id: 'empty', line_items: [line(OFF_SHELF)] })
    expect([none.status, none.body.ucp.status, codes(none)]).toEqual([200, 'error', ['item_unavailable']])
    expect((await service.get('/checkout-sessions/empty')).status).toBe(404)
  })

  test('a part of the requested lines is not bought silently: incomplete until a PUT sends the lines without it', async () => {
    const service = await start()
    const { body } = await create(service, { line_items: [line(WATER, 2, 'BX'), line(OFF_SHELF)] })
    const refused = await complete(service, body.id)
    expect([refused.status, refused.body.status, codes(refused)]).toEqual([200, 'incomplete', ['item_unavailable']])
    expect((await service.events('checkout'))[0].reasoning).toBe(`${refused.body.messages[0].content}.`)
    const put = (change: object) => service.put(`/checkout-sessions/${body.id}`, change)
    for (const change of [{}, { fulfillment: SHIPPING }, { line_items: [line(WATER, 2, 'BX'), line(OFF_SHELF)] }])
      expect([(await put(change)).body.status, codes(await put(change))]).toEqual(['incomplete', ['item_unavailable']])
    expect(service.supply.orders.size).toBe(0)
    const without = await put({ line_items: [line(WATER, 2, 'BX')] })
    expect([without.body.status, codes(without)]).toEqual(['ready_for_complete', []])
    expect((await complete(service, body.id)).body.status).toBe('completed')
  })

  test('more than the supplier has: the line stays, out_of_stock at its quantity, incomplete', async () => {
    const { body } = await create(await start(), { line_items: [line(CRISPS, 41)] })
    expect(body.status).toBe('incomplete')
    expect(body.messages).toMatchObject([{ code: 'out_of_stock', path: '$.line_items[0].quantity' }])
    const shared = await create(await start(), { line_items: [line(TEA, 9, 'BX'), line(TEA, 6), line(TEA, 1)] })
    expect(shared.body.messages).toMatchObject([{ code: 'out_of_stock', path: '$.line_items[2].quantity' }])
  })

  test('a total beyond exact integers is refused, never rounded', async () => {
    const supply = scriptedSupply([
      supplyProduct('SP1001', { packSize: 1, eachPriceFen: 1e15 as never, packPriceFen: 1e15 as never }),
    ])
    const { status, body } = await create(await start({ supply }), { line_items: [line(WATER, 10)] })
    expect([status, body.messages[0].code, body.messages[0].path]).toEqual([400, 'invalid', '$.line_items'])
  })

  test('shape: quantity is a whole number from 1, and is not read out of text', async () => {
    const service = await start()
    for (const quantity of [0, -1, 1.5, '2', null])
      expect((await create(service, { line_items: [{ item: { id: WATER }, quantity }] })).status).toBe(400)
    expect((await create(service, { line_items: [] })).status).toBe(400)
  })
})

describe('ids of sessions', () => {
  test('2.2 numbers count the local day from 1, and pass over those callers took', async () => {
    const service = await start()
    await create(service, { id: 'po_20260910_2' })
    const made = [await create(service), await create(service)].map(({ body }) => body.id)
    expect(made).toEqual(['po_20260910_1', 'po_20260910_3'])
    service.clock.set(Date.parse('2026-09-10T16:00:00Z'))
    expect((await create(service)).body.id).toBe('po_20260911_1')
  })

  test('created at the same moment they differ', async () => {
    const service = await start()
    const made = await Promise.all(Array.from({ length: 20 }, () => create(service)))
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(20)
  })

  test('an existing id: the same body gives the same session, another body 409', async () => {
    const service = await start()
    const first = await create(service, { id: 'PO-77' })
    const again = await create(service, { id: 'PO-77' })
    expect([again.status, again.body]).toEqual([201, first.body])
    const other = await create(service, { id: 'PO-77', line_items: [line(WATER)] })
    expect([other.status, codes(other)]).toEqual([409, ['idempotency_mismatch']])
    const [one, two] = await Promise.all([create(service, { id: 'PO-78' }), create(service, { id: 'PO-78' })])
    expect([one?.status, two?.status]).toEqual([201, 201])
    expect((await service.get('/checkout-sessions')).body.checkouts).toHaveLength(2)
  })

  test('the same id and an escalation at the same moment: one session, one decision', async () => {
    const service = await start()
    const both = await Promise.all([
      create(service, { id: 'PO-79', ...DEAR }),
      create(service, { id: 'PO-79', ...DEAR }),
    ])
    expect(both.map(({ status }) => status)).toEqual([201, 201])
    expect((await service.get('/approvals')).body.approvals).toHaveLength(1)
  })

  test.each(['a/b', '.', '..', 'a'.repeat(65)])('an id that could not be a path is refused: %s', async (id) => {
    const { status, body } = await create(await start(), { id })
    expect([status, codes(body), body.messages[0].path]).toEqual([400, ['invalid'], '$.id'])
  })
})

describe('what creation refuses', () => {
  test('7 guard_unverifiable: with unreadable rules nothing is created', async () => {
    const service = await start({ rules: '{' })
    const { status, body, headers } = await create(service)
    expect([status, body.messages[0].code]).toEqual([503, 'guard_unverifiable'])
    expect(headers['retry-after']).toBeDefined()
  })

  test('the emergency stop does not keep anyone from preparing an order', async () => {
    const service = await start()
    await service.post('/guardrails/stop', { reason: 'test' })
    expect((await create(service)).status).toBe(201)
  })

  test('7 upstream_unreachable, unauthorized: a catalog that cannot be read', async () => {
    const service = await start()
    service.supply.script.always('catalog', failure('unknown', 'line is dead'))
    const { status, body } = await create(service)
    expect([status, body.messages]).toMatchObject([502, [{ code: 'upstream_unreachable', content: 'line is dead' }]])
    service.supply.script.always('catalog', failure('unauthorized', 'bad key'))
    expect((await create(service)).status).toBe(401)
  })

  test('7 not_found: an unknown session', async () => {
    const service = await start()
    for (const answer of [
      await service.get('/checkout-sessions/nope'),
      await service.put('/checkout-sessions/nope', {}),
      await service.post('/checkout-sessions/nope/complete', { confirm: true }),
      await service.post('/checkout-sessions/nope/cancel'),
    ])
      expect([answer.status, codes(answer)]).toEqual([404, ['not_found']])
  })
})

test('buyer is echoed and kept, field by field', async () => {
  const service = await start()
  const buyer = { first_name: 'Mei', email: 'mei@example.com', secret: 'x' }
  const { body } = await create(service, { buyer })
  expect(body.buyer).toEqual({ first_name: 'Mei', email: 'mei@example.com' })
  await service.put(`/checkout-sessions/${body.id}`, { buyer: { last_name: 'Li' } })
  expect((await get(service, body.id)).buyer).toEqual({ last_name: 'Li' })
})

test('4.4 an Idempotency-Key replays the creation byte for byte', async () => {
  const service = await start()
  const headers = { 'idempotency-key': 'k1' }
  const body = { line_items: [line(WATER)], fulfillment: SHIPPING }
  const first = await service.post('/checkout-sessions', body, { headers })
  const again = await service.post('/checkout-sessions', body, { headers })
  expect(again.text).toBe(first.text)
  expect(again.headers['idempotent-replayed']).toBe('true')
})

test('4.4 sent again with its Idempotency-Key after the process died before it could answer: one session, one decision', async () => {
  const service = await start()
  const send = (key: string, more = {}) =>
    service.post(
      '/checkout-sessions',
      { line_items: [line(WATER)], fulfillment: SHIPPING, ...more },
      { headers: { 'idempotency-key': key } },
    )
  const first = [await send('k1'), await send('k2', DEAR)]
  await loseReplies(service)
  const again = [await send('k1'), await send('k2', DEAR)]
  expect(again.map(({ status, body }) => [status, body])).toEqual(first.map(({ body }) => [201, body]))
  expect((await service.get('/checkout-sessions')).body.checkouts).toHaveLength(2)
  expect((await service.get('/approvals')).body.approvals).toHaveLength(1)
  expect((await send('k3')).body.id).not.toBe(first[0]!.body.id)
})

function twoSuppliers() {
  return [
    registerLive('acme-supply' as Namespace, supplier().vendor),
    registerLive('bulk-supply' as Namespace, scriptedSupply([supplyProduct('X1')]).vendor),
    plannedVendor('later-supply' as Namespace),
  ]
}

test('2.6 links: what is configured and the page of the order; never an address that leads nowhere', async () => {
  const page = { type: 'order', url: 'https://vending.example.com/purchases/po_20260910_1', title: 'Purchase order' }
  expect((await create(await start())).body.links).toEqual([page])
  const links = { terms: 'https://example.com/terms', privacy: undefined }
  expect((await create(await start({ config: { links } }))).body.links).toEqual([
    { type: 'terms_of_service', url: 'https://example.com/terms' },
    page,
  ])
})
