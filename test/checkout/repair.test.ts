import { describe, expect, test } from 'vitest'
import { audit } from '../../src/views/audit/audit.ts'
import { findLostOrders } from '../../src/views/audit/lost-orders.ts'
import { repair } from '../../src/views/audit/repair.ts'
import { MINUTE } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import { failure } from '../support/scripted-vendors.ts'
import type { Json, Service } from '../support/service.ts'
import { checkoutEvents, codes, complete, create, DEAR, get, ready, start } from './support.ts'

const ALL = { days: 2, by: 'owner@host' }

const problems = async (service: Service): Promise<(readonly [string, string])[]> =>
  [
    ...(await audit(service.ctx, { askSupplier: true })).problems,
    ...(await findLostOrders(service.ctx, 2)).problems,
  ].map(({ code, checkout }) => [code, checkout] as const)

/** Bought, with the time at which the supplier says it placed it. */
async function buy(service: Service, id: string): Promise<void> {
  expect((await complete(service, id)).body.status).toBe('completed')
  Object.assign(service.supply.orders.get(id) ?? {}, { createdAt: service.clock.now() })
  service.clock.advance(MINUTE)
}

/** The purchase and what was written with it, gone: a backup taken before the call knows nothing of them. */
async function forgetPurchase(service: Service, id: string, before: 'no session' | 'no attempt' | 'attempt 1 refused') {
  const { db } = service.ctx.store
  await db.deleteFrom('purchase_event').where('purchase', '=', id).execute()
  await db.deleteFrom('purchase').where('id', '=', id).execute()
  const attemptsLeft = before === 'attempt 1 refused' ? 1 : 0
  await db.deleteFrom('checkout_attempt').where('checkout', '=', id).where('attempt_no', '>', attemptsLeft).execute()
  if (before === 'no session') await db.deleteFrom('checkout').where('id', '=', id).execute()
  else
    await db
      .updateTable('checkout')
      .set({ status: 'ready_for_complete', attempt_no: attemptsLeft, supplier_order_no: null, order_may_exist: 0 })
      .where('id', '=', id)
      .execute()
}

const setCounterBack = (service: Service, value: number) =>
  service.ctx.store.db.updateTable('counter').set({ value }).where('name', 'like', 'po:%').execute()

