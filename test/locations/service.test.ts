import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { bookService } from '../../src/route/locations/service/book-service.ts'
import { DAY, HOUR, MINUTE, rfc3339 } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import { addKey } from '../people/keys.ts'
import { failure, trade } from '../support/scripted-vendors.ts'
import type { Answered, Json, Service } from '../support/service.ts'
import {
  codes,
  COLA,
  entryOf,
  MACHINE,
  plan,
  routeSlots,
  setCapacity,
  slotOf,
  startRoute,
  stockOf,
  sync,
  TEA,
} from '../replenishment/route.ts'

const serve = (service: Service, body: object, location = MACHINE): Promise<Answered> =>
  service.post(`/locations/${location}/service`, body)

const undo = (service: Service, id: string): Promise<Answered> =>
  service.post(`/locations/${MACHINE}/service/${id}/undo`)

const unknownSlots = () => routeSlots().map((slot) => ({ ...slot, stock: null }))

/** What callers see, whether the platform reports a stock or our own book keeps it. */
async function shown(service: Service, skuId = COLA): Promise<number | null> {
  const { body } = await service.post('/catalog/product', { id: skuId, filters: { location: MACHINE } })
  return body.product.variants[0].inventory.stock
}

describe('POST /locations/{id}/service', () => {
  test('takes out and counts without a run, and says what it did', async () => {
    const service = await startRoute()
    const answer = await serve(service, {
      removed: [
        { slot_id: slotOf(TEA), quantity: 2, reason: 'expired' },
        { slot_id: slotOf(TEA), quantity: 1, reason: 'damaged' },
      ],
      counted: [{ slot_id: slotOf(COLA), stock: 1 }],
      note: 'smell',
    })
    expect(answer.status).toBe(200)
    expect(answer.body.service).toMatchObject({
      location: MACHINE,
      delivered: [],
      removed: [
        { slot_id: slotOf(TEA), quantity: 2, reason: 'expired' },
        { slot_id: slotOf(TEA), quantity: 1, reason: 'damaged' },
      ],
      counted: [{ slot_id: slotOf(COLA), stock: 1, when: 'end', difference: -1 }],
      stock: [
        { slot_id: slotOf(TEA), stock: 6 },
        { slot_id: slotOf(COLA), stock: 1 },
      ],
      note: 'smell',
    })
    expect([await stockOf(service, 'G-1'), await stockOf(service, 'G-2')]).toEqual([1, 6])
    const visitedAt = rfc3339(service.clock.now(), 'Asia/Shanghai')
    service.clock.advance(HOUR)
    const { body } = await service.post('/locations/lookup', { ids: [MACHINE] })
    expect(body.locations[0].last_visited_at).toBe(visitedAt)
    const found = (await service.events('location')).map(({ code }: Json) => code)
    expect(found.slice(0, 4)).toEqual(['slot_counted', 'slot_shrinkage', 'units_damaged', 'units_expired'])
  })

  test('sent again with its Idempotency-Key after the process died before it could answer: booked once', async () => {
    const service = await startRoute()
    const send = () =>
      service.post(
        `/locations/${MACHINE}/service`,
        { removed: [{ slot_id: slotOf(TEA), quantity: 2, reason: 'expired' }] },
        { headers: { 'idempotency-key': 'visit-1' } },
      )
    const first = await send()
    // As a process leaves the key that was killed after the commit.
    await service.ctx.store.db.updateTable('idempotency').set({ state: 'running', holder: 'the dead' }).execute()
    let isAnswered = false
    const again = send().finally(() => (isAnswered = true))
    while (!isAnswered) {
      await sleep(150)
      service.clock.advance(1000)
    }
    expect((await again).body.service).toEqual(first.body.service)
    expect(await stockOf(service, 'G-2')).toBe(7)
  })

  test('sent again with its Idempotency-Key after its answer could not be stored: booked once', async () => {
    const service = await startRoute()
    const { store } = service.ctx
    const run = store.transaction.bind(store)
    let hasFailed = false
    vi.spyOn(store, 'transaction').mockImplementation(async (work) => {
      if (!hasFailed && (await store.db.selectFrom('service').select('id').execute()).length > 0) {
        hasFailed = true
        throw new Error('no connection is free')
      }
      return run(work)
    })
    const send = () =>
      service.post(
        `/locations/${MACHINE}/service`,
        { removed: [{ slot_id: slotOf(TEA), quantity: 2, reason: 'expired' }] },
        { headers: { 'idempotency-key': 'visit-1' } },
      )
    expect([(await send()).status, hasFailed]).toEqual([500, true])
    expect((await send()).status).toBe(200)
    expect(await stockOf(service, 'G-2')).toBe(7)
  })

  test('more taken out than was thought to be there leaves none', async () => {
    const service = await startRoute()
    await serve(service, { removed: [{ slot_id: slotOf(COLA), quantity: 5, reason: 'recalled' }] })
    expect(await stockOf(service, 'G-1')).toBe(0)
  })

  test('a count that agrees is no shrinkage', async () => {
    const service = await startRoute()
    const answer = await serve(service, { counted: [{ slot_id: slotOf(COLA), stock: 2 }] })
    expect(answer.body.service.counted[0].difference).toBe(0)
    expect((await service.events('location'))[0].code).toBe('slot_counted')
    expect((await service.events('location'))[1].code).not.toMatch(/shrinkage|surplus/)
  })

  test('where the platform reports no stock, a count starts the book and a removal lowers it', async () => {
    const service = await startRoute({ slotsByMachine: { [MACHINE]: unknownSlots() } })
    const removed = [{ slot_id: slotOf(COLA), quantity: 2, reason: 'expired' }]
    const unknown = await serve(service, { removed })
    expect(unknown.body.service.stock).toEqual([{ slot_id: slotOf(COLA), stock: null }])
    service.clock.advance(MINUTE)
    await serve(service, { counted: [{ slot_id: slotOf(COLA), stock: 7 }] })
    service.clock.advance(MINUTE)
    const last = await serve(service, { removed })
    expect(last.body.service.stock).toEqual([{ slot_id: slotOf(COLA), stock: 5 }])
    expect(await shown(service)).toBe(5)
    // Taken back one by one, the latest first.
    const id = last.body.service.id
    expect((await undo(service, id)).status).toBe(200)
    expect(await shown(service)).toBe(7)
  })

  test('takes back: the count is gone, an inferred capacity too', async () => {
    const service = await startRoute()
    await setCapacity(service, 'G-1', 8)
    const { body } = await serve(service, { counted: [{ slot_id: slotOf(COLA), stock: 6 }] })
    expect(await stockOf(service, 'G-1')).toBe(6)
    const undone = await undo(service, body.service.id)
    expect(undone.body.service.undone_at).toBeDefined()
    expect(await stockOf(service, 'G-1')).toBe(2)
    const logged = await service.ctx.store.db.selectFrom('stock_log').select('source').execute()
    expect(logged.map(({ source }) => source)).not.toContain('count')
    expect((await service.events('location'))[0].code).toBe('service_undone')
  })

  test('the earlier of two is not taken back before the later', async () => {
    const service = await startRoute()
    const first = await serve(service, { counted: [{ slot_id: slotOf(COLA), stock: 6 }] })
    service.clock.advance(MINUTE)
    await serve(service, { counted: [{ slot_id: slotOf(COLA), stock: 5 }] })
    const refused = await undo(service, first.body.service.id)
    expect([refused.status, codes(refused.body)]).toEqual([409, ['not_editable']])
    expect(await stockOf(service, 'G-1')).toBe(5)
  })

  test('what makes no sense is refused', async () => {
    const service = await startRoute()
    const refused = async (body: object, location?: string) => {
      const answer = await serve(service, body, location)
      return [answer.status, codes(answer.body)]
    }
    expect(await refused({})).toEqual([400, ['missing']])
    expect(await refused({ counted: [{ slot_id: 'M9-G-1', stock: 1 }] }, 'M9')).toEqual([404, ['not_found']])
    expect(await refused({ counted: [{ slot_id: 'M9-G-1', stock: 1 }] })).toEqual([400, ['invalid']])
    expect(await refused({ removed: [{ slot_id: slotOf(COLA), quantity: 0, reason: 'other' }] })).toEqual([
      400,
      ['invalid'],
    ])
    expect(await stockOf(service, 'G-1')).toBe(2)
  })
})

