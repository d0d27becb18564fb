import { describe, expect, test } from 'vitest'
import { loadPlanInput, loadPlanContext } from '../../src/acts/replenishment/plan/load-input.ts'
import { planRoute } from '../../src/acts/replenishment/planner/plan.ts'
import type { MachineInput } from '../../src/acts/replenishment/planner/input.ts'
import { DAY, HOUR, rfc3339 } from '../../src/kernel/clock.ts'
import { DEFAULT_PLAN_PARAMS } from '../../src/kernel/plan-params.ts'
import { fen } from '../../src/kernel/fen.ts'
import { failure, machineSlot, trade } from '../support/scripted-vendors.ts'
import type { Json, Service } from '../support/service.ts'
import {
  COLA,
  codes,
  create,
  entryOf,
  inFull,
  MACHINE,
  place,
  placed,
  plan,
  receive,
  salesOf,
  routeSlots,
  slotOf,
  startRoute,
  sync,
  TEA,
  usualSales,
  WATER,
  withRules,
} from './route.ts'

const machinesOf = async ({ ctx }: Service): Promise<readonly MachineInput[]> => {
  const machines: MachineInput[] = []
  await loadPlanInput(ctx, await loadPlanContext(ctx), (machine) => {
    machines.push(machine)
    return []
  })
  return machines
}

const lock = (service: Service, skuId: string) =>
  service.put(`/locations/${MACHINE}/slots/${slotOf(skuId)}`, { locked: true })

