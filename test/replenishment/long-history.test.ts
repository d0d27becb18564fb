/** What sold out or stood still longer ago than the window is planned for; what nothing is known of is filled modestly. */
import { describe, expect, test } from 'vitest'
import { DAY } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import { DEFAULT_PLAN_PARAMS } from '../../src/kernel/plan-params.ts'
import { machineSlot } from '../support/scripted-vendors.ts'
import { NOW } from '../support/service.ts'
import type { Json } from '../support/service.ts'
import { COLA, create, entryOf, MACHINE, plan, routeSlots, salesOf, slotOf, startRoute, TEA } from './route.ts'

/** The tests of the contract plan as its worked cases do; these are about the defaults. */
const config = { planParams: DEFAULT_PLAN_PARAMS }
const empty = () => routeSlots().map((slot) => ({ ...slot, stock: 0 }))
const sold = (daysAgo: number) => [
  ...salesOf({ vendorSku: 'G-1', perDay: 3 }, NOW - daysAgo * DAY),
  ...salesOf({ vendorSku: 'G-2', perDay: 1 }, NOW - daysAgo * DAY),
]
const visitOf = (body: Json): Json => body.visits[0]

describe('2.8 what was sold out for longer than the window is not forgotten', () => {
  test.each([22, 45, 60, 120])('a machine that has been empty for %i days is ordered for', async (days) => {
    const service = await startRoute({ config, slotsByMachine: { [MACHINE]: empty() }, trades: sold(days) })
    const body = await plan(service)
    expect(visitOf(body)).toMatchObject({ go: true })
    expect(entryOf(body, slotOf(COLA))).toMatchObject({
      demand: { measured: false, earlier_days: 7 },
      recommendation: { action: 'order' },
    })
    expect(entryOf(body, slotOf(COLA)).demand.daily_rate).toBeGreaterThan(2.4)
    expect(entryOf(body, slotOf(TEA)).demand.daily_rate).toBeGreaterThan(0.7)
    expect((await create(service)).body.status).not.toBe('nothing_to_do')
  })

  test('after 40 closed days with full slots the rates are those before', async () => {
    const full = routeSlots().map((slot) => ({ ...slot, stock: 12 }))
    const body = await plan(await startRoute({ config, slotsByMachine: { [MACHINE]: full }, trades: sold(40) }))
    expect(entryOf(body, slotOf(COLA)).demand.daily_rate).toBeCloseTo(3, 0)
    expect(entryOf(body, slotOf(COLA)).days_of_cover).toBeLessThan(6)
  })
})

describe('2.8 a machine of which nothing is known yet', () => {
  const fresh = () => [1, 2, 3].map((n) => machineSlot(`G-${n}`, { priceFen: fen(300), stock: 0 }))
  const quantities = (body: Json) => body.plans.map(({ recommendation }: Json) => recommendation.quantity)

  test('is filled to par, else to half of its capacity, else with the smallest order', async () => {
    const service = await startRoute({ config, slotsByMachine: { [MACHINE]: fresh() }, trades: [] })
    expect(quantities(await plan(service))).toEqual([3, 3, 3])
    await service.put(`/locations/${MACHINE}/slots/${slotOf(COLA)}`, { par: 8 })
    await service.put(`/locations/${MACHINE}/slots/${slotOf(TEA)}`, { capacity: 15 })
    const body = await plan(service)
    expect(visitOf(body)).toMatchObject({ go: true, why: 'sold_out' })
    // One of unknown capacity gets as much as its neighbour.
    expect(quantities(body)).toEqual([8, 8, 8])
    expect((await create(service)).body.line_items).toHaveLength(3)
  })
})

describe('2.8 stock that nobody buys', () => {
  test('is listed with its days and not topped up, unless a par level says so', async () => {
    const slots = () => [
      machineSlot('G-1', { title: '可乐', priceFen: fen(300), stock: 1 }),
      machineSlot('G-2', { title: '茶', priceFen: fen(500), stock: 2 }),
    ]
    const service = await startRoute({
      config,
      slotsByMachine: { [MACHINE]: slots() },
      trades: [
        ...salesOf({ vendorSku: 'G-1', perDay: 3, days: 60 }),
        ...salesOf({ vendorSku: 'G-2', perDay: 1, days: 20 }, NOW - 34 * DAY),
      ],
    })
    const body = await plan(service)
    const tea = entryOf(body, slotOf(TEA))
    expect(tea.unsold_days).toBeGreaterThanOrEqual(21)
    expect(tea.recommendation).toEqual({ action: 'none' })
    expect(entryOf(body, slotOf(COLA))).not.toHaveProperty('unsold_days')
    expect(body.messages.find(({ code }: Json) => code === 'dead_stock')).toMatchObject({
      type: 'info',
      params: { slots: 1, units: 2 },
    })
    expect((await create(service)).body.line_items.map(({ item }: Json) => item.id)).toEqual([COLA])
    await service.put(`/locations/${MACHINE}/slots/${slotOf(TEA)}`, { par: 6 })
    expect(entryOf(await plan(service), slotOf(TEA)).recommendation).toEqual({ action: 'order', quantity: 4 })
  })
})
