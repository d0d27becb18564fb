/** GET /profit beyond a month by hand: late and refunded sales, days of machines, terms, roles, parameters, pages. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkDay } from '../../src/route/sales/check-day.ts'
import { rebuildCosts } from '../../src/route/sales/index.ts'
import { DAY, localDay } from '../../src/kernel/clock.ts'
import { registry } from '../../src/vendors/registry.ts'
import { NOW, startService } from '../support/service.ts'
import type { Json, Service } from '../support/service.ts'
import { addKey } from '../people/keys.ts'
import { propertyRuns } from '../support/property-runs.ts'
import {
  buy,
  COLUMNS,
  lose,
  moveTo,
  numbersOf,
  paidLines,
  profit,
  put,
  sale,
  startProfitRoute,
  sumOf,
  SUPPLY_COLA,
} from './route.ts'

/** Also re-reads what was read before. */
const sync = (service: Service) => service.post('/locations/sync')
const on = (iso: string) => `${iso}+08:00`
/** NOW is 2026-09-10, 08:00. */
const WEEK = 'from=2026-09-03&to=2026-09-10&limit=100'

const ledgerOf = (service: Service, ...trades: Parameters<typeof sale>[0][]) => {
  service.machine.trades.push(...trades.map(sale))
  return sync(service)
}

