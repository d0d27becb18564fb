/** A month of a route, computed by hand. Prices: cola 300, tea 500, water 200. */
import { describe, expect, test } from 'vitest'
import type { Json, Service } from '../support/service.ts'
import {
  buy,
  COLA,
  lose,
  moveTo,
  numbersOf,
  profit,
  put,
  sale,
  startProfitRoute,
  sumOf,
  SUPPLY_COLA,
  TEA,
  WATER,
} from './route.ts'
import { WORKED_PARAMS } from '../../src/acts/replenishment/planner/inputs.test-support.ts'
import { readConfig } from '../../src/config.ts'

function drivingCosts(costs: Readonly<Record<string, string>>) {
  const read = readConfig({ PLAN_PARAMS: JSON.stringify(WORKED_PARAMS), ...costs }, () => false)
  if (!read.ok) throw new Error(read.problems.join('; '))
  return { planParams: read.config.planParams }
}

const serve = async (service: Service, id: string, body: object): Promise<Json> => {
  const answer = await service.post(`/locations/${id}/service`, body)
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.body.service
}

async function august(): Promise<Service> {
  const service = await startProfitRoute({
    now: Date.parse('2026-08-01T08:00:00+08:00'),
    config: drivingCosts({ TRIP_COST_FEN: '1000', STOP_COST_FEN: '501' }),
  })
  const { trades } = service.machine
  await put(service, 'M1', { commission_percent: 10, rent_per_month: 3100 })
  await put(service, 'M2', { commission_percent: 12.5 })
  trades.push(
    // Three colas at 120, the supplier's price; two teas at 210, the ledger's cost, and one that was refunded.
    sale({ no: 'a1', at: '2026-08-02T09:00:00+08:00', location: 'M1', sku: 'G-1' }),
    sale({ no: 'a2', at: '2026-08-02T10:00:00+08:00', location: 'M1', sku: 'G-1' }),
    sale({ no: 'a3', at: '2026-08-02T11:00:00+08:00', location: 'M1', sku: 'G-1' }),
    sale({ no: 'a4', at: '2026-08-03T09:00:00+08:00', location: 'M1', sku: 'G-2', cost: 210 }),
    sale({ no: 'a5', at: '2026-08-03T10:00:00+08:00', location: 'M1', sku: 'G-2', cost: 210 }),
    sale({ no: 'a6', at: '2026-08-03T11:00:00+08:00', location: 'M1', sku: 'G-2', cost: 210, status: 'refunded' }),
    // One water whose cost nobody knows: 55 % of 200.
    sale({ no: 'b1', at: '2026-08-02T12:00:00+08:00', location: 'M2', sku: 'G-3' }),
    // Still July in New York.
    sale({ no: 'c0', at: '2026-07-31T23:30:00-04:00', location: 'M3', sku: 'G-2', cost: 210 }),
  )
  moveTo(service, '2026-08-04T08:00:00+08:00')
  await service.job('poll-ledger')

  // 24 colas for 1000: 41.6667 each from now on.
  moveTo(service, '2026-08-19T08:00:00+08:00')
  await buy(service, SUPPLY_COLA, 24, 1000)
  trades.push(
    sale({ no: 'b2', at: '2026-08-20T09:00:00+08:00', location: 'M2', sku: 'G-1' }),
    sale({ no: 'b3', at: '2026-08-20T10:00:00+08:00', location: 'M2', sku: 'G-1' }),
    sale({ no: 'b4', at: '2026-08-20T11:00:00+08:00', location: 'M2', sku: 'G-1' }),
  )
  moveTo(service, '2026-08-21T08:00:00+08:00')
  await service.job('poll-ledger')
  // One stop for the two machines of the mall. Two colas have expired; what was taken out for another reason is no loss.
  await serve(service, 'M1', {
    removed: [
      { slot_id: 'M1-G-1', quantity: 2, reason: 'expired' },
      { slot_id: 'M1-G-2', quantity: 1, reason: 'other' },
    ],
    counted: [{ slot_id: 'M1-G-3', stock: 19 }],
  })
  await serve(service, 'M2', { counted: [{ slot_id: 'M2-G-3', stock: 12 }] })
  moveTo(service, '2026-08-22T08:00:00+08:00')
  // Only taken out: a loss, no visit.
  await serve(service, 'M3', { removed: [{ slot_id: 'M3-G-3', quantity: 1, reason: 'damaged' }] })
  const undone = await serve(service, 'M1', {
    removed: [{ slot_id: 'M1-G-1', quantity: 5, reason: 'expired' }],
    counted: [{ slot_id: 'M1-G-3', stock: 19 }],
  })
  expect((await service.post(`/locations/M1/service/${undone.id}/undo`)).status).toBe(200)
  // The last evening of August in New York; a cost equal to the price is unknown, so tea's last known one counts.
  trades.push(sale({ no: 'c1', at: '2026-08-31T22:00:00-04:00', location: 'M3', sku: 'G-2', cost: 500 }))
  moveTo(service, '2026-09-02T08:00:00+08:00')
  await service.job('poll-ledger')
  return service
}

