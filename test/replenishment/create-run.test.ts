import { describe, expect, test } from 'vitest'
import { fen } from '../../src/kernel/fen.ts'
import { DEFAULT_PLAN_PARAMS } from '../../src/kernel/plan-params.ts'
import { DAY } from '../../src/kernel/clock.ts'
import { failure, machineSlot } from '../support/scripted-vendors.ts'
import { loseReplies, NOW, RULES } from '../support/service.ts'
import type { Json } from '../support/service.ts'
import {
  COLA,
  codes,
  create,
  decisionOf,
  entryOf,
  inFull,
  MACHINE,
  placed,
  plan,
  resolve,
  run,
  salesOf,
  routeSlots,
  slotOf,
  startRoute,
  TEA,
  WATER,
  withRules,
} from './route.ts'

const totalOf = (body: Json): number => body.totals.find(({ type }: Json) => type === 'total').amount
const lineOf = (body: Json, skuId: string): Json => body.line_items.find(({ item }: Json) => item.id === skuId)

describe('3.2 POST /replenishment/runs', () => {
  test('emergency stop on: blocked, without lines, which is not nothing_to_do', async () => {
    const service = await startRoute({ rules: withRules({ killSwitchEngaged: true }) })
    const created = await create(service)
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({ status: 'blocked', line_items: [], cost_is_estimated: false })
    expect(codes(created.body)).toEqual(['kill_switch_engaged'])
    expect(totalOf(created.body)).toBe(0)
    expect(await run(service, created.body.id)).toEqual(created.body)
  })

  test.each([
    ['that waits for approval', withRules({ spendingLimitPerRun: 1000 })],
    ['that is blocked', withRules({ killSwitchEngaged: true })],
  ])('a run %s, sent again with its key after the process died before it could answer: one run', async (_, rules) => {
    const service = await startRoute({ rules })
    const send = () => service.post('/replenishment/runs', {}, { headers: { 'idempotency-key': 'k1' } })
    const first = await send()
    await loseReplies(service)
    const again = await send()
    expect([again.status, again.body]).toEqual([201, first.body])
    expect((await service.get('/replenishment/runs')).body.runs).toHaveLength(1)
    // It exists, so rules that cannot be read meanwhile do not matter.
    await loseReplies(service)
    service.writeRules('{')
    expect((await send()).body.id).toBe(first.body.id)
  })

  test('no slot needs restocking: nothing_to_do', async () => {
    const full = routeSlots().map((slot) => ({ ...slot, stock: 60 }))
    const service = await startRoute({ slotsByMachine: { [MACHINE]: full } })
    const created = await create(service)
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({ status: 'nothing_to_do', line_items: [] })
    expect(created.body.messages).toEqual([
      {
        type: 'info',
        code: 'no_visit_due',
        content: expect.stringMatching(
          /^No visit is due\. Of 3 slots, 0 are empty, 0 are at risk, 0 are in transit\. Waiting still costs less than a visit at 1 machine\. (The next visit is due on \d{4}-\d{2}-\d{2}|No visit is expected within 14 days)\.$/,
        ),
        params: expect.objectContaining({ slots: 3, empty: 0, at_risk: 0, in_transit: 0, not_due: 1 }),
      },
    ])
    expect(await run(service, created.body.id)).toEqual(created.body)
  })

  test('slots are empty and no visit is due: how many, why, and on which day one will be; the plan says the same', async () => {
    const slots = [
      machineSlot('G-1', { title: '可乐', priceFen: fen(300), stock: 0 }),
      ...[2, 3, 4, 5, 6].map((n) => machineSlot(`G-${n}`, { priceFen: fen(300), stock: 24 })),
    ]
    const trades = [
      ...salesOf({ vendorSku: 'G-1', perDay: 1, days: 20 }, NOW - DAY),
      ...[2, 3, 4, 5, 6].flatMap((n) => salesOf({ vendorSku: `G-${n}`, perDay: 2 })),
    ]
    const config = { planParams: { ...DEFAULT_PLAN_PARAMS, visit_cost: 3000 } }
    const service = await startRoute({ config, slotsByMachine: { [MACHINE]: slots }, trades })
    const { body } = await create(service)
    expect(body.status).toBe('nothing_to_do')
    const [message] = body.messages
    expect(message).toMatchObject({ type: 'info', code: 'no_visit_due', params: { slots: 6, empty: 1, not_due: 1 } })
    const { visits } = await plan(service)
    expect(visits[0]).toMatchObject({ go: false, why: 'not_due', empty: 1, next_due_on: message.params.date })
    const { waiting } = (await service.get('/replenishment/trips?days=14')).body
    expect(waiting[0].next_due_on).toBe(message.params.date)
    expect(message.params.date).toMatch(/^2026-09-\d\d$/)
    expect((await service.get(`/replenishment/plan?location=${MACHINE}`)).body.visits).toEqual(visits)
  })

  test('everything is in transit: nothing_to_do says so', async () => {
    const service = await startRoute()
    await placed(service)
    const { body } = await create(service)
    expect(body.status).toBe('nothing_to_do')
    expect(body.messages[0]).toMatchObject({ code: 'no_visit_due', params: { in_transit: 2 } })
    expect(body.messages[0].content).toContain('2 are in transit')
  })

  test('cost above spendingLimitPerRun: pending_approval with a pending decision', async () => {
    const service = await startRoute({ rules: withRules({ spendingLimitPerRun: 1000 }) })
    const { body } = await create(service)
    expect(body.status).toBe('pending_approval')
    expect(codes(body)).toEqual(['approval_required'])
    const decision = (await service.get(`/approvals/${decisionOf(body)}`)).body
    expect(decision).toMatchObject({
      kind: 'restock_plan',
      status: 'pending',
      subject: { type: 'replenishment_run', id: body.id },
    })
    expect(decision.reasoning).toContain('limit per purchase, so it needs approval')
    expect(decision.reasoning).toContain(slotOf(COLA))
  })

  test('a cost of exactly the limit needs no approval, one fen more does', async () => {
    const service = await startRoute()
    const cost = totalOf((await create(service)).body)
    const at = async (spendingLimitPerRun: number) =>
      (await create(await startRoute({ rules: withRules({ spendingLimitPerRun }) }))).body.status
    expect(await at(cost)).toBe('approved')
    expect(await at(cost - 1)).toBe('pending_approval')
  })

  test('on probation the owner has to approve any total', async () => {
    const service = await startRoute({ rules: { ...RULES, probationUntil: '2026-09-30T00:00:00+08:00' } })
    expect((await create(service)).body.status).toBe('pending_approval')
  })

  test('within the rules: approved, without a decision yet', async () => {
    const service = await startRoute()
    const { body } = await create(service)
    expect(body.status).toBe('approved')
    expect(body.actions).toBeUndefined()
    expect((await service.get('/approvals?status=all')).body.approvals).toEqual([])
  })

  test('rules that cannot be read: 503, and no run', async () => {
    const service = await startRoute({ rules: '{' })
    const created = await create(service)
    expect(created.status).toBe(503)
    expect(codes(created.body)).toEqual(['guard_unverifiable'])
    expect((await service.get('/replenishment/runs')).body.runs).toEqual([])
  })

  test.each([
    [true, 'approved', []],
    [false, 'rejected', ['approval_rejected']],
  ])('3.3 pending, resolved with approved %s: %s', async (approved, status, expectedCodes) => {
    const service = await startRoute({ rules: withRules({ spendingLimitPerRun: 1000 }) })
    const { body } = await create(service)
    expect((await resolve(service, decisionOf(body), approved)).status).toBe(200)
    const after = await run(service, body.id)
    expect(after.status).toBe(status)
    expect(codes(after)).toEqual(expectedCodes)
    expect(after.actions).toBeUndefined()
    expect((await resolve(service, decisionOf(body), approved)).status).toBe(409)
  })

  test('3.3 a rejected run says why, if the owner said so', async () => {
    const service = await startRoute({ rules: withRules({ spendingLimitPerRun: 1000 }) })
    const { body } = await create(service)
    await service.post(`/approvals/${decisionOf(body)}`, { approved: false, comment: 'too many machines' })
    const after = await run(service, body.id)
    expect(after.line_items).toEqual(body.line_items)
    expect(after.messages.find(({ code }: Json) => code === 'approval_rejected')).toMatchObject({
      content: 'The owner rejected this run: too many machines',
      params: { comment: 'too many machines' },
    })
  })
})

