import { describe, expect, test } from 'vitest'
import { addKey } from '../people/keys.ts'
import type { Json, Service } from '../support/service.ts'
import { codes, COLA, inFull, MACHINE, placed, slotOf, startRoute } from '../replenishment/route.ts'

const SERVICE = `/locations/${MACHINE}/service`

const serve = (service: Service, body: object, options?: object) => service.post(SERVICE, body, options)

describe('cash collected in a visit', () => {
  test('is booked alone, with an event that names no amount, and undo takes it back', async () => {
    const service = await startRoute()
    const answer = await serve(service, { cash: { amount: 12_050, bag: '17' } })
    expect([answer.status, answer.body.service.cash]).toEqual([200, { amount: 12_050, bag: '17' }])
    const [event] = await service.events('location')
    expect(event).toMatchObject({ code: 'cash_collected', location: MACHINE, params: { bag: '17' } })
    expect(JSON.stringify(event)).not.toMatch(/120|12.?050/)
    const undone = await service.post(`${SERVICE}/${answer.body.service.id}/undo`)
    expect(undone.body.service).toMatchObject({ undone_at: expect.any(String), cash: { amount: 12_050 } })
  })

  test('is booked beside what was counted, and with the stop of a run', async () => {
    const service = await startRoute()
    const counted = await serve(service, { counted: [{ slot_id: slotOf(COLA), stock: 2 }], cash: { amount: 0 } })
    expect(counted.body.service).toMatchObject({ counted: [{ stock: 2 }], cash: { amount: 0 } })
    const run = await placed(service)
    const stop = await service.post(`/replenishment/runs/${run.id}/visits/${MACHINE}/receive`, {
      delivered: inFull(run),
      cash: { amount: 700 },
    })
    expect(stop.status).toBe(200)
    const { body } = await service.get(`/locations/${MACHINE}/history`)
    expect(body.services.map(({ run: id, cash }: Json) => [id, cash])).toEqual([
      [run.id, { amount: 700 }],
      [undefined, { amount: 0 }],
    ])
  })

  test('what is no amount or no bag is refused and books nothing', async () => {
    const service = await startRoute()
    const cases = [
      [{ amount: 1.5 }, 'invalid', '$.cash.amount'],
      [{ amount: -1 }, 'invalid', '$.cash.amount'],
      [{ amount: '12' }, 'invalid', '$.cash.amount'],
      [{ bag: '17' }, 'missing', '$.cash.amount'],
      [{ amount: 1, bag: '' }, 'invalid', '$.cash.bag'],
      [{ amount: 1, bag: 'x'.repeat(200) }, 'invalid', '$.cash.bag'],
    ] as const
    for (const [cash, code, path] of cases) {
      const { status, body } = await serve(service, { cash })
      expect([status, codes(body), body.messages[0].path], JSON.stringify(cash)).toEqual([400, [code], path])
    }
    expect((await service.get(`/locations/${MACHINE}/history`)).body.services).toEqual([])
  })

  test('sent again with its Idempotency-Key it is booked once', async () => {
    const service = await startRoute()
    const send = () => serve(service, { cash: { amount: 500 } }, { headers: { 'idempotency-key': 'visit-1' } })
    const [first, second] = [await send(), await send()]
    expect(second.body.service).toEqual(first.body.service)
    expect((await service.get(`/locations/${MACHINE}/history`)).body.services).toHaveLength(1)
  })

  test('a driver reports it and gets no amount back; nor does a viewer read one', async () => {
    const service = await startRoute()
    const driver = await addKey(service, 'driver')
    const viewer = await addKey(service, 'viewer')
    const answer = await serve(service, { cash: { amount: 500, bag: 'B1' } }, { token: driver.key })
    expect([answer.status, answer.body.service.cash]).toEqual([200, { bag: 'B1' }])
    const seen = async (token?: string) =>
      (await service.get(`/locations/${MACHINE}/history`, token === undefined ? {} : { token })).body.services[0].cash
    expect([await seen(viewer.key), await seen()]).toEqual([{ bag: 'B1' }, { amount: 500, bag: 'B1' }])
  })
})
