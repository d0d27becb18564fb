import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { audit } from '../../src/views/audit/audit.ts'
import { failure } from '../support/scripted-vendors.ts'
import type { Service } from '../support/service.ts'
import { complete, create, DEAR, ready, start } from './support.ts'

const problems = async (service: Service, askSupplier = true) =>
  (await audit(service.ctx, { askSupplier })).problems.map(({ code }) => code)

/** One of everything: bought, bought with approval, refused by the supplier, called off, in doubt. */
async function history(service: Service): Promise<{ bought: string; approved: string }> {
  const bought = await ready(service)
  await complete(service, bought)
  const { body } = await create(service, DEAR)
  await service.post(`/approvals/${body.actions['com.example.vending.approval'][0].id}`, { approved: true })
  await complete(service, body.id)
  const refused = await ready(service)
  service.supply.script.next('createOrder', { instead: failure('rejected') })
  await complete(service, refused)
  await service.post(`/checkout-sessions/${await ready(service)}/cancel`)
  const doubtful = await ready(service)
  service.supply.script.next('createOrder', { instead: failure('unknown') })
  await complete(service, doubtful)
  return { bought, approved: body.id }
}

test('what really happened adds up, from the records and at the supplier', async () => {
  const service = await start()
  await history(service)
  expect(await audit(service.ctx, { askSupplier: true })).toEqual({ checked: 5, problems: [] })
})

