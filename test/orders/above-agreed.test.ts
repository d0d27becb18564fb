/** A supplier that confirms another total than was agreed, after the order was placed. */
import { expect, test } from 'vitest'
import { audit } from '../../src/views/audit/index.ts'
import { fen } from '../../src/kernel/fen.ts'
import { MINUTE } from '../../src/kernel/clock.ts'
import { complete, create, line, ready, start, WATER } from '../checkout/support.ts'
import { RULES } from '../support/service.ts'
import type { Json, Service } from '../support/service.ts'

const BOX = 2880
const ONE = { line_items: [line(WATER, 1, 'BX')] }

async function bought(service: Service): Promise<string> {
  const id = await ready(service, ONE)
  await complete(service, id)
  return id
}

/** The order after the supplier stated this total. */
async function state(service: Service, id: string, totalFen: number): Promise<Json> {
  service.supply.orders.get(id)!.totalFen = fen(totalFen)
  service.clock.advance(MINUTE)
  return (await service.get(`/orders/${id}`)).body
}

const rises = async (service: Service) =>
  (await service.events('checkout')).filter(({ code }) => code === 'purchase_above_agreed')

test('2.7 a higher total is the total of the order, with a warning, one event and a finding of the audit', async () => {
  const service = await start()
  const id = await bought(service)
  const order = await state(service, id, BOX + 120)
  expect(order.totals).toEqual([
    { type: 'subtotal', amount: BOX },
    { type: 'fulfillment', amount: 0 },
    { type: 'fee', amount: 120, display_text: 'Difference from the quote' },
    { type: 'total', amount: BOX + 120 },
  ])
  expect(order.messages).toMatchObject([
    { type: 'warning', code: 'above_agreed', content: expect.stringContaining('¥30.00') },
  ])
  await state(service, id, BOX + 120)
  expect(await rises(service)).toMatchObject([
    {
      summary: `${id} costs more than agreed: order AS000001, ¥30.00 instead of ¥28.80`,
      params: { checkout: id, charged: { amount: BOX + 120 }, agreed: { amount: BOX } },
    },
  ])
  expect((await audit(service.ctx, { askSupplier: true })).problems).toMatchObject([{ code: 'above_agreed' }])
  expect((await service.get('/orders?kind=purchase')).body.orders[0].totals.at(-1).amount).toBe(BOX + 120)
})

test('a further rise is a further event; a correction takes the order back to what was agreed, and not below', async () => {
  const service = await start()
  const id = await bought(service)
  await state(service, id, BOX + 120)
  await state(service, id, BOX + 240)
  expect(await rises(service)).toHaveLength(2)
  const corrected = await state(service, id, BOX - 500)
  expect(corrected.totals.at(-1)).toEqual({ type: 'total', amount: BOX })
  expect(corrected.messages).toBeUndefined()
  expect((await audit(service.ctx, { askSupplier: true })).problems).toEqual([])
})

test('a lower total changes nothing: it is mostly that of what will come', async () => {
  const service = await start()
  const id = await bought(service)
  const order = await state(service, id, BOX - 500)
  expect(order.totals.at(-1)).toEqual({ type: 'total', amount: BOX })
  expect(await rises(service)).toEqual([])
})

test('3.1 what is asked beyond the agreed total counts towards the limits of a day', async () => {
  const rules = { ...RULES, rules: { ...RULES.rules, spendingLimitPerDay: 2 * BOX } }
  const service = await start({ rules })
  const id = await bought(service)
  expect((await create(service, ONE)).body.status).toBe('ready_for_complete')
  await state(service, id, BOX + 1)
  expect((await create(service, ONE)).body.status).toBe('requires_escalation')
  const { limits } = (await service.get('/guardrails')).body
  expect(limits.find(({ rule }: Json) => rule === 'spendingLimitPerDay')).toMatchObject({ used: BOX + 1 })
})
