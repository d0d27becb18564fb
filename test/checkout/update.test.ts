import { describe, expect, test } from 'vitest'
import { fen } from '../../src/kernel/fen.ts'
import { supplyProduct } from '../support/scripted-vendors.ts'
import { RULES } from '../support/service.ts'
import type { Json, Service } from '../support/service.ts'
import { ADDRESS, codes, complete, create, DEAR, get, line, ready, SHIPPING, start, TEA, WATER } from './support.ts'

const put = (service: Service, id: string, body: object) => service.put(`/checkout-sessions/${id}`, body)
const shipTo = (address: object) => ({ fulfillment: { methods: [{ type: 'shipping', destinations: [address] }] } })
const decisionOf = (session: Json): string => session.actions['com.example.vending.approval'][0].id as string
const approve = (service: Service, session: Json, approved = true, said: { comment?: string } = {}) =>
  service.post(`/approvals/${decisionOf(session)}`, { approved, ...said })

describe('3.1 PUT /checkout-sessions/{id}', () => {
  test('information completed: ready_for_complete', async () => {
    const service = await start()
    const { body } = await create(service, { fulfillment: undefined })
    const done = await put(service, body.id, { fulfillment: SHIPPING })
    expect([done.status, done.body.status, done.body.id]).toEqual([200, 'ready_for_complete', body.id])
    expect(done.body.line_items).toEqual(body.line_items)
  })

  test('information completed and a guardrail applies: requires_escalation', async () => {
    const service = await start()
    const { body } = await create(service, { ...DEAR, fulfillment: undefined })
    expect((await put(service, body.id, { fulfillment: SHIPPING })).body.status).toBe('requires_escalation')
  })

  test('lines sent replace all lines, ids are kept where given; what is left out stays', async () => {
    const service = await start()
    const id = await ready(service, { line_items: [line(WATER, 1), line(TEA, 2)] })
    const { body } = await put(service, id, { line_items: [{ id: 'li_2', ...line(TEA, 3) }, line(WATER, 4)] })
    expect(body.line_items.map((one: Json) => [one.id, one.item.id, one.quantity])).toEqual([
      ['li_2', TEA, 3],
      ['li_1', WATER, 4],
    ])
    expect(body.fulfillment.methods[0].line_item_ids).toEqual(['li_2', 'li_1'])
    expect([body.status, body.totals.at(-1).amount]).toEqual(['ready_for_complete', 3 * 550 + 4 * 120])
  })

  test('empty methods clear the fulfillment', async () => {
    const service = await start()
    const { body } = await put(service, await ready(service), { fulfillment: { methods: [] } })
    expect([body.status, body.fulfillment, codes(body)]).toEqual(['incomplete', undefined, ['missing']])
  })

  test('the supplier of a session does not change', async () => {
    const service = await start()
    const { status, body } = await put(service, await ready(service), { line_items: [line('other-supply:X')] })
    expect([status, codes(body)]).toEqual([400, ['namespace_mismatch']])
  })

  test('with no line left the session stays as it was', async () => {
    const service = await start()
    const id = await ready(service)
    const before = await get(service, id)
    const { status, body } = await put(service, id, { line_items: [line('acme-supply:SP4004')] })
    expect([status, body.ucp.status, codes(body)]).toEqual([200, 'error', ['item_unavailable']])
    expect(await get(service, id)).toEqual(before)
  })

  test('an empty PUT assesses the session again', async () => {
    const service = await start()
    const id = await ready(service)
    service.writeRules({ ...RULES, rules: { ...RULES.rules, hardNoGos: [WATER] } })
    expect((await put(service, id, {})).body.status).toBe('incomplete')
    service.writeRules('{')
    expect((await put(service, id, {})).status).toBe(503)
  })

  test.each(['completed', 'canceled'] as const)('%s: 409 not_editable', async (status) => {
    const service = await start()
    const id = await ready(service)
    await (status === 'completed' ? complete(service, id) : service.post(`/checkout-sessions/${id}/cancel`))
    const before = await get(service, id)
    const refused = await put(service, id, { line_items: [line(TEA)] })
    expect([refused.status, codes(refused)]).toEqual([409, ['not_editable']])
    expect((await service.post(`/checkout-sessions/${id}/cancel`)).status).toBe(409)
    expect(await get(service, id)).toEqual(before)
  })
})