describe('what is counted', () => {
  test('nothing at all is zeros, not an error', async () => {
    const service = await startService()
    const body = await profit(service, '')
    expect(body.period).toEqual({ from: '2026-09-03', to: '2026-09-09' })
    expect(body.rows).toHaveLength(7)
    expect(body.totals).toMatchObject({ revenue: 0, profit: 0, margin_percent: null, cost_known_percent: 100 })
    expect(body.messages).toBeUndefined()
    for (const by of ['location', 'product', 'slot']) expect((await profit(service, `by=${by}`)).rows).toEqual([])
  })

  test('a late sale and a refund correct the day of the sale; unpaid and failed refunds count nowhere', async () => {
    const service = await startProfitRoute()
    await ledgerOf(service, { no: 't1', at: on('2026-09-08T09:00:00'), location: 'M1', sku: 'G-1' })
    expect((await profit(service, `by=day&${WEEK}`)).totals).toMatchObject({
      revenue: 300,
      refunds: 0,
      cost_of_goods: 120,
    })
    service.machine.trades[0] = sale({
      no: 't1',
      at: on('2026-09-08T09:00:00'),
      location: 'M1',
      sku: 'G-1',
      status: 'refunded',
    })
    service.clock.advance(DAY / 8)
    await ledgerOf(
      service,
      { no: 't2', at: on('2026-09-08T10:00:00'), location: 'M1', sku: 'G-2' },
      { no: 't3', at: on('2026-09-09T10:00:00'), location: 'M1', sku: 'G-2', status: 'unpaid' },
      { no: 't4', at: on('2026-09-09T10:00:00'), location: 'M1', sku: 'G-2', status: 'refund_failed' },
    )
    const body = await profit(service, `by=day&${WEEK}`)
    const day = body.rows.find(({ key }: Json) => key.date === '2026-09-08')
    expect(day).toMatchObject({ units: 1, revenue: 500, refunds: 300, cost_of_goods: 275 })
    expect(numbersOf(body.totals)).toEqual(numbersOf(day))
    for (const by of ['location', 'product', 'slot'])
      expect(sumOf((await profit(service, `by=${by}&${WEEK}`)).rows)).toEqual(numbersOf(day))
  })

  test('a sale keeps the cost that was known when it was stored, until everything is rebuilt', async () => {
    const service = await startProfitRoute()
    await ledgerOf(service, { no: 't1', at: on('2026-09-10T06:00:00'), location: 'M1', sku: 'G-1' })
    await buy(service, SUPPLY_COLA, 10, 1000)
    service.clock.advance(DAY / 24)
    // Its label changed: the same sale again.
    service.machine.trades[0] = { ...service.machine.trades[0]!, statusLabel: 'settled' }
    await ledgerOf(service, { no: 't2', at: on('2026-09-10T08:30:00'), location: 'M1', sku: 'G-1' })
    expect((await profit(service, `by=product&${WEEK}`)).totals.cost_of_goods).toBe(120 + 100)
    expect(await rebuildCosts(service.ctx)).toEqual({ machines: 1, sales: 2 })
    for (const by of ['day', 'location', 'product', 'slot'])
      expect((await profit(service, `by=${by}&${WEEK}`)).totals.cost_of_goods).toBe(200)
  })

  test('a supplier that cannot be read when everything is rebuilt makes no estimate of a known cost', async () => {
    const service = await startProfitRoute()
    await ledgerOf(service, { no: 't1', at: on('2026-09-09T09:00:00'), location: 'M1', sku: 'G-1' })
    await rebuildCosts({ ...service.ctx, vendors: registry([]) })
    expect((await profit(service, WEEK)).totals).toMatchObject({ cost_of_goods: 120, cost_known_percent: 100 })
  })

  test('a cost equal to the price is unknown, and so is none: 55 % of the price, and an info', async () => {
    const service = await startProfitRoute()
    await ledgerOf(
      service,
      { no: 't1', at: on('2026-09-09T09:00:00'), location: 'M1', sku: 'G-3', cost: 200 },
      { no: 't2', at: on('2026-09-09T10:00:00'), location: 'M1', sku: 'G-2', cost: 0 },
    )
    const body = await profit(service, WEEK)
    expect(body.totals).toMatchObject({ cost_of_goods: 110 + 275, cost_known_percent: 0 })
    expect(body.messages.map(({ code }: Json) => code)).toEqual(['cost_estimated'])
    await rebuildCosts(service.ctx)
    expect((await profit(service, WEEK)).totals).toMatchObject({ cost_of_goods: 110 + 275, cost_known_percent: 0 })
  })

  test('visits without a configured cost are told', async () => {
    const service = await startProfitRoute()
    const counted = await service.post('/locations/M1/service', { counted: [{ slot_id: 'M1-G-1', stock: 5 }] })
    expect(counted.status, counted.text).toBe(200)
    const { totals, messages } = await profit(service, `by=day&${WEEK}`)
    expect(totals).toMatchObject({ visits: 1, visit_cost: 0 })
    expect(messages).toEqual([
      expect.objectContaining({ type: 'info', code: 'visit_cost_unset', params: { visits: 1 } }),
    ])
    expect((await profit(service, `by=day&sku_id=acme-machine:G-1&${WEEK}`)).messages).toBeUndefined()
  })

  test('another time zone counts the days of a machine again, refunds and visits too', async () => {
    const service = await startProfitRoute()
    const at = on('2026-09-09T01:00:00')
    await ledgerOf(
      service,
      { no: 't1', at, location: 'M1', sku: 'G-1' },
      { no: 't2', at, location: 'M1', sku: 'G-1', status: 'refunded' },
    )
    const one = (day: string) => profit(service, `by=day&from=${day}&to=${day}`)
    expect((await one('2026-09-09')).totals).toMatchObject({ revenue: 300, refunds: 300 })
    await put(service, 'M1', { profile: { time_zone: 'Europe/Berlin' } })
    expect((await one('2026-09-09')).totals).toMatchObject({ revenue: 0, refunds: 0 })
    expect((await one('2026-09-08')).totals).toMatchObject({ revenue: 300, refunds: 300 })
    for (const by of ['location', 'product', 'slot'])
      expect((await profit(service, `by=${by}&from=2026-09-08&to=2026-09-08`)).totals).toMatchObject({ revenue: 300 })
  })

  test('sales of a machine that was removed stay, and its rent ends', async () => {
    const service = await startProfitRoute()
    await put(service, 'M1', { rent_per_month: 3000 })
    await ledgerOf(service, { no: 't1', at: on('2026-09-09T09:00:00'), location: 'M1', sku: 'G-1' })
    moveTo(service, on('2026-09-12T08:00:00'))
    expect((await service.call('DELETE', '/locations/M1')).status).toBe(200)
    moveTo(service, on('2026-09-20T08:00:00'))
    const body = await profit(service, 'by=location&from=2026-09-01&to=2026-09-19')
    // Two days: the 10th and the 11th.
    expect(body.rows.find(({ key }: Json) => key.location === 'M1')).toMatchObject({ revenue: 300, commission: 200 })
  })
})

