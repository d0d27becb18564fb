import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DEFAULT_PLAN_PARAMS } from '../../../kernel/plan-params.ts'
import { slotInput } from './inputs.test-support.ts'
import { orderQuantity, shelfLimit } from './quantity.ts'
import { propertyRuns } from '../../../../test/support/property-runs.ts'

const expected = (rate: number, shelfDays: number | undefined) => ({
  leadTime: 2 * rate,
  risk: 4 * rate,
  cover: 9 * rate,
  coverAndSafety: 11 * rate,
  shelf: shelfDays === undefined ? undefined : shelfDays * rate,
})

const quantityOf = (stock: number, rate: number, shelfDays: number | undefined, capacity: number | null = 40) =>
  orderQuantity(slotInput('a', { stock, capacity }), 10, rate, DEFAULT_PLAN_PARAMS, expected(rate, shelfDays))

describe('shelf life', () => {
  test('a slow product that keeps for a week is not filled for two', () => {
    expect(quantityOf(0, 0.5, undefined).units).toBeGreaterThan(5)
    expect(quantityOf(0, 0.5, 7).units).toBe(shelfLimit(3.5))
    expect(quantityOf(0, 0.5, 7).units).toBeLessThanOrEqual(3)
  })

  test('stock and order stay within the limit, and an empty slot that sells still gets a unit', () => {
    const state = fc.record({
      stock: fc.nat({ max: 30 }),
      rate: fc.double({ min: 0.01, max: 8, noNaN: true }),
      shelfDays: fc.integer({ min: 1, max: 120 }),
      capacity: fc.option(fc.integer({ min: 1, max: 40 })),
    })
    fc.assert(
      fc.property(state, ({ stock, rate, shelfDays, capacity }) => {
        const without = quantityOf(stock, rate, undefined, capacity)
        const limited = quantityOf(stock, rate, shelfDays, capacity)
        const limit = shelfLimit(shelfDays * rate)
        expect(limited.target).toBeLessThanOrEqual(limit)
        expect(limited.units).toBeLessThanOrEqual(without.units)
        if (limited.units > 0) expect(stock + limited.units).toBeLessThanOrEqual(limit)
        if (stock === 0 && without.units > 0) expect(limited.units).toBeGreaterThan(0)
      }),
      { numRuns: propertyRuns(2000) },
    )
  })

  test('a long shelf life changes nothing', () => {
    expect(quantityOf(2, 1, 400)).toEqual({ ...quantityOf(2, 1, undefined), levelMax: shelfLimit(400) })
  })
})
