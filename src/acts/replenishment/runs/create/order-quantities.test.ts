import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fen } from '../../../../kernel/fen.ts'
import type { SkuId } from '../../../../kernel/ids.ts'
import { orderQuantities } from './order-quantities.ts'

const SKU = 'acme-supply:A' as SkuId
const unit = fc.record({
  unit: fc.constantFrom('EA' as const, 'BX' as const),
  contains: fc.integer({ min: 1, max: 48 }),
  priceFen: fc.constant(fen(100)),
  increment: fc.integer({ min: 1, max: 10 }),
  minimum: fc.integer({ min: 1, max: 30 }),
})

test('the smallest quantity that the supplier sells and that covers what is needed', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), unit, (needed, sold) => {
      const [order] = orderQuantities(new Map([[SKU, needed]]), new Map([[SKU, sold]]))
      const { quantity, ordered } = order!
      const isSold = (n: number) => n >= sold.minimum && n % sold.increment === 0
      expect(ordered).toBe(quantity * sold.contains)
      expect(ordered).toBeGreaterThanOrEqual(needed)
      expect(isSold(quantity)).toBe(true)
      for (let less = quantity - 1; less > 0; less--) expect(isSold(less) && less * sold.contains >= needed).toBe(false)
    }),
  )
})

test('a product whose catalog could not be read is ordered in single items', () =>
  expect(orderQuantities(new Map([[SKU, 7]]), new Map())).toEqual([
    { source: SKU, unit: 'EA', quantity: 7, needed: 7, ordered: 7 },
  ]))
