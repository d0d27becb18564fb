/** More was counted than the slot can hold: the entry shows it, and the plan does not rely on it. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY, HOUR } from '../../../kernel/clock.ts'
import { DEFAULT_PLAN_PARAMS } from '../../../kernel/plan-params.ts'
import { explain } from './explain.ts'
import { type SlotInput, stockToCountOn } from './input.ts'
import { machineInput, slotInput } from './inputs.test-support.ts'
import { planRoute } from './plan.ts'

const NOW = Date.UTC(2026, 8, 10, 4)
/** Two a day for three weeks. */
const SOLD = Float64Array.from({ length: 42 }, (_, i) => NOW - (21 - Math.floor(i / 2)) * DAY + (i % 2) * HOUR)

const planOf = (over: Partial<SlotInput> & { readonly stock: number }) =>
  planRoute({
    now: NOW,
    params: DEFAULT_PLAN_PARAMS,
    leadTime: { days: 2, source: 'stated', samples: 0 },
    reviewDays: 1,
    machines: [machineInput([slotInput('a', { sales: { at: SOLD }, ...over })])],
  }).plans[0]!

describe('2.8 a count above what a slot can hold', () => {
  test.each([
    [999, { capacity: 20 }, 20],
    [99, { capacity: 5 }, 5],
    [99, { capacity: null, plausibleMax: 15 }, 15],
    // Who states the capacity has answered the doubt.
    [30, { capacity: 40, plausibleMax: 15 }, 30],
    [12, { capacity: 0 }, 12],
    [12, { capacity: null }, 12],
  ])('of %d in %o: the plan counts on %d', (stock, limits, expected) => {
    expect(stockToCountOn(stock, limits)).toBe(expected)
    const entry = planOf({ ...limits, stock })
    expect(entry.stock).toBe(stock)
    expect(entry.daysOfCover).toBe(planOf({ ...limits, stock: expected }).daysOfCover)
    expect(entry.stockoutAt).toBeGreaterThan(NOW)
    expect(entry.stockoutAt).toBeLessThan(NOW + 25 * DAY)
  })

  test('is named in the sentence, in both languages', () => {
    const entry = planOf({ capacity: 5, stock: 99 })
    expect(explain(entry, 'en', 'CNY')).toMatch(/99 in stock \(counting on 5, the most it can hold\) will last about/)
    expect(explain(entry, 'zh', 'CNY')).toContain('库存 99 件（按货道最多可放的 5 件计算）')
    expect(explain(planOf({ capacity: 5, stock: 5 }), 'en', 'CNY')).not.toContain('counting on')
  })

  test('changes nothing but the stock shown, whatever was counted', () => {
    const limits = fc.oneof(
      fc.record({ capacity: fc.integer({ min: 1, max: 40 }) }),
      fc.record({ capacity: fc.constant(null), plausibleMax: fc.integer({ min: 3, max: 60 }) }),
    )
    fc.assert(
      fc.property(limits, fc.integer({ min: 1, max: 2000 }), (limit, above) => {
        const holds = stockToCountOn(Infinity, limit)
        const readings = (stock: number) => [
          { at: NOW - 10 * DAY, stock: 3 },
          { at: NOW - HOUR, stock },
        ]
        const full = planOf({ ...limit, stock: holds, readings: readings(holds) })
        const over = planOf({ ...limit, stock: holds + above, readings: readings(holds + above) })
        expect(over.stockoutAt).not.toBeNull()
        expect(over).toEqual({ ...full, stock: holds + above, basis: { ...full.basis, countedOn: holds } })
      }),
    )
  })
})
