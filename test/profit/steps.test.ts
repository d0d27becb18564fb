/** GET /profit with `steps=true`: the next step of machines and products, and that taking it changes what is proposed. */
import { expect, test } from 'vitest'
import { DAY } from '../../src/kernel/clock.ts'
import { DEFAULT_PLAN_PARAMS } from '../../src/kernel/plan-params.ts'
import { COLA, moveTo, profit, put, sale, startProfitRoute, TEA } from './route.ts'
import type { Json, Service } from '../support/service.ts'

const day = (n: number) => `2026-09-${String(n).padStart(2, '0')}T09:00:00+08:00`

/** Cola costs 120 of 300; tea 400 of 500. */
async function sell(service: Service, units: number, costs: { readonly cola?: number; readonly tea?: number }) {
  const sold = (no: string, sku: string, cost: number | undefined, i: number) =>
    sale({ no: `${no}${i}`, at: day(1 + (i % 9)), location: 'M1', sku, cost: cost ?? null })
  for (let i = 0; i < units; i++)
    service.machine.trades.push(sold('c', 'G-1', costs.cola, i), sold('t', 'G-2', costs.tea, i))
  await service.post('/locations/sync')
}

const stepOf = async (service: Service, by: 'location' | 'product', id: string): Promise<Json> => {
  const { rows } = await profit(service, `by=${by}&steps=true`)
  return rows.find(({ key }: Json) => (key.location ?? key.item.id) === id)?.next_step
}

test('a product that is sold too cheaply: the price within the cap, and not again while it is new', async () => {
  const service = await startProfitRoute()
  await sell(service, 28, { tea: 400 })
  const step = await stepOf(service, 'product', TEA)
  // 28 × ((570 - 400) × (500 / 570)² - 100) in 28 days.
  expect(step).toEqual({
    step: 'raise_price',
    gain_per_week: Math.round((28 * (170 * (500 / 570) ** 2 - 100)) / 4),
    slots: [{ location: 'M1', slot_id: 'M1-G-2', item: { id: TEA, title: 'Tea' }, price: 500, new_price: 570 }],
  })
  expect(await stepOf(service, 'location', 'M1')).toEqual(step)
  const changed = await service.put('/locations/M1/prices', {
    prices: [{ item: { id: TEA }, price: { amount: 570, currency: 'CNY' } }],
    confirm: true,
  })
  expect(changed.body.updated).toHaveLength(1)
  expect(await stepOf(service, 'product', TEA)).toEqual({ step: 'none', gain_per_week: 0, because: 'nothing_better' })
})

test('a cost that nobody knows gives no price; a machine is visited less often, or its place asks for less', async () => {
  const service = await startProfitRoute({ config: { planParams: { ...DEFAULT_PLAN_PARAMS, visit_cost: 300 } } })
  await put(service, 'M2', { commission_percent: 40 })
  await sell(service, 28, { cola: 100 })
  expect(await stepOf(service, 'product', TEA)).toEqual({ step: 'none', gain_per_week: 0, because: 'cost_unknown' })
  expect(await stepOf(service, 'product', COLA)).toMatchObject({ because: 'nothing_better' })
  for (const slot of ['M1-G-1', 'M1-G-2'])
    expect((await service.put(`/locations/M1/slots/${slot}`, { capacity: 20 })).status).toBe(200)
  for (let i = 0; i < 4; i++) {
    const visited = await service.post('/locations/M1/service', { counted: [{ slot_id: 'M1-G-3', stock: 19 }] })
    expect(visited.status).toBe(200)
    service.clock.advance(DAY)
  }
  for (let i = 0; i < 28; i++)
    service.machine.trades.push(sale({ no: `m${i}`, at: day(11 + (i % 3)), location: 'M2', sku: 'G-1', cost: 100 }))
  await service.post('/locations/sync')
  // Of four visits two would do for 28 of each product, with 20 in a slot: 600 saved in 28 days.
  expect(await stepOf(service, 'location', 'M1')).toEqual({
    step: 'fewer_visits',
    gain_per_week: 150,
    visit_every_days: 14,
  })
  // 28 × (300 - 100), half for us, is 2800 in 28 days; the place takes 40 % of 8400.
  expect(await stepOf(service, 'location', 'M2')).toEqual({
    step: 'renegotiate',
    gain_per_week: 140,
    bearable_per_week: 700,
  })
})

test('a product that no machine holds any more has no step', async () => {
  const service = await startProfitRoute()
  service.machine.trades.push(sale({ no: 'g1', at: day(3), location: 'M1', sku: 'G-9', cost: 100 }))
  await service.post('/locations/sync')
  const { rows } = await profit(service, 'by=product&steps=true')
  const gone = rows.find(({ key }: Json) => key.item.id === COLA.replace('G-1', 'G-9'))
  expect(gone).toMatchObject({ units: 1 })
  expect(gone).not.toHaveProperty('next_step')
})

test('a machine that sells nothing and pays rent', async () => {
  const service = await startProfitRoute()
  await put(service, 'M2', { rent_per_month: 30_000 })
  moveTo(service, '2026-10-10T08:00:00+08:00')
  // 30 days of 1000, of which 28 are looked at.
  expect(await stepOf(service, 'location', 'M2')).toMatchObject({ step: 'remove' })
  expect((await stepOf(service, 'location', 'M2')).gain_per_week).toBeGreaterThan(6000)
})

test('what is not asked for is not there, and days have no step', async () => {
  const service = await startProfitRoute()
  const { rows } = await profit(service, 'by=location')
  expect(rows.some((row: Json) => 'next_step' in row)).toBe(false)
  for (const by of ['day', 'week', 'slot']) {
    const answer = await service.get(`/profit?by=${by}&steps=true`)
    expect([by, answer.status, answer.body.messages[0].path]).toEqual([by, 400, '$.steps'])
  }
})