describe('commission and rent', () => {
  test('count from the day they are set; a change does not rewrite earlier days', async () => {
    const service = await startProfitRoute()
    await ledgerOf(service, { no: 't1', at: on('2026-09-09T09:00:00'), location: 'M1', sku: 'G-1' })
    expect(await put(service, 'M1', { commission_percent: 10, rent_per_month: 1000 })).toMatchObject({
      commission_percent: 10,
      rent_per_month: 1000,
    })
    await ledgerOf(service, { no: 't2', at: on('2026-09-10T07:00:00'), location: 'M1', sku: 'G-1' })
    moveTo(service, on('2026-09-11T08:00:00'))
    await ledgerOf(service, { no: 't3', at: on('2026-09-11T07:00:00'), location: 'M1', sku: 'G-1' })
    await put(service, 'M1', { commission_percent: 20 })
    moveTo(service, on('2026-09-12T08:00:00'))
    await put(service, 'M1', { commission_percent: null, rent_per_month: null })
    await ledgerOf(service, { no: 't4', at: on('2026-09-12T07:00:00'), location: 'M1', sku: 'G-1' })
    // Late, of the day with 10 %.
    await ledgerOf(service, { no: 't5', at: on('2026-09-10T22:00:00'), location: 'M1', sku: 'G-2' })
    const body = await profit(service, 'by=day&from=2026-09-09&to=2026-09-12')
    // 1000 a month of 30 days: the 10th costs 333 - 300, the 11th 366 - 333.
    expect(body.rows.map(({ commission }: Json) => commission)).toEqual([0, 30 + 50 + 33, 60 + 33, 0])
    expect((await put(service, 'M1', {})).commission_percent).toBeUndefined()
  })

  test('the rent of the days ahead is not counted', async () => {
    const service = await startProfitRoute()
    await put(service, 'M1', { rent_per_month: 3000 })
    expect((await profit(service, 'from=2026-09-01&to=2026-09-30&by=location&location=M1')).totals.commission).toBe(100)
  })

  test('are refused out of range, and changed by nothing else', async () => {
    const service = await startProfitRoute()
    for (const bad of [
      { commission_percent: -1 },
      { commission_percent: 101 },
      { commission_percent: 12.345 },
      { commission_percent: '10' },
      { rent_per_month: -1 },
      { rent_per_month: 1.5 },
      { rent_per_month: 1e12 },
    ]) {
      const answer = await service.put('/locations/M1', { name: 'M1', ...bad })
      expect([answer.status, answer.body.messages[0].code], JSON.stringify(bad)).toEqual([400, 'invalid'])
    }
    await put(service, 'M1', { commission_percent: 12.34 })
    expect(await put(service, 'M1', { rent_per_month: 5 })).toMatchObject({
      commission_percent: 12.34,
      rent_per_month: 5,
    })
  })
})

describe('who may see it', () => {
  test('5.8 owner and operator; others get 403, and machines without these members', async () => {
    const service = await startProfitRoute()
    await put(service, 'M1', { commission_percent: 10, rent_per_month: 100 })
    for (const [role, status] of [
      ['owner', 200],
      ['operator', 200],
      ['viewer', 403],
      ['driver', 403],
      ['bridge', 403],
    ] as const) {
      const { key } = await addKey(service, role)
      expect([(await service.get('/profit', { token: key })).status, role]).toEqual([status, role])
      if (role === 'bridge') continue
      const { body } = await service.post('/locations/lookup', { ids: ['M1'] }, { token: key })
      const found = body.locations[0]
      expect(['commission_percent' in found, 'rent_per_month' in found, role]).toEqual([
        status === 200,
        status === 200,
        role,
      ])
      const all = await service.post('/locations/search', {}, { token: key })
      expect(all.text.includes('rent_per_month')).toBe(status === 200)
    }
    expect((await service.get('/profit', { token: null })).status).toBe(401)
  })
})