describe('4.7 GET /replenishment/plan', () => {
  test('2.8 says per slot what would be ordered now, and why', async () => {
    const service = await startRoute()
    const body = await plan(service)
    expect(body).toMatchObject({
      strategy_version: expect.any(String),
      params: { window_days: 21, cover_days: 7, safety_days: 2, min_order_qty: 3, max_order_qty: 40 },
      lead_time: { days: 2, source: 'stated', samples: 0 },
    })
    expect(body.plans.map(({ slot_id }: Json) => slot_id)).toEqual([COLA, TEA, WATER].map((id) => slotOf(id)))
    expect(entryOf(body, slotOf(COLA))).toMatchObject({
      location: MACHINE,
      item: { id: COLA, title: '可乐' },
      stock: 2,
      capacity: null,
      demand: { naive_daily_rate: 3, available_days: 21, empty_days: 0, closed_days: 0, measured: true },
      at_risk: true,
      recommendation: { action: 'order' },
    })
    expect(entryOf(body, slotOf(WATER)).recommendation).toEqual({ action: 'none' })
    expect(body.visits).toMatchObject([
      { location: MACHINE, go: true, risk_share: expect.any(Number), load: expect.any(Number) },
    ])
    // Water has never sold.
    expect(body.messages).toMatchObject([{ type: 'info', code: 'dead_stock', params: { slots: 1, units: 30 } }])
  })

  test('is the pure plan over the same state', async () => {
    const service = await startRoute()
    const body = await plan(service)
    const { settings } = await loadPlanContext(service.ctx)
    const pure = planRoute({ ...settings, machines: await machinesOf(service) })
    expect(body.plans).toHaveLength(pure.plans.length)
    for (const entry of pure.plans)
      expect(entryOf(body, entry.slotId)).toMatchObject({
        stock: entry.stock,
        days_of_cover: entry.daysOfCover,
        stockout_at: entry.stockoutAt === null ? null : rfc3339(entry.stockoutAt, 'Asia/Shanghai'),
        recommendation: entry.recommendation,
        demand: { daily_rate: entry.demand.dailyRate, measured: entry.demand.measured },
      })
  })

  test('the planner gets what a product cost: by the ledger, else when it was last ordered for the slot; and the time zone', async () => {
    const service = await startRoute()
    const costs = async () => (await machinesOf(service))[0]!.slots.map(({ costFen }) => costFen)
    expect(await costs()).toEqual([undefined, undefined, undefined])
    const { body: draft } = await create(service)
    expect(await costs()).toEqual([undefined, undefined, undefined])
    await place(service, draft.id)
    expect(await costs()).toEqual([120, 200, undefined])
    service.machine.trades.push(
      trade('with-cost', service.clock.now(), {
        locationId: MACHINE,
        lines: [{ vendorSku: 'G-1', priceFen: fen(300), costFen: fen(110), status: 'paid' }],
      }),
    )
    service.clock.advance(HOUR)
    await sync(service)
    expect(await costs()).toEqual([110, 200, undefined])
    await service.put(`/locations/${MACHINE}`, { name: 'Hall', profile: { time_zone: 'America/Chicago' } })
    expect((await machinesOf(service))[0]!.zone).toEqual({ timeZone: 'America/Chicago' })
  })

  test('has no side effect: the same state and clock give the same bytes, and no upstream is called', async () => {
    const service = await startRoute()
    const calls = () => service.machine.script.calls.length + service.supply.script.calls.length
    const before = calls()
    const first = await service.get('/replenishment/plan')
    const second = await service.get('/replenishment/plan')
    expect(second.text).toBe(first.text)
    expect(calls()).toBe(before)
    expect(await service.ctx.store.db.selectFrom('forecast').selectAll().execute()).toEqual([])
    expect(await service.events('replenishment')).toEqual([])
  })

  describe('parts of it', () => {
    const OTHER = 'M1002'
    /** Six slots in two machines: cola nearly out, tea with some days left, water that never sold. */
    const startTwo = () =>
      startRoute({
        slotsByMachine: { [MACHINE]: routeSlots(), [OTHER]: routeSlots().map((slot) => ({ ...slot, stock: 5 })) },
        trades: [...usualSales(), ...salesOf({ location: OTHER, vendorSku: 'G-1', perDay: 1 })],
      })
    const part = async (service: Service, query: string): Promise<Json> =>
      (await service.get(`/replenishment/plan?${query}`)).body
    const slots = (body: Json): string[] => body.plans.map(({ slot_id: id }: Json) => id)

    test('by location, action and risk, with the visits of the machines shown and the number of all that match', async () => {
      const service = await startTwo()
      const whole = await plan(service)
      expect(whole.pagination).toBeUndefined()
      const expectPart = async (query: string, isWanted: (entry: Json) => boolean) => {
        const body = await part(service, query)
        const wanted = whole.plans.filter(isWanted)
        expect(wanted.length, query).toBeGreaterThan(0)
        expect(wanted.length, query).toBeLessThan(whole.plans.length)
        expect(body.plans.toSorted(bySlot), query).toEqual(wanted.toSorted(bySlot))
        expect(body.pagination, query).toEqual({ has_next_page: false, total_count: wanted.length })
        const shown = new Set(wanted.map(({ location }: Json) => location))
        expect(body.visits, query).toEqual(whole.visits.filter(({ location }: Json) => shown.has(location)))
      }
      const bySlot = (a: Json, b: Json) => (a.slot_id < b.slot_id ? -1 : 1)
      await expectPart(`location=${OTHER}`, ({ location }) => location === OTHER)
      await expectPart('action=order', ({ recommendation }) => recommendation.action === 'order')
      await expectPart('at_risk=true', (entry) => entry.at_risk)
      await expectPart('at_risk=false', (entry) => !entry.at_risk)
      await expectPart(`location=${MACHINE}&at_risk=true`, (entry) => entry.at_risk && entry.location === MACHINE)
      const [{ item }] = whole.plans
      await expectPart(`sku_id=${item.id}`, (entry) => entry.item.id === item.id)
      expect((await part(service, 'sku_id=acme-machine:nothing')).plans).toEqual([])
      expect((await service.get('/replenishment/plan?location=M9999')).status).toBe(404)

      const { summary, ...figures } = await part(service, 'only=summary')
      expect(figures).toMatchObject({ plans: [], visits: [], lead_time: whole.lead_time })
      const open = whole.plans.filter(
        ({ stock, recommendation }: Json) => stock === 0 && recommendation.action !== 'locked',
      )
      const ordered = whole.plans.filter(({ recommendation }: Json) => recommendation.action === 'order')
      expect(summary).toMatchObject({ slots: whole.plans.length, empty: open.length, coming: 0, to_confirm: 0 })
      expect(summary.to_order.slots).toBe(ordered.length)
      const visits = await part(service, 'only=visits')
      expect(visits.plans).toEqual([])
      expect(visits.visits.map(({ location, stock }: Json) => [location, stock.slots])).toEqual(
        whole.visits.map(({ location }: Json) => [
          location,
          whole.plans.filter((entry: Json) => entry.location === location).length,
        ]),
      )
    })

    test('the most urgent first: at risk, then by when they run out; the pages hold each slot once', async () => {
      const service = await startTwo()
      const all = await part(service, 'limit=500')
      const urgency = ({ at_risk: isAtRisk, stockout_at: at }: Json) =>
        (isAtRisk ? 0 : 1e15) + (at === null ? 1e14 : Date.parse(at))
      expect(all.plans.map(urgency)).toEqual(all.plans.map(urgency).toSorted((a: number, b: number) => a - b))
      expect(all.plans[0].at_risk).toBe(true)
      const seen: string[] = []
      for (let cursor = ''; ;) {
        const page = await part(service, `limit=2${cursor}`)
        seen.push(...slots(page))
        if (!page.pagination.has_next_page) break
        cursor = `&cursor=${page.pagination.cursor}`
      }
      expect(seen).toEqual(slots(all))
    })

    test('a plan that changes between two pages: what stayed where it was is shown once', async () => {
      const service = await startTwo()
      const before = slots(await part(service, 'limit=500'))
      const first = await part(service, 'limit=2')
      // Filled up meanwhile: it moves behind, and may be shown again.
      const filled = first.plans[0]
      service.machine.slotsByMachine[filled.location] = (service.machine.slotsByMachine[filled.location] ?? []).map(
        (slot) => (filled.slot_id.endsWith(slot.vendorSku) ? { ...slot, stock: 60 } : slot),
      )
      await sync(service)
      const rest = await part(service, `limit=500&cursor=${first.pagination.cursor}`)
      const stayed = before.filter((id) => id !== filled.slot_id)
      expect([...slots(first), ...slots(rest)].filter((id) => id !== filled.slot_id)).toEqual(stayed)
    })

    test.each([
      'limit=0',
      'limit=x',
      'action=burn',
      'at_risk=1',
      'only=all',
      'only=summary&location=M1001',
      'only=visits&at_risk=true',
      'cursor=abc',
      'location=a%20b',
    ])('%s is refused', async (query) => {
      const service = await startRoute()
      const answer = await service.get(`/replenishment/plan?${query}`)
      expect([answer.status, answer.body.messages[0].code]).toEqual([400, 'invalid'])
    })
  })

  test('computes also while the emergency stop is on or the rules cannot be read', async () => {
    const service = await startRoute()
    const { text } = await service.get('/replenishment/plan')
    service.writeRules(withRules({ killSwitchEngaged: true }))
    expect((await service.get('/replenishment/plan')).text).toBe(text)
    service.writeRules('not json')
    expect((await service.get('/replenishment/plan')).text).toBe(text)
  })

  test('a plan of megabytes arrives complete, with its content length', async () => {
    const many = Array.from({ length: 4000 }, (_, i) => machineSlot(`G-${i}`, { title: `可乐 ${i}`, stock: i % 9 }))
    const service = await startRoute({ slotsByMachine: { [MACHINE]: many }, trades: [] })
    const { text, headers, body } = await service.get('/replenishment/plan')
    expect(Buffer.byteLength(text)).toBeGreaterThan(2 ** 20)
    expect(Number(headers['content-length'])).toBe(Buffer.byteLength(text))
    expect(body.plans).toHaveLength(4000)
    expect(entryOf(body, `${MACHINE}-G-3999`).item.title).toBe('可乐 3999')
  })

  test('a route without machines has an empty plan', async () => {
    const service = await startRoute({ slotsByMachine: {}, trades: [] })
    expect(await plan(service)).toMatchObject({ plans: [], visits: [] })
  })

  test('sales of today count for stock and not for rates', async () => {
    const service = await startRoute()
    const before = entryOf(await plan(service), slotOf(COLA)).demand
    const now = service.clock.now()
    for (let i = 0; i < 5; i++)
      service.machine.trades.push(...salesOf({ vendorSku: 'G-1', perDay: 1, days: 1 }, now + DAY))
    await sync(service)
    expect(entryOf(await plan(service), slotOf(COLA)).demand).toEqual(before)
  })

  test('3.4 only paid lines count: unpaid, refunded and cancelled ones change nothing', async () => {
    const service = await startRoute()
    const before = await plan(service)
    const other = (['unpaid', 'refunded', 'cancelled'] as const).map((status, i) =>
      trade(`X${i}`, service.clock.now() - 3 * DAY, {
        lines: [{ vendorSku: 'G-1', priceFen: fen(300), costFen: null, status }],
      }),
    )
    service.machine.trades.push(...other)
    await service.post('/locations/sync', { sales_window_days: 31 })
    expect((await plan(service)).plans).toEqual(
      before.plans.map((entry: Json) => expect.objectContaining({ demand: entry.demand })),
    )
  })

  test('configured parameters, stated lead days and visit cost shape the plan and are in the answer', async () => {
    const service = await startRoute({
      config: {
        planParams: {
          ...DEFAULT_PLAN_PARAMS,
          window_days: 14,
          cover_days: 3,
          safety_days: 0,
          min_order_qty: 2,
          max_order_qty: 5,
          visit_cost: 2000,
        },
        statedLeadDays: 4,
      },
    })
    const body = await plan(service)
    expect(body.params).toMatchObject({ window_days: 14, cover_days: 3, max_order_qty: 5, visit_cost: 2000 })
    expect(body.lead_time).toEqual({ days: 4, source: 'stated', samples: 0 })
    expect(entryOf(body, slotOf(COLA)).recommendation).toEqual({ action: 'order', quantity: 5 })
  })
})

