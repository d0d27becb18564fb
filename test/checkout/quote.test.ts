import { describe, expect, test } from 'vitest'
import type { Namespace } from '../../src/kernel/ids.ts'
import { fen } from '../../src/kernel/fen.ts'
import type { SupplyVendor } from '../../src/vendors/supply-vendor.ts'
import { cachedSupply } from '../../src/vendors/cache/cached-vendors.ts'
import { registerLive, ROLE_CAPABILITIES } from '../../src/vendors/registry.ts'
import { manualClock } from '../../src/kernel/clock.ts'
import { audit } from '../../src/views/audit/index.ts'
import { repair } from '../../src/views/audit/repair.ts'
import { failure, quotingSupply, supplyOrder } from '../support/scripted-vendors.ts'
import type { Charges } from '../support/scripted-vendors.ts'
import { NOW } from '../support/service.ts'
import type { Json, Service, ServiceOptions } from '../support/service.ts'
import {
  checkoutEvents,
  codes,
  complete,
  create,
  get,
  line,
  ready,
  SHIPPING,
  start,
  supplier,
  WATER,
} from './support.ts'

/** Two boxes of water are ¥57.60; with these charges ¥71.10. */
const CHARGES: Charges = { fulfillment: 800, tax: 450, fee: 100, isFinal: true }
const TOTAL = 5760 + 1350

async function startQuoting(charges: Partial<Charges> = {}, options: ServiceOptions = {}) {
  const supply = supplier()
  const quoting = quotingSupply(supply, { ...CHARGES, ...charges })
  const clock = manualClock(NOW)
  const capabilities = [...ROLE_CAPABILITIES.supply, 'quote'] as const
  const vendor: SupplyVendor = cachedSupply(quoting.vendor, clock)
  const entries = [registerLive('acme-supply' as Namespace, vendor, capabilities)]
  const service = await start({ supply, clock, entries, ...options })
  return { service, supply, ...quoting }
}

const totalsOf = (session: Json): Record<string, number> =>
  Object.fromEntries(session.totals.map(({ type, amount }: Json) => [type, amount]))

const LIMIT = (spendingLimitPerRun: number) => ({
  rules: { spendingLimitPerRun, priceCapPerItem: 100, hardNoGos: [], killSwitchEngaged: false },
})