describe('approvals of a session', () => {
  test('3.1 approved: ready_for_complete, and completing remains a separate call', async () => {
    const service = await start()
    const { body } = await create(service, DEAR)
    expect((await approve(service, body)).status).toBe(200)
    const session = await get(service, body.id)
    expect([session.status, session.actions, codes(session)]).toEqual(['ready_for_complete', undefined, []])
    expect(service.supply.orders.size).toBe(0)
    expect((await complete(service, body.id)).body.status).toBe('completed')
  })

  test('3.1 rejected: canceled with approval_rejected', async () => {
    const service = await start()
    const { body } = await create(service, DEAR)
    await approve(service, body, false)
    const session = await get(service, body.id)
    expect([session.status, session.messages]).toMatchObject([
      'canceled',
      [{ code: 'approval_rejected', severity: 'unrecoverable' }],
    ])
    expect((await complete(service, body.id)).status).toBe(200)
  })

  test('3.3 a rejected purchase says why, if the owner said so', async () => {
    const service = await start()
    const { body } = await create(service, DEAR)
    await approve(service, body, false, { comment: 'ask for a discount first' })
    expect((await get(service, body.id)).messages).toMatchObject([
      {
        code: 'approval_rejected',
        content: 'The owner rejected this purchase: ask for a discount first',
        params: { comment: 'ask for a discount first' },
      },
    ])
  })

  test('an approval never covers a changed basket', async () => {
    const service = await start()
    const { body } = await create(service, DEAR)
    await approve(service, body)
    const changed = (await put(service, body.id, { line_items: [line(WATER, 21, 'BX')] })).body
    expect(changed.status).toBe('requires_escalation')
    expect(decisionOf(changed)).not.toBe(decisionOf(body))
    const back = (await put(service, body.id, DEAR)).body
    expect(back.status).toBe('requires_escalation')
    expect((await complete(service, body.id)).body.status).toBe('requires_escalation')
    expect(service.supply.orders.size).toBe(0)
  })

  test('an approval for one destination never covers another, and the event names both and who changed it', async () => {
    const service = await start()
    const { body } = await create(service, DEAR)
    await approve(service, body)
    const elsewhere = { ...ADDRESS, street_address: '南京东路 1 号', phone_number: '13900000000' }
    const changed = (await put(service, body.id, shipTo(elsewhere))).body
    expect(changed.status).toBe('requires_escalation')
    expect(decisionOf(changed)).not.toBe(decisionOf(body))
    expect((await complete(service, body.id)).body.status).toBe('requires_escalation')
    expect(service.supply.orders.size).toBe(0)
    const [first, second] = await Promise.all(
      [body, changed].map(async (session) => (await service.get(`/approvals/${decisionOf(session)}`)).body),
    )
    expect(second.details.destination).toEqual({
      method: 'shipping',
      name: '伟 王',
      phone_number: '13900000000',
      address: '上海市 南京东路 1 号',
    })
    // What was decided keeps the destination it was decided for, whatever the session says by now.
    expect(first.params.destination).toBe('伟 王, 13800000000, 上海市 世纪大道 100 号')
    expect(first.reasoning).toContain('Delivered to 伟 王, 13800000000, 上海市 世纪大道 100 号.')
    expect(second.reasoning).toContain('Delivered to 伟 王, 13900000000, 上海市 南京东路 1 号.')
    const [event, ...others] = (await service.get('/events?kind=checkout')).body.events.filter(
      ({ code }: Json) => code === 'purchase_destination_changed',
    )
    expect(others).toEqual([])
    expect(event).toMatchObject({
      params: { checkout: body.id, before: first.params.destination, after: second.params.destination },
      by: { name: 'operator', role: 'operator' },
    })
  })

  test.each<[string, object]>([
    ['the phone number', shipTo({ ...ADDRESS, phone_number: '13900000000' })],
    ['the name', shipTo({ ...ADDRESS, last_name: '李' })],
    ['the city', shipTo({ ...ADDRESS, address_locality: '北京市' })],
    ['pickup instead', { fulfillment: { methods: [{ type: 'pickup', selected_destination_id: 'site:S01' }] } }],
  ])('%s changed while it waits: the pending decision is withdrawn, with an event', async (_, change) => {
    const service = await start()
    const { body } = await create(service, DEAR)
    await put(service, body.id, change)
    expect((await approve(service, body)).status).toBe(409)
    const { events } = (await service.get('/events')).body
    expect(events.map(({ code }: Json) => code)).toEqual(
      expect.arrayContaining(['purchase_destination_changed', 'decision_withdrawn']),
    )
  })

  test('the same address under another name, and other lines, write no such event', async () => {
    const service = await start()
    const id = await ready(service)
    await put(service, id, shipTo({ ...ADDRESS, name: 'Main warehouse' }))
    await put(service, id, { line_items: [line(TEA, 3)] })
    const { events } = (await service.get('/events')).body
    expect(events.filter(({ code }: Json) => code === 'purchase_destination_changed')).toEqual([])
  })

  test('a pending decision of the old basket is withdrawn, with an event, and another opened', async () => {
    const service = await start()
    const { body } = await create(service, DEAR)
    const changed = (await put(service, body.id, { line_items: [line(WATER, 21, 'BX')] })).body
    expect((await service.get(`/approvals/${decisionOf(body)}`)).body.status).toBe('rejected')
    const late = await approve(service, body)
    expect([late.status, codes(late)]).toEqual([409, ['already_resolved']])
    expect((await service.events('approval')).map(({ summary }) => summary)).toEqual([`${decisionOf(body)} withdrawn`])
    expect((await service.get('/approvals')).body.approvals.map(({ id }: Json) => id)).toEqual([decisionOf(changed)])
  })

  test('a basket that no longer needs approval closes its decision', async () => {
    const service = await start()
    const { body } = await create(service, DEAR)
    const cheap = (await put(service, body.id, { line_items: [line(WATER)] })).body
    expect([cheap.status, cheap.actions]).toEqual(['ready_for_complete', undefined])
    expect((await service.get('/approvals')).body.approvals).toEqual([])
  })

  test('a PUT that changes nothing keeps the decision, pending or taken', async () => {
    const service = await start()
    const { body } = await create(service, DEAR)
    expect((await put(service, body.id, DEAR)).body.actions).toEqual(body.actions)
    await approve(service, body)
    expect((await put(service, body.id, { ...DEAR, fulfillment: SHIPPING })).body.status).toBe('ready_for_complete')
  })

  test('another address is another basket', async () => {
    const service = await start()
    const { body } = await create(service, DEAR)
    await approve(service, body)
    const [method] = SHIPPING.methods
    const elsewhere = {
      methods: [{ ...method, destinations: [{ ...method?.destinations[0], street_address: 'elsewhere' }] }],
    }
    expect((await put(service, body.id, { fulfillment: elsewhere })).body.status).toBe('requires_escalation')
  })

  const reprice = (service: Service, packPriceFen: number) => {
    service.supply.products[0] = supplyProduct('SP1001', { packPriceFen: fen(packPriceFen) })
    service.clock.advance(61_000)
  }

  test('the same order at a total no higher than approved stays approved, on PUT and at complete', async () => {
    const service = await start()
    const { body } = await create(service, DEAR)
    await approve(service, body)
    reprice(service, 2800)
    const cheaper = (await put(service, body.id, DEAR)).body
    expect([cheaper.status, cheaper.totals.at(-1).amount]).toEqual(['ready_for_complete', 56_000])
    // Up again, and still not above what was approved: the caller confirms it, the owner is not asked.
    reprice(service, 2880)
    const shown = (await complete(service, body.id)).body
    expect([shown.status, codes(shown), shown.totals.at(-1).amount]).toEqual([
      'ready_for_complete',
      ['price_changed'],
      57_600,
    ])
    expect((await service.get('/approvals')).body.approvals).toEqual([])
    expect((await complete(service, body.id)).body.status).toBe('completed')
    const attempt = await service.ctx.store.db.selectFrom('checkout_attempt').selectAll().executeTakeFirstOrThrow()
    expect(JSON.parse(attempt.intent).authority).toMatchObject({ withinRules: false, decision: decisionOf(body) })
  })

  test('one fen above the approved total asks the owner again, and the old approval is spent', async () => {
    const service = await start()
    const { body } = await create(service, DEAR)
    await approve(service, body)
    reprice(service, 2881)
    const dearer = (await put(service, body.id, {})).body
    expect([dearer.status, decisionOf(dearer) === decisionOf(body)]).toEqual(['requires_escalation', false])
    reprice(service, 2880)
    expect((await put(service, body.id, {})).body.status).toBe('requires_escalation')
    expect(service.supply.orders.size).toBe(0)
  })

  test('another pickup hour at the same site stays approved; another site does not', async () => {
    const service = await start()
    const pickup = (site: string, slot: string) => ({
      fulfillment: {
        methods: [{ type: 'pickup', selected_destination_id: site, groups: [{ selected_option_id: slot }] }],
      },
    })
    const { body } = await create(service, { ...DEAR, ...pickup('site:S01', 'slot_20260911_1000') })
    await approve(service, body)
    const later = (await put(service, body.id, pickup('site:S01', 'slot_20260911_1400'))).body
    expect(later.status).toBe('ready_for_complete')
    const elsewhere = (await put(service, body.id, pickup('site:S02', 'slot_20260911_1400'))).body
    expect(elsewhere.status).toBe('requires_escalation')
  })

  test('an approval recorded by an earlier version holds for exactly its basket', async () => {
    const service = await start()
    const { body } = await create(service, DEAR)
    await approve(service, body)
    const { db } = service.ctx.store
    const { order_hash } = await db.selectFrom('checkout').select('order_hash').executeTakeFirstOrThrow()
    await db.updateTable('checkout').set({ approved_order_hash: order_hash, approved_total_fen: null }).execute()
    expect((await put(service, body.id, {})).body.status).toBe('ready_for_complete')
    reprice(service, 2800)
    expect((await put(service, body.id, {})).body.status).toBe('requires_escalation')
  })

  test('PUTs at the same moment leave one pending decision', async () => {
    const service = await start()
    const id = await ready(service)
    const boxes = [20, 21, 22, 23]
    const answers = await Promise.all(boxes.map((n) => put(service, id, { line_items: [line(WATER, n, 'BX')] })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const { approvals } = (await service.get('/approvals')).body
    expect(approvals.map((one: Json) => one.id)).toEqual([decisionOf(await get(service, id))])
  })

  test('approving and changing at the same moment never lets an unapproved basket through', async () => {
    const service = await start()
    for (let round = 0; round < 5; round++) {
      const { body } = await create(service, DEAR)
      await Promise.all([approve(service, body), put(service, body.id, { line_items: [line(WATER, 30, 'BX')] })])
      const session = await get(service, body.id)
      expect([session.status, session.line_items[0].quantity]).toEqual(['requires_escalation', 30])
    }
  })
})
