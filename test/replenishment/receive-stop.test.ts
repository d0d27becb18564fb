import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY, MINUTE } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import type { Database } from '../../src/store/schema.ts'
import { machineSlot } from '../support/scripted-vendors.ts'
import { loseReplies } from '../support/service.ts'
import type { Answered, Json, Service } from '../support/service.ts'
import {
  COLA,
  codes,
  create,
  entryOf,
  inFull,
  placed,
  plan,
  receive,
  run,
  salesOf,
  slotOf,
  startRoute,
  stockOf,
  TEA,
} from './route.ts'

const MACHINES = ['M1001', 'M1002', 'M1003'] as const

const slots = () => [
  machineSlot('G-1', { title: '可乐', priceFen: fen(300), stock: 2, barcode: '6901234567892' }),
  machineSlot('G-2', { title: '茶', priceFen: fen(500), stock: 1, barcode: '6901234567908' }),
]

/** Three machines that all need both products. */
const startThree = () =>
  startRoute({
    slotsByMachine: Object.fromEntries(MACHINES.map((id) => [id, slots()])),
    trades: MACHINES.flatMap((location) => [
      ...salesOf({ location, vendorSku: 'G-1', perDay: 3 }),
      ...salesOf({ location, vendorSku: 'G-2', perDay: 2 }),
    ]),
  })

const stop = (service: Service, id: string, location: string, body: object): Promise<Answered> =>
  service.post(`/replenishment/runs/${id}/visits/${location}/receive`, body)

const linesAt = (body: Json, location: string) =>
  inFull({ line_items: body.line_items.filter((line: Json) => line.location === location) })

const refusal = ({ status, body }: Answered) => [status, codes(body)]

const stocks = async (service: Service) =>
  Promise.all(MACHINES.flatMap((id) => ['G-1', 'G-2'].map((sku) => stockOf(service, sku, id))))

/** What a run says of its deliveries, whatever the number of receipts. */
const deliveries = (body: Json) =>
  body.fulfillment.events
    .filter(({ type }: Json) => type === 'delivered')
    .flatMap(({ line_items }: Json) => line_items)
    .toSorted((a: Json, b: Json) => (a.id < b.id ? -1 : 1))

