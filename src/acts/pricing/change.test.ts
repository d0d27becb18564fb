import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fen } from '../../kernel/fen.ts'
import type { SkuId } from '../../kernel/ids.ts'
import type { MachineSlot } from '../../vendors/machine-vendor.ts'
import { mergeLanes } from '../../vendors/merge-lanes.ts'
import { withCurrentPrices, requestHashOf, isApplied, isNoChange, approvalStillApplies } from './change.ts'
import type { PriceLine } from './price-line.ts'
import { lineVerdict, linesOverRules } from './line-rules.ts'

const sku = fc.integer({ min: 1, max: 99 }).map((n) => `acme-machine:G-${n}` as SkuId)
const price = fc.integer({ min: 1, max: 2000 }).map(fen)
const lines = fc.uniqueArray(fc.record({ skuId: sku, title: fc.string(), previousFen: price, priceFen: price }), {
  selector: ({ skuId }) => skuId,
  minLength: 1,
  maxLength: 12,
})
const cap = fc.integer({ min: 0, max: 500 }).map((n) => ({ priceCapPerItem: fen(n), currency: 'CNY' }))

test('4.6 the order of the lines does not matter, everything else does', () => {
  fc.assert(
    fc.property(lines, fc.nat(), (change, pick) => {
      const print = requestHashOf('M1', change)
      expect(requestHashOf('M1', change.toReversed())).toBe(print)
      expect(requestHashOf('M2', change)).not.toBe(print)
      const index = pick % change.length
      const dearer = change.map((line, n) => (n === index ? { ...line, priceFen: fen(line.priceFen + 1) } : line))
      expect(requestHashOf('M1', dearer)).not.toBe(print)
      if (change.length > 1) expect(requestHashOf('M1', change.slice(1))).not.toBe(print)
    }),
  )
})

test('4.6 a line is over the cap exactly when it moves by more', () => {
  fc.assert(
    fc.property(lines, cap, (change, rules) => {
      const over = new Set<PriceLine>(linesOverRules(rules, change))
      for (const line of change)
        expect(over.has(line)).toBe(Math.abs(line.priceFen - line.previousFen) > rules.priceCapPerItem)
    }),
  )
})

test('an approval applies while no price moved by more than the cap since the owner saw it, unless it is set already', () => {
  fc.assert(
    fc.property(lines, cap, fc.array(price, { minLength: 12, maxLength: 12 }), (seen, rules, live) => {
      const now = seen.map((line, n) => ({ ...line, previousFen: live[n] ?? line.previousFen }))
      const expected = seen.every((line, n) => {
        const inEffect = now[n]?.previousFen ?? line.previousFen
        return inEffect === line.priceFen || Math.abs(inEffect - line.previousFen) <= rules.priceCapPerItem
      })
      expect(approvalStillApplies(rules, seen, now)).toBe(expected)
      expect(
        approvalStillApplies(rules, seen.slice(1), now),
        'and it does not cover a line that the owner did not see',
      ).toBe(false)
    }),
  )
})

test('4.6 a product in several slots changes as much as the slot that changes most, and is applied when it is in all', () => {
  const skuId = 'acme-machine:G-1' as SkuId
  fc.assert(
    fc.property(fc.array(price, { minLength: 1, maxLength: 5 }), price, cap, (inEffect, priceFen, rules) => {
      const slots = inEffect.map((at) => ({ vendorSku: 'G-1', title: 'water', priceFen: at }) as MachineSlot)
      const held = withCurrentPrices([{ skuId, priceFen }], slots)
      if (!held.ok) throw new Error('the product is in the machine')
      const allowed = inEffect.every((at) => Math.abs(at - priceFen) <= rules.priceCapPerItem)
      expect(linesOverRules(rules, held.value).length === 0).toBe(allowed)
      expect(isApplied({ skuId, priceFen }, slots)).toBe(inEffect.every((at) => at === priceFen))
    }),
  )
})

test('4.6 the verdict does not depend on the order in which a platform lists the lanes', () => {
  const row = (priceFen: number): MachineSlot => ({
    vendorSku: 'G-1',
    title: 'water',
    priceFen: fen(priceFen),
    stock: 1,
  })
  const skuId = 'acme-machine:G-1' as SkuId
  const assess = (
    prices: readonly number[],
    priceFen: PriceLine['priceFen'],
    rules: Parameters<typeof lineVerdict>[0],
  ) => {
    const slots = mergeLanes(prices.map(row))
    const held = withCurrentPrices([{ skuId, priceFen }], slots)
    if (!held.ok) throw new Error('the product is in the machine')
    const [line] = held.value as [PriceLine]
    return { line, verdict: lineVerdict(rules, line), isApplied: isApplied(line, slots), isNoChange: isNoChange(line) }
  }
  const shuffled = fc
    .array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 })
    .chain((prices) => fc.tuple(fc.constant(prices), fc.shuffledSubarray(prices, { minLength: prices.length })))
  fc.assert(
    fc.property(shuffled, fc.integer({ min: 1, max: 20 }).map(fen), fc.nat(10), ([prices, other], priceFen, n) => {
      const rules = { priceCapPerItem: fen(n), currency: 'CNY' as const }
      const found = assess(prices, priceFen, rules)
      expect(assess(other, priceFen, rules)).toEqual(found)
      expect(found.verdict.allowed).toBe(prices.every((price) => Math.abs(price - priceFen) <= n))
      expect(found.isApplied).toBe(prices.every((price) => price === priceFen))
      expect(found.isNoChange).toBe(found.isApplied)
    }),
  )
})