describe('2.6 totals of a supplier that quotes', () => {
  test('delivery, tax and fees are shown, and the price of the selected option', async () => {
    const { service } = await startQuoting()
    const { body } = await create(service)
    expect(totalsOf(body)).toEqual({ subtotal: 5760, fulfillment: 800, tax: 450, fee: 100, total: TOTAL })
    expect(body.fulfillment.methods[0].groups[0].options[0].totals).toEqual([{ type: 'total', amount: 800 }])
    expect([body.status, codes(body)]).toEqual(['ready_for_complete', []])
  })

  test('without a destination the lines are quoted, too', async () => {
    const { service, supply } = await startQuoting()
    const { body } = await create(service, { fulfillment: undefined })
    expect([body.status, totalsOf(body)['total']]).toEqual(['incomplete', TOTAL])
    expect(supply.script.calls.at(-1)?.args[0]).not.toHaveProperty('fulfillment')
    await service.put(`/checkout-sessions/${body.id}`, { fulfillment: SHIPPING })
    expect(supply.script.calls.at(-1)?.args[0]).toMatchObject({
      destination: { street_address: '世纪大道 100 号' },
      fulfillment: { method: 'shipping' },
    })
  })

  test('an estimate and the notices of the supplier are warnings', async () => {
    const warnings = ['The cut-off of Tuesday 12:00 has passed']
    const { service } = await startQuoting({ isFinal: false, warnings })
    const { body } = await create(service)
    expect(body.messages).toMatchObject([
      { type: 'warning', code: 'price_estimated', path: '$.totals' },
      { type: 'warning', code: 'supplier_notice', content: warnings[0] },
    ])
    expect(body.status).toBe('ready_for_complete')
  })

  test('3.1 a quote that fails leaves an estimate, and completing is refused until the supplier quotes', async () => {
    const { service, supply } = await startQuoting()
    supply.script.always('quote', failure('unknown', 'no answer'))
    const { body } = await create(service)
    expect([totalsOf(body)['total'], codes(body)]).toEqual([5760, ['price_estimated']])
    const refused = await complete(service, body.id)
    expect([refused.status, codes(refused)]).toEqual([502, ['upstream_unreachable']])
    expect(supply.script.count('createOrder')).toBe(0)

    supply.script.always('quote', undefined)
    const shown = await complete(service, body.id)
    expect([shown.status, shown.body.status, codes(shown)]).toEqual([200, 'ready_for_complete', ['price_changed']])
    expect([totalsOf(shown.body)['total'], supply.script.count('createOrder')]).toEqual([TOTAL, 0])
    expect((await complete(service, body.id)).body.status).toBe('completed')
  })

  test('a basket that the supplier refuses to quote is incomplete', async () => {
    const { service, supply } = await startQuoting()
    supply.script.next('quote', { instead: failure('rejected', 'no delivery to this address') })
    const { body } = await create(service)
    expect([body.status, codes(body)]).toEqual(['incomplete', ['supplier_rejected']])
    const again = await service.put(`/checkout-sessions/${body.id}`, {})
    expect(again.body.status).toBe('ready_for_complete')
  })

  test('amounts that do not add up are no quote', async () => {
    const { service, supply } = await startQuoting()
    const totals = { subtotal: fen(1), fulfillment: fen(1), tax: fen(1), fee: fen(1), total: fen(3) }
    supply.script.next('quote', { instead: { ok: true, value: { totals, isFinal: true } } as never })
    const { body } = await create(service)
    expect([totalsOf(body)['total'], codes(body)]).toEqual([5760, ['price_estimated']])
  })

  test('a basket with a line that cannot be bought is not quoted', async () => {
    const { service, supply } = await startQuoting()
    const { body } = await create(service, { line_items: [line(WATER, 1_000_000, 'BX')] })
    expect([body.status, codes(body)]).toEqual(['incomplete', ['out_of_stock', 'price_estimated']])
    expect(supply.script.count('quote')).toBe(0)
  })

  test('a basket that is sold out when it is completed has no new price: it was not quoted', async () => {
    const { service, supply } = await startQuoting()
    const id = await ready(service)
    supply.products.splice(0, supply.products.length, ...supply.products.map((each) => ({ ...each, stock: 0 })))
    const answer = await complete(service, id)
    expect([answer.body.status, codes(answer)]).toEqual(['incomplete', ['out_of_stock', 'price_estimated']])
    expect((await service.events('checkout'))[0].reasoning).not.toContain('prices')
  })
})

describe('3.1 the guardrails check the whole total', () => {
  test('lines below the limit with charges above it need approval, and the approval covers exactly that total', async () => {
    const { service, charges } = await startQuoting({}, { rules: LIMIT(6000) })
    const { body } = await create(service)
    expect([body.status, codes(body)]).toEqual(['requires_escalation', ['approval_required']])
    const [approval] = body.actions['com.example.vending.approval']
    await service.post(`/approvals/${approval.id}`, { approved: true })
    charges.fulfillment += 1
    const moved = await complete(service, body.id)
    expect([moved.body.status, codes(moved)]).toEqual(['requires_escalation', ['price_changed', 'approval_required']])
    charges.fulfillment -= 1
    await service.put(`/checkout-sessions/${body.id}`, {})
    // The first approval is gone with the total it was given for.
    expect((await get(service, body.id)).status).toBe('requires_escalation')
  })

  test('a lower total stays within the approval and is bought at once', async () => {
    const { service, charges } = await startQuoting({}, { rules: LIMIT(6000) })
    const { body } = await create(service)
    const [approval] = body.actions['com.example.vending.approval']
    await service.post(`/approvals/${approval.id}`, { approved: true })
    charges.tax -= 10
    const lower = await complete(service, body.id)
    expect([lower.body.status, codes(lower), totalsOf(lower.body)['total']]).toEqual(['completed', [], TOTAL - 10])
  })

  test('a sum that rose is shown instead of being bought; then it is bought at that sum', async () => {
    const { service, supply, sent, charges } = await startQuoting()
    const id = await ready(service)
    charges.fulfillment = 900
    const moved = await complete(service, id)
    expect([moved.status, codes(moved), totalsOf(moved.body)['total']]).toEqual([200, ['price_changed'], TOTAL + 100])
    expect(supply.script.count('createOrder')).toBe(0)
    expect((await complete(service, id)).body.status).toBe('completed')
    expect(sent).toMatchObject([
      {
        ref: id,
        maxTotalFen: TOTAL + 100,
        totals: { subtotal: 5760, fulfillment: 900, tax: 450, fee: 100, total: TOTAL + 100 },
        lines: [{ vendorSku: 'SP1001', title: '农夫山泉 饮用天然水 550ml', unitPriceFen: 2880, contains: 24 }],
      },
    ])
    expect(totalsOf((await service.get(`/orders/${id}`)).body)).toEqual({
      subtotal: 5760,
      fulfillment: 900,
      tax: 450,
      fee: 100,
      total: TOTAL + 100,
    })
  })

  test('4.4 a supplier that asks more in the end is refused; the session can be completed again', async () => {
    const { service, supply, charges } = await startQuoting()
    const id = await ready(service)
    charges.afterQuote = () => void (charges.fee += 1)
    const refused = await complete(service, id)
    delete charges.afterQuote
    expect([refused.status, codes(refused), supply.orders.size]).toEqual([502, ['supplier_rejected'], 0])
    expect((await get(service, id)).status).toBe('ready_for_complete')
    expect(codes(await complete(service, id))).toEqual(['price_changed'])
    expect((await complete(service, id)).body.status).toBe('completed')
    expect(supply.orders.size).toBe(1)
  })
})

