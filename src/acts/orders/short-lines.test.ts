import fc from 'fast-check'
import { expect, test } from 'vitest'
import { progressOfLines } from './short-lines.ts'
import type { PurchaseLine } from './purchase-record.ts'

const SKUS = ['A', 'B']
const line = (id: string, sku: string, quantity: number): PurchaseLine => ({
  id,
  quantity,
  item: { id: `acme-supply:${sku}`, title: sku, price: 1 },
})

const lines = fc
  .array(fc.tuple(fc.constantFrom(...SKUS), fc.integer({ min: 1, max: 20 })), { maxLength: 6 })
  .map((all) => all.map(([sku, quantity], index) => line(`li_${index}`, sku, quantity)))
const reports = fc.array(
  fc.record({ vendorSku: fc.constantFrom(...SKUS, 'C'), shipped: fc.integer(), cancelled: fc.integer() }),
  { maxLength: 6 },
)

test('no line ships or loses more than was ordered, whatever is reported', () => {
  fc.assert(
    fc.property(lines, reports, (ordered, reported) => {
      const progress = progressOfLines(ordered, reported)
      for (const { id, quantity } of ordered) {
        const { shipped, cancelled } = progress.get(id) ?? { shipped: 0, cancelled: 0 }
        expect(Math.min(shipped, cancelled)).toBeGreaterThanOrEqual(0)
        expect(shipped + cancelled).toBeLessThanOrEqual(quantity)
      }
    }),
  )
})

test('one report for a product is spread over its lines without loss', () => {
  const quantities = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 2, maxLength: 5 })
  fc.assert(
    fc.property(quantities, fc.nat(), fc.nat(), (ordered, a, b) => {
      const all = ordered.reduce((sum, quantity) => sum + quantity, 0)
      const cancelled = a % (all + 1)
      const shipped = b % (all - cancelled + 1)
      const own = ordered.map((quantity, index) => line(`li_${index}`, 'A', quantity))
      const each = [...progressOfLines(own, [{ vendorSku: 'A', shipped, cancelled }]).values()]
      expect(each.reduce((sum, one) => sum + one.cancelled, 0)).toBe(cancelled)
      expect(each.reduce((sum, one) => sum + one.shipped, 0)).toBe(shipped)
    }),
  )
})
