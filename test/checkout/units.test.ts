import { describe, expect, test } from 'vitest'
import { fen } from '../../src/kernel/fen.ts'
import { supplyProduct } from '../support/scripted-vendors.ts'
import { codes, complete, create, get, line, start, supplier } from './support.ts'
import type { Json } from '../support/service.ts'

/** Sold in boxes of 12 at ¥36; the price of one is only for comparison. */
const CASES = 'acme-supply:CASES'
/** Sold singly, although the box is known. */
const SINGLES = 'acme-supply:SINGLES'
/** Sold from 10 on, in steps of 5. */
const STEPS = 'acme-supply:STEPS'
/** A price list without stock. */
const LISTED = 'acme-supply:LISTED'

const pack = { packSize: 12, packPriceFen: fen(3600), eachPriceFen: fen(300) }
const products = () => [
  supplyProduct('CASES', { ...pack, units: 'pack' }),
  supplyProduct('SINGLES', { ...pack, units: 'each', eachPriceDerived: false }),
  supplyProduct('STEPS', { ...pack, minOrder: 10, increment: 5, eachPriceDerived: false }),
  supplyProduct('LISTED', { ...pack, stock: null, eachPriceDerived: false }),
]

async function startShop() {
  const supply = supplier()
  supply.products.push(...products())
  return start({ supply })
}

const unitsOf = ({ sale_units }: Json) => sale_units.map(({ unit }: Json) => unit)

describe('2.4 sale units', () => {
  test('the catalog shows only units that can be ordered, with step and smallest quantity', async () => {
    const service = await startShop()
    const { body } = await service.post('/catalog/lookup', { ids: [CASES, SINGLES, STEPS] })
    const [cases, singles, steps] = body.products.map(({ variants }: Json) => variants[0])
    expect([unitsOf(cases), unitsOf(singles), unitsOf(steps)]).toEqual([['BX'], ['EA'], ['EA', 'BX']])
    expect(cases.price).toEqual({ amount: 300, currency: 'CNY' })
    expect(steps.sale_units[0]).toMatchObject({ increment: 5, minimum: 10 })
    expect(cases.sale_units[0]).not.toHaveProperty('minimum')
  })

  test.each([
    ['a single of what is sold in boxes', line(CASES, 12), '$.line_items[0].quantity_unit'],
    ['a box of what is sold singly', line(SINGLES, 1, 'BX'), '$.line_items[0].quantity_unit'],
    ['less than the smallest quantity', line(STEPS, 5), '$.line_items[0].quantity'],
    ['a quantity between two steps', line(STEPS, 12), '$.line_items[0].quantity'],
  ])('4.4 %s is refused', async (_, item, path) => {
    const service = await startShop()
    const { status, body } = await create(service, { line_items: [item] })
    expect([status, body.messages[0]]).toMatchObject([400, { code: 'invalid', path }])
  })

  test('4.4 what is sold can be bought', async () => {
    const service = await startShop()
    const { body } = await create(service, { line_items: [line(CASES, 2, 'BX'), line(SINGLES, 3), line(STEPS, 15)] })
    expect([body.status, codes(body)]).toEqual(['ready_for_complete', []])
    expect(body.line_items[2].quantity_unit).toMatchObject({ unit: 'EA', increment: 5, minimum: 10 })
    expect((await complete(service, body.id)).body.status).toBe('completed')
  })

  test('3.1 a step that the supplier introduced since leaves the session incomplete', async () => {
    const service = await startShop()
    const { body } = await create(service, { line_items: [line(CASES, 3, 'BX')] })
    service.supply.products.push(supplyProduct('CASES', { ...pack, units: 'pack', increment: 2 }))
    const shown = await complete(service, body.id)
    expect([shown.body.status, shown.body.messages[0]]).toMatchObject([
      'incomplete',
      { code: 'invalid', path: '$.line_items[0].quantity', content: 'good CASES is sold in multiples of 2' },
    ])
    expect(service.supply.orders.size).toBe(0)
  })
})

describe('stock that the supplier does not state', () => {
  test('2.4 counts as in stock, and no number is shown', async () => {
    const service = await startShop()
    const { body } = await service.post('/catalog/product', { id: LISTED })
    const [variant] = body.product.variants
    expect(variant.availability).toEqual({ available: true, status: 'in_stock' })
    expect(variant.metadata).not.toHaveProperty('supplier_stock')
  })

  test('3.1 never keeps a session from being completed, and is a warning', async () => {
    const service = await startShop()
    const { body } = await create(service, { line_items: [line(LISTED, 100_000)] })
    expect(body.messages.map(({ type, code, path }: Json) => [type, code, path])).toContainEqual([
      'warning',
      'stock_unknown',
      '$.line_items[0].quantity',
    ])
    const { body: small } = await create(service, { line_items: [line(LISTED, 10)] })
    expect(small.status).toBe('ready_for_complete')
    expect((await complete(service, small.id)).body.status).toBe('completed')
    expect(codes(await get(service, small.id))).toEqual(['stock_unknown'])
  })

  test('of many products it is one message, after the error that matters', async () => {
    const unstated = Array.from({ length: 30 }, (_, i) =>
      supplyProduct(`U${i}`, { title: `Product ${i}`, stock: null }),
    )
    const supply = supplier()
    supply.products.push(...unstated)
    const service = await start({ supply })
    const line_items = unstated.map(({ vendorSku }) => line(`acme-supply:${vendorSku}`, 1))
    const { body } = await service.post('/checkout-sessions', { line_items })
    expect(body.messages[0].type).toBe('error')
    const unknown = body.messages.filter(({ code }: Json) => code === 'stock_unknown')
    expect(unknown).toHaveLength(1)
    expect(unknown[0].params).toEqual({ count: 30, products: 'Product 0, Product 1, Product 2', more: 27 })
  })
})
