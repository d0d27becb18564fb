import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fen } from '../../kernel/fen.ts'
import type { SkuId } from '../../kernel/ids.ts'
import { fingerprintOf, overCap, stillFits } from './change.ts'
import type { PriceLine } from './change.ts'

const sku = fc.integer({ min: 1, max: 99 }).map((n) => `acme-machine:G-${n}` as SkuId)
const price = fc.integer({ min: 1, max: 2000 }).map(fen)
const lines = fc.uniqueArray(fc.record({ skuId: sku, title: fc.string(), previousFen: price, priceFen: price }), {
  selector: ({ skuId }) => skuId,
  minLength: 1,
  maxLength: 12,
})
const cap = fc.integer({ min: 0, max: 500 }).map((n) => ({ priceCapPerItem: fen(n) }))

test('4.6 the order of the lines does not matter, everything else does', () => {
  fc.assert(
    fc.property(lines, fc.nat(), (change, pick) => {
      const print = fingerprintOf('M1', change)
      expect(fingerprintOf('M1', change.toReversed())).toBe(print)
      expect(fingerprintOf('M2', change)).not.toBe(print)
      const index = pick % change.length
      const dearer = change.map((line, n) => (n === index ? { ...line, priceFen: fen(line.priceFen + 1) } : line))
      expect(fingerprintOf('M1', dearer)).not.toBe(print)
      if (change.length > 1) expect(fingerprintOf('M1', change.slice(1))).not.toBe(print)
    }),
  )
})

test('4.6 a line is over the cap exactly when it moves by more', () => {
  fc.assert(
    fc.property(lines, cap, (change, rules) => {
      const over = new Set<PriceLine>(overCap(rules, change))
      for (const line of change)
        expect(over.has(line)).toBe(Math.abs(line.priceFen - line.previousFen) > rules.priceCapPerItem)
    }),
  )
})

test('an approval fits while no price strayed beyond the cap from what the owner saw, unless it already arrived', () => {
  fc.assert(
    fc.property(lines, cap, fc.array(price, { minLength: 12, maxLength: 12 }), (seen, rules, live) => {
      const now = seen.map((line, n) => ({ ...line, previousFen: live[n] ?? line.previousFen }))
      const expected = seen.every((line, n) => {
        const standing = now[n]?.previousFen ?? line.previousFen
        return standing === line.priceFen || Math.abs(standing - line.previousFen) <= rules.priceCapPerItem
      })
      expect(stillFits(rules, seen, now)).toBe(expected)
      expect(stillFits(rules, seen.slice(1), now), 'nor does it cover a line the owner never saw').toBe(false)
    }),
  )
})
