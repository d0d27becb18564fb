/** The par level: what an operator wants a slot filled to comes before what its demand needs. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type PlanParams, DEFAULT_PLAN_PARAMS } from '../../../kernel/plan-params.ts'
import { slotInput, WORKED_PARAMS } from './inputs.test-support.ts'
import { type ExpectedDemand, fillableLevel, orderQuantity } from './quantity.ts'

const PARAMS: PlanParams = { ...DEFAULT_PLAN_PARAMS, ...WORKED_PARAMS }
const ONE_A_DAY: ExpectedDemand = { leadTime: 2, risk: 4, cover: 9, coverAndSafety: 11 }
const quantity = (over: Parameters<typeof slotInput>[1], params: Partial<PlanParams> = {}, highest = 8) =>
  orderQuantity(slotInput('a', over), highest, 1, { ...PARAMS, ...params }, ONE_A_DAY)

describe('2.8 a par level', () => {
  test.each([
    ['below what demand needs', { stock: 2, capacity: 20, par: 10 }, 10, 8],
    ['above what demand needs', { stock: 2, capacity: 30, par: 28 }, 28, 26],
    ['above the capacity', { stock: 2, capacity: 12, par: 28 }, 12, 10],
    ['of a slot whose capacity is only guessed', { stock: 2, capacity: null, par: 18 }, 18, 16],
    ['that is reached', { stock: 10, capacity: 20, par: 10 }, 10, 0],
    ['of nothing: the slot sells off', { stock: 0, capacity: 20, par: 0 }, 0, 0],
  ])('%s is the target', (_, slot, target, units) => {
    expect(quantity(slot)).toMatchObject({ target, units })
  })

  test('of a slot without sales is filled all the same', () => {
    const still: ExpectedDemand = { leadTime: 0, risk: 0, cover: 0, coverAndSafety: 0 }
    expect(orderQuantity(slotInput('a', { stock: 1, par: 6 }), 8, 0, PARAMS, still).units).toBe(5)
  })

  test('for any slot: never filled above par or capacity, and never above the largest order', () => {
    const slots = fc.record({
      stock: fc.integer({ min: 0, max: 30 }),
      capacity: fc.constantFrom(null, 6, 12, 40),
      par: fc.integer({ min: 0, max: 40 }),
      topUp: fc.boolean(),
      highest: fc.integer({ min: 0, max: 30 }),
    })
    fc.assert(
      fc.property(slots, ({ stock, capacity, par, topUp, highest }) => {
        const { units, target } = quantity({ stock, capacity, par }, { top_up: topUp }, highest)
        expect(target).toBe(Math.min(par, capacity ?? Infinity))
        if (units > 0) expect(stock + units).toBeLessThanOrEqual(target)
        expect(units).toBeLessThanOrEqual(PARAMS.max_order_qty)
        expect(fillableLevel(slotInput('a', { stock, capacity, par }), highest, PARAMS, 0)).toBeLessThanOrEqual(target)
      }),
    )
  })
})