describe('2.8 a run follows the order shape', () => {
  test('2.2 its id is run-<epoch ms>, unique also within one millisecond', async () => {
    const service = await startRoute()
    const now = service.clock.now()
    const ids = [await create(service), await create(service), await create(service)].map(({ body }) => body.id)
    expect(ids).toEqual([now, now + 1, now + 2].map((ms) => `run-${ms}`))
  })

  test('lines are machine products with slot, machine and source; visits are grouped by machine', async () => {
    const slotsByMachine = { [MACHINE]: routeSlots(), M1002: routeSlots() }
    const trades = [MACHINE, 'M1002'].flatMap((location) => [
      ...salesOf({ location, vendorSku: 'G-1', perDay: 3 }),
      ...salesOf({ location, vendorSku: 'G-2', perDay: 1 }),
    ])
    const service = await startRoute({ slotsByMachine, trades })
    const { body } = await create(service)
    expect(body.checkout_id).toBe(body.id)
    expect(body.permalink_url).toBe(`https://vending.example.com/runs/${body.id}`)
    expect(lineOf(body, COLA)).toMatchObject({
      item: { id: COLA, title: '可乐', price: 120 },
      slot_id: slotOf(COLA),
      location: MACHINE,
      source: { sku_id: 'acme-supply:SP1', unit: 'EA' },
      status: 'processing',
      cost_is_estimated: false,
    })
    expect(body.fulfillment.expectations).toMatchObject(
      [MACHINE, 'M1002'].map((location) => ({
        id: `visit-${location}`,
        method_type: 'operator_visit',
        description: `Hall ${location}`,
        destination: { street_address: '南京路 1', address_locality: '上海' },
        line_items: body.line_items
          .filter((line: Json) => line.location === location)
          .map(({ id, quantity }: Json) => ({ id, quantity: quantity.total })),
      })),
    )
    expect(body.fulfillment.events.map(({ type }: Json) => type)).toEqual(['planned', 'approved'])
  })

  test('takes exactly what the plan orders', async () => {
    const service = await startRoute()
    const orders = (await plan(service)).plans.filter(({ recommendation }: Json) => recommendation.action === 'order')
    const { body } = await create(service)
    expect(body.line_items.map(({ slot_id, quantity }: Json) => [slot_id, quantity.total])).toEqual(
      orders.map(({ slot_id, recommendation }: Json) => [slot_id, recommendation.quantity]),
    )
  })

  test('totals are exact: price times quantity on each line, their total on the run', async () => {
    const { body } = await create(await startRoute())
    for (const line of body.line_items) expect(totalOf(line)).toBe(line.item.price * line.quantity.total)
    expect(totalOf(body)).toBe(body.line_items.reduce((sum: number, line: Json) => sum + totalOf(line), 0))
    expect(body.totals.map(({ type }: Json) => type)).toEqual(['subtotal', 'total'])
  })

  test("8 cost is the supplier's price where known, else retail times 0.55, and says so", async () => {
    const dry = routeSlots().map((slot) => ({ ...slot, stock: 0, priceFen: fen(333) }))
    const service = await startRoute({ slotsByMachine: { [MACHINE]: dry } })
    const { body } = await create(service)
    expect(lineOf(body, COLA)).toMatchObject({ item: { price: 120 }, cost_is_estimated: false })
    expect(lineOf(body, WATER)).toMatchObject({ item: { price: Math.round(333 * 0.55) }, cost_is_estimated: true })
    expect(lineOf(body, WATER).source).toBeUndefined()
    expect(body.cost_is_estimated).toBe(true)
  })

  test('a catalog that cannot be read leaves an estimate; the source stays', async () => {
    const service = await startRoute()
    service.clock.advance(2 * 60_000)
    service.supply.script.always('catalog', failure('unknown'))
    const { body } = await create(service)
    expect(lineOf(body, COLA)).toMatchObject({
      item: { price: Math.round(300 * 0.55) },
      source: { sku_id: 'acme-supply:SP1' },
    })
    expect(body.cost_is_estimated).toBe(true)
  })

  test('2.4 an alias that is only suggested is no source', async () => {
    const service = await startRoute()
    const db = service.ctx.store.db
    await db.updateTable('sku_alias').set({ source: 'suggested', confirmed_at: null }).execute()
    expect(lineOf((await create(service)).body, COLA).source).toBeUndefined()
  })

  test.each([
    ['the machine names it', ['可乐'], [TEA]],
    ['the supplier names it', ['330ML'], [TEA]],
    ['its sku_id on the machine', [TEA], [COLA]],
    ['its sku_id at the supplier', ['acme-supply:SP2'], [COLA]],
  ])('a product on the no-go list is left out and reported: %s', async (_, hardNoGos, left) => {
    const low = routeSlots().map((slot) => ({ ...slot, stock: Math.min(slot.stock!, 2) }))
    const service = await startRoute({ rules: withRules({ hardNoGos }), slotsByMachine: { [MACHINE]: low } })
    const planned = await plan(service)
    const { body } = await create(service)
    expect(body.line_items.map(({ item }: Json) => item.id)).toEqual(left)
    const refused = [COLA, TEA].find((id) => !left.includes(id))
    expect(entryOf(planned, slotOf(refused!)).recommendation).toEqual({ action: 'none', because: 'hard_no_go' })
    // The plan and the run agree on slots and units.
    expect(inFull(body)).toEqual(
      planned.plans.flatMap(({ slot_id, recommendation: { action, quantity } }: Json) =>
        action === 'order' ? [{ slot_id, quantity }] : [],
      ),
    )
    expect(body.messages).toMatchObject([{ code: 'hard_no_go', params: { slot: slotOf(refused!), slots: 1 } }])
    expect(await run(service, body.id)).toEqual(body)
  })

  test('with nothing but no-gos there is nothing to do, and it says why', async () => {
    const service = await startRoute({ rules: withRules({ hardNoGos: ['可乐', '茶'] }) })
    const { body } = await create(service)
    expect(body.status).toBe('nothing_to_do')
    expect(codes(body).filter((code) => code === 'hard_no_go')).toHaveLength(1)
    expect(codes(body)).toContain('no_visit_due')
  })

  test('a no-go product in two machines is told once, with its slots', async () => {
    const slotsByMachine = { [MACHINE]: routeSlots(), M1002: routeSlots() }
    const trades = [MACHINE, 'M1002'].flatMap((location) => [
      ...salesOf({ location, vendorSku: 'G-1', perDay: 3 }),
      ...salesOf({ location, vendorSku: 'G-2', perDay: 1 }),
    ])
    const service = await startRoute({ slotsByMachine, trades, rules: withRules({ hardNoGos: ['可乐'] }) })
    const told = (await create(service)).body.messages.filter(({ code }: Json) => code === 'hard_no_go')
    expect(told).toMatchObject([{ params: { slots: 2 } }])
    expect(told[0].content).toContain(slotOf(COLA, 'M1002'))
    const asked = await service.post('/replenishment/runs', {
      locations: [MACHINE],
      lines: [{ slot_id: slotOf(COLA), quantity: 3 }],
    })
    expect(asked.status).toBe(400)
    expect(asked.body.messages[0].path).toBe('$.lines[0].slot_id')
  })

  test('a product without a supplier: left out where runs are ordered from suppliers, delivered by a simulated one', async () => {
    const slots = routeSlots().map((slot) => ({ ...slot, stock: 1 }))
    const trades = [1, 2, 3].flatMap((n) => salesOf({ vendorSku: `G-${n}`, perDay: 2 }))
    const options = { slotsByMachine: { [MACHINE]: slots }, trades }
    const simulated = await startRoute(options)
    expect(entryOf(await plan(simulated), slotOf(WATER)).recommendation.action).toBe('order')

    const service = await startRoute({ ...options, config: { simulatedPurchasing: false } })
    const planned = await plan(service)
    expect(entryOf(planned, slotOf(WATER)).recommendation).toEqual({ action: 'none', because: 'unresolved_sku' })
    const { body } = await create(service)
    expect(body.line_items.map(({ item }: Json) => item.id)).toEqual([COLA, TEA])
    expect(body.messages).toMatchObject([{ type: 'warning', code: 'unresolved_sku', params: { slot: slotOf(WATER) } }])
  })
})

