import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findStockouts, overlap, sortHistory } from './stockouts.ts'
import type { SlotInput } from '../input.ts'
import { propertyRuns } from '../../../../../test/support/property-runs.ts'

const NOW = 20
const instant = fc.integer({ min: 0, max: NOW })
const some = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 5 })

const slots: fc.Arbitrary<SlotInput> = fc
  .record({
    stock: fc.integer({ min: 0, max: 2 }),
    capacity: fc.constantFrom(null, 5, 10),
    firstSeenAt: fc.constantFrom(null, 0, 5),
    sales: some(instant),
    receipts: some(fc.record({ at: instant, units: fc.integer({ min: 0, max: 3 }) })),
    removals: some(fc.record({ at: instant, units: fc.integer({ min: 0, max: 3 }) })),
    readings: some(fc.record({ at: instant, stock: fc.integer({ min: 0, max: 2 }) })),
  })
  .map(({ sales, ...slot }) => ({
    slotId: 'm-1',
    sku: '1',
    priceFen: 300,
    locked: false,
    isInTransit: false,
    sales: { at: Float64Array.from(sales) },
    ...slot,
  }))

const intervalsOf = (slot: SlotInput) => findStockouts(slot, sortHistory(slot, NOW), NOW).intervals

test('no instant counts as empty twice, whatever the history', () => {
  fc.assert(
    fc.property(slots, (slot) => {
      const intervals = intervalsOf(slot)
      intervals.forEach((edge, i) => expect(edge).toBeGreaterThanOrEqual(intervals[i - 1] ?? -Infinity))
      expect(overlap(intervals, 0, NOW)).toBeLessThanOrEqual(NOW)
    }),
    { numRuns: propertyRuns(5000) },
  )
})

test('a slot read empty that is empty still was empty once, from the sale that emptied it', () => {
  const slot = fc.sample(slots, { numRuns: 1, seed: 1 })[0] as SlotInput
  const seen = { ...slot, stock: 0, capacity: 10, receipts: [], removals: [], readings: [{ at: 18, stock: 0 }] }
  expect(intervalsOf({ ...seen, sales: { at: Float64Array.of(16) } })).toEqual([16, NOW])
})

test('what was taken out was there before: a receipt before it did not go into an empty slot', () => {
  const slot = fc.sample(slots, { numRuns: 1, seed: 1 })[0] as SlotInput
  const history = { ...slot, stock: 2, capacity: null, readings: [], sales: { at: Float64Array.of(3, 15) } }
  const receipts = [{ at: 10, units: 5 }]
  // 2 now, 1 sold since, 5 loaded: without the removal the slot would have been empty before the receipt.
  expect(intervalsOf({ ...history, receipts, removals: [] })).toEqual([3, 10])
  expect(intervalsOf({ ...history, receipts, removals: [{ at: 12, units: 4 }] })).toEqual([])
})

test('a slot emptied by taking out what was left is empty from then on', () => {
  const slot = fc.sample(slots, { numRuns: 1, seed: 1 })[0] as SlotInput
  const history = { ...slot, stock: 0, capacity: 10, receipts: [], readings: [], sales: { at: Float64Array.of(5) } }
  expect(intervalsOf({ ...history, removals: [{ at: 12, units: 4 }] })).toEqual([12, NOW])
})
