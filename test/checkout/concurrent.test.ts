/** Writes to one thing at the same time, on a database as it is deployed: one request succeeds, the others get its result, and none gets 500. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { priceRequest, change, COLA as MACHINE_COLA, line as price, startPricing } from '../pricing/machines.ts'
import { create as createRun, place, startRoute } from '../replenishment/route.ts'
import { deployedStore } from '../support/database.ts'
import type { Answered, Json } from '../support/service.ts'
import { line, SHIPPING, start, TEA, WATER } from './support.ts'

const HOME = { street_address: '仓库路 9', first_name: '仓库', phone_number: '13800000000' }
const times = <T>(n: number, work: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: n }, (_, i) => work(i)))
const statuses = (answers: readonly Answered[]) => answers.map(({ status }) => status)
const same = (n: number, status: number) => Array.from({ length: n }, () => status)

describe('writes to one session at once', () => {
  test('4.4 four callers create one purchase order number with the same body: all get the one session', async () => {
    const service = await start({ store: await deployedStore() })
    for (let round = 0; round < 10; round++) {
      const body = { id: `PO-${round}`, line_items: [line(WATER, 1, 'BX')], fulfillment: SHIPPING }
      const answers = await times(4, () => service.post('/checkout-sessions', body))
      expect(statuses(answers)).toEqual(same(4, 201))
      expect(new Set(answers.map(({ body: session }) => JSON.stringify(session))).size).toBe(1)
    }
  })

  test('4.4 four callers create one purchase order number with different bodies: one wins, three get 409', async () => {
    const service = await start({ store: await deployedStore() })
    for (let round = 0; round < 5; round++) {
      const answers = await times(4, (i) =>
        service.post('/checkout-sessions', {
          id: `PO-${round}`,
          line_items: [line(WATER, i + 1)],
          fulfillment: SHIPPING,
        }),
      )
      expect(statuses(answers).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409])
      for (const { status, body } of answers)
        if (status === 409) expect(body.messages[0].code).toBe('idempotency_mismatch')
    }
  })

  test('4.4 PUT × 12 of one session: every one is carried out, one after the other', async () => {
    const service = await start({ store: await deployedStore() })
    const { body: session } = await service.post('/checkout-sessions', {
      line_items: [line(WATER, 1, 'BX')],
      fulfillment: SHIPPING,
    })
    const answers = await times(12, (i) =>
      service.put(`/checkout-sessions/${session.id}`, { line_items: [line(TEA, i + 1)] }),
    )
    expect(statuses(answers)).toEqual(same(12, 200))
    expect(answers.map(({ body }) => body.line_items[0].quantity)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1))
  })

  test('4.4 PUT and complete at once: one order at most, and it is the basket that was answered', async () => {
    const service = await start({ store: await deployedStore() })
    for (let round = 0; round < 5; round++) {
      const { body: session } = await service.post('/checkout-sessions', {
        line_items: [line(WATER, 1, 'BX')],
        fulfillment: SHIPPING,
      })
      const path = `/checkout-sessions/${session.id}`
      const answers = await times(8, (i) =>
        i % 2 === 0
          ? service.post(`${path}/complete`, { confirm: true })
          : service.put(path, { line_items: [line(TEA, i)] }),
      )
      expect(statuses(answers).filter((status) => status !== 200 && status !== 409)).toEqual([])
      expect((await service.get(path)).body.status).toBe('completed')
    }
    expect(service.supply.orders.size).toBe(5)
  })

  test('3.1 two completes that both read the session before either claims it: one order is sent', async () => {
    const service = await start({ store: await deployedStore() })
    const { body: session } = await service.post('/checkout-sessions', {
      line_items: [line(WATER, 1, 'BX')],
      fulfillment: SHIPPING,
    })
    const { promise, resolve } = Promise.withResolvers<void>()
    const { script } = service.supply
    const before = script.count('catalog')
    script.next('catalog', { wait: promise })
    const completing = times(2, () => service.post(`/checkout-sessions/${session.id}/complete`, { confirm: true }))
    // Both wait for the one reading of the prices; the second joins it a moment after the first asked.
    await expect.poll(() => script.count('catalog')).toBe(before + 1)
    await sleep(500)
    resolve()
    expect(statuses(await completing).filter((status) => status !== 200 && status !== 409)).toEqual([])
    expect([script.count('createOrder'), service.supply.orders.size]).toEqual([1, 1])
  })

  test('3.2 place × 6 of one run: it is placed once, with one session', async () => {
    const config = { env: 'live', simulatedPurchasing: false, defaultDestination: HOME } as const
    const service = await startRoute({ store: await deployedStore(), config })
    const { body: run } = await createRun(service)
    const answers = await times(6, () => place(service, run.id))
    for (const { status, body } of answers)
      if (status !== 200) expect([status, body.messages[0].code]).toEqual([409, 'already_placed'])
    expect(statuses(answers)).toContain(200)
    const sessions: Json[] = (await service.get('/checkout-sessions')).body.checkouts
    expect(sessions.map(({ id }) => id)).toEqual([expect.stringMatching(/^po_\d{8}_1$/)])
  })

  test('2.4 aliases of one SKU confirmed by eight callers at once: all of them are stored', async () => {
    const service = await start({ store: await deployedStore() })
    const answers = await times(8, (i) =>
      service.put(`/skus/${WATER}/aliases`, { aliases: [{ sku_id: `acme-machine:G-${i}` }] }),
    )
    expect(statuses(answers)).toEqual(same(8, 200))
    expect((await service.get(`/skus/${WATER}`)).body.aliases).toHaveLength(8)
  })

  test('4.6 prices of one machine changed by six callers at once: each is answered', async () => {
    const service = await startPricing({ store: await deployedStore() })
    const answers = await times(6, (i) => change(service, priceRequest(price(MACHINE_COLA, 250 + i))))
    expect(statuses(answers)).toEqual(same(6, 200))
  })
})