describe('parameters', () => {
  test.each([
    'by=month',
    'from=2026-02-30',
    'from=2026-9-1',
    'from=yesterday',
    'from=0001-01-01&to=0001-01-07',
    'to=9999-12-31',
    'from=2026-09-10&to=2026-09-09',
    'from=2024-01-01&to=2026-01-01',
    'compare=next',
    'location=a%20b',
    'sku_id=cola',
    'sort=color',
    'sort=--profit',
    'sort=key',
    'limit=0',
    'limit=x',
    'cursor=nonsense',
    'cursor=',
    'from=2026-09-01%00',
  ])('%s is refused', async (query) => {
    const service = await startService()
    const answer = await service.get(`/profit?${query}`)
    expect([answer.status, answer.body.messages[0].type]).toEqual([400, 'error'])
  })

  test('odd ones that mean something are answered', async () => {
    const service = await startProfitRoute()
    for (const query of [
      'from=2026-09-10',
      'from=2026-12-01',
      'to=2020-01-01',
      'from=2025-09-10&to=2026-09-10&by=week',
      'location=unknown&by=location',
      `sku_id=${SUPPLY_COLA}&by=product`,
      'sku_id=nobody-machine:x&by=slot',
      'limit=100000',
    ])
      expect([(await service.get(`/profit?${query}&compare=previous`)).status, query]).toEqual([200, query])
  })

  test('pages and sorting: every row once, in order, with the same totals', async () => {
    const service = await startProfitRoute()
    const skus = ['G-1', 'G-2', 'G-3']
    await ledgerOf(
      service,
      ...Array.from({ length: 12 }, (_, i) => ({
        no: `t${i}`,
        at: new Date(NOW - (i % 5) * DAY - DAY / 4).toISOString(),
        location: `M${(i % 3) + 1}`,
        sku: skus[(i * 7) % 3]!,
        price: 100 + 50 * (i % 4),
      })),
    )
    for (const by of ['day', 'location', 'product', 'slot'])
      for (const sort of ['revenue', '-profit', 'margin_percent', '-units', 'cost_known_percent']) {
        const whole = await profit(service, `by=${by}&sort=${sort}&${WEEK}`)
        const column = sort.replace('-', '')
        const shown = whole.rows.filter(({ key }: Json) => !key.other).map((each: Json) => each[column])
        const known = shown.filter((value: number | null) => value !== null)
        expect(known).toEqual(known.toSorted((a: number, b: number) => (sort.startsWith('-') ? b - a : a - b)))
        expect(shown.slice(known.length).every((value: number | null) => value === null)).toBe(true)
        const paged: Json[] = []
        let cursor = ''
        do {
          const page = await profit(service, `by=${by}&sort=${sort}&from=2026-09-03&to=2026-09-10&limit=2${cursor}`)
          expect(page.totals).toEqual(whole.totals)
          expect(page.pagination.total_count).toBe(whole.rows.length)
          paged.push(...page.rows)
          cursor = page.pagination.has_next_page ? `&cursor=${page.pagination.cursor}` : ''
        } while (cursor !== '')
        expect(paged).toEqual(whole.rows)
      }
    await expectAsTheLedger(service)
  })

  test('the pages of a report are of one moment: what is sold meanwhile is in the next report', async () => {
    const service = await startProfitRoute()
    const at = on('2026-09-09T09:00:00')
    await ledgerOf(
      service,
      ...['G-1', 'G-2', 'G-3'].map((sku, i) => ({ no: `t${i}`, at, location: 'M1', sku, cost: 100 })),
    )
    const page = (query: string) => profit(service, `by=slot&from=2026-09-03&to=2026-09-10&limit=2${query}`)
    const first = await page('')
    // The slot that earned least now earns most.
    await ledgerOf(service, { no: 'late', at, location: 'M1', sku: 'G-3', price: 9000, cost: 100 })
    const second = await page(`&cursor=${first.pagination.cursor}`)
    expect(second.totals).toEqual(first.totals)
    expect(sumOf([...first.rows, ...second.rows])).toEqual(numbersOf(first.totals))
    expect((await page('')).rows[0]).toMatchObject({ key: { slot_id: 'M1-G-3' }, units: 2 })
    // Another question has no part in it.
    const other = await profit(
      service,
      `by=slot&from=2026-09-04&to=2026-09-10&limit=2&cursor=${first.pagination.cursor}`,
    )
    expect(other.totals.units).toBe(4)
  })
})