describe('what does not add up is found', () => {
  test('a completed session without its purchase', async () => {
    const service = await start()
    const { bought } = await history(service)
    await service.ctx.store.db.deleteFrom('purchase_event').where('purchase', '=', bought).execute()
    await service.ctx.store.db.deleteFrom('purchase').where('id', '=', bought).execute()
    expect(await problems(service)).toEqual(['no_purchase'])
  })

  test('a purchase with another total or under another number', async () => {
    const service = await start()
    const { bought } = await history(service)
    const { db } = service.ctx.store
    await db.updateTable('purchase').set({ total_fen: 1 }).where('id', '=', bought).execute()
    expect(await problems(service)).toEqual(['not_what_was_meant'])
    await db.updateTable('purchase').set({ total_fen: 5760, label: 'AS9' }).where('id', '=', bought).execute()
    expect(await problems(service)).toEqual(['not_what_was_meant'])
  })

  test('a session that changed its lines after it was bought', async () => {
    const service = await start()
    const { bought } = await history(service)
    const { db } = service.ctx.store
    const { body } = await db.selectFrom('checkout').select('body').where('id', '=', bought).executeTakeFirstOrThrow()
    await db
      .updateTable('checkout')
      .set({ body: body.replace('"quantity":2', '"quantity":3') })
      .where('id', '=', bought)
      .execute()
    expect(await problems(service)).toEqual(['not_what_was_meant'])
  })

  test('a completed session that no attempt bought, and an attempt without an event', async () => {
    const service = await start()
    const { bought } = await history(service)
    const { db } = service.ctx.store
    await db.updateTable('checkout_attempt').set({ outcome: 'rejected' }).where('checkout', '=', bought).execute()
    expect(await problems(service)).toEqual(['no_accepted_attempt'])
    await db
      .updateTable('checkout_attempt')
      .set({ outcome: 'accepted', event: 999_999 })
      .where('checkout', '=', bought)
      .execute()
    expect(await problems(service)).toEqual(['no_event'])
  })

  test('an attempt that is no longer asked about', async () => {
    const service = await start()
    const { bought } = await history(service)
    await service.ctx.store.db.updateTable('checkout').set({ attempt_no: 2 }).where('id', '=', bought).execute()
    expect(await problems(service)).toEqual(['open_attempt'])
  })

  test('a spend beyond the rules without a decision', async () => {
    const service = await start()
    await history(service)
    await service.ctx.store.db.updateTable('decision').set({ status: 'rejected' }).execute()
    expect(await problems(service)).toEqual(['no_authority'])
  })

  test('a purchase whose session is not completed, or not there', async () => {
    const service = await start()
    const { bought } = await history(service)
    await service.ctx.store.db.updateTable('checkout').set({ status: 'canceled' }).where('id', '=', bought).execute()
    expect(await problems(service)).toEqual(['stray_purchase'])
  })

  test('an order the supplier does not have, or has under another number', async () => {
    const service = await start()
    const { bought, approved } = await history(service)
    service.supply.orders.delete(bought)
    Object.assign(service.supply.orders.get(approved) ?? {}, { externalRef: 'AS9' })
    expect(await problems(service)).toEqual(['supplier_has_no_order', 'another_order'])
    expect(await problems(service, false)).toEqual([])
  })

  test('an order the supplier had before the first attempt is somebody else’s', async () => {
    const service = await start()
    await history(service)
    const { vendor } = service.supply
    const ctx = {
      ...service.ctx,
      vendors: { ...service.ctx.vendors, supply: () => ({ ok: true as const, value: old }) },
    }
    const old = {
      ...vendor,
      async orderStatus(ref: string) {
        const status = await vendor.orderStatus(ref)
        return status.ok ? { ok: true as const, value: { ...status.value, createdAt: 0 } } : status
      },
    }
    const { problems: found } = await audit(ctx, { askSupplier: true })
    expect(found.map(({ code }) => code)).toEqual(['another_order', 'another_order'])
  })

  test('a supplier that cannot be asked is reported', async () => {
    const service = await start()
    await history(service)
    service.supply.script.always('orderStatus', failure('unknown'))
    expect(new Set(await problems(service))).toEqual(new Set(['supplier_not_asked']))
  })

  test('what only the second reading could ask the supplier about is reported, not dropped', async () => {
    const service = await start()
    const { bought } = await history(service)
    service.supply.orders.delete(bought)
    const unanswered = { instead: failure('unknown') }
    service.supply.script.next('orderStatus', unanswered, unanswered, unanswered, unanswered)
    expect(await problems(service)).toEqual(['supplier_has_no_order'])
  })

  test('an attempt whose session and purchase are gone', async () => {
    const service = await start()
    const { bought } = await history(service)
    const { db, kind } = service.ctx.store
    // No program can remove the session of an attempt; a damaged or hand-edited database can lack it.
    await (
      kind === 'sqlite'
        ? sql`pragma foreign_keys = off`
        : sql`alter table checkout_attempt drop constraint checkout_attempt_checkout_fkey`
    ).execute(db)
    await db.deleteFrom('purchase_event').where('purchase', '=', bought).execute()
    await db.deleteFrom('purchase').where('id', '=', bought).execute()
    await db.deleteFrom('checkout').where('id', '=', bought).execute()
    expect(await problems(service)).toEqual(['stray_attempt'])
  })

  test('an attempt whose event is about another checkout, or of another kind', async () => {
    const service = await start()
    const { bought, approved } = await history(service)
    const { db } = service.ctx.store
    const eventOf = async (id: string) =>
      (await db.selectFrom('checkout_attempt').select('event').where('checkout', '=', id).executeTakeFirstOrThrow())
        .event
    const own = await eventOf(bought)
    const setEvent = (event: number | null) =>
      db.updateTable('checkout_attempt').set({ event }).where('checkout', '=', bought).execute()
    await setEvent(await eventOf(approved))
    expect(await problems(service)).toEqual(['another_event'])
    await setEvent(own)
    expect(await problems(service)).toEqual([])
    await db.updateTable('event').set({ kind: 'price' }).where('seq', '=', own).execute()
    expect(await problems(service)).toEqual(['another_event'])
  })
})

test('a session that is bought while the audit reads it is checked as it is afterwards', async () => {
  const service = await start()
  const id = await ready(service)
  service.supply.script.next('createOrder', { instead: failure('rejected', 'no credit', { documented: true }) })
  await complete(service, id)
  const { vendor } = service.supply
  let asked = 0
  const buying = {
    ...vendor,
    async orderStatus(ref: string) {
      if (++asked === 1) expect((await complete(service, id)).body.status).toBe('completed')
      return vendor.orderStatus(ref)
    },
  }
  const vendors = { ...service.ctx.vendors, supply: () => ({ ok: true as const, value: buying }) }
  expect(await audit({ ...service.ctx, vendors }, { askSupplier: true })).toEqual({ checked: 1, problems: [] })
})