describe('a visit that is sent later than it was made', () => {
  const ago = (service: Service, ms: number) => new Date(service.clock.now() - ms).toISOString()
  const cola = (stock: number) => [{ slot_id: slotOf(COLA), stock }]

  test('is booked at the time it was made, and undone for ten minutes after it was sent', async () => {
    const service = await startRoute()
    service.clock.advance(3 * HOUR)
    const at = ago(service, 2 * HOUR)
    const { body } = await serve(service, { counted: cola(6), occurred_at: at })
    expect(Date.parse(body.service.occurred_at)).toBe(Date.parse(at))
    expect(Date.parse(body.service.booked_at)).toBe(service.clock.now())
    expect(body.messages).toBeUndefined()
    expect(await stockOf(service, 'G-1')).toBe(6)
    const log = service.ctx.store.db.selectFrom('stock_log').select('at').where('source', '=', 'count')
    expect((await log.executeTakeFirstOrThrow()).at).toBe(Date.parse(at))
    service.clock.advance(9 * MINUTE)
    expect((await undo(service, body.service.id)).status).toBe(200)
    expect(await stockOf(service, 'G-1')).toBe(2)
  })

  test('while an earlier count stands, what the platform fell by since the visit is taken off', async () => {
    const service = await startRoute()
    await serve(service, { counted: cola(6) })
    service.clock.advance(2 * HOUR)
    // The platform counted 2 all the time; now it counts one less.
    service.machine.slotsByMachine[MACHINE] = routeSlots().map((slot) => ({
      ...slot,
      stock: Math.max(0, slot.stock! - 1),
    }))
    await service.post('/locations/sync')
    expect(await stockOf(service, 'G-1')).toBe(5)
    service.clock.advance(HOUR)
    await serve(service, { counted: cola(7), occurred_at: ago(service, 2 * HOUR) })
    expect(await stockOf(service, 'G-1')).toBe(6)
  })

  test('a level read since stays, and so it does when the visit is undone', async () => {
    const service = await startRoute()
    service.clock.advance(2 * HOUR)
    service.machine.slotsByMachine[MACHINE] = routeSlots().map((slot) => ({ ...slot, stock: 9 }))
    await service.post('/locations/sync')
    const removed = [{ slot_id: slotOf(COLA), quantity: 1, reason: 'expired' }]
    const answer = await serve(service, { removed, counted: cola(1), occurred_at: ago(service, HOUR) })
    expect(answer.body.messages).toMatchObject([{ code: 'newer_stock_kept', params: { machine: MACHINE, slots: 1 } }])
    expect(answer.body.service).toMatchObject({ removed, stock: [{ slot_id: slotOf(COLA), stock: 9 }] })
    expect(answer.body.service.counted[0].difference).toBeUndefined()
    expect(await stockOf(service, 'G-1')).toBe(9)
    expect((await undo(service, answer.body.service.id)).status).toBe(200)
    expect(await stockOf(service, 'G-1')).toBe(9)
  })

  test('a level that the platform counted before the visit, and that was read after it, does not contain it', async () => {
    const service = await startRoute()
    service.clock.advance(HOUR)
    const countedAt = service.clock.now()
    service.clock.advance(2 * HOUR)
    service.machine.slotsByMachine[MACHINE] = routeSlots().map((slot) => ({ ...slot, stock: 3, asOf: countedAt }))
    await service.post('/locations/sync')
    expect(await stockOf(service, 'G-1')).toBe(3)
    const removed = [{ slot_id: slotOf(COLA), quantity: 2, reason: 'expired' }]
    const answer = await serve(service, { removed, occurred_at: ago(service, HOUR) })
    expect(answer.body.messages).toBeUndefined()
    expect(await stockOf(service, 'G-1')).toBe(1)
    // The platform reports the same old count again.
    await service.post('/locations/sync')
    expect(await stockOf(service, 'G-1')).toBe(1)
    expect((await undo(service, answer.body.service.id)).status).toBe(200)
    expect(await stockOf(service, 'G-1'), 'as it was before the visit').toBe(3)
  })

  test('in our own book it stands in order of time: a later removal counts on top, a later count instead', async () => {
    const service = await startRoute({ slotsByMachine: { [MACHINE]: unknownSlots() } })
    await serve(service, { counted: cola(10) })
    service.clock.advance(2 * HOUR)
    await serve(service, { removed: [{ slot_id: slotOf(COLA), quantity: 3, reason: 'expired' }] })
    const late = await serve(service, { counted: cola(9), occurred_at: ago(service, HOUR) })
    expect(late.body.service.counted[0].difference).toBe(-1)
    expect(await shown(service)).toBe(6)
    expect((await undo(service, late.body.service.id)).status).toBe(200)
    expect(await shown(service)).toBe(7)
    await serve(service, { counted: cola(8) })
    const older = await serve(service, { counted: cola(1), occurred_at: ago(service, HOUR) })
    expect(codes(older.body)).toEqual(['newer_stock_kept'])
    expect(await shown(service)).toBe(8)
  })

  test('more than 48 hours ago, in the future, or no time: refused', async () => {
    const service = await startRoute()
    const when = (ms: number) => serve(service, { counted: cola(6), occurred_at: ago(service, ms) })
    for (const ms of [48 * HOUR + 1000, -6 * MINUTE]) {
      const { status, body } = await when(ms)
      expect([status, body.messages[0].code, body.messages[0].path]).toEqual([400, 'invalid', '$.occurred_at'])
    }
    expect((await serve(service, { counted: cola(6), occurred_at: 'noon' })).status).toBe(400)
    const ahead = await when(-4 * MINUTE)
    expect(Date.parse(ahead.body.service.occurred_at)).toBe(service.clock.now())
  })
})