describe('4.7 runs are listed and read', () => {
  test('newest first, by status, page by page', async () => {
    const service = await startRoute()
    const ids: string[] = []
    for (let i = 0; i < 5; i++) {
      service.clock.advance(1000)
      ids.unshift((await create(service)).body.id)
    }
    const all = (await service.get('/replenishment/runs')).body
    expect(all.runs.map(({ id }: Json) => id)).toEqual(ids)
    expect(all).not.toHaveProperty('pagination')
    await service.post(`/replenishment/runs/${ids[4]}/cancel`)
    expect((await service.get('/replenishment/runs?status=rejected')).body.runs.map(({ id }: Json) => id)).toEqual([
      ids[4],
    ])

    const seen: string[] = []
    let cursor: string | undefined
    do {
      const query = cursor === undefined ? '?limit=2' : `?limit=2&cursor=${cursor}`
      const { runs, pagination } = (await service.get(`/replenishment/runs${query}`)).body
      seen.push(...runs.map(({ id }: Json) => id))
      cursor = pagination.cursor
    } while (cursor !== undefined)
    expect(seen).toEqual(ids)
  })

  test('a listed run is the run', async () => {
    const service = await startRoute()
    const { body } = await create(service)
    const [listed] = (await service.get('/replenishment/runs')).body.runs
    expect(listed).toEqual(body)
  })

  test('an unknown status or cursor is 400, an unknown run 404', async () => {
    const service = await startRoute()
    expect((await service.get('/replenishment/runs?status=lost')).status).toBe(400)
    expect((await service.get('/replenishment/runs?cursor=nonsense')).status).toBe(400)
    const missing = await service.get('/replenishment/runs/run-1')
    expect([missing.status, codes(missing.body)]).toEqual([404, ['not_found']])
  })

  test('the same Idempotency-Key gives the same run and makes no second one', async () => {
    const service = await startRoute()
    const headers = { 'idempotency-key': 'once' }
    const first = await service.post('/replenishment/runs', undefined, { headers })
    const again = await service.post('/replenishment/runs', undefined, { headers })
    expect(again.text).toBe(first.text)
    expect((await service.get('/replenishment/runs')).body.runs).toHaveLength(1)
  })
})

