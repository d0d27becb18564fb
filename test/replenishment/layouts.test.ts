/** Lanes that would earn more with another product of the machine: our own operation, beyond the contract. */
import { describe, expect, test } from 'vitest'
import { fen } from '../../src/kernel/fen.ts'
import { machineSlot } from '../support/scripted-vendors.ts'
import { COLA, MACHINE, salesOf, slotOf, startRoute, TEA } from './route.ts'

const lane = (code: string, capacity: number | null = 8) => ({ code, priceFen: fen(500), stock: 8, capacity })
const slot = (code: string, title: string, rest: Partial<Parameters<typeof machineSlot>[1]> = {}) =>
  machineSlot(code, { title, priceFen: fen(500), stock: 8, capacity: 8, ...rest })

/** Cola sells eight times as much as tea, which has two of the three lanes. */
const start = (teaLanes = [lane('12'), lane('13')]) =>
  startRoute({
    slotsByMachine: {
      [MACHINE]: [slot('G-1', '可乐'), slot('G-2', '茶', { stock: 16, capacity: 16, lanes: teaLanes })],
    },
    trades: [...salesOf({ vendorSku: 'G-1', perDay: 4 }), ...salesOf({ vendorSku: 'G-2', perDay: 1, days: 12 })],
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