test('a count of one slot is seen by undo: the service before it stays', async () => {
  const service = await startRoute()
  const { body } = await serve(service, { counted: [{ slot_id: slotOf(COLA), stock: 6 }] })
  await service.put(`/locations/${MACHINE}/slots/${slotOf(COLA)}`, { stock: 4 })
  expect(codes((await undo(service, body.service.id)).body)).toEqual(['not_editable'])
  expect(await stockOf(service, 'G-1')).toBe(4)
})

test('a count is compared with the last reading less what was sold since', async () => {
  const service = await startRoute()
  service.clock.advance(HOUR)
  const sold = { vendorSku: 'G-1', priceFen: fen(300), costFen: null, status: 'paid' } as const
  service.machine.trades.push(trade('late', service.clock.now() - MINUTE, { locationId: MACHINE, lines: [sold] }))
  service.machine.script.next('inventory', { instead: failure('rejected') })
  await service.post('/locations/sync')
  const { body } = await serve(service, { counted: [{ slot_id: slotOf(COLA), stock: 1 }] })
  expect(body.service.counted[0]).toMatchObject({ stock: 1, difference: 0 })
})

test('a capacity that a short load showed is gone when the load is undone', async () => {
  const service = await startRoute()
  const { store } = service.ctx
  const loaded = { quantity: 3, ordered: 8 }
  const booked = await store.transaction((tx) =>
    bookService(service.ctx, tx, { location: MACHINE, slotWorks: [{ vendorSku: 'G-1', loaded }], note: undefined }),
  )
  const capacityOf = () =>
    store.db
      .selectFrom('slot')
      .select(['capacity', 'capacity_source'])
      .where('vendor_sku', '=', 'G-1')
      .executeTakeFirst()
  expect(await capacityOf()).toMatchObject({ capacity_source: 'inferred' })
  await undo(service, booked.id)
  expect(await capacityOf()).toEqual({ capacity: null, capacity_source: null })
})

