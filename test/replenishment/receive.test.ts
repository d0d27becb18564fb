import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY } from '../../src/kernel/clock.ts'
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
  receive,
  resolve,
  run,
  setCapacity,
  routeSlots,
  slotOf,
  startRoute,
  stockOf,
  sync,
  TEA,
  WATER,
  withRules,
} from './route.ts'
import { propertyRuns } from '../support/property-runs.ts'

const refusal = ({ status, body }: { status: number; body: Json }) => [status, codes(body)]
const quantityOf = (body: Json, skuId: string): number =>
  body.line_items.find(({ item }: Json) => item.id === skuId).quantity.total

describe('3.2 POST /replenishment/runs/{id}/receive', () => {
  test('placed, all counted: delivered, stock raised at once, with an event', async () => {
    const service = await startRoute()
    const body = await placed(service)
    service.clock.advance(2 * DAY)
    const answer = await receive(service, body.id, inFull(body), 'back door was open')
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      status: 'delivered',
      delivered_at: '2026-09-12T08:01:00.000+08:00',
      note: 'back door was open',
      totals: body.totals,
    })
    expect(answer.body.line_items.map(({ status }: Json) => status)).toEqual(['fulfilled', 'fulfilled'])
    expect(answer.body.fulfillment.events.map(({ type }: Json) => type)).toEqual([
      'planned',
      'approved',
      'ordered',
      'delivered',
    ])
    expect(await stockOf(service, 'G-1')).toBe(2 + quantityOf(body, COLA))
    expect(entryOf(await plan(service), slotOf(COLA)).stock).toBe(2 + quantityOf(body, COLA))
    expect((await service.events('replenishment'))[0]).toMatchObject({ code: 'run_received', params: { run: body.id } })
    expect(await run(service, body.id)).toEqual(answer.body)
  })

  test('delivered: 409 already_delivered, and stock does not rise again', async () => {
    const service = await startRoute()
    const body = await placed(service)
    await receive(service, body.id, inFull(body))
    const stock = await stockOf(service, 'G-1')
    expect(refusal(await receive(service, body.id, inFull(body)))).toEqual([409, ['already_delivered']])
    expect(await stockOf(service, 'G-1')).toBe(stock)
  })

  test('not placed, whatever else it is: 409 not_placed', async () => {
    const service = await startRoute({ rules: withRules({ spendingLimitPerRun: 1000 }) })
    const { body: created } = await create(service)
    const counted = [{ slot_id: slotOf(COLA), quantity: 1 }]
    expect(refusal(await receive(service, created.id, counted))).toEqual([409, ['not_placed']])
    await resolve(service, decisionOf(created), true)
    expect(refusal(await receive(service, created.id, counted))).toEqual([409, ['not_placed']])
    service.writeRules(withRules({ killSwitchEngaged: true }))
    const { body: blocked } = await create(service)
    expect(refusal(await receive(service, blocked.id, counted))).toEqual([409, ['not_placed']])
    expect(refusal(await receive(service, 'run-1', counted))).toEqual([404, ['not_found']])
  })

  test('a receipt is a fact: it is booked also while the emergency stop is on', async () => {
    const service = await startRoute()
    const body = await placed(service)
    await service.post('/guardrails/stop', { reason: 'smoke' })
    expect((await receive(service, body.id, inFull(body))).status).toBe(200)
  })

  test('lines left out count 0; a short line is partial', async () => {
    const service = await startRoute()
    const body = await placed(service)
    const answer = await receive(service, body.id, [{ slot_id: slotOf(COLA), quantity: 3 }])
    expect(answer.body.line_items.map(({ status, quantity }: Json) => [status, quantity.fulfilled])).toEqual([
      ['partial', 3],
      ['removed', 0],
    ])
    expect(answer.body.fulfillment.events.at(-1).line_items).toEqual([{ id: 'li_1', quantity: 3 }])
    expect([await stockOf(service, 'G-1'), await stockOf(service, 'G-2')]).toEqual([5, 9])
    // Every slot of the run leaves transit.
    for (const skuId of [COLA, TEA])
      expect(entryOf(await plan(service), slotOf(skuId)).recommendation.action).not.toBe('in_transit')
  })

  test('nothing came at all: delivered, and no event says that something was', async () => {
    const service = await startRoute()
    const body = await placed(service)
    const answer = await receive(service, body.id, [{ slot_id: slotOf(COLA), quantity: 0 }])
    expect(answer.body.status).toBe('delivered')
    expect(answer.body.fulfillment.events.map(({ type }: Json) => type)).not.toContain('delivered')
  })

  test.each([
    ['an unknown slot', [{ slot_id: 'M1001-G-99', quantity: 1 }], ['invalid'], ['$.delivered[0].slot_id']],
    [
      'a slot of the machine that the run does not hold',
      [{ slot_id: slotOf(WATER), quantity: 1 }],
      ['invalid'],
      ['$.delivered[0].slot_id'],
    ],
    [
      'a slot counted twice',
      [
        { slot_id: slotOf(COLA), quantity: 1 },
        { slot_id: slotOf(COLA), quantity: 1 },
      ],
      ['invalid'],
      ['$.delivered[1].slot_id'],
    ],
    ['an empty list', [], ['invalid'], ['$.delivered']],
    ['no list', undefined, ['missing'], ['$.delivered']],
    ['a quantity below 0', [{ slot_id: slotOf(COLA), quantity: -1 }], ['invalid'], ['$.delivered[0].quantity']],
    ['half a unit', [{ slot_id: slotOf(COLA), quantity: 1.5 }], ['invalid'], ['$.delivered[0].quantity']],
    ['a number in quotes', [{ slot_id: slotOf(COLA), quantity: '1' }], ['invalid'], ['$.delivered[0].quantity']],
    ['no quantity', [{ slot_id: slotOf(COLA) }], ['missing'], ['$.delivered[0].quantity']],
  ])('400 for %s, and nothing is booked', async (_, delivered, expectedCodes, paths) => {
    const service = await startRoute()
    const body = await placed(service)
    const answer = await receive(service, body.id, delivered)
    expect(answer.status).toBe(400)
    expect(codes(answer.body)).toEqual(expectedCodes)
    expect(answer.body.messages.map(({ path }: Json) => path)).toEqual(paths)
    expect((await run(service, body.id)).status).toBe('placed')
    expect(await stockOf(service, 'G-1')).toBe(2)
  })
})

