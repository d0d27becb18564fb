import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findStockouts, sortHistory } from '../planner/demand/stockouts.ts'
import { significantReadings } from './stock-levels.ts'
import type { LevelLog } from '../../../route/sales/index.ts'
import type { SlotInput } from '../planner/input.ts'
import { propertyRuns } from '../../../../test/support/property-runs.ts'

const NOW = 1000

const logOf = (
  points: readonly { readonly at: number; readonly stock: number; readonly isReceipt: boolean }[],
): LevelLog => ({
  length: points.length,
  at: points.map(({ at }) => at),
  stock: points.map(({ stock }) => stock),
  isReceipt: points.map(({ isReceipt }) => isReceipt),
})

const history = fc.record({
  sales: fc.array(fc.nat({ max: NOW }), { maxLength: 20 }),
  points: fc.uniqueArray(fc.record({ at: fc.nat({ max: NOW }), stock: fc.nat({ max: 4 }), isReceipt: fc.boolean() }), {
    selector: ({ at }) => at,
    maxLength: 25,
  }),
  stock: fc.nat({ max: 4 }),
})

test('readings that are left out change nothing a plan concludes', () => {
  fc.assert(
    fc.property(history, ({ sales, points, stock }) => {
      const ordered = points.toSorted((a, b) => a.at - b.at)
      const highest = ordered.reduce((most, point) => Math.max(most, point.stock), stock)
      const slot: SlotInput = {
        slotId: 'm-1',
        sku: '1',
        priceFen: 300,
        stock,
        capacity: null,
        locked: false,
        isInTransit: false,
        firstSeenAt: 0,
        sales: { at: Float64Array.from(sales).toSorted() },
        receipts: ordered.filter(({ isReceipt }) => isReceipt).map(({ at }) => ({ at, units: 2 })),
        readings: ordered,
      }
      const of = (state: SlotInput) => findStockouts(state, sortHistory(state, NOW), NOW)
      expect(of({ ...slot, readings: significantReadings(logOf(ordered), 0, highest) })).toEqual(of(slot))
    }),
    { numRuns: propertyRuns(3000) },
  )
})

test('a slot that only sold is reduced to its highest and its last level', () => {
  const points = [9, 8, 7, 6, 5].map((stock, i) => ({ at: i, stock, isReceipt: false }))
  expect(significantReadings(logOf(points), 0, 9).map(({ stock }) => stock)).toEqual([9, 5])
})
