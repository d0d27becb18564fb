/** `?dry_run=true`: every check, and nothing is written, sent, recorded or stored. */
import { describe, expect, test } from 'vitest'
import { complete, DEAR, get, line, OFF_SHELF, ready, SHIPPING, start, TEA, WATER } from '../checkout/support.ts'
import {
  change,
  COLA,
  line as price,
  MACHINE,
  pricesOnMachine,
  priceRequest,
  startPricing,
} from '../pricing/machines.ts'
import { callTool } from '../support/mcp.ts'
import { create as createRun, startRoute, withRules } from '../replenishment/route.ts'
import { failure } from '../support/scripted-vendors.ts'
import { RULES } from '../support/service.ts'
import type { Json, Service } from '../support/service.ts'

const ONE = { line_items: [line(WATER, 1, 'BX')] }
const strict = (more: object) => ({ ...RULES, rules: { ...RULES.rules, ...more } })

const TABLES = [
  'event',
  'decision',
  'replenishment_run',
  'run_line',
  'checkout',
  'checkout_attempt',
  'price_change',
  'idempotency',
  'created',
  'lease',
] as const

/** Every row that a write would touch. */
async function rowsOf(service: Service): Promise<unknown> {
  const { db } = service.ctx.store
  return Promise.all(TABLES.map((table) => db.selectFrom(table).selectAll().execute()))
}

/** Runs a call and shows that no row changed. */
async function unchanged(service: Service, call: () => Promise<Json>): Promise<Json> {
  const before = await rowsOf(service)
  const { body } = await call()
  expect(await rowsOf(service)).toEqual(before)
  // The error of UCP has no further members.
  if (body.ucp.status === 'success') expect(body.dry_run).toBe(true)
  return body
}

const KEY = { headers: { 'idempotency-key': 'k1' } }
const dryComplete = (service: Service, id: string) => () =>
  service.post(`/checkout-sessions/${id}/complete?dry_run=true`, { confirm: true }, KEY)

