/** Lanes that would earn more with another product of the machine: our own operation, beyond the contract. */
import { describe, expect, test } from 'vitest'
import { DAY } from '../../src/kernel/clock.ts'
import { finishLaneChanges } from '../../src/acts/replenishment/layouts/end-lane-change.ts'
import { moveRoom } from '../../src/acts/replenishment/layouts/move-room.ts'
import { saveLaneChange } from '../../src/acts/replenishment/layouts/records.ts'
import type { SkuId } from '../../src/kernel/ids.ts'
import { fen } from '../../src/kernel/fen.ts'
import { machineSlot, scriptedSupply, supplyProduct } from '../support/scripted-vendors.ts'
import { type Json, type Service, RULES } from '../support/service.ts'
import {
  type RouteOptions,
  COLA,
  MACHINE,
  codes,
  entryOf,
  inFull,
  placed,
  plan,
  salesOf,
  slotOf,
  startRoute,
  sync,
  TEA,
} from './route.ts'

const [COLA_EAN, TEA_EAN] = ['6901234567892', '6901234567908']
const lane = (code: string, capacity: number | null = 8) => ({ code, priceFen: fen(500), stock: 8, capacity })
const slot = (code: string, title: string, rest: Partial<Parameters<typeof machineSlot>[1]> = {}) =>
  machineSlot(code, { title, priceFen: fen(500), stock: 8, capacity: 8, ...rest })

/** Cola sells eight times as much as tea, which has two of the three lanes. */
const start = (teaLanes = [lane('12'), lane('13')], options: RouteOptions = {}, teaDays = 12) =>
  startRoute({
    ...options,
    slotsByMachine: {
      [MACHINE]: [
        slot('G-1', '可乐', { barcode: COLA_EAN }),
        slot('G-2', '茶', { stock: 16, capacity: 16, lanes: teaLanes, barcode: TEA_EAN }),
      ],
    },
    trades: [...salesOf({ vendorSku: 'G-1', perDay: 4 }), ...salesOf({ vendorSku: 'G-2', perDay: 1, days: teaDays })],
  })
const PATH = `/replenishment/layouts?location=${MACHINE}`

describe('4.7 layouts', () => {
  test('a lane of what sells little is proposed for what sells most', async () => {
    const service = await start()
    const { status, body } = await service.get(PATH)
    expect([status, body]).toMatchObject([
      200,
      {
        location: MACHINE,
        lanes: [{ lane: '12', now: { id: TEA, title: '茶' }, proposed: { id: COLA, title: '可乐' } }],
        visit_days: { now: expect.any(Number), after: expect.any(Number) },
      },
    ])
    expect(body.lanes[0].weekly_gain).toBeGreaterThan(0)
    expect(body.lanes[0].gain_error).toBe(Math.round(body.lanes[0].weekly_gain / 2))
    expect(body.weekly_gain).toBe(body.lanes[0].weekly_gain)
    expect(body).not.toHaveProperty('messages')
  })

  test('a locked slot keeps its lanes, and a read changes nothing', async () => {
    const service = await start()
    const events = (await service.get('/events')).body.events.length
    await service.get(PATH)
    expect((await service.get('/events')).body.events).toHaveLength(events)
    await service.put(`/locations/${MACHINE}/slots/${slotOf(TEA)}`, { locked: true })
    expect((await service.get(PATH)).body).toMatchObject({ lanes: [], weekly_gain: 0 })
  })

  test('lanes of unknown size stay as they are, and it is told', async () => {
    const service = await start([lane('12'), lane('13', null)])
    expect((await service.get(PATH)).body).toMatchObject({
      lanes: [],
      messages: [{ type: 'info', code: 'capacity_unknown', params: { slots: 1 } }],
    })
  })

  test.each([
    ['an unknown machine', '/replenishment/layouts?location=M9', 404, 'not_found'],
    ['no machine', '/replenishment/layouts', 400, 'missing'],
  ])('%s', async (_name, path, status, code) => {
    const answer = await (await start()).get(path)
    expect([answer.status, answer.body.messages[0].code]).toEqual([status, code])
  })
})