describe('2.4 slots that are not to be touched', () => {
  test('a locked slot is never ordered, before and after a sync', async () => {
    const service = await startRoute()
    await lock(service, COLA)
    expect(entryOf(await plan(service), slotOf(COLA)).recommendation).toEqual({ action: 'locked' })
    await sync(service)
    expect(entryOf(await plan(service), slotOf(COLA)).recommendation).toEqual({ action: 'locked' })
    const made = await create(service)
    expect(made.body.line_items.map(({ slot_id }: Json) => slot_id)).not.toContain(slotOf(COLA))
  })

  test('with every slot locked there is nothing to do', async () => {
    const service = await startRoute()
    for (const id of [COLA, TEA, WATER]) await lock(service, id)
    expect((await create(service)).body).toMatchObject({ status: 'nothing_to_do', line_items: [] })
  })

  test('3.2 a placed but undelivered run excludes its slots; what it does not hold stays plannable', async () => {
    const service = await startRoute()
    const run = await placed(service)
    const body = await plan(service)
    for (const { slot_id } of run.line_items)
      expect(entryOf(body, slot_id).recommendation).toEqual({ action: 'in_transit' })
    expect(entryOf(body, slotOf(WATER)).recommendation.action).not.toBe('in_transit')
    expect((await create(service)).body.status).toBe('nothing_to_do')
  })

  test('a slot that waits in a run not placed yet is still planned, and names the run', async () => {
    const service = await startRoute()
    const before = await plan(service)
    const { body: run } = await create(service)
    const after = await plan(service)
    for (const { slot_id } of run.line_items)
      expect(entryOf(after, slot_id)).toMatchObject({
        recommendation: entryOf(before, slot_id).recommendation,
        pending_run: run.id,
      })
    expect(entryOf(after, slotOf(WATER)).pending_run).toBeUndefined()
    await place(service, run.id)
    expect(entryOf(await plan(service), slotOf(COLA)).pending_run).toBeUndefined()
  })
})