describe('complete', () => {
  test('within the rules: the session stays ready, and each rule is listed; the real call then buys once', async () => {
    const service = await start()
    const id = await ready(service, ONE)
    const body = await unchanged(service, dryComplete(service, id))
    expect(body.status).toBe('ready_for_complete')
    expect(body.evidence).toMatchObject([{ rule: 'spendingLimitPerRun', needs_approval: false }])
    expect(service.supply.orders.size).toBe(0)
    const bought = await complete(service, id, { confirm: true }, KEY.headers)
    expect(bought.headers['idempotent-replayed']).toBeUndefined()
    expect([bought.body.status, service.supply.orders.size]).toEqual(['completed', 1])
  })

  test('asked for in the body instead of the query: refused, and nothing is bought', async () => {
    const service = await start()
    const id = await ready(service, ONE)
    const body = { confirm: true, dry_run: true }
    const rest = (await service.post(`/checkout-sessions/${id}/complete`, body)).body
    expect(rest.messages).toMatchObject([{ code: 'invalid', path: '$.dry_run' }])
    const { result } = (await callTool(service, 'complete_checkout', { id, checkout: body })).body
    expect(result.structuredContent.messages).toMatchObject([{ code: 'invalid', path: '$.checkout.dry_run' }])
    expect(service.supply.orders.size).toBe(0)
  })

  test('over MCP true may be written as a boolean', async () => {
    const service = await start()
    const id = await ready(service, ONE)
    const { result } = (
      await callTool(service, 'complete_checkout', { id, dry_run: true, checkout: { confirm: true } })
    ).body
    expect(result.structuredContent).toMatchObject({ dry_run: true, status: 'ready_for_complete' })
    expect(service.supply.orders.size).toBe(0)
  })

  test('beyond the rules: it would wait for the owner, and no decision is opened', async () => {
    const service = await start()
    const id = await ready(service, ONE)
    service.writeRules(strict({ spendingLimitPerDay: 1 }))
    const body = await unchanged(service, dryComplete(service, id))
    expect([body.status, body.actions]).toEqual(['requires_escalation', undefined])
    expect(body.evidence.filter((rule: Json) => rule.needs_approval)).toMatchObject([{ rule: 'spendingLimitPerDay' }])
    expect((await get(service, id)).status).toBe('ready_for_complete')
  })

  test.each([
    ['the kill switch', strict({ killSwitchEngaged: true }), 'kill_switch_engaged'],
    ['unreadable rules', '{', 'guard_unverifiable'],
  ])('refused by %s without an event', async (_, rules, code) => {
    const service = await start()
    const id = await ready(service, ONE)
    service.writeRules(rules)
    const body = await unchanged(service, dryComplete(service, id))
    expect(body.messages[0].code).toBe(code)
  })

  test('without confirm it is refused like the real call, without an event', async () => {
    const service = await start()
    const id = await ready(service, ONE)
    const body = await unchanged(service, () => service.post(`/checkout-sessions/${id}/complete?dry_run=true`, {}))
    expect(body.messages[0].code).toBe('confirmation_required')
  })

  test('an order that an earlier attempt placed is shown as completed; the real call then records it', async () => {
    const service = await start()
    const id = await ready(service, ONE)
    // Refused, and the order exists nevertheless.
    service.supply.script.next('createOrder', { afterwards: failure('rejected', 'no', { documented: true }) })
    service.supply.script.next('orderStatus', 'pass', { instead: failure('absent') })
    expect((await complete(service, id)).status).toBe(502)
    expect((await get(service, id)).status).toBe('ready_for_complete')
    const body = await unchanged(service, dryComplete(service, id))
    expect([body.status, body.order.label]).toEqual(['completed', 'AS000001'])
    expect((await complete(service, id)).body).toMatchObject({ status: 'completed', order: { label: 'AS000001' } })
    expect(service.supply.script.count('createOrder')).toBe(1)
  })

  test('a number that may have been sent, and a supplier that does not answer: refused as the real call is', async () => {
    const service = await start()
    const id = await ready(service, ONE)
    service.supply.script.next('createOrder', { instead: failure('rejected', 'no', { documented: true }) })
    await complete(service, id)
    service.supply.script.always('orderStatus', failure('unknown', 'no answer'))
    const body = await unchanged(service, dryComplete(service, id))
    expect(body.messages[0].code).toBe('upstream_unreachable')
  })

  test('dry_run is true or false', async () => {
    const service = await start()
    const id = await ready(service, ONE)
    const answer = await service.post(`/checkout-sessions/${id}/complete?dry_run=yes`, { confirm: true })
    expect([answer.status, service.supply.orders.size]).toEqual([400, 0])
  })
})

describe('create', () => {
  const dry = (service: Service, more: object) => () =>
    service.post('/checkout-sessions?dry_run=true', { fulfillment: SHIPPING, ...more }, KEY)

  test('several products: prices, totals and rules of the session it would be, which gets no number', async () => {
    const service = await start()
    const lines = { line_items: [line(WATER, 1, 'BX'), line(TEA, 2, 'BX')] }
    const body = await unchanged(service, dry(service, lines))
    expect([body.id, body.status]).toEqual(['', 'ready_for_complete'])
    expect(body.continue_url).toMatch(/\/basket$/)
    expect(body.totals.at(-1)).toMatchObject({ type: 'total', amount: 2880 + 6000 })
    expect(body.evidence).toMatchObject([{ rule: 'spendingLimitPerRun', needs_approval: false }])
  })

  test('beyond the rules: it would wait for the owner, and no decision is opened', async () => {
    const service = await start()
    const body = await unchanged(service, dry(service, DEAR))
    expect([body.status, body.actions]).toEqual(['requires_escalation', undefined])
    expect(body.evidence).toMatchObject([{ rule: 'spendingLimitPerRun', needs_approval: true }])
  })

  test('what is missing or not for sale is said; a number that is in use shows its session', async () => {
    const service = await start()
    const open = await unchanged(service, dry(service, { ...ONE, fulfillment: undefined }))
    expect(open.status).toBe('incomplete')
    const off = await unchanged(service, dry(service, { line_items: [line(OFF_SHELF)] }))
    expect(off.messages[0].code).toBe('item_unavailable')
    const id = await ready(service, { ...ONE, id: 'PO-7' })
    expect((await unchanged(service, dry(service, { ...ONE, id }))).id).toBe(id)
    const other = await unchanged(service, dry(service, { ...DEAR, id }))
    expect(other.messages[0].code).toBe('idempotency_mismatch')
  })
})