test('2.4 a short load shows the capacity only where the slot has not held more before', async () => {
  const service = await startRoute()
  service.machine.slotsByMachine[MACHINE] = routeSlots().map((slot) => ({ ...slot, stock: 20 }))
  await service.post('/locations/sync')
  service.clock.advance(DAY)
  service.machine.slotsByMachine[MACHINE] = routeSlots().map((slot) => ({ ...slot, stock: 2 }))
  await service.post('/locations/sync')
  const load = (quantity: number) =>
    service.ctx.store.transaction((tx) =>
      bookService(service.ctx, tx, {
        location: MACHINE,
        slotWorks: [{ vendorSku: 'G-1', loaded: { quantity, ordered: 30 } }],
        note: undefined,
      }),
    )
  const capacityOf = async () =>
    (
      await service.ctx.store.db
        .selectFrom('slot')
        .select('capacity')
        .where('vendor_sku', '=', 'G-1')
        .executeTakeFirst()
    )?.capacity
  await load(3)
  expect(await capacityOf()).toBeNull()
  service.clock.advance(MINUTE)
  await load(19)
  expect(await capacityOf()).toBe(24)
})

test('a driver undoes only what the same driver booked', async () => {
  const service = await startRoute()
  const [wu, he] = [await addKey(service, 'driver', 'Wu'), await addKey(service, 'driver', 'He')]
  const path = `/locations/${MACHINE}/service`
  const counted = { counted: [{ slot_id: slotOf(COLA), stock: 1 }] }
  const { id } = (await service.post(path, counted, { token: wu.key })).body.service
  expect((await service.post(`${path}/${id}/undo`, {}, { token: he.key })).status).toBe(403)
  expect((await service.post(`${path}/${id}/undo`, {}, { token: wu.key })).status).toBe(200)
})