describe('the audit after a restore that lost orders', () => {
  test('a session with an attempt on record: named, booked by a repair, and the audit is clean', async () => {
    const service = await start()
    const id = await ready(service)
    service.supply.script.next('createOrder', { instead: failure('rejected', 'no credit', { documented: true }) })
    await complete(service, id)
    await buy(service, id)
    await forgetPurchase(service, id, 'attempt 1 refused')
    expect(await problems(service)).toEqual([['supplier_has_stray_order', id]])
    expect(await repair(service.ctx, ALL)).toEqual({ booked: [{ checkout: id, label: 'AS000001' }], unbooked: [] })
    const session = await get(service, id)
    expect([session.status, session.order.label]).toEqual(['completed', 'AS000001'])
    expect((await service.get(`/orders/${id}`)).body.totals.at(-1).amount).toBe(5760)
    expect(await problems(service)).toEqual([])
  })

  test('an order at one supplier is not explained by an order of the same number at another one', async () => {
    const service = await start()
    const id = await ready(service)
    await buy(service, id)
    expect(await problems(service)).toEqual([])
    // As after a restore: the number was used again, for another supplier.
    const { db } = service.ctx.store
    await db.updateTable('checkout_attempt').set({ supplier: 'other-supply' }).where('checkout', '=', id).execute()
    await db.updateTable('purchase').set({ vendor: 'other-supply' }).where('id', '=', id).execute()
    const { orders, problems: found } = await findLostOrders(service.ctx, 2)
    expect(found.map(({ code, checkout }) => [code, checkout])).toEqual([['number_used_twice', id]])
    expect(orders).toMatchObject([{ checkout: id, vendor: 'acme-supply', recordedFor: 'other-supply' }])
    expect((await repair(service.ctx, ALL)).booked).toEqual([])
  })

  test('a session without its attempt: booked with its own lines, with a warning and an event that says who did', async () => {
    const service = await start()
    const id = await ready(service)
    service.clock.advance(MINUTE)
    await buy(service, id)
    await forgetPurchase(service, id, 'no attempt')
    expect(await problems(service)).toEqual([['supplier_has_lost_order', id]])
    const refused = await complete(service, id)
    expect([refused.status, refused.body.messages[0].content]).toEqual([502, expect.stringContaining('audit --repair')])
    expect((await repair(service.ctx, ALL)).booked).toEqual([{ checkout: id, label: 'AS000001' }])
    const session = await get(service, id)
    expect([session.status, session.order.label, codes(session)]).toEqual([
      'completed',
      'AS000001',
      expect.arrayContaining(['order_restored']),
    ])
    expect((await service.get(`/orders/${id}`)).body.line_items).toHaveLength(1)
    const [event] = await service.events('checkout')
    expect([event.summary, event.reasoning]).toEqual([
      `${id} booked from the supplier's records: order AS000001`,
      expect.stringContaining('owner@host'),
    ])
    expect(await problems(service)).toEqual([])
    expect(service.supply.script.count('createOrder'), 'a repair sends nothing').toBe(1)
  })

  test('orders whose sessions are gone: found by their numbers, booked without lines, and their numbers are not used again', async () => {
    const service = await start()
    const ids: string[] = []
    for (let n = 0; n < 4; n++) ids.push(await ready(service))
    const bought = [ids[1] ?? '', ids[3] ?? '']
    for (const id of bought) await buy(service, id)
    Object.assign(service.supply.orders.get(bought[0]!) ?? {}, { totalFen: fen(6000) })
    for (const id of ids) await forgetPurchase(service, id, 'no session')
    await setCounterBack(service, 0)
    expect(await problems(service)).toEqual(bought.map((id) => ['supplier_has_lost_order', id]))
    expect((await repair(service.ctx, ALL)).booked.map(({ checkout }) => checkout)).toEqual(bought)
    for (const id of bought) {
      const session = await get(service, id)
      expect([session.status, session.line_items, codes(session)]).toEqual(['completed', [], ['order_restored']])
      const { status, body } = await service.get(`/orders/${id}`)
      expect([status, body.label, body.line_items]).toEqual([200, session.order.label, []])
    }
    const { body: purchases } = await service.get('/orders?kind=purchase')
    const totals = new Map(purchases.orders.map((order: Json) => [order.id, order.totals.at(-1).amount]))
    expect(
      bought.map((id) => totals.get(id)),
      'as the supplier states it',
    ).toEqual([6000, 0])
    const attempts = await service.ctx.store.db
      .selectFrom('checkout_attempt')
      .select('total_fen')
      .orderBy('checkout')
      .execute()
    expect(attempts, 'what counts towards the limits').toEqual([{ total_fen: 6000 }, { total_fen: 0 }])
    expect(await problems(service)).toEqual([])
    expect((await create(service)).body.id).toBe(ids[3]?.replace(/_4$/, '_5'))
    expect(await repair(service.ctx, ALL)).toEqual({ booked: [], unbooked: [] })
  })

  test('a number that a new session has taken is not booked with the new basket, but reported with the reason', async () => {
    const service = await start()
    const id = await ready(service)
    await buy(service, id)
    await forgetPurchase(service, id, 'no session')
    await setCounterBack(service, 0)
    service.clock.advance(MINUTE)
    const { body } = await create(service, DEAR)
    expect(body.id).toBe(id)
    const { booked, unbooked } = await repair(service.ctx, ALL)
    expect([booked, unbooked]).toEqual([
      [],
      [{ checkout: id, text: expect.stringContaining('was created after the order') }],
    ])
    expect(await problems(service)).toEqual([['supplier_has_lost_order', id]])
    expect(await checkoutEvents(service)).toHaveLength(1)
  })

  test('a supplier that cannot be asked is reported', async () => {
    const service = await start()
    service.supply.script.always('orderStatus', failure('unknown'))
    expect(new Set((await problems(service)).map(([code]) => code))).toEqual(new Set(['supplier_not_asked']))
  })

  test('a number that could not be asked about is named, does not end the repair, and is found by the next one', async () => {
    const service = await start()
    const ids: string[] = []
    for (let n = 0; n < 9; n++) ids.push(await ready(service))
    const lost = ids.slice(3)
    for (const id of lost) await buy(service, id)
    for (const id of lost) await forgetPurchase(service, id, 'no session')
    await setCounterBack(service, 3)
    const sixth = ids[5] ?? ''
    service.supply.script.silentAbout = (ref) => ref === sixth
    const { booked, unbooked } = await repair(service.ctx, ALL)
    expect(booked.map(({ checkout }) => checkout)).toEqual(lost.filter((id) => id !== sixth))
    expect(unbooked).toEqual([{ checkout: sixth, text: expect.stringContaining('could not be asked') }])
    expect(await problems(service)).toEqual([['supplier_not_asked', sixth]])
    service.supply.script.silentAbout = undefined
    expect(await problems(service)).toEqual([['supplier_has_lost_order', sixth]])
    expect((await repair(service.ctx, ALL)).booked.map(({ checkout }) => checkout)).toEqual([sixth])
    expect(await problems(service)).toEqual([])
  })

  test('a session whose supplier could not be asked is named by the repair, too', async () => {
    const service = await start()
    const id = await ready(service)
    await buy(service, id)
    service.supply.script.silentAbout = (ref) => ref === id
    const { unbooked } = await repair(service.ctx, ALL)
    expect(unbooked).toEqual([{ checkout: id, text: expect.stringContaining('could not be asked') }])
  })

  test('up to 500 unused numbers in a row do not hide an order', async () => {
    const service = await start()
    const id = await ready(service)
    await buy(service, id)
    await forgetPurchase(service, id, 'no session')
    await setCounterBack(service, 0)
    const order = service.supply.orders.get(id)
    if (!order) throw new Error('nothing was bought')
    const at = (n: number) => id.replace(/_1$/, `_${n}`)
    service.supply.orders.clear()
    service.supply.orders.set(at(500), { ...order, ref: at(500), externalRef: 'AS500' })
    service.supply.orders.set(at(1000), { ...order, ref: at(1000), externalRef: 'AS1000' })
    const found = [at(500), at(1000)]
    expect(await problems(service)).toEqual(found.map((ref) => ['supplier_has_lost_order', ref]))
    expect((await repair(service.ctx, ALL)).booked.map(({ checkout }) => checkout)).toEqual(found)
    expect(await problems(service)).toEqual([])
  })

  test('numbers beyond what one run asks about are named, so the audit is not clean', async () => {
    const service = await start()
    const id = await ready(service)
    await setCounterBack(service, 1_000_000)
    expect(await problems(service)).toEqual([['supplier_not_asked', id.replace(/_1$/, '_10001')]])
  })

  test('a session bought under a number of its caller does not move the numbers handed out', async () => {
    const service = await start()
    const day = (await ready(service)).split('_')[1]
    const { body } = await create(service, { id: `po_${day}_900000000` })
    expect(body.id).toBe(`po_${day}_900000000`)
    service.clock.advance(MINUTE)
    await buy(service, body.id)
    await forgetPurchase(service, body.id, 'no attempt')
    expect((await repair(service.ctx, ALL)).booked).toHaveLength(1)
    expect(await problems(service)).toEqual([])
    expect((await create(service)).body.id).toBe(`po_${day}_2`)
  })

  test('an order that the service places while the audit asks is not a lost one', async () => {
    const service = await start()
    const id = await ready(service)
    const { vendor } = service.supply
    const buying = {
      ...vendor,
      async orderStatus(ref: string) {
        if (ref === id && !service.supply.orders.has(id)) await complete(service, id)
        return vendor.orderStatus(ref)
      },
    }
    const vendors = { ...service.ctx.vendors, supply: () => ({ ok: true as const, value: buying }) }
    expect((await findLostOrders({ ...service.ctx, vendors }, 1)).problems).toEqual([])
  })
})