describe('2.8 the cost of a run line', () => {
  /** Water sells three a day and nobody sells it to us; `costs` are those of its first sales. */
  const water = (...costs: (number | null)[]) =>
    salesOf({ vendorSku: 'G-3', perDay: 3 }).map((sale, i) => {
      const cost = costs[i] ?? null
      return { ...sale, lines: sale.lines.map((line) => ({ ...line, costFen: cost === null ? null : fen(cost) })) }
    })
  const runWith = async (trades: ReturnType<typeof water>): Promise<Json> => {
    const dry = routeSlots().map((slot) => ({ ...slot, stock: 0 }))
    return (await create(await startRoute({ slotsByMachine: { [MACHINE]: dry }, trades }))).body
  }

  test('without a supplier it is the newest known cost in the ledger', async () => {
    const known = water(null, 90, 70)
      .filter(({ lines }) => lines[0]?.costFen !== null)
      .toSorted((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0))
    expect(known).toHaveLength(2)
    const body = await runWith(water(null, 90, 70))
    expect([lineOf(body, WATER).item.price, body.cost_is_estimated]).toEqual([known[0]?.lines[0]?.costFen, false])
  })

  test('2.1 a cost equal to the price, or of nothing, is unknown: then 55 % of the retail price is used', async () => {
    const body = await runWith(water(300, 0))
    expect([lineOf(body, WATER).item.price, body.cost_is_estimated]).toEqual([110, true])
  })

  test('the price of a supplier comes first', async () => {
    const cola = salesOf({ vendorSku: 'G-1', perDay: 3 }).map((sale) => ({
      ...sale,
      lines: sale.lines.map((line) => ({ ...line, costFen: fen(77) })),
    }))
    expect(lineOf(await runWith(cola), COLA).item.price).toBe(120)
  })
})