describe('stock after a receipt', () => {
  test('is capped at capacity when known', async () => {
    const service = await startRoute()
    await setCapacity(service, 'G-1', 10)
    const body = await placed(service)
    expect(quantityOf(body, COLA)).toBe(8)
    await receive(service, body.id, [{ slot_id: slotOf(COLA), quantity: 500 }])
    expect(await stockOf(service, 'G-1')).toBe(10)
  })

  test('a short delivery shows capacity, and the next plan respects it', async () => {
    const service = await startRoute()
    const body = await placed(service)
    await receive(service, body.id, [{ slot_id: slotOf(COLA), quantity: 4 }])
    const entry = entryOf(await plan(service), slotOf(COLA))
    expect(entry).toMatchObject({ stock: 6, capacity: 6 })
    expect(entry.recommendation.action).not.toBe('order')
  })

  test('is reconciled with the next sync, which reads what is really there', async () => {
    const service = await startRoute()
    const body = await placed(service)
    await receive(service, body.id, inFull(body))
    service.machine.slotsByMachine[MACHINE] = routeSlots().map((slot) => ({ ...slot, stock: 17 }))
    service.clock.advance(60_000)
    await sync(service)
    expect(await stockOf(service, 'G-1')).toBe(17)
  })

  test('never falls and never rises above a known capacity because of it', async () => {
    const service = await startRoute()
    const body = await placed(service)
    const { db } = service.ctx.store
    const state = fc.record({
      stock: fc.nat({ max: 30 }),
      capacity: fc.option(fc.integer({ min: 1, max: 30 })),
      quantity: fc.nat({ max: 50 }),
    })
    await fc.assert(
      fc.asyncProperty(state, async ({ stock, capacity, quantity }) => {
        const source = capacity === null ? null : 'counted'
        await db
          .updateTable('slot')
          .set({ stock, capacity, capacity_source: source })
          .where('vendor_sku', '=', 'G-1')
          .execute()
        await db.updateTable('replenishment_run').set({ status: 'placed', delivered_at: null }).execute()
        await db.updateTable('run_line').set({ delivered: null, delivered_at: null }).execute()
        service.clock.advance(1000)
        expect((await receive(service, body.id, [{ slot_id: slotOf(COLA), quantity }])).status).toBe(200)
        const after = await stockOf(service, 'G-1')
        expect(after).toBeGreaterThanOrEqual(stock)
        expect(after).toBeLessThanOrEqual(capacity === null ? stock + quantity : Math.max(stock, capacity))
      }),
      { numRuns: propertyRuns(40) },
    )
  })
})

test('of many receipts of one run one is booked', async () => {
  const service = await startRoute()
  const body = await placed(service)
  const answers = await Promise.all(Array.from({ length: 6 }, () => receive(service, body.id, inFull(body))))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409])
  expect(await stockOf(service, 'G-1')).toBe(2 + quantityOf(body, COLA))
})

test('a machine removed meanwhile is received without it', async () => {
  const service = await startRoute()
  const body = await placed(service)
  await service.call('DELETE', `/locations/${MACHINE}`)
  expect((await receive(service, body.id, inFull(body))).body.status).toBe('delivered')
})