describe('POST /replenishment/runs/{id}/visits/{location}/receive', () => {
  test('one machine is booked: its slots leave transit, the others stay on their way', async () => {
    const service = await startThree()
    const body = await placed(service)
    expect(body.visits.map(({ location, status }: Json) => [location, status])).toEqual(
      MACHINES.map((id) => [id, 'open']),
    )
    service.clock.advance(DAY)
    const answer = await stop(service, body.id, 'M1002', { delivered: linesAt(body, 'M1002'), note: 'side door' })
    expect(answer.status).toBe(200)
    expect(answer.body.status).toBe('placed')
    expect(answer.body.delivered_at).toBeUndefined()
    expect(answer.body.visits[1]).toMatchObject({
      location: 'M1002',
      status: 'received',
      service_id: expect.stringMatching(/^svc-/),
    })
    const [cola] = linesAt(body, 'M1002')
    expect(await stockOf(service, 'G-1', 'M1002')).toBe(2 + cola!.quantity)
    expect(await stockOf(service, 'G-1', 'M1001')).toBe(2)
    const now = await plan(service)
    const actionOf = (id: string) => entryOf(now, slotOf(COLA, id)).recommendation.action
    expect(actionOf('M1002')).not.toBe('in_transit')
    expect([actionOf('M1001'), actionOf('M1003')]).toEqual(['in_transit', 'in_transit'])
    const [event] = await service.events('replenishment')
    expect(event).toMatchObject({ code: 'stop_received', location: 'M1002', params: { run: body.id } })
  })

  test('the last stop makes the run delivered, with one lead-time sample', async () => {
    const service = await startThree()
    const body = await placed(service)
    for (const [i, id] of MACHINES.entries()) {
      service.clock.advance(DAY)
      const answer = await stop(service, body.id, id, { delivered: linesAt(body, id) })
      expect(answer.body.status).toBe(i === 2 ? 'delivered' : 'placed')
    }
    const done = await run(service, body.id)
    expect(done.delivered_at).toBe(done.visits[2].received_at)
    expect((await plan(service)).lead_time).toMatchObject({ samples: 1 })
    const all = await service.events('replenishment')
    expect(all.filter(({ code }: Json) => code === 'run_received')).toHaveLength(1)
  })

  test('a stop twice: 409, and nothing is booked twice', async () => {
    const service = await startThree()
    const body = await placed(service)
    const request = { delivered: linesAt(body, 'M1001') }
    const answers = await Promise.all([1, 2, 3].map(() => stop(service, body.id, 'M1001', request)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
    expect(refusal(await stop(service, body.id, 'M1001', request))).toEqual([409, ['already_delivered']])
    expect(await stockOf(service, 'G-1', 'M1001')).toBe(2 + request.delivered[0]!.quantity)
  })

  test('sent again with its Idempotency-Key after the process died before it could answer: the same answer, booked once', async () => {
    const service = await startThree()
    const body = await placed(service)
    const headers = { 'idempotency-key': 'stop-1' }
    const path = `/replenishment/runs/${body.id}/visits/M1001/receive`
    const send = () => service.post(path, { delivered: linesAt(body, 'M1001') }, { headers })
    const first = await send()
    await loseReplies(service)
    const again = await send()
    expect([again.status, again.body]).toEqual([200, first.body])
    expect(await stockOf(service, 'G-1', 'M1001')).toBe(2 + linesAt(body, 'M1001')[0]!.quantity)
    expect((await service.events('replenishment')).filter(({ code }: Json) => code === 'stop_received')).toHaveLength(1)
    const other = await service.post(
      path,
      { delivered: linesAt(body, 'M1001') },
      { headers: { 'idempotency-key': 'stop-2' } },
    )
    expect(refusal(other)).toEqual([409, ['already_delivered']])
  })

  test('a whole run sent again after the process died before it could answer: the same answer, booked once', async () => {
    const service = await startThree()
    const body = await placed(service)
    await stop(service, body.id, 'M1001', { delivered: linesAt(body, 'M1001') })
    const headers = { 'idempotency-key': 'run-1' }
    const send = () => service.post(`/replenishment/runs/${body.id}/receive`, { delivered: inFull(body) }, { headers })
    const first = await send()
    await loseReplies(service)
    const booked = await stocks(service)
    const again = await send()
    expect([again.status, again.body]).toEqual([200, first.body])
    expect(await stocks(service)).toEqual(booked)
    expect((await service.events('replenishment')).filter(({ code }: Json) => code === 'run_received')).toHaveLength(1)
  })

  test('a whole run sent again after one of its stops was undone: what was booked is told, nothing is booked again', async () => {
    const service = await startThree()
    const body = await placed(service)
    const headers = { 'idempotency-key': 'run-2' }
    const send = () => service.post(`/replenishment/runs/${body.id}/receive`, { delivered: inFull(body) }, { headers })
    expect((await send()).status).toBe(200)
    await loseReplies(service)
    const { visits } = await run(service, body.id)
    const undone = await service.post(`/locations/M1001/service/${visits[0].service_id}/undo`)
    expect(undone.status).toBe(200)
    const booked = await stocks(service)
    expect((await send()).status).toBe(200)
    expect(await stocks(service)).toEqual(booked)
  })

  test('receive closes the rest: lines of booked stops are refused at the line, the others booked', async () => {
    const service = await startThree()
    const body = await placed(service)
    await stop(service, body.id, 'M1001', { delivered: linesAt(body, 'M1001') })
    const before = await stockOf(service, 'G-1', 'M1001')
    const answer = await receive(service, body.id, inFull(body))
    expect(answer.status).toBe(200)
    expect(answer.body.status).toBe('delivered')
    const paths = answer.body.messages.map(({ code, path }: Json) => [code, path])
    expect(paths).toEqual([0, 1].map((i) => ['already_delivered', `$.delivered[${i}].slot_id`]))
    expect(await stockOf(service, 'G-1', 'M1001')).toBe(before)
    expect(await stockOf(service, 'G-1', 'M1003')).toBeGreaterThan(2)
    expect(codes(await run(service, body.id))).toEqual([])
  })

  test('receive with nothing but lines of booked stops: 409, and the other stops stay open', async () => {
    const service = await startThree()
    const body = await placed(service)
    await stop(service, body.id, 'M1001', { delivered: linesAt(body, 'M1001') })
    const answer = await receive(service, body.id, linesAt(body, 'M1001'))
    expect(answer.status).toBe(409)
    expect(new Set(codes(answer.body))).toEqual(new Set(['already_delivered']))
    expect((await run(service, body.id)).status).toBe('placed')
  })

  test('removed lowers, counted sets, and the difference is shrinkage', async () => {
    const service = await startThree()
    const body = await placed(service)
    const answer = await stop(service, body.id, 'M1001', {
      delivered: [{ slot_id: slotOf(COLA), quantity: 6 }],
      removed: [{ slot_id: slotOf(COLA), quantity: 1, reason: 'expired' }],
      counted: [{ slot_id: slotOf(TEA), stock: 0 }],
    })
    expect(answer.status).toBe(200)
    expect([await stockOf(service, 'G-1'), await stockOf(service, 'G-2')]).toEqual([7, 0])
    const events = await service.events('location')
    expect(events.find(({ code }: Json) => code === 'units_expired')).toMatchObject({
      params: { slot: slotOf(COLA), quantity: 1 },
    })
    expect(events.find(({ code }: Json) => code === 'slot_shrinkage')).toMatchObject({
      params: { slot: slotOf(TEA), quantity: 1, counted: 0, expected: 1 },
    })
  })

  test('a count on arrival comes before removing and loading', async () => {
    const service = await startThree()
    const body = await placed(service)
    await stop(service, body.id, 'M1001', {
      delivered: [{ slot_id: slotOf(COLA), quantity: 6 }],
      removed: [{ slot_id: slotOf(COLA), quantity: 1, reason: 'damaged' }],
      counted: [{ slot_id: slotOf(COLA), stock: 4, when: 'arrival' }],
    })
    expect(await stockOf(service, 'G-1')).toBe(9)
    const surplus = (await service.events('location')).find(({ code }: Json) => code === 'slot_surplus')
    expect(surplus).toMatchObject({ params: { quantity: 2, counted: 4, expected: 2 } })
  })

  const REFUSED: [string, string, object, number, string[]][] = [
    ['a machine the run does not visit', 'M9', { delivered: [] }, 404, ['not_found']],
    ['a slot of another machine', 'M1001', { delivered: [{ slot_id: 'M1002-G-1', quantity: 1 }] }, 400, ['invalid']],
    ['no list', 'M1001', {}, 400, ['missing']],
    [
      'a reason that is none',
      'M1001',
      { delivered: [], removed: [{ slot_id: slotOf(COLA), quantity: 1, reason: 'eaten' }] },
      400,
      ['invalid'],
    ],
    [
      'taking out of a slot the machine does not have',
      'M1001',
      { delivered: [], removed: [{ slot_id: 'M1001-G-77', quantity: 1, reason: 'other' }] },
      400,
      ['invalid'],
    ],
    [
      'a slot counted twice',
      'M1001',
      { delivered: [], counted: [0, 1].map((stock) => ({ slot_id: slotOf(COLA), stock })) },
      400,
      ['invalid'],
    ],
  ]

  test('what makes no sense is refused, and nothing is booked', async () => {
    const service = await startThree()
    const { id } = await placed(service)
    for (const [name, location, body, status, expected] of REFUSED)
      expect([name, ...refusal(await stop(service, id, location, body))]).toEqual([name, status, expected])
    expect(await stocks(service)).toEqual([2, 1, 2, 1, 2, 1])
    expect((await run(service, id)).visits.every((visit: Json) => visit.status === 'open')).toBe(true)
  })

  test('a run that is not placed: 409 not_placed', async () => {
    const service = await startThree()
    const { body } = await create(service)
    expect(refusal(await stop(service, body.id, 'M1001', { delivered: [] }))).toEqual([409, ['not_placed']])
  })

  test('a machine removed meanwhile is received without it', async () => {
    const service = await startThree()
    const body = await placed(service)
    await service.call('DELETE', '/locations/M1001')
    const answer = await stop(service, body.id, 'M1001', { delivered: linesAt(body, 'M1001') })
    expect(answer.body.visits[0].status).toBe('received')
  })

  test('stops in any order leave the same stock, status, deliveries and plan as one receive', async () => {
    const service = await startThree()
    const body = await placed(service)
    const restore = await saveRows(service)
    const order = fc.shuffledSubarray([...MACHINES], { minLength: 3 })
    const quantities = fc.array(fc.nat({ max: 30 }), { minLength: 6, maxLength: 6 })
    const outcome = async () => {
      const { status, line_items, ...after } = await run(service, body.id)
      const { plans } = await plan(service)
      return { status, line_items, deliveries: deliveries(after), stocks: await stocks(service), plans }
    }
    await fc.assert(
      fc.asyncProperty(order, quantities, async (machines, counts) => {
        const delivered = inFull(body).map(({ slot_id }, i) => ({ slot_id, quantity: counts[i] ?? 0 }))
        await receive(service, body.id, delivered)
        const together = await outcome()
        await restore()
        for (const id of machines)
          await stop(service, body.id, id, { delivered: delivered.filter(({ slot_id }) => slot_id.startsWith(id)) })
        expect(await outcome()).toEqual(together)
        await restore()
      }),
      { numRuns: 5 },
    )
  })
})

/** Puts the rows that a receipt changes back to what they are now. */
async function saveRows({ ctx: { store } }: Service): Promise<() => Promise<void>> {
  const tables = [
    'run_event',
    'run_line',
    'replenishment_run',
    'service',
    'slot',
    'slot_book',
    'stock_log',
    'slot_levels',
  ]
  const names = tables as (keyof Database)[]
  const rows = await Promise.all(names.map((name) => store.db.selectFrom(name).selectAll().execute()))
  return () =>
    store.transaction(async (tx) => {
      for (const name of names) await tx.deleteFrom(name).execute()
      for (const [i, name] of [...names.entries()].toReversed())
        if (rows[i]!.length > 0)
          await tx
            .insertInto(name)
            .values(rows[i] as never)
            .execute()
    })
}

describe('undo within ten minutes', () => {
  test('the stop is open again, and its stock and book are as before', async () => {
    const service = await startThree()
    const body = await placed(service)
    for (const id of MACHINES) await stop(service, body.id, id, { delivered: linesAt(body, id) })
    const [visit] = (await run(service, body.id)).visits
    service.clock.advance(9 * MINUTE)
    const undone = await service.post(`/locations/M1001/service/${visit.service_id}/undo`)
    expect(undone.status).toBe(200)
    expect(undone.body.service).toMatchObject({ run: body.id, undone_at: expect.any(String) })
    expect(await stockOf(service, 'G-1', 'M1001')).toBe(2)
    const open = await run(service, body.id)
    expect(open.status).toBe('placed')
    expect(open.delivered_at).toBeUndefined()
    expect(open.visits[0]).toMatchObject({ status: 'open' })
    expect(open.fulfillment.events.at(-1).type).toBe('delivery_undone')
    expect(entryOf(await plan(service), slotOf(COLA)).recommendation.action).toBe('in_transit')
    expect((await plan(service)).lead_time.samples).toBe(0)
    // And can be received again.
    const again = await stop(service, body.id, 'M1001', { delivered: linesAt(body, 'M1001') })
    expect(again.body.status).toBe('delivered')
  })

  test('after ten minutes, or twice: refused, and nothing changes', async () => {
    const service = await startThree()
    const body = await placed(service)
    await stop(service, body.id, 'M1001', { delivered: linesAt(body, 'M1001') })
    await stop(service, body.id, 'M1002', { delivered: linesAt(body, 'M1002') })
    const visits = (await run(service, body.id)).visits
    const undo = (location: string, id: string) => service.post(`/locations/${location}/service/${id}/undo`)
    expect((await undo('M1002', visits[1].service_id)).status).toBe(200)
    expect(refusal(await undo('M1002', visits[1].service_id))).toEqual([409, ['not_editable']])
    expect(refusal(await undo('M1002', visits[0].service_id))).toEqual([404, ['not_found']])
    service.clock.advance(10 * MINUTE + 1)
    expect(refusal(await undo('M1001', visits[0].service_id))).toEqual([409, ['undo_expired']])
    expect((await run(service, body.id)).visits[0].status).toBe('received')
  })

  test('a run that was received at once is undone stop by stop, and messages about too much go with it', async () => {
    const service = await startThree()
    const body = await placed(service)
    const [first, ...rest] = inFull(body)
    await receive(service, body.id, [{ slot_id: first!.slot_id, quantity: first!.quantity + 1 }, ...rest])
    const done = await run(service, body.id)
    expect([done.status, codes(done)]).toEqual(['delivered', ['more_than_ordered', 'storeroom_short']])
    const undone = await service.post(`/locations/M1001/service/${done.visits[0].service_id}/undo`)
    expect(undone.status).toBe(200)
    const open = await run(service, body.id)
    // What was missing at the last stop was missing there, whatever the first one got.
    expect([open.status, codes(open)]).toEqual(['placed', ['storeroom_short']])
    expect(open.visits.map(({ status }: Json) => status)).toEqual(['open', 'received', 'received'])
    expect([await stockOf(service, 'G-1', 'M1001'), await stockOf(service, 'G-2', 'M1001')]).toEqual([2, 1])
    expect(await stockOf(service, 'G-1', 'M1002')).toBeGreaterThan(2)
  })

  test('a service before the run was received at once stays, as long as the receipt stands', async () => {
    const service = await startThree()
    const body = await placed(service)
    const counted = [{ slot_id: slotOf(COLA), stock: 5 }]
    const before = (await service.post('/locations/M1001/service', { counted })).body.service
    await receive(service, body.id, inFull(body))
    const level = await stockOf(service, 'G-1', 'M1001')
    const undo = (id: string) => service.post(`/locations/M1001/service/${id}/undo`)
    expect(refusal(await undo(before.id))).toEqual([409, ['not_editable']])
    expect(await stockOf(service, 'G-1', 'M1001')).toBe(level)
    const [visit] = (await run(service, body.id)).visits
    await undo(visit.service_id)
    expect(await stockOf(service, 'G-1', 'M1001')).toBe(5)
    expect((await undo(before.id)).status).toBe(200)
    expect(await stockOf(service, 'G-1', 'M1001')).toBe(2)
  })

  test('a stop sent late is received when it was made, and the run when its last stop was', async () => {
    const service = await startThree()
    const body = await placed(service)
    service.clock.advance(DAY)
    const early = new Date(service.clock.now() - 5 * 60 * MINUTE).toISOString()
    for (const id of ['M1001', 'M1002']) await stop(service, body.id, id, { delivered: linesAt(body, id) })
    const late = { delivered: linesAt(body, 'M1003'), occurred_at: early }
    const { body: done } = await stop(service, body.id, 'M1003', late)
    expect(done.status).toBe('delivered')
    expect(Date.parse(done.visits[2].received_at)).toBe(Date.parse(early))
    expect(done.delivered_at).toBe(done.visits[0].received_at)
    expect(Date.parse(done.visits[2].undo_until)).toBe(service.clock.now() + 10 * MINUTE)
  })

  test('a level that the machine reported since stays', async () => {
    const service = await startThree()
    const body = await placed(service)
    await stop(service, body.id, 'M1001', { delivered: linesAt(body, 'M1001') })
    service.clock.advance(MINUTE)
    service.machine.slotsByMachine['M1001'] = slots().map((slot) => ({ ...slot, stock: 17 }))
    await service.post('/locations/sync')
    const [visit] = (await run(service, body.id)).visits
    await service.post(`/locations/M1001/service/${visit.service_id}/undo`)
    expect(await stockOf(service, 'G-1', 'M1001')).toBe(17)
  })
})