test('an order that only the supplier has on record is booked with the quoted totals', async () => {
  const { service, supply } = await startQuoting()
  const id = await ready(service)
  // As after a restore: the order was placed, and our attempt is lost.
  await supply.vendor.createOrder(
    supplyOrder(id, [{ vendorSku: 'SP1001', quantity: 2, unit: 'pack' }], { method: 'pickup', pickupAt: 0 }),
  )
  supply.orders.get(id)!.createdAt = NOW
  expect((await repair(service.ctx, { days: 1, by: 'owner' })).booked).toEqual([{ checkout: id, label: 'AS000001' }])
  expect(totalsOf((await service.get(`/orders/${id}`)).body)).toMatchObject({ tax: 450, total: TOTAL })
  expect((await audit(service.ctx, { askSupplier: true })).problems).toEqual([])
})

describe('what is really charged', () => {
  async function charge(difference: number): Promise<{ service: Service; id: string }> {
    const { service, vendor } = await startQuoting()
    const id = await ready(service)
    const createOrder = vendor.createOrder.bind(vendor)
    // An adapter that does not keep to the agreed total.
    vendor.createOrder = async (order, permit) => {
      const placed = await createOrder(order, permit)
      return placed.ok ? { ok: true, value: { ...placed.value, totalFen: fen(TOTAL + difference) } } : placed
    }
    expect((await complete(service, id)).body.status).toBe('completed')
    return { service, id }
  }

  test('a lower total is booked, with the difference', async () => {
    const { service, id } = await charge(-110)
    const { body } = await service.get(`/orders/${id}`)
    expect(body.totals).toEqual([
      { type: 'subtotal', amount: 5760 },
      { type: 'fulfillment', amount: 800 },
      { type: 'tax', amount: 450 },
      { type: 'fee', amount: 100 },
      { type: 'discount', amount: -110, display_text: 'Difference from the quote' },
      { type: 'total', amount: TOTAL - 110 },
    ])
    expect((await audit(service.ctx, { askSupplier: true })).problems).toEqual([])
  })

  test('a higher total is booked and reported: event, warning and audit', async () => {
    const { service, id } = await charge(90)
    expect((await service.get(`/orders/${id}`)).body.totals.at(-1)).toEqual({ type: 'total', amount: TOTAL + 90 })
    expect(codes(await get(service, id))).toEqual(['above_agreed'])
    expect((await checkoutEvents(service))[0]).toBe(
      `${id} costs more than agreed: order AS000001, ¥72.00 instead of ¥71.10`,
    )
    const { problems } = await audit(service.ctx, { askSupplier: true })
    expect(problems).toEqual([
      { code: 'above_agreed', checkout: id, text: 'The supplier charges ¥72.00, but ¥71.10 was agreed' },
    ])
  })
})