test('the job that compares a day with the ledger is silent, and tells of a difference', async () => {
  const service = await startProfitRoute()
  await ledgerOf(
    service,
    { no: 't1', at: on('2026-09-09T09:00:00'), location: 'M1', sku: 'G-1' },
    { no: 't2', at: '2026-09-09T22:00:00-04:00', location: 'M3', sku: 'G-2' },
    { no: 't3', at: on('2026-09-09T10:00:00'), location: 'M1', sku: 'G-1', status: 'refunded' },
  )
  await service.job('check-sales-day')
  await checkDay(service.ctx, '2026-09-09')
  expect(await service.events('sync')).not.toContainEqual(expect.objectContaining({ code: 'sales_day_differs' }))
  await service.ctx.store.db.updateTable('machine_sales_daily').set({ units: 7 }).where('location', '=', 'M1').execute()
  await checkDay(service.ctx, '2026-09-09')
  expect(await service.events('sync')).toContainEqual(
    expect.objectContaining({ code: 'sales_day_differs', params: { day: '2026-09-09', differences: 1 } }),
  )
  expect(service.log).toContainEqual(expect.objectContaining({ level: 'error' }))
  await rebuildCosts(service.ctx)
  const before = (await service.events('sync')).length
  await checkDay(service.ctx, '2026-09-09')
  expect(await service.events('sync')).toHaveLength(before)
})

/** What may happen on the route, in any order. */
type Step =
  | {
      readonly kind: 'sale'
      readonly machine: number
      readonly sku: number
      readonly ago: number
      readonly price: number
      readonly cost: number | null
    }
  | { readonly kind: 'change'; readonly which: number; readonly status: 'paid' | 'refunded' | 'cancelled' }
  | { readonly kind: 'terms'; readonly machine: number; readonly percent: number | null; readonly rent: number | null }
  | { readonly kind: 'buy'; readonly units: number; readonly paid: number }
  | { readonly kind: 'lose' }
  | { readonly kind: 'service'; readonly machine: number; readonly units: number; readonly counts: boolean }
  | { readonly kind: 'zone'; readonly machine: number; readonly zone: string }
  | { readonly kind: 'wait'; readonly hours: number }

const machine = fc.nat({ max: 2 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('sale' as const),
      machine,
      sku: fc.nat({ max: 2 }),
      ago: fc.nat({ max: 40 }),
      price: fc.integer({ min: 1, max: 999 }),
      cost: fc.option(fc.nat({ max: 500 })),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      which: fc.nat(),
      status: fc.constantFrom('paid' as const, 'refunded' as const, 'cancelled' as const),
    }),
  },
  fc.record({
    kind: fc.constant('terms' as const),
    machine,
    percent: fc.option(fc.integer({ min: 0, max: 10_000 }).map((e2) => e2 / 100)),
    rent: fc.option(fc.nat({ max: 9999 })),
  }),
  fc.record({ kind: fc.constant('buy' as const), units: fc.integer({ min: 1, max: 50 }), paid: fc.nat({ max: 9999 }) }),
  fc.constant({ kind: 'lose' as const }),
  fc.record({
    kind: fc.constant('service' as const),
    machine,
    units: fc.integer({ min: 1, max: 3 }),
    counts: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('zone' as const),
    machine,
    zone: fc.constantFrom('Asia/Shanghai', 'America/New_York', 'Pacific/Kiritimati'),
  }),
  fc.record({ kind: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 30 }) }),
)

async function take(service: Service, step: Step, n: number): Promise<void> {
  const { trades } = service.machine
  const id = 'machine' in step ? `M${step.machine + 1}` : ''
  if (step.kind === 'sale') {
    const at = new Date(service.clock.now() - step.ago * (DAY / 24) - 1).toISOString()
    trades.push(sale({ no: `t${n}`, at, location: id, sku: `G-${step.sku + 1}`, price: step.price, cost: step.cost }))
  } else if (step.kind === 'change' && trades.length > 0) {
    const which = step.which % trades.length
    const before = trades[which]!
    trades[which] = { ...before, lines: before.lines.map((line) => ({ ...line, status: step.status })) }
  } else if (step.kind === 'terms') {
    await put(service, id, { commission_percent: step.percent, rent_per_month: step.rent })
  } else if (step.kind === 'buy') await buy(service, SUPPLY_COLA, step.units, step.paid)
  else if (step.kind === 'lose') {
    await buy(service, SUPPLY_COLA, 1, 77)
    await lose(service, SUPPLY_COLA, 1)
  } else if (step.kind === 'service')
    await service.post(`/locations/${id}/service`, {
      removed: [{ slot_id: `${id}-G-1`, quantity: step.units, reason: 'expired' }],
      ...(step.counts ? { counted: [{ slot_id: `${id}-G-2`, stock: 5 }] } : {}),
    })
  else if (step.kind === 'zone') await put(service, id, { profile: { time_zone: step.zone } })
  else if (step.kind === 'wait') service.clock.advance(step.hours * (DAY / 24))
  service.clock.advance(60_000)
  await sync(service)
}