const AUGUST = 'from=2026-08-01&to=2026-08-31&limit=100'

/** units, revenue, refunds, cost, gross, losses, visits, visit cost, commission, profit */
const row = (...numbers: readonly number[]) => {
  const names = ['units', 'revenue', 'refunds', 'cost_of_goods', 'gross_profit', 'losses', 'visits', 'visit_cost']
  return Object.fromEntries([...names, 'commission', 'profit'].map((name, i) => [name, numbers[i]]))
}

// Trip 1000 + stop 501, shared by two machines: 751 and 750. Rent 3100 for 31 days. 12.5 % of 900 is 113.
const M1 = row(5, 1900, 500, 780, 1120, 83, 1, 751, 190 + 3100, -3004)
const M2 = row(4, 1100, 0, 235, 865, 0, 1, 750, 25 + 113, -23)
const M3 = row(1, 500, 0, 210, 290, 110, 0, 0, 0, 180)
const TOTALS = row(10, 3500, 500, 1225, 2275, 193, 2, 1501, 3428, -2847)

describe('a month, computed by hand', () => {
  test('by machine', async () => {
    const service = await august()
    const body = await profit(service, `by=location&sort=profit&${AUGUST}`)
    expect(body.period).toEqual({ from: '2026-08-01', to: '2026-08-31' })
    expect(body.currency).toBe('CNY')
    expect(body.rows.map(({ key }: Json) => key)).toEqual([
      { location: 'M1', title: 'Machine M1' },
      { location: 'M2', title: 'Machine M2' },
      { location: 'M3', title: 'Machine M3' },
    ])
    expect(body.rows.map(numbersOf)).toEqual([M1, M2, M3])
    expect(numbersOf(body.totals)).toEqual(TOTALS)
    // 2275 of 3500; all but the water's 200.
    expect(body.totals).toMatchObject({ margin_percent: 65, cost_known_percent: 94.2 })
    expect(body.rows.map(({ margin_percent }: Json) => margin_percent)).toEqual([58.9, 78.6, 58])
    expect(body.rows.map(({ cost_known_percent }: Json) => cost_known_percent)).toEqual([100, 81.8, 100])
    expect(body.messages).toEqual([
      expect.objectContaining({ type: 'info', code: 'cost_estimated', params: { percent: 94.2 } }),
    ])
  })

  test('by product: what belongs to a machine and to no product is one row of its own', async () => {
    const service = await august()
    const body = await profit(service, `by=product&sort=-revenue&${AUGUST}`)
    expect(body.rows.map(({ key }: Json) => key)).toEqual([
      { item: { id: COLA, title: 'Cola' }, title: 'Cola' },
      { item: { id: TEA, title: 'Tea' }, title: 'Tea' },
      { item: { id: WATER, title: 'Water' }, title: 'Water' },
      { other: true },
    ])
    expect(body.rows.map(numbersOf)).toEqual([
      row(6, 1800, 0, 485, 1315, 83, 0, 0, 90 + 113, 1029),
      row(3, 1500, 500, 630, 870, 0, 0, 0, 100, 770),
      row(1, 200, 0, 110, 90, 110, 0, 0, 25, -45),
      row(0, 0, 0, 0, 0, 0, 2, 1501, 3100, -4601),
    ])
    expect(numbersOf(body.totals)).toEqual(TOTALS)
  })

  test('by day and by week', async () => {
    const service = await august()
    const body = await profit(service, `by=day&${AUGUST}`)
    expect(body.rows).toHaveLength(31)
    const on = (date: string) => numbersOf(body.rows.find(({ key }: Json) => key.date === date))
    expect(on('2026-08-01')).toEqual(row(0, 0, 0, 0, 0, 0, 0, 0, 100, -100))
    expect(on('2026-08-02')).toEqual(row(4, 1100, 0, 470, 630, 0, 0, 0, 90 + 25 + 100, 415))
    expect(on('2026-08-03')).toEqual(row(2, 1000, 500, 420, 580, 0, 0, 0, 100 + 100, 380))
    expect(on('2026-08-20')).toEqual(row(3, 900, 0, 125, 775, 0, 0, 0, 113 + 100, 562))
    // The damaged water was taken out at 08:00 of the 22nd in Shanghai, which was the 21st in New York: 83 + 110.
    expect(on('2026-08-21')).toEqual(row(0, 0, 0, 0, 0, 193, 2, 1501, 100, -1794))
    expect(sumOf(body.rows)).toEqual(TOTALS)
    const weeks = await profit(service, `by=week&${AUGUST}`)
    expect(weeks.rows.map(({ key }: Json) => key.date)).toEqual([
      '2026-07-27',
      '2026-08-03',
      '2026-08-10',
      '2026-08-17',
      '2026-08-24',
      '2026-08-31',
    ])
    expect(sumOf(weeks.rows)).toEqual(TOTALS)
    expect(numbersOf(weeks.rows[0])).toEqual(row(4, 1100, 0, 470, 630, 0, 0, 0, 315, 315))
  })

  test('by slot of a machine: adds up to the row of the machine', async () => {
    const service = await august()
    const body = await profit(service, `by=slot&location=M1&sort=-units&${AUGUST}`)
    expect(body.rows.map(({ key }: Json) => key)).toEqual([
      { slot_id: 'M1-G-1', location: 'M1', item: { id: COLA, title: 'Cola' }, title: 'Cola' },
      { slot_id: 'M1-G-2', location: 'M1', item: { id: TEA, title: 'Tea' }, title: 'Tea' },
      { other: true },
    ])
    expect(body.rows.map(numbersOf)).toEqual([
      row(3, 900, 0, 360, 540, 83, 0, 0, 90, 367),
      row(2, 1000, 500, 420, 580, 0, 0, 0, 100, 480),
      row(0, 0, 0, 0, 0, 0, 1, 751, 3100, -3851),
    ])
    expect(numbersOf(body.totals)).toEqual(M1)
  })

  test('a product alone has no visits and no rent', async () => {
    const service = await august()
    const body = await profit(service, `by=location&sku_id=${COLA}&sort=-revenue&${AUGUST}`)
    expect(
      body.rows.map(({ key, units, losses, visit_cost, commission }: Json) => [
        key.location,
        units,
        losses,
        visit_cost,
        commission,
      ]),
    ).toEqual([
      ['M1', 3, 83, 0, 90],
      ['M2', 3, 0, 0, 113],
    ])
    expect(numbersOf((await profit(service, `by=day&sku_id=${COLA}&${AUGUST}`)).totals)).toEqual(numbersOf(body.totals))
  })

  test('what the store room loses belongs to no machine', async () => {
    const service = await august()
    moveTo(service, '2026-09-03T08:00:00+08:00')
    await lose(service, SUPPLY_COLA, 6)
    const body = await profit(service, 'by=location&from=2026-09-03&to=2026-09-03')
    // Six at 41.6667.
    expect(body.rows.at(-1)).toMatchObject({ key: { other: true }, losses: 250, profit: -250 })
    expect(body.totals.losses).toBe(250)
    expect((await profit(service, 'by=location&location=M1&from=2026-09-03&to=2026-09-03')).totals.losses).toBe(0)
    expect((await profit(service, 'by=day&from=2026-09-03&to=2026-09-03')).rows[0]).toMatchObject({ losses: 250 })
  })
})

test('beside the days before: a day n days before, and machines by their key', async () => {
  const service = await august()
  const body = await profit(service, 'by=day&from=2026-08-20&to=2026-08-21&compare=previous')
  expect(body.rows.map(({ key, previous }: Json) => [key.date, previous.commission])).toEqual([
    ['2026-08-20', 100],
    ['2026-08-21', 100],
  ])
  const month = await profit(service, 'by=location&sort=-revenue&from=2026-09-01&to=2026-10-01&compare=previous')
  expect(numbersOf(month.totals.previous)).toEqual(TOTALS)
  expect(sumOf(month.rows.map(({ previous }: Json) => previous))).toEqual(TOTALS)
  const week = await profit(service, 'by=week&from=2026-08-24&to=2026-08-30&compare=previous')
  expect(week.rows).toHaveLength(1)
  expect(week.rows[0]).toMatchObject({ key: { date: '2026-08-24' }, units: 0, previous: { units: 3, visits: 2 } })
  expect(week.totals.previous.visits).toBe(2)
})
