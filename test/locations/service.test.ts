import { describe, expect, test } from 'vitest'
import { MINUTE } from '../../src/kernel/clock.ts'
import { addKey } from '../people/keys.ts'
import type { Answered, Json, Service } from '../support/service.ts'
import {
  codes,
  COLA,
  MACHINE,
  routeSlots,
  setCapacity,
  slotOf,
  startRoute,
  stockOf,
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
    const found = (await service.events('location')).map(({ code }: Json) => code)
    expect(found.slice(0, 4)).toEqual(['slot_counted', 'slot_shrinkage', 'units_damaged', 'units_expired'])
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

test('a driver undoes only what the same driver booked', async () => {
  const service = await startRoute()
  const [wu, he] = [await addKey(service, 'driver', 'Wu'), await addKey(service, 'driver', 'He')]
  const path = `/locations/${MACHINE}/service`
  const counted = { counted: [{ slot_id: slotOf(COLA), stock: 1 }] }
  const { id } = (await service.post(path, counted, { token: wu.key })).body.service
  expect((await service.post(`${path}/${id}/undo`, {}, { token: he.key })).status).toBe(403)
  expect((await service.post(`${path}/${id}/undo`, {}, { token: wu.key })).status).toBe(200)
})