describe('a count that can hardly be', () => {
  const tea = (stock: number) => [{ slot_id: slotOf(TEA), stock }]

  test('above the capacity it is booked only when confirmed, with or without a run', async () => {
    const service = await startRoute()
    await setCapacity(service, 'G-2', 10)
    const refused = await serve(service, { counted: tea(99) })
    expect([refused.status, refused.body.messages]).toEqual([
      400,
      [
        expect.objectContaining({
          code: 'invalid',
          path: '$.counted[0].stock',
          params: expect.objectContaining({ slot: slotOf(TEA), counted: 99, expected: 9, capacity: 10 }),
        }),
      ],
    ])
    expect(await stockOf(service, 'G-2')).toBe(9)
    expect((await serve(service, { counted: tea(99), confirm_count: true })).status).toBe(200)
    expect(await stockOf(service, 'G-2')).toBe(99)
  })

  test('above three times the highest level ever there, also by one slot', async () => {
    const service = await startRoute()
    const path = `/locations/${MACHINE}/slots/${slotOf(TEA)}`
    const refused = await service.put(path, { stock: 28 })
    expect([refused.status, refused.body.messages[0].path, refused.body.messages[0].params.highest]).toEqual([
      400,
      '$.stock',
      9,
    ])
    expect((await service.put(path, { stock: 27 })).status).toBe(200)
    expect((await service.put(path, { stock: 999, confirm_count: true })).body.inventory.stock).toBe(999)
  })

  test.for([
    ['999 in a slot of 20', 20, 999, 20],
    ['99 in a slot of 5', 5, 99, 5],
    ['999 in a slot of unknown capacity that held 9', null, 999, 27],
  ] as const)('%s is shown, and the slot runs out in the plan all the same', async ([, capacity, counted, holds]) => {
    const service = await startRoute()
    if (capacity !== null) await setCapacity(service, 'G-2', capacity)
    const path = `/locations/${MACHINE}/slots/${slotOf(TEA)}`
    const expectRunsOut = async (stock: number) => {
      const entry = entryOf(await plan(service), slotOf(TEA))
      expect(entry.stock).toBe(stock)
      expect(entry.stockout_at).not.toBeNull()
      // It sells about one a day.
      expect(entry.days_of_cover).toBeGreaterThan(0.7 * holds)
      expect(entry.days_of_cover).toBeLessThan(1.3 * holds)
    }
    expect((await service.put(path, { stock: counted, confirm_count: true })).status).toBe(200)
    await expectRunsOut(counted)
    // The same count again makes it no likelier, nor does what is taken out, nor a reading without news.
    service.clock.advance(MINUTE)
    expect((await service.put(path, { stock: counted })).status).toBe(400)
    await service.put(path, { stock: counted, confirm_count: true })
    await expectRunsOut(counted)
    service.clock.advance(MINUTE)
    await serve(service, { removed: [{ slot_id: slotOf(TEA), quantity: 1, reason: 'damaged' }] })
    await sync(service)
    await expectRunsOut(counted - 1)
    // A count that can be is believed.
    expect((await service.put(path, { stock: 4 })).status).toBe(200)
    const entry = entryOf(await plan(service), slotOf(TEA))
    expect(entry.stock).toBe(4)
    expect(entry.days_of_cover).toBeLessThan(6)
  })

  test('undoing it also undoes the doubt', async () => {
    const service = await startRoute()
    const before = entryOf(await plan(service), slotOf(TEA))
    const { id } = (await serve(service, { counted: tea(999), confirm_count: true })).body.service
    expect((await service.post(`/locations/${MACHINE}/service/${id}/undo`, {})).status).toBe(200)
    expect(entryOf(await plan(service), slotOf(TEA))).toEqual(before)
  })

  test('a slot in which nothing was ever seen takes any count', async () => {
    const service = await startRoute({ slotsByMachine: { [MACHINE]: unknownSlots() } })
    expect((await serve(service, { counted: tea(99) })).status).toBe(200)
  })
})