/** Units and revenue by day, machine and product: to the unit what the list of sales says. */
async function expectAsTheLedger(service: Service): Promise<void> {
  const paid = await paidLines(service)
  const zones = new Map<string, string>()
  const { body } = await service.post('/locations/lookup', { ids: ['M1', 'M2', 'M3'] })
  for (const { id, timezone } of body.locations) zones.set(id, timezone)
  const keys = {
    day: ({ at, location }: (typeof paid)[number]) => localDay(Date.parse(at), zones.get(location)!),
    location: ({ location }: (typeof paid)[number]) => location,
    product: ({ item }: (typeof paid)[number]) => item,
  }
  for (const [by, keyOf] of Object.entries(keys)) {
    const { rows } = await profit(service, `from=2026-09-01&to=2026-12-09&by=${by}&limit=100`)
    const reported = rows.flatMap(({ key, units, revenue }: Json) =>
      units > 0 ? [[key.date ?? key.location ?? key.item.id, { units, revenue }]] : [],
    )
    const listed = [...Map.groupBy(paid, keyOf)].map(([key, lines]) => [
      key,
      { units: lines.length, revenue: lines.reduce((sum, { price }) => sum + price, 0) },
    ])
    expect(Object.fromEntries(reported), by).toEqual(Object.fromEntries(listed))
  }
}

test('whatever happened: rows of every grouping add up, slots to their machine, and days agree with the ledger', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
      const service = await startProfitRoute({
        config: { planParams: { ...(await startService()).config.planParams, trip_cost: 700, stop_cost: 333.3 } },
      })
      for (const [n, each] of steps.entries()) await take(service, each, n)
      const query = 'from=2026-09-05&to=2026-09-30&limit=100&compare=previous'
      const days = await profit(service, `by=day&${query}`)
      for (const by of ['day', 'week', 'location', 'product', 'slot']) {
        const body = await profit(service, `by=${by}&${query}`)
        expect(body.totals, by).toEqual(days.totals)
        expect(sumOf(body.rows), by).toEqual(numbersOf(body.totals))
        expect(sumOf(body.rows.map(({ previous }: Json) => previous)), by).toEqual(numbersOf(body.totals.previous))
        for (const row of [...body.rows, body.totals]) {
          expect(row.profit).toBe(row.revenue - row.cost_of_goods - row.losses - row.visit_cost - row.commission)
          expect(row.gross_profit).toBe(row.revenue - row.cost_of_goods)
        }
      }
      const machines = await profit(service, `by=location&${query}`)
      for (const { key, ...row } of machines.rows.filter((each: Json) => !each.key.other))
        for (const by of ['slot', 'product', 'day']) {
          const own = await profit(service, `by=${by}&location=${key.location}&${query}`)
          expect(sumOf(own.rows), `${by} of ${key.location}`).toEqual(numbersOf(row))
        }
      const products = await profit(service, `by=product&${query}`)
      for (const { key, ...row } of products.rows.filter((each: Json) => !each.key.other)) {
        const own = await profit(service, `by=location&sku_id=${key.item.id}&${query}`)
        expect(sumOf(own.rows), key.item.id).toEqual(numbersOf(row))
      }
      await expectAsTheLedger(service)
      const { log } = service
      const faults = () => log.filter(({ level }) => level === 'error').length
      for (const { key } of days.rows) await checkDay(service.ctx, key.date)
      expect(faults()).toBe(0)
      expect(COLUMNS.every((name) => Number.isInteger(days.totals[name]))).toBe(true)
    }),
    { numRuns: propertyRuns(60) },
  )
}, 600_000)