describe('price changes', () => {
  const dry = (service: Service, amount: number) => () =>
    service.put(`/locations/${MACHINE}/prices?dry_run=true`, priceRequest(price(COLA, amount)), KEY)

  test('within the cap: shows what would change, and changes nothing', async () => {
    const service = await startPricing()
    const body = await unchanged(service, dry(service, 300))
    expect(body.updated).toMatchObject([{ item: { id: COLA }, previous: { amount: 250 }, price: { amount: 300 } }])
    expect(body.evidence).toMatchObject([{ rule: 'priceCapPerItem', needs_approval: false }])
    expect(pricesOnMachine(service)[COLA]).toBe(250)
  })

  test('above the cap: says that it needs approval, and opens no decision', async () => {
    const service = await startPricing()
    const body = await unchanged(service, dry(service, 500))
    expect([body.updated, body.messages[0].code]).toEqual([[], 'approval_required'])
    expect((await change(service, priceRequest(price(COLA, 500)))).body.actions).toBeDefined()
  })
})

describe('placing a run', () => {
  const dry = (service: Service, id: string) => () =>
    service.post(`/replenishment/runs/${id}/place?dry_run=true`, undefined, KEY)

  test('within the rules: the run stays as it is, with the evidence; the real call then places it once', async () => {
    const service = await startRoute({ rules: withRules({ spendingLimitPerRun: 1_000_000 }) })
    const { id } = (await createRun(service)).body
    const body = await unchanged(service, dry(service, id))
    expect([body.id, body.status, body.placed_at]).toEqual([id, 'approved', undefined])
    expect(body.evidence).toMatchObject([{ rule: 'spendingLimitPerRun', needs_approval: false }])
    const placed = await service.post(`/replenishment/runs/${id}/place`, undefined, KEY)
    expect([placed.status, placed.body.status, placed.headers['idempotent-replayed']]).toEqual([
      200,
      'placed',
      undefined,
    ])
    expect((await unchanged(service, dry(service, id))).messages[0].code).toBe('already_placed')
  })

  test('beyond rules that were tightened since: says that it needs approval, and opens no decision', async () => {
    const service = await startRoute({ rules: withRules({ spendingLimitPerRun: 1_000_000 }) })
    const { id } = (await createRun(service)).body
    service.writeRules(withRules({ spendingLimitPerRun: 1 }))
    const body = await unchanged(service, dry(service, id))
    expect([body.status, body.messages[0].code]).toEqual(['approved', 'approval_required'])
    expect(body.evidence).toMatchObject([{ rule: 'spendingLimitPerRun', needs_approval: true }])
    expect((await service.post(`/replenishment/runs/${id}/place`)).status).toBe(409)
  })

  test.each([
    ['the kill switch', withRules({ killSwitchEngaged: true }), 'kill_switch_engaged'],
    ['unreadable rules', '{', 'guard_unverifiable'],
  ])('refused by %s without an event', async (_, rules, code) => {
    const service = await startRoute()
    const { id } = (await createRun(service)).body
    service.writeRules(rules)
    expect((await unchanged(service, dry(service, id))).messages[0].code).toBe(code)
  })
})