describe('what was observed', () => {
  test('a slot that was empty for days is rated by the days it could sell', async () => {
    const slotsByMachine = { [MACHINE]: routeSlots() }
    const service = await startRoute({ slotsByMachine })
    // Sold out, as the machine says, for four days in which tea goes on selling.
    for (let day = 1; day <= 4; day++) {
      service.machine.slotsByMachine[MACHINE] = routeSlots().map((slot) =>
        slot.vendorSku === 'G-1' ? { ...slot, stock: 0 } : slot,
      )
      service.clock.advance(DAY)
      service.machine.trades.push(...teaOf(service, day))
      await sync(service)
    }
    const { demand } = entryOf(await plan(service), slotOf(COLA))
    expect(demand.empty_days).toBeGreaterThanOrEqual(3)
    expect(demand.available_days + demand.empty_days + demand.closed_days).toBe(21)
    expect(demand.daily_rate).toBeGreaterThan(demand.naive_daily_rate)
    expect(demand.daily_rate).toBeCloseTo(3, 0)
  })

  test('an empty slot says since when: the last sale, for as long as nothing was loaded', async () => {
    const service = await startRoute()
    expect(entryOf(await plan(service), slotOf(COLA))).not.toHaveProperty('empty_since')
    const lastSale = Math.max(
      ...service.machine.trades.filter(({ lines }) => lines[0]?.vendorSku === 'G-1').map(({ createdAt }) => createdAt!),
    )
    const [cola, ...others] = routeSlots()
    service.machine.slotsByMachine[MACHINE] = [{ ...cola!, stock: 0 }, ...others]
    service.clock.advance(DAY)
    await sync(service)
    const { empty_since } = entryOf(await plan(service), slotOf(COLA))
    // The reading of two units after the last sale is newer, so the slot is known to be empty since the sync.
    expect(Date.parse(empty_since)).toBeGreaterThan(lastSale)
    service.machine.slotsByMachine[MACHINE] = routeSlots()
    service.clock.advance(DAY)
    await sync(service)
    expect(entryOf(await plan(service), slotOf(COLA))).not.toHaveProperty('empty_since')
  })

  test('a slot that came later is as old as its first sight; one found with the machine as old as the machine', async () => {
    const service = await startRoute()
    service.clock.advance(3 * DAY)
    service.machine.slotsByMachine[MACHINE] = [...routeSlots(), machineSlot('G-9', { title: '新品', stock: 5 })]
    await sync(service)
    service.clock.advance(2 * DAY)
    const body = await plan(service)
    const days = ({ demand }: Json) => demand.available_days + demand.empty_days + demand.closed_days
    expect(days(entryOf(body, `${MACHINE}-G-9`))).toBe(2)
    expect(days(entryOf(body, slotOf(WATER)))).toBe(21)
  })

  test('while capacity is unknown, an empty slot is not ordered above what its neighbours hold', async () => {
    const slotsByMachine = {
      [MACHINE]: [
        machineSlot('G-1', { stock: 0 }),
        ...['G-2', 'G-3', 'G-4'].map((id) => machineSlot(id, { stock: 8 })),
      ],
    }
    const service = await startRoute({ slotsByMachine, trades: salesOf({ vendorSku: 'G-1', perDay: 6 }) })
    expect(entryOf(await plan(service), slotOf(COLA)).recommendation).toEqual({ action: 'order', quantity: 8 })
  })

  test('lead time is measured from five delivered runs on, and passed through', async () => {
    const service = await startRoute({ slotsByMachine: { [MACHINE]: [routeSlots()[0]!] } })
    for (let n = 1; n <= 5; n++) {
      const run = await placed(service)
      service.clock.advance(3 * DAY)
      expect((await receive(service, run.id, inFull(run))).status).toBe(200)
      const { lead_time } = await plan(service)
      expect(lead_time).toEqual(
        n < 5 ? { days: 2, source: 'stated', samples: n } : { days: 3, source: 'measured', samples: 5 },
      )
      // The machine learns of the refill, and is sold out again.
      for (const stock of [30, 0]) {
        service.clock.advance(HOUR)
        service.machine.slotsByMachine[MACHINE] = [{ ...routeSlots()[0]!, stock }]
        await sync(service)
      }
    }
  })

  test('a run that brought nothing says nothing about lead time', async () => {
    const service = await startRoute()
    const run = await placed(service)
    service.clock.advance(DAY)
    await receive(service, run.id, [{ slot_id: slotOf(COLA), quantity: 0 }])
    expect((await plan(service)).lead_time).toEqual({ days: 2, source: 'stated', samples: 0 })
  })

  test('8 an incomplete ledger shortens the window and gives history_truncated', async () => {
    const busy = Array.from({ length: 2500 }, (_, i) =>
      trade(`B${i}`, Date.parse('2026-09-09T20:00:00+08:00') - i * 10 * 60_000, {
        lines: [{ vendorSku: 'G-1', priceFen: fen(300), costFen: null, status: 'paid' }],
      }),
    )
    const service = await startRoute({ trades: busy })
    const body = await plan(service)
    expect(codes(body)).toEqual(['history_truncated'])
    const { demand } = entryOf(body, slotOf(COLA))
    expect(demand.available_days).toBeLessThan(21)
    expect(demand.daily_rate).toBeGreaterThan(100)
  })

  test('a ledger not read for more than a day gives a warning', async () => {
    const service = await startRoute()
    service.machine.script.always('ledger', failure('unknown'))
    service.clock.advance(2 * DAY)
    expect(codes(await plan(service))).toEqual(['sync_problem', 'dead_stock'])
  })
})

/** Tea sells once a day at noon, also on the days that pass in the test. */
function teaOf(service: Service, day: number) {
  const noon = service.clock.now() - 20 * HOUR
  return [
    trade(`tea-${day}`, noon, { lines: [{ vendorSku: 'G-2', priceFen: fen(500), costFen: null, status: 'paid' }] }),
  ]
}

test('nothing is ordered for a day on which the place is closed by its opening hours', async () => {
  const service = await startRoute()
  const actions = async () =>
    new Set((await plan(service)).plans.map(({ recommendation }: Json) => recommendation.action))
  expect(await actions()).toContain('order')
  // Ordered on this Thursday it would arrive on Saturday.
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday']
  const hours = days.map((day) => ({ day, opens: '08:00', closes: '18:00' }))
  expect((await service.put(`/locations/${MACHINE}`, { name: MACHINE, hours })).status).toBe(200)
  expect(await actions()).not.toContain('order')
  await service.put(`/locations/${MACHINE}`, { name: MACHINE, hours: [...hours, { ...hours[0], day: 'saturday' }] })
  expect(await actions()).toContain('order')
})