/** Both of one category: with the other left, either may leave its last lane. */
const drinks = () =>
  scriptedSupply([
    supplyProduct('SP1', { title: '可乐 330ml', barcode: COLA_EAN, eachPriceFen: fen(120), category: 'drinks' }),
    supplyProduct('SP2', { title: '茶 500ml', barcode: TEA_EAN, eachPriceFen: fen(200), category: 'drinks' }),
  ])
const accept = { location: MACHINE, lanes: [{ lane: '12', item: { id: COLA } }], confirm: true }
const capacities = async (service: Service) => {
  const { plans } = await plan(service)
  return Object.fromEntries(plans.map(({ item, capacity }: Json) => [item.id, capacity]))
}

describe('4.7 layouts that are accepted', () => {
  test('both products have their new room at once, the next visit brings what fits, and its driver says that it is done', async () => {
    const service = await start()
    expect(await capacities(service)).toEqual({ [COLA]: 8, [TEA]: 16 })
    const accepted = await service.post('/replenishment/layouts', accept)
    expect([accepted.status, accepted.body.lanes]).toMatchObject([200, [{ lane: '12', status: 'accepted' }]])
    expect(await capacities(service)).toEqual({ [COLA]: 16, [TEA]: 8 })
    // A reading of the machine as it still is changes neither.
    await sync(service)
    expect(await capacities(service)).toEqual({ [COLA]: 16, [TEA]: 8 })

    service.clock.advance(3 * DAY)
    const run = await placed(service)
    const stop = (await service.get(`/replenishment/runs/${run.id}/pick-list`)).body.stops[0]
    expect(stop.lane_changes).toEqual([
      { lane: '12', now: { id: TEA, title: '茶' }, proposed: { id: COLA, title: '可乐' } },
    ])
    const loaded = { delivered: inFull(run), lanes_changed: ['12', 'not there'] }
    expect((await service.post(`/replenishment/runs/${run.id}/visits/${MACHINE}/receive`, loaded)).status).toBe(200)
    expect((await service.get(PATH)).body.lanes).toMatchObject([{ lane: '12', status: 'done' }])
    const { events } = (await service.get('/events')).body
    expect(events.map(({ code }: Json) => code)).toEqual(
      expect.arrayContaining(['layout_accepted', 'lane_change_ended']),
    )
    // What it brought, once that can be told: here nobody bought anything since.
    expect((await service.get(PATH)).body).not.toHaveProperty('result')
    service.clock.advance(16 * DAY)
    const { result } = (await service.get(PATH)).body
    expect(result).toMatchObject({ lanes: 1, days: 15, expected: accepted.body.lanes[0].weekly_gain })
    expect([result.gain < 0, result.error > 0]).toEqual([true, true])
  })

  test('asked twice it is one; canceled, the room goes back', async () => {
    const service = await start()
    const two = await Promise.all([
      service.post('/replenishment/layouts', accept),
      service.post('/replenishment/layouts', accept),
    ])
    expect(two.map(({ status }) => status)).toEqual([200, 200])
    expect(await capacities(service)).toEqual({ [COLA]: 16, [TEA]: 8 })
    const end = { lane: '12', status: 'canceled' }
    expect((await service.put(`/replenishment/layouts/${MACHINE}`, end)).status).toBe(200)
    expect(await capacities(service)).toEqual({ [COLA]: 8, [TEA]: 16 })
    expect((await service.put(`/replenishment/layouts/${MACHINE}`, end)).status).toBe(404)
  })

  test('a product that leaves its last lane is not ordered there any more; canceled, it is again', async () => {
    const service = await start([lane('12')], { supply: drinks() }, 2)
    const { body } = await service.get(PATH)
    expect(body.lanes).toMatchObject([{ lane: '12', now: { id: TEA } }])
    await service.post('/replenishment/layouts', accept)
    expect(entryOf(await plan(service), slotOf(TEA))).toMatchObject({ recommendation: { action: 'phase_out' } })
    await service.put(`/replenishment/layouts/${MACHINE}`, { lane: '12', status: 'canceled' })
    expect(entryOf(await plan(service), slotOf(TEA)).recommendation.action).not.toBe('phase_out')
    expect(await capacities(service)).toEqual({ [COLA]: 8, [TEA]: 16 })
  })

  test('lanes of both products at once change places, and back', async () => {
    const service = await start([lane('12')], { supply: drinks() }, 2)
    const { ctx, clock } = service
    const moves = [
      { lane: '12', capacity: 16, from: TEA as SkuId, to: COLA as SkuId },
      { lane: slotOf(COLA), capacity: 8, from: COLA as SkuId, to: TEA as SkuId },
    ]
    await ctx.store.transaction(async (tx) => {
      await moveRoom(ctx, tx, MACHINE, moves)
      for (const move of moves)
        await saveLaneChange(tx, {
          ...move,
          location: MACHINE,
          status: 'accepted',
          weeklyGainFen: 1,
          changedAt: clock.now(),
        })
    })
    expect(await capacities(service)).toEqual({ [COLA]: 16, [TEA]: 8 })
    for (const each of ['12', slotOf(COLA)])
      await service.put(`/replenishment/layouts/${MACHINE}`, { lane: each, status: 'canceled' })
    expect(await capacities(service)).toEqual({ [COLA]: 8, [TEA]: 16 })
    const { plans } = await plan(service)
    expect(plans.map(({ recommendation }: Json) => recommendation.action)).not.toContain('phase_out')
  })

  test('it is done when the machine reports it', async () => {
    const service = await start()
    await service.post('/replenishment/layouts', accept)
    service.machine.slotsByMachine[MACHINE] = [
      slot('G-1', '可乐', { stock: 8, capacity: 16, lanes: [lane('11'), lane('12')] }),
      slot('G-2', '茶', { lanes: [lane('13')] }),
    ]
    await sync(service)
    await finishLaneChanges(service.ctx)
    expect((await service.get(PATH)).body.lanes).toMatchObject([{ lane: '12', status: 'done' }])
  })

  test('a pinned product keeps its last lane', async () => {
    const service = await start([lane('12')], { supply: drinks() }, 2)
    await service.put(`/locations/${MACHINE}/slots/${slotOf(TEA)}`, { pinned: true })
    expect((await service.get(PATH)).body.lanes).toEqual([])
    await service.put(`/locations/${MACHINE}/slots/${slotOf(TEA)}`, { pinned: false })
    expect((await service.get(PATH)).body.lanes).toHaveLength(1)
  })

  test.each([
    ['without the confirmation', { confirm: undefined }, 400, 'confirmation_required'],
    ['a lane that is not proposed', { lanes: [{ lane: '13', item: { id: COLA } }] }, 400, 'invalid'],
    ['another product than proposed', { lanes: [{ lane: '12', item: { id: TEA } }] }, 400, 'invalid'],
    ['the same lane twice', { lanes: [accept.lanes[0], accept.lanes[0]] }, 400, 'invalid'],
    ['no lane', { lanes: [] }, 400, 'invalid'],
    ['an unknown machine', { location: 'M9' }, 404, 'not_found'],
  ])('%s: nothing changes', async (_name, change, status, code) => {
    const service = await start()
    const answer = await service.post('/replenishment/layouts', { ...accept, ...change })
    expect([answer.status, codes(answer.body)]).toEqual([status, [code]])
    expect(await capacities(service)).toEqual({ [COLA]: 8, [TEA]: 16 })
  })

  test('no more lanes than the rules allow for one visit, and none under the emergency stop', async () => {
    const none = await start(undefined, { rules: { ...RULES, rules: { ...RULES.rules, layoutChangesPerVisit: 0 } } })
    expect(codes((await none.post('/replenishment/layouts', accept)).body)).toEqual(['invalid'])
    const stopped = await start()
    await stopped.post('/guardrails/stop', { reason: 'test' })
    expect(codes((await stopped.post('/replenishment/layouts', accept)).body)).toEqual(['kill_switch_engaged'])
    expect(await capacities(stopped)).toEqual({ [COLA]: 8, [TEA]: 16 })
  })
})
