import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fen } from '../../../kernel/fen.ts'
import type { Namespace, SkuId } from '../../../kernel/ids.ts'
import { approvalHash, orderHashOf, requestHashOf, isApproved, orderContents } from './basket.ts'
import type { Line, Method } from '../session.ts'
import { isTotalExact, linesTotal } from './totals.ts'

const line: Line = {
  id: 'li_1',
  skuId: 'acme-supply:SP1001' as SkuId,
  title: 'Water',
  unit: 'BX',
  contains: 24,
  quantity: 2,
  priceFen: fen(2880),
  priceDerived: false,
}
const shipping: Method = {
  id: 'method_1',
  type: 'shipping',
  lineItemIds: 'all',
  destinations: [
    {
      id: 'dest_1',
      type: 'shipping_address',
      address: {
        street_address: ' 世纪大道 100 号 ',
        address_locality: '上海市',
        first_name: '伟',
        last_name: '王',
        phone_number: '138',
      },
    },
  ],
  selectedDestinationId: 'dest_1',
  groupId: 'group_1',
  selectedOptionId: 'standard',
}
const basket = { vendor: 'acme-supply' as Namespace, lines: [line], methods: [shipping] }

describe('4.4 rule 7: the session in the terms of the supplier', () => {
  test('BX is pack, EA is each; the address is one text', () => {
    expect(orderContents({ lines: [line, { ...line, unit: 'EA' }], methods: [shipping] })).toEqual({
      lines: [
        { vendorSku: 'SP1001', quantity: 2, unit: 'pack' },
        { vendorSku: 'SP1001', quantity: 2, unit: 'each' },
      ],
      fulfillment: { method: 'shipping', contactName: '伟 王', contactPhone: '138', address: '上海市 世纪大道 100 号' },
    })
  })

  test('pickup hands over the site and the instant', () => {
    const pickup: Method = {
      ...shipping,
      type: 'pickup',
      destinations: [{ id: 'site:S01', type: 'business_location', name: 'Depot', address: {} }],
      selectedDestinationId: 'site:S01',
      selectedOptionId: 'slot_20260910_1300',
      pickupAt: 7,
    }
    expect(orderContents({ lines: [line], methods: [pickup] })?.fulfillment).toEqual({
      method: 'pickup',
      pickupAt: 7,
      siteId: 'S01',
    })
  })

  test('nothing can be ordered while something is to be chosen', () => {
    expect(orderContents({ lines: [line], methods: [] })).toBeUndefined()
    expect(orderContents({ lines: [line], methods: [{ ...shipping, selectedDestinationId: null }] })).toBeUndefined()
    expect(orderContents({ lines: [line], methods: [{ ...shipping, selectedOptionId: null }] })).toBeUndefined()
  })
})

describe('a decision covers one basket', () => {
  const changed: readonly (readonly [string, object])[] = [
    ['quantity', { lines: [{ ...line, quantity: 3 }] }],
    ['price', { lines: [{ ...line, priceFen: fen(2881) }] }],
    ['unit', { lines: [{ ...line, unit: 'EA' }] }],
    ['products', { lines: [{ ...line, skuId: 'acme-supply:SP2' }] }],
    ['another line', { lines: [line, line] }],
    ['number of items in a box', { lines: [{ ...line, contains: 36 }] }],
    ['fulfillment', { methods: [] }],
  ]
  test.each(changed)('another %s is another basket', (_, change) =>
    expect(orderHashOf({ ...basket, ...change })).not.toBe(orderHashOf(basket)),
  )

  test('ids and titles do not make it another one', () => {
    const renamed = { ...basket, lines: [{ ...line, id: 'x', title: 'Other words' }] }
    expect(orderHashOf(renamed)).toBe(orderHashOf(basket))
  })
})

describe('an approval covers the same order up to the approved total', () => {
  const withTotal = <B extends typeof basket>(priced: B) => ({ ...priced, totalFen: linesTotal(priced.lines) })
  const approval = { approvedOrderHash: approvalHash(basket), approvedTotalFen: linesTotal(basket.lines) }

  test('whatever the price, exactly while the total is not above the approved one', () => {
    fc.assert(
      fc.property(fc.nat(6000), (priceFen) => {
        const repriced = { ...basket, lines: [{ ...line, priceFen: fen(priceFen) }] }
        expect(isApproved(approval, withTotal(repriced))).toBe(priceFen <= line.priceFen)
      }),
    )
  })

  const changed: readonly (readonly [string, object])[] = [
    ['quantity', { lines: [{ ...line, quantity: 1 }] }],
    ['unit', { lines: [{ ...line, unit: 'EA' }] }],
    ['SKU', { lines: [{ ...line, skuId: 'acme-supply:SP2' }] }],
    ['number of items in a box', { lines: [{ ...line, contains: 36 }] }],
    ['supplier', { vendor: 'other-supply' }],
    ['line, free of charge', { lines: [line, { ...line, priceFen: fen(0) }] }],
    ['address', { methods: [{ ...shipping, destinations: [{ ...shipping.destinations[0], address: {} }] }] }],
    ['destination, none', { methods: [] }],
  ]
  test.each(changed)('another %s is not covered', (_, change) =>
    expect(isApproved(approval, withTotal({ ...basket, ...change }))).toBe(false),
  )

  test('nothing is approved without an approval', () => expect(isApproved({}, withTotal(basket))).toBe(false))

  test('delivery, tax and fees count towards the total', () =>
    expect(isApproved(approval, { ...basket, totalFen: fen(linesTotal(basket.lines) + 1) })).toBe(false))
})

test('the same body with its members in another order is the same body', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (body) => {
      const turned = Object.fromEntries(Object.entries(body).toReversed())
      expect(requestHashOf(turned)).toBe(requestHashOf(body))
    }),
  )
  expect(requestHashOf({ a: 1 })).not.toBe(requestHashOf({ a: '1' }))
  expect(requestHashOf({ a: { b: 1 } })).not.toBe(requestHashOf({ a: [['b', 1]] }))
})

test('2.1 totals are exact, or refused', () => {
  const priced = fc.record({
    priceFen: fc.nat(1_000_000_000).map(fen),
    quantity: fc.integer({ min: 1, max: 1_000_000 }),
  })
  fc.assert(
    fc.property(fc.array(priced, { maxLength: 20 }), (lines) => {
      const exact = lines.reduce((sum, { priceFen, quantity }) => sum + BigInt(priceFen) * BigInt(quantity), 0n)
      expect(isTotalExact(lines)).toBe(exact <= BigInt(Number.MAX_SAFE_INTEGER))
      if (isTotalExact(lines)) expect(BigInt(linesTotal(lines))).toBe(exact)
    }),
  )
})
